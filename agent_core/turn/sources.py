"""What an answer rests on: places of the canon, lines of notes, pages of the web, as the tools told them.

A source is a text: the label of a scene ("1.2"), the name of an entry, a note with its line
("Places/Vel.md:12", the folder and a colon before it where the turn read several), or a page's address.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agent_core.messages import Json, Role, parse_json
from agent_core.turn.model import Step

MAX_SOURCES = 12  # of each kind
_PLACES = frozenset({"from", "scene", "first"})
_READ_A_NOTE = frozenset({"read_file", "read_file_raw"})
_FOUND_NOTES = frozenset({"search_fulltext", "search_advanced"})
_READ_PAGES = frozenset({"fetch_url", "crawl_site"})

Data = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class _Found:
    """A note or page that a tool told of. `read`: with its text, not only as one of many."""

    kind: Literal["note", "page"]
    name: str
    line: int = 0
    vault: str = ""
    read: bool = False


def sources_of(steps: Sequence[Step], answer: str = "") -> tuple[str, ...]:
    """Return the sources of a turn, those of the canon first, each kind as it was first seen."""
    return tuple(cited(steps, answer))


def cited(steps: Sequence[Step], answer: str = "", *, entries: bool = False) -> Mapping[str, int]:
    """Return the sources of `sources_of`, each with the edit of a fact there, 0 where none is known.

    With `entries` those that were looked up are named beside the scenes that their facts rest on.

    Of notes and pages those count that the answer names; where it names none those that were read, and
    where none was read those that a search found.
    """
    scenes: dict[str, int] = {}
    looked_up: dict[str, int] = {}
    found: list[_Found] = []
    for tool, data in _results(steps):
        for label, edit in _labels(data):
            scenes[label] = scenes.get(label) or edit
        if entries and tool == "get_entity_state" and isinstance(entry := data.get("entry"), dict):
            looked_up[str(entry.get("name", ""))] = 0
        found += _notes(tool, data)
        found += _pages(tool, data)
    kept = dict([*list(looked_up.items())[:MAX_SOURCES], *list(scenes.items())[:MAX_SOURCES]])
    several = len({one.vault for one in found if one.kind == "note"}) > 1
    for kind in ("note", "page"):
        those = _relied_on([one for one in found if one.kind == kind], answer)
        texts = dict.fromkeys(_text(one, answer, several=several) for one in those)
        kept |= dict.fromkeys(list(texts)[:MAX_SOURCES], 0)
    return kept


def _results(steps: Sequence[Step]) -> Iterator[tuple[str, Data]]:
    for step in steps:
        if step.message.role is Role.TOOL and step.outcome == "done":
            try:
                parsed = parse_json(step.message.content)
            except ValueError:
                continue
            data = parsed.get("data") if isinstance(parsed, dict) else None
            if isinstance(data, dict):
                yield str(parsed.get("tool", "")), data


def _labels(value: Json, key: str = "", edit: int = 0) -> Iterator[tuple[str, int]]:
    if isinstance(value, dict):
        label, own = value.get("label"), value.get("edit")
        if key in _PLACES and isinstance(label, str):
            yield label, edit
        for name, item in value.items():
            if isinstance(item, dict | list):
                yield from _labels(item, name, own if isinstance(own, int) else 0)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list):
                yield from _labels(item, key, edit)


def _notes(tool: str, data: Data) -> Iterator[_Found]:
    if tool in _READ_A_NOTE:
        yield _note(data, _number(data.get("line"), 1), read=True)
    elif tool in _FOUND_NOTES:
        for item in _objects(data.get("items")):
            for quote in _objects(item.get("quotes")):
                yield _note(item, _number(quote.get("line"), 1))
    elif tool == "get_backlinks":
        for item in _objects(data.get("items")):
            yield _note({**item, "vault": data.get("vault")}, _number(item.get("line"), 1))


def _note(data: Data, line: int, *, read: bool = False) -> _Found:
    return _Found("note", str(data.get("path", "")), line, str(data.get("vault", "")), read)


def _pages(tool: str, data: Data) -> Iterator[_Found]:
    if tool in _READ_PAGES:
        for page in _objects(data.get("pages")) or [data]:
            if isinstance(page.get("url"), str):
                yield _Found("page", str(page["url"]), read=True)
    elif tool == "web_search":
        for hit in _objects(data.get("items")):
            yield _Found("page", str(hit.get("url", "")))


def _relied_on(found: Sequence[_Found], answer: str) -> Iterable[_Found]:
    named = [one for one in found if _is_named(one, answer)]
    return named or [one for one in found if one.read] or found


def _is_named(one: _Found, answer: str) -> bool:
    """Return whether the answer names it as a whole: the address of a page may begin that of another."""
    return bool(one.name) and re.search(rf"(?<![\w/]){re.escape(one.name)}(?![\w/?#=&-])", answer) is not None


def _text(one: _Found, answer: str, *, several: bool) -> str:
    if one.kind == "page":
        return one.name
    said = re.search(rf"(?<![\w/]){re.escape(one.name)}:(\d{{1,6}})", answer)
    shown = f"{one.name}:{said[1] if said else one.line}"
    return f"{one.vault}:{shown}" if several else shown


def _objects(value: Json) -> list[Data]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _number(value: Json, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise
