"""JSON as it stands in columns: compact, in plain Unicode, keys in the order they were given."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agent_core.messages import Json


def to_text(value: Json) -> str:
    """Return the value as JSON.

    Raises:
        ValueError: for NaN and the infinities, which JSON can't say.

    """
    return _encode(value)


def from_text(text: str) -> Any:  # Any: each caller parses what it wrote
    """Return the value that `to_text` wrote."""
    return _decode(text)


def _plain(value: object) -> object:
    """Return mappings and sequences of any class as those that JSON knows."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain).encode
_decode = json.JSONDecoder().decode
