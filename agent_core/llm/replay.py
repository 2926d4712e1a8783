"""Grows the unknown fields of an assistant message out of stream deltas, so that they go back verbatim.

Thought signatures and reasoning have a different shape at every provider; a request without them is refused.
"""

from collections.abc import Mapping

from agent_core.messages import Json

_GROWING = frozenset({"content", "data", "reasoning", "reasoning_content", "summary", "text", "thinking"})


def grown(old: Mapping[str, Json], new: Mapping[str, Json]) -> dict[str, Json]:
    """Return `old` continued by `new`: running text is appended, records merge, anything else is set anew."""
    result = dict(old)
    for key, value in new.items():
        result[key] = _continued(key, old.get(key), value)
    return result


def present(fields: Mapping[str, Json]) -> dict[str, Json]:
    """Return `fields` without the empty ones, which many endpoints refuse to take back."""
    return {key: value for key, value in fields.items() if value not in (None, "", [], {})}


def _continued(key: str, old: Json, new: Json) -> Json:
    if new in (None, ""):
        return old
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return grown(old, new)
    if isinstance(old, list) and isinstance(new, list):
        return _list_continued(old, new)
    if isinstance(old, str) and isinstance(new, str) and key in _GROWING:
        return old + new
    return new


def _list_continued(old: list[Json], new: list[Json]) -> list[Json]:
    result = list(old)
    for item in new:
        place = _place_continued_by(result, item)
        before = result[place] if place is not None else None
        if place is not None and isinstance(before, Mapping) and isinstance(item, Mapping):
            result[place] = grown(before, item)
        elif isinstance(item, Mapping) or item not in result:
            result.append(item)
    return result


def _place_continued_by(items: list[Json], item: Json) -> int | None:
    """Return where `item` goes on: at the record of its own index, else only at the last record."""
    if not isinstance(item, Mapping):
        return None
    for place in reversed(range(len(items))):
        before = items[place]
        if isinstance(before, Mapping) and _continues(before, item):
            return place
        if "index" not in item:
            return None
    return None


def _continues(before: Mapping[str, Json], item: Mapping[str, Json]) -> bool:
    """Tell whether both are pieces of one record; without an index, a signature ends a record."""
    if before.get("index") != item.get("index") or ("index" not in item and before.get("signature")):
        return False
    pairs = ((before.get(key), item.get(key)) for key in ("type", "id"))
    return all(None in pair or pair[0] == pair[1] for pair in pairs)
