"""What a manuscript file holds, the same for every format: the importer never sees EPUB, DOCX or Markdown."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from agent_core.errors import Fact


class WarningCode(StrEnum):
    """What the person should know about a file that was read all the same."""

    MATTER_DROPPED = "matter_dropped"
    """`items`: titles of introductions, forewords, dedications and the like that are not story."""
    NOTES_DROPPED = "notes_dropped"
    """`count`: footnotes and endnotes left out."""
    CHAPTER_EMPTY = "chapter_empty"
    """`items`: chapter headings without any text, left out."""
    PART_MISSING = "part_missing"
    """`items`: files that the book names but does not contain."""
    MARKUP_REPAIRED = "markup_repaired"
    """`items`: files whose markup is not well-formed; their text was read as a browser would."""
    ENCODING_GUESSED = "encoding_guessed"
    """`items`: files read as Windows-1252, since they are neither UTF-8 nor say what they are."""
    SERIES_FROM_FOLDER = "series_from_folder"
    """`items`: the series name that was taken from the name of the folder."""


@dataclass(frozen=True, slots=True)
class Warning_:  # noqa: N801 - `Warning` is a builtin, and the word is the right one
    """A fact about the reading; the sentence for people is in the text catalogue."""

    code: WarningCode
    params: Mapping[str, Fact]


@dataclass(frozen=True, slots=True)
class ManuscriptScene:
    """One scene. `text` is Markdown: paragraphs with a blank line between them, verse lines kept."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ManuscriptChapter:
    """One chapter with at least one scene.

    `number` is the printed number in digits (`III` gives "3"); a book that prints none takes it from its
    file names or is counted. It is "" for what is never counted: prologue, epilogue, interlude, and
    `matter` (story text that stands outside every chapter, such as a motto or a preface that belongs to
    the fiction). `part` is a label, "" outside parts; numbers may start again in each part.
    """

    number: str
    title: str
    part: str
    scenes: tuple[ManuscriptScene, ...]
    matter: bool = False


@dataclass(frozen=True, slots=True)
class Manuscript:
    """One book. `series` is "" for a book that names none."""

    series: str
    series_position: float | None
    title: str
    language: str
    chapters: tuple[ManuscriptChapter, ...]
    warnings: tuple[Warning_, ...] = ()


def warnings_of(found: Iterable[tuple[WarningCode, str]]) -> tuple[Warning_, ...]:
    """Return one warning a code, in order of first appearance, with `items` (each once) and `count`."""
    grouped: dict[WarningCode, list[str]] = {}
    for code, item in found:
        grouped.setdefault(code, []).append(item)
    return tuple(
        Warning_(code, {"count": len(items), "items": tuple(dict.fromkeys(items))})
        for code, items in grouped.items()
    )


def as_position(text: str) -> float | None:
    """Return a place in a series ("2", "1.5"; of "2.3.1" the first two steps), or None."""
    try:
        position = float(".".join(text.strip().split(".")[:2]))
    except ValueError:
        return None
    return position if math.isfinite(position) else None
