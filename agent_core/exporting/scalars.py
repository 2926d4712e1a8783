"""Writes YAML that everybody's reader takes for the same text: quoted wherever one might take it for more."""

import json
import re
from collections.abc import Iterator, Mapping

from agent_core.importing.bible.values import as_text
from agent_core.lore.merge import is_list
from agent_core.messages import Json

_PLAIN = re.compile(r"[^\W\d_][\w .,'’()/+–-]*")
_LONG = 200
_MEANT = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n", "none"})


def scalar(text: str) -> str:
    """Return a text as one YAML scalar in one line."""
    is_plain = _PLAIN.fullmatch(text) and text == text.strip() and text.casefold() not in _MEANT
    return (
        text if is_plain and len(text) < _LONG else "".join(map(_shown, json.dumps(text, ensure_ascii=False)))
    )


def members(key: str, value: Json, depth: int = 0) -> Iterator[str]:
    """Yield the lines of a key with its value: a text, a list of texts, or members of its own."""
    indent = "  " * depth
    if isinstance(value, Mapping) and value:
        yield f"{indent}{scalar(key)}:"
        for name, inner in value.items():
            yield from members(name, inner, depth + 1)
    elif is_list(value):
        yield f"{indent}{scalar(key)}:{'' if value else ' []'}"
        yield from (f"{indent}  - {scalar(str(item))}" for item in value)
    else:
        yield f"{indent}{scalar(key)}: {scalar(str(as_text(value)))}"


def _shown(char: str) -> str:
    """Return a character, or how YAML writes one that nobody can see; half a character becomes a mark."""
    if char.isprintable():
        return char
    code = ord(char)
    return "\ufffd" if 0xD800 <= code < 0xE000 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
