"""`lorekeeper tools`: what can be called, for models or not."""

import json

import typer

from agent_core.messages import Json
from agent_core.tools.catalogue import TOOLS
from agent_core.tools.registry import Registry


def tools(
    as_json: bool = typer.Option(False, "--json", help="One JSON list with the parameter schemas."),
) -> None:
    """List every tool with its risk and family."""
    registry = Registry(TOOLS)
    if as_json:
        typer.echo(json.dumps(listing(registry), indent=2, ensure_ascii=False))
        return
    for item in listing(registry):
        seen = "" if item["forModels"] else "  (commands only)"
        typer.echo(f"{item['name']:<22} {item['risk']:<10} {item['family']:<8} {item['description']}{seen}")


def listing(registry: Registry) -> list[dict[str, Json]]:
    """Return name, risk, family, description, audience and parameter schema of every tool."""
    return [
        {
            "name": tool.name,
            "risk": tool.risk.value,
            "family": tool.family.value,
            "description": tool.description,
            "forModels": tool.for_models,
            "forReaders": tool.for_readers,
            "parameters": registry.schema(tool.name).parameters,
        }
        for tool in registry
    ]
