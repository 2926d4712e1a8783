"""The canon as Markdown notes: frontmatter, wikilinks, and the source of each fact; import reads it back."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_core.errors import NoteRefusal
from agent_core.exporting.scalars import members, scalar
from agent_core.exporting.view import CanonEntry, CanonView, kinds, sources_of
from agent_core.importing.bible.note import OURS
from agent_core.importing.bible.values import as_text
from agent_core.importing.bible.words import ROLES, Role
from agent_core.lore.answers import Place
from agent_core.lore.fold import name_key
from agent_core.lore.merge import is_list, is_object
from agent_core.messages import Json
from agent_core.texts import say
from agent_core.vault import paths

_NOT_IN_NAMES = str.maketrans(dict.fromkeys('<>:"/\\|?*#^[]', " "))
_TAKEN = frozenset({Role.NAME, Role.ALIASES, Role.HINT, Role.SKIP, Role.TYPE})
"""Keys that notes use for something else; a detail that is called so goes beside them."""
MAX_NAME = 120
MAX_KEY = 200


@dataclass(frozen=True, slots=True)
class NoteText:
    """A note by its path, and its text."""

    path: str
    text: str


def canon_notes(view: CanonView, language: str) -> tuple[NoteText, ...]:
    """Return a note an entry in a folder a kind, and one that lists them all."""
    folders = {kind: say(language, f"export.folder_{kind}") for kind in kinds(view)}
    stems = _stems(view)
    notes = [
        NoteText(
            f"{folders[one.entry.type.value]}/{stem}.md",
            _note(view, one, stems, language),
        )
        for one, stem in zip(view.entries, stems.values(), strict=True)
    ]
    return (*notes, NoteText(f"{say(language, 'export.index')}.md", _index(view, stems, language)))


def _note(view: CanonView, one: CanonEntry, stems: Mapping[str, str], language: str) -> str:
    shown, exact, more = _written(view, one, stems)
    lines = ["---", f"type: {one.entry.type.value}", f"name: {scalar(one.entry.name)}"]
    if one.entry.aliases:
        lines += members("aliases", list(one.entry.aliases))
    if one.entry.hint:
        lines.append(f"hint: {scalar(one.entry.hint)}")
    for key, value in shown.items():
        lines += members(key, value)
    lines += _ours(view, exact, more)
    lines += ["---", "", f"# {one.entry.name}", ""]
    lines += _sources(view, one, stems, language)
    return "\n".join(lines).rstrip("\n") + "\n"


def _ours(view: CanonView, exact: Mapping[str, Json], more: Mapping[str, Json]) -> Iterator[str]:
    yield f"{OURS}:"
    yield f"  series: {scalar(view.series)}"
    if view.at is not None:
        yield f"  as_of: {scalar(view.at.label)}"
    if view.known is not None:
        yield f"  known: {view.known}"
    if view.reader is not None:
        yield f"  reader: {scalar(view.reader.label)}"
    for name, values in (("exact", exact), ("more", more)):
        if values:
            yield f"  {name}: {json.dumps(json.dumps(values))}"


def _written(
    view: CanonView, one: CanonEntry, stems: Mapping[str, str]
) -> tuple[dict[str, Json], dict[str, Json], dict[str, Json]]:
    """Return what stands in the fields, what text alone can't carry of it, and what can't stand there."""
    shown: dict[str, Json] = {}
    exact: dict[str, Json] = {}
    more: dict[str, Json] = {}
    for key, value in one.state.items():
        if not _has_room(key) or not _is_shaped(value):
            more[key] = value
            continue
        shown[key] = _linked(value, view, stems)
        if not _survives(value):
            exact[key] = value
    return shown, exact, more


def _has_room(key: str) -> bool:
    return _is_key(key) and key != OURS and ROLES.get(name_key(key)) not in _TAKEN


def _is_key(key: str) -> bool:
    return 0 < len(key) <= MAX_KEY and key == key.strip() and key.isprintable()


def _is_shaped(value: Json) -> bool:
    """Return whether the members of a value can stand as members in a note."""
    if not is_object(value):
        return True
    return bool(value) and all(_is_key(key) and _is_shaped(one) for key, one in value.items())


def _survives(value: Json) -> bool:
    """Return whether a value that is read back from its text is the same."""
    if is_object(value):
        return all(map(_survives, value.values()))
    if is_list(value):
        return bool(value) and all(isinstance(item, str) and _survives(item) for item in value)
    if not isinstance(value, str) or not value.strip() or value != value.strip():
        return False
    is_marked = "[[" in value or "](" in value or value.startswith("#")
    return not is_marked and value.replace("\n", "").isprintable()


def _linked(value: Json, view: CanonView, stems: Mapping[str, str]) -> Json:
    """Return a value with names of entries as links to their notes."""
    if is_object(value):
        return {key: _linked(one, view, stems) for key, one in value.items()}
    if is_list(value):
        return [_linked(item, view, stems) for item in value if as_text(item) != ""]
    text = str(as_text(value))
    entry = view.named(text) if isinstance(value, str) else None
    return _link(stems[entry.id], text) if entry is not None else text


def _link(stem: str, name: str) -> str:
    return f"[[{stem}]]" if stem == name else f"[[{stem}|{name}]]"


def _sources(view: CanonView, one: CanonEntry, stems: Mapping[str, str], language: str) -> Iterator[str]:
    """Yield a line a detail: its value, from where it is true, and by which edit."""
    for key, value in one.state.items():
        for source in sources_of(one, key):
            text = say(
                language,
                "export.source",
                key=".".join(source.path),
                value=_shown(_inner(value, source.path[1:]), view, stems),
                place=_place(source.from_, language),
                edit=source.edit,
            )
            yield f"- {text}"


def _inner(value: Json, path: Sequence[str]) -> Json:
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else value
    return value


def _shown(value: Json, view: CanonView, stems: Mapping[str, str]) -> str:
    linked = _linked(value, view, stems)
    texts = [str(item) for item in linked] if is_list(linked) else [str(as_text(linked))]
    return " ".join(", ".join(texts).split())


def _place(place: Place | None, language: str) -> str:
    if place is None:
        return say(language, "place.always")
    return say(language, "place.from", place=" ".join(filter(None, (place.label, place.title))))


def _index(view: CanonView, stems: Mapping[str, str], language: str) -> str:
    lines = ["---", f"{OURS}:", "  index: canon", f"  series: {scalar(view.series)}", "---", ""]
    title = say(
        language,
        "export.title",
        series=view.series,
        place=view.at.label if view.at else "",
        known=view.known,
        reader=view.reader.label if view.reader else "",
    )
    lines.append(f"# {title}")
    for kind in kinds(view):
        lines += ["", f"## {say(language, f'export.folder_{kind}')}", ""]
        lines += (
            f"- {_link(stems[one.entry.id], one.entry.name)}"
            for one in view.entries
            if one.entry.type.value == kind
        )
    return "\n".join(lines) + "\n"


def _stems(view: CanonView) -> dict[str, str]:
    """Return the file name of each entry, in the order of the entries; no two are one name on any disk."""
    taken: set[str] = set()
    stems: dict[str, str] = {}
    for one in view.entries:
        hint = f" ({one.entry.hint})" if one.entry.hint else ""
        for stem in _candidates(one.entry.name, hint):
            if paths.key(stem) not in taken:
                break
        taken.add(paths.key(stem))
        stems[one.entry.id] = stem
    return stems


def _candidates(name: str, hint: str) -> Iterator[str]:
    plain = _file_name(name)
    yield plain
    if hint:
        yield _file_name(f"{plain}{hint}")
    number = 2
    while True:
        yield f"{plain} {number}"
        number += 1


def _file_name(name: str) -> str:
    """Return a name that a file can have on any disk and a link can name."""
    kept = "".join(char for char in name.translate(_NOT_IN_NAMES) if char.isprintable())
    short = " ".join(kept.split())[:MAX_NAME].strip(" .").lstrip(".")
    try:
        return paths.title(paths.clean_new(f"{short or '_'}.md"))
    except NoteRefusal:  # what a device of some system is called
        return f"_{short}"
