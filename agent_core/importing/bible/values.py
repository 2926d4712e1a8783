"""When two values say the same, whatever form they have: a note holds texts, the canon may hold numbers."""

import unicodedata
from collections.abc import Mapping

from agent_core.lore.merge import is_list, is_object
from agent_core.messages import Json

NONE, UNKNOWN = "–", "?"
"""How notes say "certainly none" and "left open on purpose"."""


def as_text(value: Json) -> Json:
    """Return a value as a note can say it: texts, and lists of them."""
    if is_list(value):
        return [_text(item) for item in value]
    return _text(value)


def same_value(one: Json, other: Json) -> bool:
    """Return whether two values read the same; a list of one is that one."""
    return _read(one) == _read(other)


def _read(value: Json) -> tuple[str, ...]:
    items = value if is_list(value) else [value]
    return tuple(" ".join(unicodedata.normalize("NFC", _text(item)).split()) for item in items)


def _text(value: Json) -> str:
    if isinstance(value, Mapping):
        return _mark(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return "" if value is None else str(value) if not is_list(value) else ", ".join(map(_text, value))


def _mark(value: Mapping[str, Json]) -> str:
    if value.get("$none") is True:
        return NONE
    if value.get("$unknown") is True:
        return UNKNOWN
    return ", ".join(f"{key}: {_text(one)}" for key, one in value.items()) if is_object(value) else ""
