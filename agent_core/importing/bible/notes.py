"""From notes to a bible, whatever format they came from."""

from collections.abc import Sequence
from dataclasses import replace

from agent_core.importing.bible.entries import entry_of
from agent_core.importing.bible.files import BibleFile
from agent_core.importing.bible.links import Names
from agent_core.importing.bible.mapping import Mapping_
from agent_core.importing.bible.model import Bible, Labels, Remark
from agent_core.importing.bible.note import ReadNote, read_note
from agent_core.importing.bible.scenes import scene_of
from agent_core.importing.bible.words import ENTITY_TYPES, Kind, Role
from agent_core.lore.fold import name_key


def read_notes(files: Sequence[BibleFile], mapping: Mapping_, remarks: list[Remark]) -> list[ReadNote]:
    """Return the notes of Markdown files; those that tell nothing of the story are added to `remarks`.

    Raises:
        ImportFailure: reason "not_text".
    """
    notes: list[ReadNote] = []
    for file in files:
        read = read_note(file, mapping)
        if isinstance(read, Remark):
            remarks.append(read)
        else:
            notes.append(read)
    return notes


def bible_of(notes: Sequence[ReadNote], mapping: Mapping_, remarks: list[Remark]) -> Bible:
    """Return what the notes tell of."""
    meant = [_meant(note, mapping) for note in notes]
    names = Names((note.path, note.name(mapping), _aliases(note, mapping)) for note in meant)
    work = next((note for note in meant if note.kind is Kind.WORK), None)
    return Bible(
        title=work.name(mapping) if work else "",
        labels=_labels(work),
        entries=tuple(entry_of(note, mapping, names, remarks) for note in meant if note.kind in ENTITY_TYPES),
        scenes=tuple(scene_of(note, mapping, names, remarks) for note in meant if note.kind is Kind.SCENE),
        remarks=tuple(remarks),
    )


def _meant(note: ReadNote, mapping: Mapping_) -> ReadNote:
    """Return the note with the kind that the mapping gives to its name, if it gives one."""
    kind = mapping.named.get(name_key(note.name(mapping)))
    return replace(note, kind=kind) if kind is not None else note


def _aliases(note: ReadNote, mapping: Mapping_) -> tuple[str, ...]:
    return tuple(text for _, one in note.of(Role.ALIASES, mapping) for text in one.texts())


def _labels(work: ReadNote | None) -> Labels:
    if work is None:
        return Labels()
    said = {name_key(key).replace(" ", ""): tuple(one.texts()) for key, one in work.fields.items()}
    return Labels(said.get("actlabels", ()), said.get("chapterlabels", ()))
