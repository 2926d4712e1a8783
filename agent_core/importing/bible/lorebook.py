"""Lorebooks: SillyTavern's world info and character cards, and NovelAI's; their keys become aliases."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_core.errors import ImportFailure
from agent_core.importing.bible.fields import Written
from agent_core.importing.bible.files import BibleFile
from agent_core.importing.bible.mapping import Mapping_
from agent_core.importing.bible.model import Remark, Spot
from agent_core.importing.bible.note import ReadNote
from agent_core.importing.bible.words import Kind
from agent_core.llm.surrogates import mend_json
from agent_core.lore.fold import name_key
from agent_core.lore.merge import is_list
from agent_core.messages import Json

MAX_ENTRIES = 10_000
_CARD_KEYS = ("description", "personality", "scenario")


@dataclass(frozen=True, slots=True)
class _Said:
    name: str
    keys: Sequence[str]
    text: str
    category: str = ""
    conditions: bool = False


def read_lorebook(file: BibleFile, mapping: Mapping_, remarks: list[Remark]) -> list[ReadNote] | None:
    """Return a note an entry, None where the file is JSON of another kind.

    Raises:
        ImportFailure: not_text, too_large, or "json" with the line.
    """
    whole = _load(file)
    data = _members(whole.get("data"))
    book = _members(data.get("character_book")) or _members(whole.get("character_book")) or whole
    entries = book.get("entries")
    listed = list(entries.values()) if isinstance(entries, Mapping) else entries if is_list(entries) else None
    card = data or whole
    has_card = bool(_text(card.get("name"))) and any(_text(card.get(key)) for key in _CARD_KEYS)
    if listed is None and not has_card:
        return None
    if len(listed or ()) > MAX_ENTRIES:
        raise ImportFailure(file=file.path, reason="too_large", limit=MAX_ENTRIES)
    notes = [_card(file, card)] if has_card else []
    categories = {_text(one.get("id")): _text(one.get("name")) for one in _objects(book.get("categories"))}
    for place, one in enumerate(map(_members, listed or ()), 1):
        said = _said(one, categories)
        if said.name and said.text.strip():
            notes.append(_note(file, place, said, mapping, remarks))
        else:
            remarks.append(Remark("no_name", Spot(f"{file.path} #{place}")))
    return notes


def _load(file: BibleFile) -> Mapping[str, Json]:
    try:
        return _members(mend_json(json.loads(file.text())))
    except json.JSONDecodeError as error:
        raise ImportFailure(file=file.path, reason="json", line=error.lineno) from error
    except RecursionError as error:
        raise ImportFailure(file=file.path, reason="json", line=1) from error


def _said(one: Mapping[str, Json], categories: Mapping[str, str]) -> _Said:
    keys = [*_texts(one.get("key")), *_texts(one.get("keys"))]
    name = next((text for key in ("displayName", "name", "comment") if (text := _text(one.get(key)))), "")
    plain = [key for key in keys if not key.startswith("/")]
    return _Said(
        name=name or next(iter(plain), ""),
        keys=keys,
        text=_text(one.get("content")) or _text(one.get("text")),
        category=categories.get(_text(one.get("category")), ""),
        conditions=bool(_texts(one.get("keysecondary")) or _texts(one.get("secondary_keys"))),
    )


def _note(file: BibleFile, place: int, said: _Said, mapping: Mapping_, remarks: list[Remark]) -> ReadNote:
    path = f"{file.path} #{place}"
    kind = mapping.kind(said.category) or mapping.named.get(name_key(said.name))
    patterns = [key for key in said.keys if key.startswith("/")]
    if patterns or said.conditions:
        remarks.append(Remark("keys_stay", Spot(path)))
    aliases = tuple(Written(0, key) for key in said.keys if key not in patterns)
    fields = {"name": Written(0, said.name), "aliases": Written(0, items=aliases)}
    return ReadNote(
        path=path,
        kind=kind or Kind.RULE,
        fields=fields,
        text=said.text,
        whole=True,
        assumed=kind is None,
    )


def _card(file: BibleFile, card: Mapping[str, Json]) -> ReadNote:
    said = {key: _text(card.get(key)) for key in ("name", *_CARD_KEYS)}
    fields = {key: Written(0, text) for key, text in said.items() if text}
    return ReadNote(path=file.path, kind=Kind.CHARACTER, fields=fields, whole=True)


def _objects(value: Json) -> Iterator[Mapping[str, Json]]:
    return map(_members, value if is_list(value) else ())


def _members(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Json) -> str:
    return value.strip() if isinstance(value, str) else ""


def _texts(value: Json) -> list[str]:
    parts = value if is_list(value) else value.split(",") if isinstance(value, str) else ()
    return [text for part in parts if (text := _text(part))]
