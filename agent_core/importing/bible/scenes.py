"""From notes to scenes, and from scenes to books with chapters."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from agent_core.importing.bible.dates import sortable
from agent_core.importing.bible.fields import Written
from agent_core.importing.bible.links import Names
from agent_core.importing.bible.mapping import Mapping_
from agent_core.importing.bible.model import BibleScene, Labels, Remark, Spot, When
from agent_core.importing.bible.note import ReadNote
from agent_core.importing.bible.words import MODES, Role
from agent_core.importing.headings import parse_heading
from agent_core.importing.manuscript import Manuscript, ManuscriptChapter, ManuscriptScene
from agent_core.lore.fold import name_key
from agent_core.lore.model import Mode, Relation
from agent_core.vault import paths

_TAKEN = frozenset({
    Role.NAME, Role.TITLE, Role.TYPE, Role.BOOK, Role.CHAPTER, Role.CHAPTER_TITLE, Role.PART, Role.ORDER,
    Role.MODE, Role.DATE, Role.BEFORE, Role.AFTER, Role.SKIP,
})  # fmt: skip
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_DIGITS = re.compile(r"(\d+)")
_CHAPTER_WORD = re.compile(
    r"(?:ch|chap|chapter|kap|kapitel|chapitre)\.?\s*\d+\s*(?:[—–:.\-]\s*)?", re.IGNORECASE
)


def scene_of(note: ReadNote, mapping: Mapping_, names: Names, remarks: list[Remark]) -> BibleScene:
    """Return the scene that a note tells of; what is unclear in it is added to `remarks`."""
    title = note.name(mapping)
    part = next(note.of(Role.PART, mapping), None)
    chapter = note.said(Role.CHAPTER, mapping) or _folder_chapter(note.path)
    parsed = parse_heading(chapter)
    left = sorted(key for key in note.fields if mapping.role(key) not in _TAKEN)
    if left:
        remarks.append(Remark("scene_fields_stay", note.spot(), {"fields": tuple(left)}))
    return BibleScene(
        title=title,
        text=names.plain(_text(note, title)),
        spot=note.spot(),
        book=note.said(Role.BOOK, mapping) or mapping.book,
        number=chapter if chapter.isdecimal() else parsed.number,
        chapter=note.said(Role.CHAPTER_TITLE, mapping) or ("" if chapter.isdecimal() else parsed.title),
        part=_part(part),
        order=_order(note, mapping),
        mode=_mode(note, mapping, remarks),
        when=_when(note, mapping, names),
        date=_date(note, mapping, remarks),
        names=(title, note.title, note.path.removesuffix(".md")),
    )


def books_of(
    scenes: Sequence[BibleScene], labels: Labels, remarks: list[Remark]
) -> dict[str, tuple[Manuscript, tuple[BibleScene, ...]]]:
    """Return for each book its manuscript and its scenes in reading order; "" is the book nobody named.

    A scene that names no chapter in a book where others do is left out and listed.
    """
    books: dict[str, list[BibleScene]] = {}
    for scene in scenes:
        books.setdefault(scene.book, []).append(scene)
    return {book: _book(book, one, labels, remarks) for book, one in books.items()}


def _book(
    title: str, scenes: Sequence[BibleScene], labels: Labels, remarks: list[Remark]
) -> tuple[Manuscript, tuple[BibleScene, ...]]:
    if not any(scene.number or scene.chapter for scene in scenes):
        remarks.append(Remark("one_chapter", Spot(scenes[0].spot.file), {"n": len(scenes)}))
        scenes = [replace(scene, number="1") for scene in scenes]
    placed = [scene for scene in scenes if scene.number or scene.chapter]
    remarks += (Remark("no_chapter", scene.spot) for scene in scenes if scene not in placed)
    in_parts = all(scene.part for scene in placed)
    ordered = sorted(placed, key=_place(placed, in_parts=in_parts))
    groups = [
        list(group) for _, group in groupby(ordered, key=lambda scene: _chapter_of(scene, in_parts=in_parts))
    ]
    chapters = tuple(_chapter(group, labels) for group in groups)
    return Manuscript("", None, title, "", chapters), tuple(ordered)


def _chapter_of(scene: BibleScene, *, in_parts: bool) -> tuple[str, str]:
    """Return what scenes of one chapter share; a part only where every scene names one."""
    return scene.part if in_parts else "", scene.number or scene.chapter


def _chapter(scenes: Sequence[BibleScene], labels: Labels) -> ManuscriptChapter:
    """Return a chapter with the first title and part that one of its scenes gives it."""
    number = scenes[0].number
    return ManuscriptChapter(
        number=number,
        title=next(filter(None, (scene.chapter for scene in scenes)), "") or _chapter_label(labels, number),
        part=_part_label(labels, next(filter(None, (scene.part for scene in scenes)), "")),
        scenes=tuple(ManuscriptScene(scene.title, scene.text) for scene in scenes),
    )


def _place(scenes: Sequence[BibleScene], *, in_parts: bool) -> Callable[[BibleScene], tuple[object, ...]]:
    """Return what sorts scenes into reading order: parts count only where every scene names one."""
    firsts: dict[str, float] = {}
    for scene in sorted(scenes, key=lambda one: _natural(one.spot.file)):
        firsts.setdefault(scene.chapter, float(len(firsts)))

    def place(scene: BibleScene) -> tuple[object, ...]:
        part = _first_number(scene.part) if in_parts else 0.0
        chapter = float(scene.number) if scene.number else firsts[scene.chapter]
        return part, chapter, scene.order or (float("inf"),), _natural(scene.spot.file)

    return place


def _order(note: ReadNote, mapping: Mapping_) -> tuple[float, ...]:
    said = (text for _, one in note.of(Role.ORDER, mapping) for text in one.texts())
    return tuple(float(text.replace(",", ".")) for text in said if _NUMBER.fullmatch(text.strip()))


def _text(note: ReadNote, title: str) -> str:
    """Return the note's text; the heading it begins with goes where it only says the title again."""
    same = name_key(note.heading) in {name_key(title), name_key(note.title)}
    return note.body if same else note.text.replace("\r\n", "\n").strip()


