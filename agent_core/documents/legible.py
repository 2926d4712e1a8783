"""Takes out of texts what no document may hold: control characters, lone surrogates, non-characters."""

import re

_ILLEGAL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000))
    + "]"
)


def legible(text: str) -> tuple[str, int]:
    """Return the text without such characters, and how many there were; line ends become one feed."""
    return _ILLEGAL.subn("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\x85", "\n"))
