"""`lorekeeper tools`: what can be called, for models or not."""

import json

import typer

from agent_core.messages import Json
from agent_core.tools.catalogue import TOOLS
from agent_core.tools.registry import Registry

_COLUMNS = ("name", "risk", "family")


def tools(
    as_json: bool = typer.Option(False, "--json", help="One JSON list with the parameter schemas."),
) -> None:
    """List every tool with its risk and family."""
    registry = Registry(TOOLS)
    if as_json:
        typer.echo(json.dumps(listing(registry), indent=2, ensure_ascii=False))
        return
    items = listing(registry)
    widths = [max(len(str(item[column])) for item in items) for column in _COLUMNS]
    for item in items:
        cells = (f"{item[column]:<{width}}" for column, width in zip(_COLUMNS, widths, strict=True))
        rises = "  (may ask for more)" if item["riskRises"] else ""
        seen = rises if item["forModels"] else f"{rises}  (commands only)"
        typer.echo(f"{'  '.join(cells)}  {item['description']}{seen}")


def listing(registry: Registry) -> list[dict[str, Json]]:
    """Return name, risk, family, description, audience and parameter schema of every tool.

    `riskRises` says that some arguments, or where they come from, ask for more than `risk`.
    """
    return [
        {
            "name": tool.name,
            "risk": tool.risk.value,
            "family": tool.family.value,
            "description": tool.description,
            "riskRises": tool.escalate is not None or tool.weigh is not None,
            "forModels": tool.for_models,
            "forReaders": tool.for_readers,
            "parameters": registry.schema(tool.name).parameters,
        }
        for tool in registry
    ]