def _mode(note: ReadNote, mapping: Mapping_, remarks: list[Remark]) -> Mode:
    for _, one in note.of(Role.MODE, mapping):
        mode = MODES.get(name_key(one.text))
        if mode is not None:
            return mode
        if one.text.strip():
            remarks.append(Remark("mode", note.spot(one), {"value": one.text}))
    return Mode.LINEAR


def _when(note: ReadNote, mapping: Mapping_, names: Names) -> When | None:
    for role, relation in ((Role.AFTER, Relation.AFTER), (Role.BEFORE, Relation.BEFORE)):
        said = note.said(role, mapping)
        if said:
            return When(relation, names.whole(said) or said)
    return None


def _date(note: ReadNote, mapping: Mapping_, remarks: list[Remark]) -> str:
    for _, one in note.of(Role.DATE, mapping):
        date = sortable(one.text)
        if date is not None:
            return date
        if one.text.strip():
            remarks.append(Remark("date", note.spot(one), {"value": one.text}))
    return ""


def _part(said: tuple[str, Written] | None) -> str:
    """Return the label of a part: a bare number gets the word of its key."""
    if said is None:
        return ""
    key, text = said[0].strip(), said[1].text.strip()
    return f"{key[:1].upper()}{key[1:]} {text}" if text.isdecimal() else text


def _folder_chapter(path: str) -> str:
    folder = paths.parent(path).rpartition("/")[2]
    return parse_heading(folder).number if folder else ""


def _nth(labels: Sequence[str], number: str) -> str:
    place = int(number) - 1 if number.isdecimal() else -1
    return labels[place].strip() if 0 <= place < len(labels) else ""


def _chapter_label(labels: Labels, number: str) -> str:
    """Return the title of a chapter as the work has it, without its number, or ""."""
    return _CHAPTER_WORD.sub("", _nth(labels.chapters, number), count=1).strip()


def _part_label(labels: Labels, written: str) -> str:
    digits = _DIGITS.search(written)
    return (_nth(labels.parts, digits[1]) if digits else "") or written


def _first_number(text: str) -> float:
    match = _NUMBER.search(text)
    return float(match[0].replace(",", ".")) if match else float("inf")


def _natural(text: str) -> tuple[tuple[int, str], ...]:
    parts: Iterable[str] = _DIGITS.split(text.casefold())
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in parts)


def scene_titles(scenes: Iterable[BibleScene]) -> Mapping[str, BibleScene | None]:
    """Return the scene that each name means, None for a name of several."""
    found: dict[str, BibleScene | None] = {}
    for scene in scenes:
        for name in {paths.key(one) for one in scene.names}:
            found[name] = None if name in found else scene
    return found
