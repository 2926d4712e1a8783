"""Brings what people type into a form that patterns can read without losing where a word stood."""

import re
import unicodedata
from functools import lru_cache

_QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "´": "'", "`": "'", "\u00a0": " ", "\u202f": " "})
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")
_MARKS = " \t\n.,;:!?\"'“”„«»‹›…()[]*–—-"


def tidy(text: str) -> str:
    """Return the text in composed form, with plain apostrophes and single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_QUOTES).split())


@lru_cache(maxsize=256)
def plain(text: str) -> str:
    """Return the text in lower case without accents, character by character, so that places stay the same."""
    if text.isascii():
        return text.lower()
    return "".join(map(_plain_character, text))


def word_key(text: str) -> str:
    """Return the form in which two words are compared: `eyeColour`, `eye_colour` and "Eye colour" are one."""
    return " ".join(plain(_HUMP.sub(" ", tidy(text)).strip(_MARKS)).replace("ß", "ss").split())


def bare(text: str) -> str:
    """Return the text without the quotes, stops and spaces around it."""
    return text.strip(_MARKS)


def ended(text: str) -> str:
    """Return the text without spaces around it and without the marks that end a sentence."""
    return text.strip().rstrip(".!?… ")


@lru_cache(maxsize=2048)
def _plain_character(character: str) -> str:
    lowered = character.lower()
    if len(lowered) != 1:
        return character
    parts = unicodedata.normalize("NFKD", lowered)
    return parts[0] if all(map(unicodedata.combining, parts[1:])) else lowered
