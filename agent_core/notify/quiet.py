"""Takes from a text what would call people, where a service can't be told to call nobody."""

import re
import unicodedata

JOINER = "\u2060"
"""Stands behind a sign that a service would read; nobody sees it."""
_CALLS = re.compile(r"(?<!\w)@(?=\w)|<(?=[@!#])")


def quiet(text: str) -> str:
    """Return the text with every mention broken: it reads the same and calls nobody."""
    return _CALLS.sub(lambda found: f"{found[0]}{JOINER}", text)


def one_line(text: str) -> str:
    """Return the text on one line, without characters that steer instead of being read."""
    return " ".join("".join(char for char in line if char.isprintable()) for line in text.split())


def is_blank(text: str) -> bool:
    """Return whether nobody would see anything of a text."""
    return all(char.isspace() or unicodedata.category(char) in {"Cf", "Cc", "Mn", "Zs"} for char in text)
