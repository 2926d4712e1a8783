"""A long text in parts that a service takes."""

import re

_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?…])\s+"), re.compile(r"\s+"))


def in_parts(text: str, max_chars: int) -> tuple[str, ...]:
    """Return the text in pieces of at most `max_chars` UTF-16 units, cut between paragraphs or words."""
    parts: list[str] = []
    rest = text.strip()
    while length(rest) > max_chars:
        end, start = _break(rest, len(_head(rest, max_chars)))
        parts.append(rest[:end].rstrip())
        rest = rest[start:].lstrip()
    return tuple(filter(None, (*parts, rest)))


def length(text: str) -> int:
    """Return the length as chat services count it, in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _head(text: str, max_chars: int) -> str:
    head = text[:max_chars]
    while length(head) > max_chars:
        head = head[: -max(1, (length(head) - max_chars) // 2)]
    return head


def _break(text: str, most: int) -> tuple[int, int]:
    """Return where a piece ends and the next begins: at the last break behind the middle, else at `most`."""
    for kind in _BREAKS:
        found = [match for match in kind.finditer(text, 0, most + 1) if match.start() > most // 2]
        if found:
            return found[-1].start(), found[-1].end()
    return most, most
