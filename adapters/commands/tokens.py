"""Cuts what a person typed into words, keeping quoted text and [lists] in one piece."""

import re
from collections.abc import Iterator

_QUOTES = {'"': '"', "“": "”", "„": "“”", "«": "»", "‹": "›"}
_BEFORE_QUOTE = re.compile(r"(?:^|[=:\[,@~(+-])$")


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text; quotes stay on, a quote that never ends is a plain character."""
    return tuple(_words(text))


def unquoted(word: str) -> str:
    """Return a word without the quotes around it."""
    closing = _QUOTES.get(word[:1], "")
    return word[1:-1].strip() if len(word) > 1 and closing and word[-1] in closing else word


def is_quoted(word: str) -> bool:
    """Tell whether a word stands in quotes."""
    return unquoted(word) != word


def items(text: str) -> tuple[str, ...]:
    """Return the comma-separated items of a list, quotes still on."""
    found: list[str] = []
    current, place = "", 0
    while place < len(text):
        end = _quote_end(text, place, current.lstrip())
        if text[place] == ",":
            found.append(current.strip())
            current, end = "", place + 1
        else:
            current += text[place:end]
        place = end
    return tuple(item for item in (*found, current.strip()) if item)


def _words(text: str) -> Iterator[str]:
    word, place = "", 0
    while place < len(text):
        if text[place].isspace():
            if word:
                yield word
            word, place = "", place + 1
            continue
        end = _list_end(text, place, word) or _quote_end(text, place, word)
        word += text[place:end]
        place = end
    if word:
        yield word


def _quote_end(text: str, place: int, before: str) -> int:
    """Return where the piece that begins here ends: one character, or a whole quote."""
    closing = _QUOTES.get(text[place], "")
    if closing and _BEFORE_QUOTE.search(before):
        ends = [found for mark in closing if (found := text.find(mark, place + 1)) >= 0]
        if ends:
            return min(ends) + 1
    return place + 1


def _list_end(text: str, place: int, before: str) -> int | None:
    if text[place] == "[" and (not before or before.endswith(("=", ":"))):
        end = text.find("]", place)
        return end + 1 if end >= 0 else None
    return None
