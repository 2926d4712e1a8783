"""The small words and signs that begin an option: `@7.3`, `~yesterday`, "as of 1 Nov", „Kapitel 7“."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adapters.commands.model import Command, Kind
from adapters.commands.tokens import is_quoted, unquoted

_PLACE_WORDS = {
    "here": ("here", "hier", "ici"),
    "start": ("start", "anfang", "début", "debut"),
    "now": ("now", "jetzt", "maintenant"),
    "always": ("always", "immer", "toujours"),
}
_PLACE_OF = {word: place for place, said in _PLACE_WORDS.items() for word in said}
_POSITION = re.compile(r"(?:b\d+(?::|$))?(?:p\d+\.)?(?:\d+(?:\.\d+)*)?[a-z]?", re.IGNORECASE)
_CHAPTER = frozenset({
    "ch", "chap", "chapter", "kap", "kapitel", "chapitre", "scene", "szene", "scène",
    "book", "buch", "band", "livre", "tome",
})  # fmt: skip
_ARTICLES = frozenset({"the", "le", "la", "dem", "der", "des"})
_ONWARDS = frozenset({"on", "onwards", "an"})

_WORDS: Mapping[str, Sequence[str]] = {
    "at": ("at", "in", "ch", "chap", "chapter", "scene", "bei", "kap", "kapitel", "szene", "in kapitel",
           "chapitre", "scène", "au chapitre", "à", "en"),
    "before": ("before", "vor", "avant", "before ch", "vor kapitel", "avant le chapitre"),
    "from": ("from", "ab", "von", "dès", "depuis", "à partir de", "à partir du", "de"),
    "until": ("until", "till", "bis", "jusqu’à", "jusqu'à", "jusqu’au", "jusqu'au", "jusque"),
    "to": ("to", "bis", "jusqu’à", "jusqu'à", "jusqu’au", "jusqu'au", "à"),
    "told": ("told", "revealed", "erzählt", "enthüllt", "erfahren", "révélé", "raconté", "appris"),
    "known": ("as of", "known", "stand vom", "stand", "état au", "état du", "notes au"),
    "since": ("since", "seit", "depuis"),
    "by": ("by", "von", "par"),
    "order": ("order", "reihenfolge", "ordre"),
    "type": ("type", "typ", "art"),
    "as_reader": ("as reader", "als leser", "comme lecteur", "en lecteur"),
    "chapter": ("chapter", "kapitel", "chapitre"),
    "default_role": ("role", "rolle", "rôle"),
    "audience": ("audience", "publikum", "public"),
}  # fmt: skip
_OPTION_WORDS = {phrase for said in _WORDS.values() for phrase in said}
_SIGNS = {"@": ("at", "from", "position"), "~": ("known", "since"), "+": ("offset",)}
_WHEN = {"!start": "start", "!end": "end", "!before": "start", "!after": "end"}


@dataclass(frozen=True, slots=True)
class Marked:
    """An option that begins at some word: its name, its value so far, and how many words it took.

    `goes_on` says that the value reaches to the next marker.
    """

    option: str
    value: str
    taken: int
    goes_on: bool = False


def position_of(text: str) -> str:
    """Return a position in the written grammar: `@`, quotes, and „Kapitel“ off, `hier` as `here`."""
    text = unquoted(text.strip().removeprefix("@").strip())
    first, _, rest = text.partition(" ")
    if first.rstrip(".").casefold() in _CHAPTER and _is_position(rest.strip()):
        text = rest.strip()
    place = _PLACE_OF.get(text.casefold(), text)
    return "start" if place == "always" else place


def is_always(word: str) -> bool:
    """Return whether the word means "from the beginning of the story"."""
    return word.casefold() in _PLACE_WORDS["always"]


def marker_at(words: Sequence[str], place: int, command: Command) -> Marked | None:
    """Return the option that begins at this word, or None."""
    word = words[place]
    if word.casefold() in _WHEN and command.option("when"):
        return Marked("when", _WHEN[word.casefold()], 1)
    if word[:1] == "@" and word[1:].casefold() in _OPTION_WORDS:  # "@told start" is meant as "told start"
        marked = _worded([*words[:place], word[1:], *words[place + 1 :]], place, command)
        if marked is not None:
            return marked
    if word[:1] in _SIGNS and len(word) > 1:
        return _signed(word, command)
    return _worded(words, place, command)


def _signed(word: str, command: Command) -> Marked | None:
    option = next((name for name in _SIGNS[word[0]] if command.option(name)), None)
    value = word[1:]
    if option is None:
        return None
    whole = is_quoted(value) or _is_position(value) or value.casefold() in _PLACE_OF
    return Marked(option, value, 1, goes_on=not whole)


def _worded(words: Sequence[str], place: int, command: Command) -> Marked | None:
    for option in (*(option.name for option in command.options), "before"):
        if option == "before" and not command.option("when"):
            continue
        for phrase in sorted(_WORDS.get(option, ()), key=len, reverse=True):
            length = len(phrase.split())
            said = " ".join(word.rstrip(".").casefold() for word in words[place : place + length])
            if said == phrase:
                marked = _value_after(words, place + length, length, option, command)
                if marked is not None:
                    return marked
    return None


def _value_after(
    words: Sequence[str], begin: int, length: int, option: str, command: Command
) -> Marked | None:
    """Return the option if what follows its word fits it; a bare "in" of a name is none."""
    known = command.option(option)
    kind = known.kind if known is not None else Kind.POSITION
    if begin >= len(words):
        return None
    if kind in {Kind.POSITION, Kind.TOLD}:
        return _place_after(words, begin, length, option, whole=kind is Kind.TOLD)
    return Marked(option, "", length, goes_on=True)


def _place_after(words: Sequence[str], begin: int, length: int, option: str, *, whole: bool) -> Marked | None:
    place = begin
    while place < len(words) - 1 and words[place].rstrip(".").casefold() in _CHAPTER | _ARTICLES:
        place += 1
    value = words[place]
    if not (whole or _is_position(value) or is_quoted(value) or value.casefold() in _PLACE_OF):
        return None
    end = place + 1
    if option == "from" and end < len(words) and words[end].casefold() in _ONWARDS:
        end += 1
    return Marked(option, value, length + end - begin)


def _is_position(word: str) -> bool:
    return bool(word) and any(char.isdigit() for char in word) and _POSITION.fullmatch(word) is not None
