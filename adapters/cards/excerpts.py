"""The part of a long text that a revision changes, with a little around it."""

from collections.abc import Sequence

MAX_WORDS = 50
AROUND = 6


def excerpts(before: str, after: str) -> tuple[str, str]:
    """Return the changed words of both texts with their neighbours; beside an empty one, the beginning."""
    old, new = before.split(), after.split()
    if not old or not new:
        return _cut(old, 0, len(old)), _cut(new, 0, len(new))
    head = _same(old, new)
    tail = _same(old[head:][::-1], new[head:][::-1])
    begin = max(0, head - AROUND)
    shown_tail = max(0, tail - AROUND)
    return _cut(old, begin, len(old) - shown_tail), _cut(new, begin, len(new) - shown_tail)


def _same(old: Sequence[str], new: Sequence[str]) -> int:
    pairs = zip(old, new, strict=False)
    return next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(old), len(new)))


def _cut(words: Sequence[str], begin: int, end: int) -> str:
    shown = words[begin : min(end, begin + MAX_WORDS)]
    left = ["…"] if begin > 0 else []
    right = ["…"] if begin + len(shown) < len(words) else []
    return " ".join([*left, *shown, *right])
