"""The sample series that ships with the package: two short books, and its canon as the edits of a team."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from agent_core.importing.manuscript import Manuscript
from agent_core.importing.markdown import markdown_book
from agent_core.messages import Json

_FOLDER = "sample"
_BOOKS = ("book-1.md", "book-2.md")
_CANON = "canon.toml"
_TOOL = "tool"


@dataclass(frozen=True, slots=True)
class SampleCall:
    """A call of a lore tool, with the arguments that the tool takes."""

    tool: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class SampleEdit:
    """Calls that are approved together. `about` says in English what they are for."""

    about: str
    calls: tuple[SampleCall, ...]


@cache
def sample_manuscripts() -> tuple[Manuscript, ...]:
    """Return the books in reading order; reads package data at the first call."""
    return tuple(markdown_book(_data(name), name) for name in _BOOKS)


@cache
def sample_edits() -> tuple[SampleEdit, ...]:
    """Return the edits in the order in which they are to be made; reads package data at the first call."""
    return tuple(
        SampleEdit(about=edit["about"], calls=tuple(_call(call) for call in edit["calls"]))
        for edit in tomllib.loads(_data(_CANON).decode())["edits"]
    )


def _call(table: Mapping[str, Json]) -> SampleCall:
    return SampleCall(str(table[_TOOL]), {name: value for name, value in table.items() if name != _TOOL})


def _data(name: str) -> bytes:
    return (files("agent_core.importing") / _FOLDER / name).read_bytes()
