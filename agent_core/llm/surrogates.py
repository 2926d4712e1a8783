"""Repairs text whose emoji came as two escaped halves: half a pair can be neither stored nor sent."""

import re
from collections.abc import Mapping

from agent_core.messages import Json

_HALF = re.compile("[\ud800-\udfff]")
_FIRST_HALF_AT_END = re.compile("[\ud800-\udbff]$")


def mend(text: str) -> str:
    """Return `text` with paired halves joined and lone ones replaced by U+FFFD."""
    if not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def mend_json(value: Json) -> Json:
    """Return `value` with each string in it mended."""
    if isinstance(value, str):
        return mend(value)
    if isinstance(value, Mapping):
        return {mend(key): mend_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [mend_json(item) for item in value]
    return value


class TextMender:
    """Mends text that arrives in pieces, keeping a first half back until its partner is here."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, piece: str) -> str:
        """Return what of the text so far is whole and has not been returned yet."""
        text = self._half + piece
        self._half = text[-1] if _FIRST_HALF_AT_END.search(text) else ""
        return mend(text[:-1] if self._half else text)

    def flush(self) -> str:
        """Return what was kept back: U+FFFD if the partner never came, else nothing."""
        rest, self._half = mend(self._half), ""
        return rest
