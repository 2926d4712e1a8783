"""Numbers as headings print them: digits of any script, Roman, East Asian, and words in three languages."""

import re

_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_ROMAN_SHAPE = re.compile(r"C{0,3}(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})", re.IGNORECASE)
_EAST_ASIAN = {character: value for value, character in enumerate("〇一二三四五六七八九")} | {"零": 0}

_EN = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
)
_EN_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_EN_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_DE = (
    "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn"
    " siebzehn achtzehn neunzehn"
)
_DE_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
_DE_ORDINALS = "erst zweit dritt viert fünft sechst siebt acht neunt zehnt elft zwölft"
_FR = (
    "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept"
    " dix-huit dix-neuf vingt"
)
_FR_ORDINALS = (
    "premier deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième onzième"
    " douzième"
)


def _words() -> dict[str, int]:
    words = {"première": 1, "seconde": 2}
    for listed in (_EN, _EN_ORDINALS, _DE, _FR, _FR_ORDINALS):
        words |= _valued(listed)
    for stem, value in _valued(_DE_ORDINALS).items():
        words |= {stem + ending: value for ending in ("e", "er", "es", "en")}
    english, german = _valued(_EN_TENS, 10, 2), _valued(_DE_TENS, 10, 2)
    units = list(_valued(_EN).items())[:9]
    einer = [("ein", 1), *list(_valued(_DE).items())[1:9]]
    words |= {f"{ten}-{unit}": tens + value for ten, tens in english.items() for unit, value in units}
    words |= {f"{unit}und{ten}": tens + value for ten, tens in german.items() for unit, value in einer}
    return words | english | german


def _valued(listed: str, step: int = 1, first: int = 1) -> dict[str, int]:
    return {word: value * step for value, word in enumerate(listed.split(), start=first)}


_WORDS = _words()
_WORD_PATTERNS = (re.escape(word).replace(r"\-", r"[-\s]") for word in sorted(_WORDS, key=len, reverse=True))
NUMERAL = "|".join((r"\d{1,4}", *_WORD_PATTERNS, "[IVXLC]+"))
"""A pattern for one number; match it without regard to case, then ask `as_number`."""


def as_number(text: str) -> int | None:
    """Return the value of a printed number, or None where the letters make no number."""
    if text.isdecimal():
        return int(text)
    word = re.sub(r"\s+", "-", text.casefold())
    if word in _WORDS:
        return _WORDS[word]
    if text and _ROMAN_SHAPE.fullmatch(text):
        return _roman(text.upper())
    return _east_asian(text) if text else None


def _roman(text: str) -> int:
    values = [_ROMAN[letter] for letter in text]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))


def _east_asian(text: str) -> int | None:
    total, unit = 0, 0
    for character in text:
        if character in _EAST_ASIAN:
            unit = unit * 10 + _EAST_ASIAN[character]
        elif character in "十百":
            total += max(unit, 1) * (10 if character == "十" else 100)
            unit = 0
        else:
            return None
    return total + unit
