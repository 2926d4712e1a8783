"""From what a format found to chapters: scenes are cut, empty chapters dropped, numbers decided."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from agent_core.importing.headings import HeadingKind, folded
from agent_core.importing.manuscript import ManuscriptChapter
from agent_core.importing.scenes import Block, scenes_of

_FILE_NUMBER = re.compile(
    r"(?:chapter|chap|ch|kapitel|kap|chapitre)?[-_ .]*(?:\d+[-_ .])*?(?P<number>\d{1,3})", re.IGNORECASE
)
_PREFIX_NUMBER = re.compile(r"(?P<number>\d{1,3})[-_ .]+\D.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ChapterDraft:
    """A chapter as a format found it. `file` is where it began, "" where files say nothing."""

    kind: HeadingKind
    number: str
    title: str
    part: str
    blocks: tuple[Block, ...]
    file: str = ""
    matter: bool = False


def finished(drafts: Iterable[ChapterDraft]) -> tuple[tuple[ManuscriptChapter, ...], tuple[str, ...]]:
    """Return (chapters that hold text, titles of those that hold none)."""
    cut = [(draft, scenes_of(draft.blocks)) for draft in drafts]
    full = [(draft, scenes) for draft, scenes in cut if scenes]
    numbers = _numbers([draft for draft, _ in full])
    chapters = tuple(
        ManuscriptChapter(number, draft.title, draft.part, scenes, draft.matter)
        for (draft, scenes), number in zip(full, numbers, strict=True)
    )
    empty = tuple(_name(draft) for draft, scenes in cut if not scenes and not draft.matter)
    return chapters, tuple(name for name in empty if name)


def same_title(one: str, other: str) -> bool:
    """Return whether two titles differ in nothing but case, spaces and outer punctuation."""
    return bool(one) and folded(one) == folded(other)


def _numbers(drafts: list[ChapterDraft]) -> list[str]:
    """Return printed numbers if the book prints any, else those of the file names, else a count."""
    counted = [draft for draft in drafts if _is_counted(draft)]
    if any(draft.number for draft in counted):
        return [draft.number if _is_counted(draft) else "" for draft in drafts]
    by_file = [_file_number(draft.file) for draft in counted]
    usable = _counts_up([(draft.part, number) for draft, number in zip(counted, by_file, strict=True)])
    found = iter(by_file if usable else [str(n) for n in range(1, len(counted) + 1)])
    return [next(found) if _is_counted(draft) else "" for draft in drafts]


def _counts_up(numbers: list[tuple[str, str]]) -> bool:
    """Return whether these (part, number) run upwards from 1, in the book or again in each part."""
    last_part, last = "", 0
    for part, number in numbers:
        starts_again = number == "1" and (part != last_part or last == 0)
        if not number or not (starts_again or (last and int(number) > last)):
            return False
        last_part, last = part, int(number)
    return True


def _is_counted(draft: ChapterDraft) -> bool:
    return not draft.matter and draft.kind is not HeadingKind.STORY


def _file_number(file: str) -> str:
    stem = PurePosixPath(file).stem
    match = _FILE_NUMBER.fullmatch(stem) or _PREFIX_NUMBER.fullmatch(stem)
    return str(int(match["number"])) if match else ""


def _name(draft: ChapterDraft) -> str:
    return draft.title or draft.number or draft.part
