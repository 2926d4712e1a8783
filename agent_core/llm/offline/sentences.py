"""Cuts a message into its sentences."""

import re
from collections.abc import Iterator

_END = re.compile(r"[.!?]+[\"'”»)]*(?=\s+\S)|\n+|;(?=\s)")
_SHORT = frozenset(
    ["mrs", "mme", "mlle", "prof", "bzw", "no", "nr", "ch", "kap", "chap", "sc", "vol", "etc", "z.b", "e.g"]
)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a message; a stop behind a short title or a number ends none."""
    start = 0
    for found in _END.finditer(text):
        sentence = text[start : found.end()].strip(" ;\n")
        if sentence and not (found[0] == "." and _is_short(text[start : found.start()])):
            yield sentence
            start = found.end()
    if rest := text[start:].strip(" \n;"):
        yield rest


def _is_short(before: str) -> bool:
    last = before.rsplit(maxsplit=1)[-1] if before.strip() else ""
    is_title = len(last) <= 3 and last[:1].isupper() and not last.isupper()
    return is_title or last.isdigit() or last.lower() in _SHORT
