"""Reads a heading as an author means it: "Kapitel 3: Die Furt", "III.", "Part Two", "Prologue", "第三章"."""

import re
from dataclasses import dataclass
from enum import Enum, auto

from agent_core.importing.numerals import NUMERAL, as_number


class HeadingKind(Enum):
    """What a heading opens."""

    CHAPTER = auto()
    PART = auto()
    STORY = auto()
    """Prologue, epilogue, interlude: a chapter that is never counted."""
    PREFATORY = auto()
    """Foreword, dedication, afterword: prose, but not story."""
    SILENT = auto()
    """Title page, contents, copyright: not even prose."""
    PLAIN = auto()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading taken apart. `number` is in digits or ""; `label` is the heading as printed, on one line.

    `worded` says that the number came with a word such as "Chapter", so that it cannot be anything else.
    """

    kind: HeadingKind
    number: str
    title: str
    label: str
    worded: bool = False


_CHAPTER_WORDS = (
    r"chapter|chap\.?|ch\.|kapitel|kap\.|chapitre|chap[ií]tulo|cap[ií]tulo|capitolo|hoofdstuk|kapittel"
    r"|rozdzia[łl]|глава|bölüm"
)
_PART_WORDS = r"part|teil|partie|parte|deel|book|buch|livre|volume|vol\.|band|tome|act|akt|acte|часть"
_STORY_WORDS = (
    r"prolog(?:ue)?|[eé]pilog(?:ue)?|interlude|intermezzo|zwischenspiel|intermède|vorspiel|nachspiel"
)
_AFTER = r"(?:\s*[:.,–—―|·-]\s*|\s+)"
_WORD_FIRST = re.compile(
    rf"(?P<word>{_CHAPTER_WORDS}|{_PART_WORDS})\s*(?:the\s+)?(?P<number>{NUMERAL})(?!\w)"
    rf"(?:{_AFTER}(?P<title>.*))?",
    re.IGNORECASE | re.DOTALL,
)
_NUMBER_FIRST = re.compile(
    rf"(?:the\s+)?(?P<number>{NUMERAL})(?:\.|st|nd|rd|th|ère|ere|er|e|ème|eme)?\s+"
    rf"(?P<word>{_CHAPTER_WORDS}|{_PART_WORDS})(?!\w)(?:{_AFTER}(?P<title>.*))?",
    re.IGNORECASE | re.DOTALL,
)
_EAST_ASIAN = re.compile(
    r"[第제]\s*(?P<number>[\d〇零一二三四五六七八九十百]+)\s*(?P<word>[章回话話節节장部卷編编부])"
    r"(?:[\s:：、　]*(?P<title>.*))?",
    re.DOTALL,
)
# A lone L or C before a full stop is an initial ("L. Frank Baum") far more often than chapter 50 or 100.
_BARE = re.compile(
    r"(?P<number>\d{1,3}|(?![LC]\b)[IVXLC]+)(?:(?:\s*[:.)–—―-])?\s*|(?:\s*[:.)]\s*|\s+[–—―-]\s+|\n)(?P<title>\D.*))",
    re.DOTALL,
)
_STORY = re.compile(
    rf"(?:{_STORY_WORDS})(?!\w)(?:\s*[:.–—―-].*|\s*\n.*|\s+{NUMERAL})?", re.IGNORECASE | re.DOTALL
)
_IS_PART = re.compile(rf"(?:{_PART_WORDS}|[部卷編编부])", re.IGNORECASE)
_LONGEST_LABEL = 200
_SPACE = re.compile(r"\s+")

_PREFATORY_NAMES = """
    acknowledgement | acknowledgements | acknowledgment | acknowledgments | afterword
    | a note on the text | appendix | about the author | about the authors | author's note | dedication
    | dramatis personae | epigraph | foreword | glossary | introduction | note from the author | preface
    | anhang | anmerkung des autors | anmerkung der autorin | danksagung | einleitung | geleitwort | glossar
    | nachwort | vorbemerkung | vorwort | widmung | über den autor | über die autorin
    | annexe | avant-propos | avertissement | dédicace | glossaire | note de l'auteur | postface | préface
    | remerciements | à propos de l'auteur
"""
_SILENT_NAMES = """
    also by | also by the author | bibliography | colophon | contents | copyright | copyright page | cover
    | endnotes | footnotes | half title | half-title | imprint | index | list of illustrations | notes
    | other books | table of contents | title page | titlepage | uncopyright
    | fußnoten | impressum | inhalt | inhaltsverzeichnis | titel | titelseite | umschlag | weitere bücher
    | couverture | du même auteur | mentions légales | page de titre | sommaire | table des matières
    | the full project gutenberg license
"""


def parse_heading(text: str) -> Heading:
    """Return the heading taken apart; a line break in it parts number and title."""
    text = "\n".join(filter(None, map(_one_line, text.split("\n"))))
    label = _one_line(text)
    if not label or len(label) > _LONGEST_LABEL:
        return Heading(HeadingKind.PLAIN, "", label, label)
    kind = _NAMED.get(folded(label))
    if kind is not None:
        return Heading(kind, "", label, label)
    if _STORY.fullmatch(text):
        return Heading(HeadingKind.STORY, "", label, label)
    return _worded(text, label) or _bare(text, label) or Heading(HeadingKind.PLAIN, "", label, label)


def folded(text: str) -> str:
    """Return `text` for comparing headings: no case, no marks of punctuation at the ends, single spaces."""
    return _one_line(text.replace("’", "'")).casefold().strip(" .:-–—*_")


def _worded(text: str, label: str) -> Heading | None:
    for pattern in (_WORD_FIRST, _NUMBER_FIRST, _EAST_ASIAN):
        match = pattern.fullmatch(text)
        number = as_number(match["number"]) if match else None
        if match is None or number is None:
            continue
        title = _one_line(match["title"] or "")
        is_part = _IS_PART.fullmatch(match["word"]) is not None
        kind = HeadingKind.PART if is_part else HeadingKind.CHAPTER
        return Heading(kind, str(number), title, _joined(label, match, title), worded=True)
    return None


def _joined(label: str, match: re.Match[str], title: str) -> str:
    """Return "Part II: The Country" also where only a line break stood between the two."""
    if "\n" not in match.string or not title:
        return label
    return f"{_one_line(match.string[: match.start('title')]).rstrip(' :.,–—―|·-')}: {title}"


def _bare(text: str, label: str) -> Heading | None:
    match = _BARE.fullmatch(text)
    number = as_number(match["number"]) if match else None
    if match is None or number is None:
        return None
    title = _one_line(match["title"] or "")
    return Heading(HeadingKind.CHAPTER, str(number), title, _joined(label, match, title))


def _one_line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _names(listed: str, kind: HeadingKind) -> dict[str, HeadingKind]:
    return {folded(name): kind for name in listed.split("|")}


_NAMED = _names(_PREFATORY_NAMES, HeadingKind.PREFATORY) | _names(_SILENT_NAMES, HeadingKind.SILENT)
