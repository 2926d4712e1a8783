"""Keeps tool results within a budget of characters without ever breaking their JSON."""

import json
from collections.abc import Mapping, Sequence

from agent_core.messages import Json, parse_json

LEAST_CHARS = 60  # room for a note in place of anything


def dump(value: Json) -> str:
    """Return compact JSON text, non-ASCII kept."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def cut_json(value: Json, max_chars: int) -> Json:
    """Return `value`, or a smaller one whose JSON text has at most `max_chars` characters (or `LEAST_CHARS`).

    Texts are cut at a character, lists and objects at an item; each cut says "cut, N of M".
    """
    if len(dump(value)) <= max_chars:
        return value
    if isinstance(value, Mapping):
        return _cut_object(value, max_chars)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _cut_list(value, max_chars)
    return cut_text(value if isinstance(value, str) else str(value), max_chars)


def cut_text(text: str, max_chars: int) -> str:
    """Return `text`, or its start with a note, such that its JSON form has at most `max_chars` characters."""
    if len(text) <= max_chars and len(dump(text)) <= max_chars:
        return text
    low, high = 0, min(len(text), max(max_chars - LEAST_CHARS, 0))
    while low < high:
        middle = (low + high + 1) // 2
        if len(dump(text[:middle])) + LEAST_CHARS <= max_chars:
            low = middle
        else:
            high = middle - 1
    return f"{text[:low]}… {_note(low, len(text), 'characters')}"


def cut_result(content: str, max_chars: int) -> str:
    """Return a result's JSON text, or that of the same result made shorter; other text is cut as text."""
    if len(content) <= max_chars:
        return content
    try:
        value = parse_json(content)
    except ValueError:
        return cut_text(content, max_chars)
    return dump(cut_json(value, max_chars))


def _cut_list(items: Sequence[Json], max_chars: int) -> Json:
    """Keep the first items whole, and one more cut short where there is room for a piece of it."""
    kept: list[Json] = []
    left = max_chars - LEAST_CHARS
    for item in items:
        size = len(dump(item)) + 1
        if size > left:
            break
        kept.append(item)
        left -= size
    if len(kept) < len(items) and left > 2 * LEAST_CHARS:
        kept.append(cut_json(items[len(kept)], left - 1))
    if len(kept) < len(items):
        kept.append(_note(len(kept), len(items), "items"))
    return kept if len(dump(kept)) <= max_chars else _note(0, len(items), "items")


def _cut_object(value: Mapping[str, Json], max_chars: int) -> Json:
    """Keep the first keys that fit with a note each; their values share the room left, small ones first."""
    frames = {key: len(dump(key)) + 2 for key in value}
    sizes: dict[str, int] = {}
    left = max_chars - LEAST_CHARS
    for key, item in value.items():
        size = len(dump(item))
        least = frames[key] + min(size, LEAST_CHARS)
        if least > left:
            break
        left -= least
        sizes[key] = size
    if not sizes:
        return _note(0, len(value), "fields")
    made: dict[str, Json] = {}
    for rest, key in enumerate(sorted(sizes, key=lambda name: sizes[name])):
        own = min(sizes[key], LEAST_CHARS)
        made[key] = cut_json(value[key], own + left // (len(sizes) - rest))
        left -= max(len(dump(made[key])) - own, 0)
    kept = {key: made[key] for key in sizes}
    return kept if len(kept) == len(value) else {**kept, "…": _note(len(kept), len(value), "fields")}


def _note(kept: int, of: int, what: str) -> str:
    return f"(cut, {kept} of {of} {what})"
