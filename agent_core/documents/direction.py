"""Which way text runs: Hebrew, Arabic and their like from right to left."""

import unicodedata
from collections.abc import Iterator

_LEFT, _RIGHT = "L", frozenset(("R", "AL"))


def is_rtl(text: str) -> bool:
    """Return whether the first letter of a text is of a script that runs from right to left."""
    return next((turned for turned in map(_turned, text) if turned is not None), False)


def runs_by_direction(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the text in pieces of one direction, and whether each runs from right to left.

    What has no direction, such as spaces, stays with the piece before it.
    """
    piece, direction = "", False
    for char in text:
        turned = _turned(char)
        if turned is not None and turned is not direction:
            if piece:
                yield piece, direction
                piece = ""
            direction = turned
        piece += char
    if piece:
        yield piece, direction


def _turned(char: str) -> bool | None:
    direction = unicodedata.bidirectional(char)
    return True if direction in _RIGHT else False if direction == _LEFT else None
