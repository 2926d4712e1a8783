"""Writes the pages that follow from the code, so that they cannot say anything else.

`python -m bot.reference`, started in the checkout, writes them anew; a test compares them.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from pydantic.fields import FieldInfo

from agent_core.messages import Json
from agent_core.tools.catalogue import TOOLS
from agent_core.tools.registry import Registry
from agent_core.tools.spec import Risk
from bot.cli.tools import listing
from bot.setting_kinds import Default, variable
from bot.settings import Settings


def settings_page() -> str:
    """Return the reference page of all settings, in Markdown."""
    rows = "\n".join(
        f"| `{variable(name)}` | {_default(field) or 'none'} | {field.description} |"
        for name, field in Settings.model_fields.items()
    )
    return f"""# Settings

Each setting is an environment variable, or a line `NAME=value` in a file `.env` in the folder from which
LoreKeeper is started; the environment wins. An empty value counts as none. A value that cannot be used stops
the start with a sentence that names the variable.

| variable | default | meaning |
|---|---|---|
{rows}
"""


def env_example() -> str:
    """Return `.env.example`: every setting once, commented out, with its default."""
    head = "# Copy this file to .env and remove the # before what you set.\n"
    return head + "".join(_env_lines(name, field) for name, field in Settings.model_fields.items())


def tools_page() -> str:
    """Return the reference page of all tools with their arguments, in Markdown."""
    registry = Registry(TOOLS)
    parts = [
        """# Tools

Everything that a model or a command can do is one of these tools, and goes through the same pipeline.
**read** runs at once. **write** waits until a person has confirmed it. **dangerous** also needs the lead,
or a right that the lead has granted; with some arguments a tool may ask for more than its risk here.
Arguments marked * are required. `lorekeeper tools --json` prints the schemas.

Families besides lore and notes are switched on per place: `/settings web on`.
"""
    ]
    items = listing(registry)
    parts += [_overview(items), *map(_tool, items)]
    return "\n".join(parts)


PAGES: Mapping[str, Callable[[], str]] = MappingProxyType(
    {
        "docs/reference/settings.md": settings_page,
        "docs/reference/tools.md": tools_page,
        ".env.example": env_example,
    }
)


def _overview(items: Sequence[Mapping[str, Json]]) -> str:
    """Return a table with a line a family, each risk's tools in it."""
    risks = [risk.value for risk in Risk]
    lines = [f"| family | {' | '.join(risks)} |", "|---" * (len(risks) + 1) + "|"]
    for family in dict.fromkeys(str(item["family"]) for item in items):
        cells = (
            ", ".join(
                f"[{item['name']}](#{item['name']})"
                for item in items
                if (item["family"], item["risk"]) == (family, risk)
            )
            for risk in risks
        )
        lines.append(f"| {family} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _tool(item: Mapping[str, Json]) -> str:
    schema = item["parameters"]
    assert isinstance(schema, Mapping)  # noqa: S101  a JSON schema is an object
    required, fields = schema.get("required") or (), schema.get("properties") or {}
    assert isinstance(required, Sequence)  # noqa: S101  so a JSON schema has it
    assert isinstance(fields, Mapping)  # noqa: S101  so a JSON schema has it
    audience = "models and commands" if item["forModels"] else "commands only"
    readers = ", also for readers" if item["forReaders"] else ""
    lines = [f"## {item['name']}", "", f"{item['description']}", ""]
    rises = ", sometimes more" if item["riskRises"] else ""
    lines += [f"{item['risk']}{rises} · {item['family']} · {audience}{readers}", ""]
    lines += [_argument(name, field, required) for name, field in fields.items()]
    return "\n".join(lines).rstrip() + "\n"


def _argument(name: str, field: Json, required: Sequence[Json]) -> str:
    told = field.get("description", "") if isinstance(field, Mapping) else ""
    return f"- `{name}`{'*' if name in required else ''}: {told}"


def _env_lines(name: str, field: FieldInfo) -> str:
    default = _default(field)
    if any(isinstance(extra, Default) for extra in field.metadata):
        return f"\n# {field.description} Default: {default}.\n#{variable(name)}=\n"
    return f"\n# {field.description}\n#{variable(name)}={default}\n"


def _default(field: FieldInfo) -> str:
    for extra in field.metadata:
        if isinstance(extra, Default):
            return extra.text
    return "" if field.default is None else str(field.default)


if __name__ == "__main__":
    for path, page in PAGES.items():
        Path(path).write_text(page(), encoding="utf-8")
