"""How the parts and chapters of a manuscript are headed, the same in every format that it is taken out to."""

from collections.abc import Iterator
from dataclasses import dataclass

from agent_core.importing.manuscript import Manuscript, ManuscriptChapter
from agent_core.texts import say


@dataclass(frozen=True, slots=True)
class Headed:
    """A chapter: the part that begins with it ("" where none does), its own heading, and the text.

    `is_opening` marks text that stands right below the heading of its part, without one of its own.
    """

    part: str
    heading: str
    chapter: ManuscriptChapter
    is_opening: bool


def headed(manuscript: Manuscript) -> Iterator[Headed]:
    """Yield the chapters in order."""
    word = say(manuscript.language or "en", "document.chapter")
    part = ""
    for chapter in manuscript.chapters:
        begins = chapter.part if chapter.part != part else ""
        part = chapter.part
        is_opening = bool(begins) and not chapter.number and chapter.title in {"", begins}
        yield Headed(begins, "" if is_opening else _heading(chapter, word), chapter, is_opening)


def has_parts(manuscript: Manuscript) -> bool:
    """Return whether any chapter stands in a part."""
    return any(chapter.part for chapter in manuscript.chapters)


def _heading(chapter: ManuscriptChapter, word: str) -> str:
    if not chapter.number:
        return chapter.title
    return f"{word} {chapter.number}: {chapter.title}" if chapter.title else f"{word} {chapter.number}"
