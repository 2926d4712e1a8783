"""Reads the YAML at the top of a note, and unites two of them by whole lines: nothing else changes."""

import re
from collections.abc import Iterator, Mapping

import yaml

from agent_core.vault.note import Note

Values = Mapping[str, tuple[str, ...]]
"""Each key with its values as they are written: no number, date or "no" is taken for anything but text."""

_MAX_CHARS = 200_000
_MAX_VALUES = 5_000
_KEY = re.compile(
    r"^(?P<key>[^\s#\-:\"'\[\]{}][^:\n]*?|\"[^\"\n]+\"|'[^'\n]+'):(?=[ \t\r\n]|$)", re.MULTILINE
)
_LISTED = frozenset({"tags", "aliases", "cssclasses"})
_FLOW = re.compile(r"(?P<head>[^\n]*:[ \t]*\[)(?P<items>[^\n]*)\](?P<tail>[ \t]*\r?\n?)")
_BLOCK_ITEM = re.compile(r"^(?P<indent>[ \t]*)-[ \t]", re.MULTILINE)


def values_of(note: Note) -> Values:
    """Return what the frontmatter says, nested keys joined by dots; nothing where it is no YAML."""
    span = note.markup.frontmatter
    return _values(note.text[span[0] : span[1]]) if span else {}


def tags_of(note: Note, values: Values) -> tuple[str, ...]:
    """Return the tags of a note, from its frontmatter and its text, each once, without their sign."""
    listed = [
        tag
        for name in ("tags", "tag")
        for value in values.get(name, ())
        for tag in re.split(r"[,\s]+", value)
    ]
    own = [tag for tag, _ in note.markup.tags]
    return tuple(
        dict.fromkeys(tag.lstrip("#").strip("/") for tag in (*listed, *own) if tag.lstrip("#").strip("/"))
    )


def aliases_of(values: Values) -> tuple[str, ...]:
    """Return the other names of a note."""
    return tuple(dict.fromkeys((*values.get("aliases", ()), *values.get("alias", ()))))


def united(keep: Note, other: Note) -> tuple[str, tuple[str, ...]]:
    """Return the text of `keep` with the keys that only `other` has, and the items of its lists.

    The second part names the keys that say something else in `other`: there `keep` stays as it is.
    """
    span, there = keep.markup.frontmatter, other.markup.frontmatter
    if there is None:
        return keep.text, ()
    added = dict(_blocks(keep.in_file(other.text[there[0] : there[1]])))
    if span is None:
        end = keep.line_end
        return f"---{end}{''.join(added.values())}---{end}{keep.text}", ()
    own = dict(_blocks(keep.text[span[0] : span[1]]))
    theirs, ours, differing = values_of(other), values_of(keep), []
    for name, block in added.items():
        if name not in own:
            own[name] = block
        elif name in _LISTED:
            lacking = [value for value in theirs.get(name, ()) if value not in ours.get(name, ())]
            own[name] = _extended(own[name], lacking, ours.get(name, ()), keep.line_end)
        elif theirs.get(name) != ours.get(name):
            differing.append(name)
    return f"{keep.text[: span[0]]}{''.join(own.values())}{keep.text[span[1] :]}", tuple(differing)


def _values(text: str) -> dict[str, tuple[str, ...]]:
    if len(text) > _MAX_CHARS:
        return {}
    try:
        loaded = yaml.load(text, Loader=_LOADER)  # noqa: S506  the base loader makes texts, lists and objects only
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    made: dict[str, list[str]] = {}
    if isinstance(loaded, dict):
        for count, (name, value) in enumerate(_flat("", loaded, 0)):
            if count >= _MAX_VALUES:  # aliases of aliases can be without end
                break
            made.setdefault(name, []).append(value)
    return {name: tuple(value for value in values if value) for name, values in made.items()}


_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def _flat(name: str, value: object, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and depth < 8:
        for key, item in value.items():
            yield from _flat(f"{name}.{key}" if name else str(key), item, depth + 1)
    elif isinstance(value, list) and depth < 8:
        if not value:
            yield name, ""
        for item in value:
            yield from _flat(name, item, depth + 1)
    else:
        yield name, str(value) if isinstance(value, str) else ""


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield each top key with all its lines; what stands before the first goes with none and comes as ""."""
    found = list(_KEY.finditer(text))
    if found and found[0].start():
        yield "", text[: found[0].start()]
    for place, match in enumerate(found):
        end = found[place + 1].start() if place + 1 < len(found) else len(text)
        yield match["key"].strip("\"'"), text[match.start() : end]


def _extended(block: str, lacking: list[str], present: tuple[str, ...], end: str) -> str:
    """Return the lines of a list with more items, in the form it has."""
    if not lacking:
        return block
    if flow := _FLOW.fullmatch(block):
        items = [flow["items"].strip().rstrip(","), *map(_scalar, lacking)]
        return f"{flow['head']}{', '.join(filter(None, items))}]{flow['tail']}"
    if item := _BLOCK_ITEM.search(block):
        stem = block.rstrip("\r\n")
        return f"{stem}{end}" + "".join(f"{item['indent']}- {_scalar(one)}{end}" for one in lacking)
    name = block.partition(":")[0]
    return f"{name}:{end}" + "".join(f"  - {_scalar(one)}{end}" for one in (*present, *lacking))


def _scalar(text: str) -> str:
    return (
        text
        if re.fullmatch(r"[^\W_][\w /\-]*", text) and not text.isdecimal()
        else "'" + text.replace("'", "''") + "'"
    )
