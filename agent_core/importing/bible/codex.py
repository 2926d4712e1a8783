"""A Novelcrafter codex as it is exported: a folder an entry, with `metadata.json` and `entry.md`.

The folders are `<kind in the plural>/<name>-<id>/`. `notes.md` beside them is research and stays out.
"""

import json
from collections.abc import Mapping, Sequence

from agent_core.errors import ImportFailure
from agent_core.importing.bible.fields import Written
from agent_core.importing.bible.files import BibleFile
from agent_core.importing.bible.mapping import Mapping_
from agent_core.importing.bible.model import Remark, Spot
from agent_core.importing.bible.note import ReadNote, read_note
from agent_core.importing.bible.values import as_text
from agent_core.importing.bible.words import Kind
from agent_core.llm.surrogates import mend_json
from agent_core.lore.merge import is_list
from agent_core.messages import Json
from agent_core.vault import paths

METADATA, ENTRY, RESEARCH = "metadata.json", "entry.md", "notes.md"
_FLAGS = frozenset({
    "type", "name", "aliases", "tags", "color", "alwaysIncludeInContext", "doNotTrack", "noAutoInclude",
    "hideFromAi", "matchExclusions", "matchCaseSensitive", "promptInclusions",
})  # fmt: skip


def is_codex(files: Sequence[BibleFile]) -> bool:
    """Return whether these are the files of an exported codex."""
    folders = {paths.parent(file.path) for file in files if file.name == METADATA}
    return any(file.name == ENTRY and paths.parent(file.path) in folders for file in files)


def read_codex(files: Sequence[BibleFile], mapping: Mapping_, remarks: list[Remark]) -> list[ReadNote]:
    """Return a note an entry; what isn't of the codex, such as the manuscript beside it, is in `remarks`.

    Raises:
        ImportFailure: not_text, or "json" with the line.
    """
    by_path = {file.path: file for file in files}
    entries = {paths.parent(file.path): _object(file) for file in files if file.name == METADATA}
    called = {str(one.get("id")): str(_attributes(one).get("name", "")) for one in entries.values()}
    for file in files:
        if paths.parent(file.path) not in entries:
            remarks.append(Remark("not_codex", Spot(file.path)))
        elif file.name == RESEARCH:
            remarks.append(Remark("research_stays", Spot(file.path)))
    return [
        _note(by_path.get(f"{folder}/{ENTRY}"), folder, said, called, mapping)
        for folder, said in entries.items()
    ]


def _note(
    file: BibleFile | None,
    folder: str,
    said: Mapping[str, Json],
    called: Mapping[str, str],
    mapping: Mapping_,
) -> ReadNote:
    read = read_note(file, mapping) if file else None
    attributes = _attributes(said)
    fields = dict(read.fields) if isinstance(read, ReadNote) else {}
    fields |= {key: _written(value) for key, value in attributes.items() if key not in _FLAGS and value}
    name = str(attributes.get("name") or "") or folder.rpartition("/")[2].rpartition("-")[0]
    nested = _members(said.get("relationships")).get("nestedEntries")
    related = [
        called[one] for one in (nested if is_list(nested) else ()) if isinstance(one, str) and one in called
    ]
    fields |= {"name": Written(0, name), "aliases": _written(attributes.get("aliases"))}
    if related:
        fields["related"] = _written(related)
    word = str(attributes.get("type") or "")
    kind = mapping.kind(word) or (read.kind if isinstance(read, ReadNote) else None) or Kind.RULE
    if word and word not in set(Kind):
        fields.setdefault("kind of lore", Written(0, word))
    return ReadNote(
        path=file.path if file else f"{folder}/{METADATA}",
        kind=kind,
        fields={key: one for key, one in fields.items() if key != "type"},
        text=read.text if isinstance(read, ReadNote) else "",
        whole=True,
    )


def _object(file: BibleFile) -> Mapping[str, Json]:
    try:
        return _members(mend_json(json.loads(file.text())))
    except json.JSONDecodeError as error:
        raise ImportFailure(file=file.path, reason="json", line=error.lineno) from error
    except RecursionError as error:
        raise ImportFailure(file=file.path, reason="json", line=1) from error


def _attributes(said: Mapping[str, Json]) -> Mapping[str, Json]:
    return _members(said.get("attributes"))


def _members(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}


def _written(value: Json) -> Written:
    text = as_text(value)
    if is_list(text):
        return Written(0, items=tuple(Written(0, str(item)) for item in text))
    return Written(0, str(text))
