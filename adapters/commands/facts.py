"""Reads details with their values: `eyes=green`, `status: dead`, `-spouse`, `titles+=the Heron`."""

import re
from collections.abc import Sequence

from adapters.commands.model import CommandError
from adapters.commands.tokens import is_quoted, items, unquoted
from agent_core.messages import Json

_NAME = r"(?:\"[^\"]+\"|“[^”]+”|„[^“”]+[“”]|«[^»]+»|[^\W\d_](?:[\w.’'-]*\w)?)"
_BEGINS = re.compile(rf"(?P<key>{_NAME})(?P<sign>\+=|-=|=|:$|:(?=[^\s/]))(?P<value>.*)", re.DOTALL)
_REMOVED = re.compile(rf"-(?P<key>{_NAME})$")
_INTEGER = re.compile(r"-?(?:0|[1-9]\d{0,14})")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,11})\.\d{1,9}")

_YES = frozenset({"true", "yes", "ja", "wahr", "oui", "vrai"})
_NO = frozenset({"false", "no", "nein", "falsch", "non", "faux"})
_NONE = frozenset({"none", "keine", "keiner", "keins", "aucun", "aucune"})
_OPEN = frozenset({"?"})


def begins_fact(word: str) -> bool:
    """Tell whether a word begins a detail."""
    return _BEGINS.fullmatch(word) is not None or _REMOVED.fullmatch(word) is not None


def patch_of(words: Sequence[str]) -> dict[str, Json]:
    """Return the patch that the words say; a value goes on until the next detail begins.

    Raises:
        CommandError: a detail has no value.
    """
    patch: dict[str, Json] = {}
    for key, sign, value in _facts(words):
        if sign != "-" and not value:
            raise CommandError("facts", detail=key)
        _put(patch, key, _value(sign, value))
    return patch


def value_of(text: str) -> Json:
    """Return a value as it was meant: quoted text, list, yes or no, number, none, left open, or text."""
    text = text.strip()
    if is_quoted(text):
        return unquoted(text)
    if text.startswith("[") and text.endswith("]"):
        return [value_of(item) for item in items(text[1:-1])]
    word = text.casefold()
    if word in _YES or word in _NO:
        return word in _YES
    if word in _NONE or word in _OPEN:
        return {"$none": True} if word in _NONE else {"$unknown": True}
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def _facts(words: Sequence[str]) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, list[str]]] = []
    for word in words:
        removed, begun = _REMOVED.fullmatch(word), _BEGINS.fullmatch(word)
        if removed:
            found.append((unquoted(removed["key"]), "-", []))
        elif begun:
            found.append((unquoted(begun["key"]), begun["sign"], [begun["value"]] if begun["value"] else []))
        elif found and found[-1][1] != "-":
            found[-1][2].append(word)
        else:
            raise CommandError("facts", detail=word)
    return [(key, sign, " ".join(parts).rstrip(",;").strip()) for key, sign, parts in found]


def _value(sign: str, text: str) -> Json:
    if sign == "-":
        return None
    value = value_of(text)
    if sign in {"+=", "-="}:
        return {"$add" if sign == "+=" else "$remove": value if isinstance(value, list) else [value]}
    return value


def _put(patch: dict[str, Json], key: str, value: Json) -> None:
    """Set a value at a dotted path: `home.city`."""
    *path, last = [part for part in key.split(".") if part] or [key]
    for part in path:
        inner = patch.get(part)
        if not isinstance(inner, dict):
            inner = patch[part] = {}
        patch = inner
    held = patch.get(last)
    if isinstance(held, dict) and isinstance(value, dict) and {*held, *value} <= {"$add", "$remove"}:
        patch[last] = {**held, **value}
    else:
        patch[last] = value
