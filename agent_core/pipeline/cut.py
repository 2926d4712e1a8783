"""Keeps tool results within a budget of characters without ever breaking their JSON."""

import json
from collections.abc import Mapping, Sequence

from agent_core.messages import Json

NOTE_CHARS = 60


def dump(value: Json) -> str:
    """Return compact JSON text, non-ASCII kept."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def cut_json(value: Json, max_chars: int) -> Json:
    """Return `value`, or a smaller one of the same shape whose JSON text has at most `max_chars` characters.

    Long texts are cut at a character, long lists at an item; each cut says "cut, N of M".
    """
    if len(dump(value)) <= max_chars:
        return value
    if isinstance(value, str):
        return cut_text(value, max_chars)
    if isinstance(value, Mapping):
        return _cut_object(value, max_chars)
    if isinstance(value, Sequence):
        return _cut_list(value, max_chars)
    return value


def cut_text(text: str, max_chars: int) -> str:
    """Return `text`, or its start with a note, such that its JSON form has at most `max_chars` characters."""
    if len(dump(text)) <= max_chars:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if len(dump(text[:middle])) + NOTE_CHARS <= max_chars:
            low = middle
        else:
            high = middle - 1
    return f"{text[:low]}… (cut, {low} of {len(text)} characters)"


def _cut_list(items: Sequence[Json], max_chars: int) -> list[Json]:
    kept: list[Json] = []
    left = max_chars - NOTE_CHARS
    for item in items:
        size = len(dump(item)) + 1
        if size > left:
            break
        kept.append(item)
        left -= size
    if not kept and items:
        kept.append(cut_json(items[0], max(left, NOTE_CHARS)))
    if len(kept) < len(items):
        kept.append(f"(cut, {len(kept)} of {len(items)} items)")
    return kept


def _cut_object(value: Mapping[str, Json], max_chars: int) -> dict[str, Json]:
    sizes = {key: len(dump(item)) for key, item in value.items()}
    frame = sum(len(dump(key)) + 2 for key in value) + 2
    left = max(max_chars - frame, 0)
    made: dict[str, Json] = {}
    for rest, key in enumerate(sorted(sizes, key=lambda name: sizes[name])):
        share = left // (len(sizes) - rest)
        made[key] = cut_json(value[key], max(share, NOTE_CHARS))
        left = max(left - len(dump(made[key])), 0)
    return {key: made[key] for key in value}
