"""From a note to an entry: names, aliases, and every other field as a detail."""

import json
from collections.abc import Iterator, Mapping

from agent_core.importing.bible.fields import Written
from agent_core.importing.bible.links import Names
from agent_core.importing.bible.mapping import Body, Mapping_
from agent_core.importing.bible.model import BibleEntry, Detail, Path, Remark, Spot
from agent_core.importing.bible.note import OURS, ReadNote
from agent_core.importing.bible.values import as_text
from agent_core.importing.bible.words import ENTITY_TYPES, Kind, Role
from agent_core.llm.surrogates import mend_json
from agent_core.lore.merge import is_list, is_object
from agent_core.messages import Json

DESCRIPTION = "description"
MAX_DESCRIPTION = 8_000


def entry_of(note: ReadNote, mapping: Mapping_, names: Names, remarks: list[Remark]) -> BibleEntry:
    """Return the entry that a note tells of; what is unclear in it is added to `remarks`."""
    name = note.name(mapping)
    details = {
        path: detail
        for key, one in note.fields.items()
        if _is_detail(note, key, mapping) and not _is_twice(note, key, remarks)
        for path, detail in _details(note, (mapping.called(key),), one, _is_relation(mapping, key), names)
    }
    details |= _exact(note, details, mapping, names) | _more(note)
    if note.kind is Kind.EVENT:
        details.setdefault(("kind",), Detail(Kind.EVENT.value, note.spot()))
    details |= _described(note, mapping, names, details, remarks)
    aliases = tuple(
        text.strip() for _, one in note.of(Role.ALIASES, mapping) for text in one.texts() if text.strip()
    )
    return BibleEntry(
        kind=ENTITY_TYPES[note.kind],
        name=names.whole(name) or name,
        spot=note.spot(),
        aliases=tuple(dict.fromkeys(aliases)),
        hint=note.said(Role.HINT, mapping),
        details=details,
        told=mapping.told,
        assumed=note.assumed,
    )


def _is_detail(note: ReadNote, key: str, mapping: Mapping_) -> bool:
    """Return whether a field says something of the entry that nothing else takes in."""
    if key == OURS:
        return False
    match mapping.role(key):
        case Role.TITLE:
            return bool(note.said(Role.NAME, mapping))
        case Role.TYPE:
            return mapping.kind(note.fields[key].text) is None
        case Role.NAME | Role.ALIASES | Role.HINT | Role.SKIP:
            return False
        case _:
            return True


def _is_relation(mapping: Mapping_, key: str) -> bool:
    return mapping.role(key) is Role.RELATION


def _is_twice(note: ReadNote, key: str, remarks: list[Remark]) -> bool:
    if key not in note.twice:
        return False
    remarks.append(Remark("twice", note.spot(note.fields[key]), {"key": key}))
    return True


def _details(
    note: ReadNote, path: Path, one: Written, relation: bool, names: Names
) -> Iterator[tuple[Path, Detail]]:
    if one.members is not None:
        for key, member in one.members.items():
            yield from _details(note, (*path, key.strip()), member, relation, names)
    elif one.items is not None:
        said = [_named(text, relation, names) for text in one.texts() if text.strip()]
        if said:
            is_relation = all(related for _, related in said)
            yield path, Detail([text for text, _ in said], note.spot(one), is_relation)
    elif one.text.strip():
        text, related = _named(one.text, relation, names)
        yield path, Detail(text, note.spot(one), related)


def _named(text: str, relation: bool, names: Names) -> tuple[str, bool]:
    """Return a value, as the name of an entry where it is one, and whether it is meant to be one."""
    whole = names.whole(text) or (names.of_tag(text.strip()) if relation else None)
    if whole is not None:
        return whole, True
    return names.plain(text.replace("\r\n", "\n")).strip(), relation


def _exact(
    note: ReadNote, shown: Mapping[Path, Detail], mapping: Mapping_, names: Names
) -> dict[Path, Detail]:
    """Return the values that our export wrote exactly beside their text, where that is still as it was."""
    found: dict[Path, Detail] = {}
    for key, value in _kept(note, "exact").items():
        own = {path: detail for path, detail in shown.items() if path[0] == key}
        relation = _is_relation(mapping, key)
        meant = {path: _texts(as_text(one), relation, names) for path, one in leaves((key,), value)}
        said = {path: _texts(detail.value, relation, names) for path, detail in own.items()}
        if said == {path: texts for path, texts in meant.items() if texts}:
            spot = next((detail.spot for detail in own.values()), note.spot())
            found |= {path: Detail(one, spot) for path, one in leaves((key,), value)}
    return found


def _more(note: ReadNote) -> dict[Path, Detail]:
    """Return the values that our export wrote beside the fields, as their keys mean something else there."""
    spot = note.spot(note.fields.get(OURS))
    return {
        path: Detail(one, spot)
        for key, value in _kept(note, "more").items()
        for path, one in leaves((key,), value)
    }


def _kept(note: ReadNote, name: str) -> Mapping[str, Json]:
    ours = note.fields.get(OURS)
    written = (ours.members or {}).get(name) if ours else None
    try:
        kept = mend_json(json.loads(written.text)) if written else {}
    except (ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _texts(value: Json, relation: bool, names: Names) -> tuple[str, ...]:
    """Return the texts of a value as reading them back gives them."""
    read = (_named(str(item), relation, names)[0] for item in (value if is_list(value) else [value]))
    return tuple(text for text in read if text)


def leaves(path: Path, value: Json) -> Iterator[tuple[Path, Json]]:
    """Yield (path, value) of all that a value holds; lists, marks such as "none" and {} are whole."""
    if is_object(value) and value:
        for key, inner in value.items():
            yield from leaves((*path, key), inner)
    else:
        yield path, value


def _described(
    note: ReadNote, mapping: Mapping_, names: Names, details: Mapping[Path, Detail], remarks: list[Remark]
) -> dict[Path, Detail]:
    """Return the lead of the note's text as its description, unless a field has said one."""
    if mapping.body is Body.SKIP or OURS in note.fields:
        return {}
    lead, has_sections = note.lead
    text = names.plain(lead)
    key = (mapping.called(DESCRIPTION),)
    is_said = any(path[0] == key[0] or path[0].casefold() in _DESCRIPTIONS for path in details)
    if text and (is_said or len(text) > MAX_DESCRIPTION):
        remarks.append(Remark("text_stays", note.spot(), {}))
        return {}
    if has_sections:
        remarks.append(Remark("sections_stay", note.spot(), {}))
    return {key: Detail(text, Spot(note.path, 0))} if text else {}


_DESCRIPTIONS = frozenset({"description", "beschreibung"})
