"""Which letters there are fonts for: those of typst, of font packages, and of this machine."""

import importlib.util
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

from fontTools.ttLib import TTFont, TTLibError  # type: ignore[import-untyped]  # it has no types
from typst import Fonts

_PACKAGES = (
    "fontpkg_noto_serif",
    "justmytype_intl_rtl",
    "justmytype_intl_sea",
    "justmytype_intl_south_asia",
    "justmytype_intl_cjk",
)
_TEXT_FAMILIES = (
    "Libertinus Serif",
    "Noto Serif",
    "Noto Sans Hebrew",
    "Noto Sans Arabic",
    "Noto Sans Thai",
    "Noto Sans Lao",
    "Noto Sans Khmer",
    "Noto Sans Myanmar",
    "Noto Sans Devanagari",
    "Noto Sans Bengali",
    "Noto Sans Tamil",
    "Noto Sans Telugu",
)
_WITHIN_TYPST = frozenset(
    ("LATIN", "GREEK", "CYRILLIC", "HEBREW", "MODIFIER", "FEMININE", "MASCULINE", "MICRO")
)
_FIRST_PICTOGRAM = 0x1F000
_SCRIPTS = {"CJK": "Chinese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean"}


@cache
def all_fonts() -> Fonts:
    """Return every font there is, those of packages first."""
    return Fonts(font_paths=[str(folder) for folder in _folders()])


def families_for(text: str) -> list[str]:
    """Return the families to try in turn; Chinese characters are written as the rest of the text is."""
    if any("\u3040" <= char <= "\u30ff" for char in text):
        east_asian = ("JP", "KR", "SC", "TC")
    elif any("\uac00" <= char <= "\ud7a3" for char in text):
        east_asian = ("KR", "JP", "SC", "TC")
    else:
        east_asian = ("SC", "TC", "JP", "KR")
    wanted = (*_TEXT_FAMILIES, *(f"Noto Sans {one}" for one in east_asian))
    there = frozenset(all_fonts().families())
    return [family for family in wanted if family in there]


def scripts_without_font(text: str) -> tuple[str, ...]:
    """Return the names of the scripts, by the alphabet, of which a letter has no font here."""
    missing = {char for char in set(text) if _may_lack(char)}
    for path in _files():
        if not missing:
            break
        missing -= {char for char in missing if ord(char) in _letters(path)}
    return tuple(sorted({_script(char) for char in missing}))


def _may_lack(char: str) -> bool:
    category = unicodedata.category(char)
    if category == "So":
        return ord(char) >= _FIRST_PICTOGRAM
    return category[0] in "LMN" and char > "\u024f" and _first_word(char) not in _WITHIN_TYPST | {"COMBINING"}


def _script(char: str) -> str:
    if unicodedata.category(char) == "So":
        return "Emoji"
    word = _first_word(char)
    return _SCRIPTS.get(word, word.title())


def _first_word(char: str) -> str:
    return unicodedata.name(char, "UNKNOWN").replace("-", " ").split(maxsplit=1)[0]


@cache
def _folders() -> tuple[Path, ...]:
    return tuple(folder for name in _PACKAGES for folder in _folders_of(name))


def _folders_of(package: str) -> Sequence[Path]:
    found = importlib.util.find_spec(package)
    return [Path(one) for one in (found.submodule_search_locations or ())] if found else []


def _files() -> Iterable[tuple[str, int]]:
    """Return the font files that typst found, those of packages first."""
    files = dict.fromkeys((font.path, font.index) for font in all_fonts().fonts() if font.path)
    folders = tuple(str(folder) for folder in _folders())
    return sorted(files, key=lambda file: not file[0].startswith(folders or ("\0",)))


@lru_cache(maxsize=16)
def _letters(file: tuple[str, int]) -> frozenset[int]:
    return frozenset(_code_points(*file))


def _code_points(path: str, index: int) -> Iterator[int]:
    try:
        with TTFont(path, fontNumber=index, lazy=True) as font:
            yield from font.getBestCmap() or ()
    except (TTLibError, OSError, KeyError):
        return  # a font that can't be read sets no letter
