"""Reads places in the book and moments of the notes out of words: "scene 3 of chapter 7" is 7.3."""

import re
from dataclasses import dataclass
from functools import cache

from agent_core.llm.offline.plain import plain

_LABEL = (
    r"(?:@?b\d{1,3}:(?:p\d{1,3}\.)?\d{1,4}(?:\.\d{1,4})?"
    r"|@?p\d{1,3}\.\d{1,4}|@?\d{1,4}\.\d{1,4}(?![\d.])|@\d{1,4})"
)
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class PlaceWords:
    """The words of a language from which places are made; patterns, but for the lists of numbers."""

    chapter: str
    scene: str
    book: str
    of: str
    the: str
    titles: str
    numbers: tuple[str, ...]
    ordinals: tuple[str, ...]
    ordinal_mark: str


def place_source(words: PlaceWords) -> str:
    """Return the pattern of a place, without named parts."""
    return f"(?:{re.sub(r'[?]P<[a-z0-9]+>', '?:', _source(words))})"


def place_label(text: str, words: PlaceWords) -> str:
    """Return the place as tools take it: `7`, `7.3`, `b2:7.3`, a title; the words themselves if unclear."""
    found = _pattern(words).fullmatch(plain(text))
    if found is None:
        return text
    parts = {name if name == "dot" else name[:2]: value for name, value in found.groupdict().items() if value}
    if "la" in parts:
        return parts["la"].lstrip("@")
    if "ti" in parts:
        return text
    chapter, scene, book = (_number(parts.get(name, ""), words) for name in ("ch", "sc", "bk"))
    if scene and not chapter:
        inner = f"{scene}.{parts['dot']}" if "dot" in parts else f"scene {scene}"
    else:
        inner = f"{chapter}.{scene}" if scene else chapter
    if book:
        return f"b{book}:{inner}" if inner else f"b{book}"
    return inner


def when_sources(months: str, day_words: str, last: str) -> tuple[str, str]:
    """Return the patterns of a moment: all of them, and those that are clear without a preposition."""
    year = r"(?:,? \d{4})"
    clear = "|".join(
        (
            r"\d{4}-\d{2}-\d{2}",
            r"\d{1,2}\.\d{1,2}\.(?:\d{4})?",
            rf"\d{{1,2}}(?:st|nd|rd|th|\.|er)? (?:of )?(?:{months}){year}?",
            rf"(?:{months}) \d{{1,2}}(?:st|nd|rd|th)?{year}?",
            rf"(?:{months}){year}",
            rf"(?:{last}) (?:{months})",
            rf"(?:{months}) dernier",
            rf"(?:{day_words})",
        )
    )
    return f"(?:{clear}|(?:{months}))\\b", f"(?:{clear})\\b"


def _source(words: PlaceWords) -> str:
    def chapter(mark: str, *, scene: bool = True) -> str:
        inside = rf"(?:\.(?P<sc{mark}a>\d{{1,4}}))?"
        behind = rf"(?:[,:]? ?(?:{words.scene}) {_digits(words, f'sc{mark}b')})?" if scene else ""
        named = rf"(?:{words.chapter}) ?{_digits(words, f'ch{mark}a')}{inside}{behind}"
        counted = rf"(?:{words.the})?{_ordinal(words, f'ch{mark}b')} (?:{words.chapter})"
        return f"(?:{named}|{counted})"

    def book(mark: str) -> str:
        named = rf"(?:{words.book}) {_digits(words, f'bk{mark}a')}"
        return rf"(?:{words.the})?(?:{named}|{_ordinal(words, f'bk{mark}b')} (?:{words.book}))"

    of = rf",? ?(?:{words.of} )?"
    scene = (
        rf"(?:{words.the})?(?:(?:{words.scene}) {_digits(words, 'sc8')}(?:\.(?P<dot>\d{{1,4}}))?"
        rf"|{_ordinal(words, 'sc9')} (?:{words.scene}))"
    )
    return "|".join(
        (
            rf"(?:(?:{words.chapter}|{words.scene}) )?(?P<label>{_LABEL})",
            rf"(?:{words.the})?{chapter('1')}(?:{of}{book('1')})?",
            rf"{scene}(?:{of}(?:{words.the})?{chapter('2', scene=False)})?(?:{of}{book('2')})?",
            rf"{book('3')}(?:[,:]? ?(?:{words.the})?{chapter('3')})?",
            rf"(?P<title>{words.titles})",
        )
    )


def _digits(words: PlaceWords, name: str) -> str:
    return rf"(?P<{name}>\d{{1,4}}|[ivxlc]{{1,7}}\b|{'|'.join(words.numbers)})"


def _ordinal(words: PlaceWords, name: str) -> str:
    return rf"(?P<{name}>(?:{'|'.join(words.ordinals)})|\d{{1,4}}(?:{words.ordinal_mark}))"


@cache
def _pattern(words: PlaceWords) -> re.Pattern[str]:
    return re.compile(_source(words))


def _number(text: str, words: PlaceWords) -> str:
    digits = re.match(r"\d+", text)
    if not text or digits:
        return digits[0] if digits else ""
    for listed in (words.numbers, words.ordinals):
        for value, pattern in enumerate(listed, 1):
            if re.fullmatch(pattern, text):
                return str(value)
    values = [_ROMAN[letter] for letter in text if letter in _ROMAN]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return str(sum(-one if one < after else one for one, after in pairs))
