"""Writes the pages that follow from the code, so that they cannot say anything else.

`python -m bot.reference`, started in the checkout, writes them anew; a test compares them.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from pydantic.fields import FieldInfo

from bot.settings import Default, Settings, variable


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


PAGES: Mapping[str, Callable[[], str]] = MappingProxyType(
    {"docs/reference/settings.md": settings_page, ".env.example": env_example}
)


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
