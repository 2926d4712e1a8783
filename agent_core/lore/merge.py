"""How patches become a state: RFC 7396 with "none", "left open" and edits of lists.

`{"$none": true}`, `{"$unknown": true}` and lists are atoms: they replace and are replaced whole.
"""

import json
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeGuard

from agent_core.errors import BadPatch
from agent_core.lore.model import JsonObject
from agent_core.messages import Json

MAX_DEPTH = 32
MAX_BYTES = 64 * 1024

_PLAIN = (str, int, float)  # a tuple is told apart in half the time of a union

_Path: TypeAlias = tuple[str, ...]
_Origin: TypeAlias = "dict[str, str | _Origin]"


@dataclass(frozen=True, slots=True)
class Fold:
    """A folded state with the fact behind each leaf.

    `sources` maps the JSON pointer of every leaf (a value that is no plain object, an atom, a whole list)
    to the id of the fact that gave it; for a list the last one that changed it. `misfits` are the
    (fact id, pointer) pairs whose list edits met something that is no list, or nothing.
    """

    state: dict[str, Json]
    sources: Mapping[str, str]
    misfits: tuple[tuple[str, str], ...]


def validate_patch(patch: Json) -> None:
    """Return if `patch` may be recorded.

    Raises:
        BadPatch: not_object, dollar_key, too_deep, too_large or not_finite, with the pointer.

    """
    if not isinstance(patch, Mapping):
        raise BadPatch(pointer="", reason="not_object")
    _check_members(patch, (), in_list=False)
    text = json.dumps(patch, ensure_ascii=False, separators=(",", ":"))
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise BadPatch(pointer="", reason="too_large")


def fold(facts: Iterable[tuple[str, JsonObject]]) -> Fold:
    """Return the state that the patches of (fact id, patch) give, applied in order from nothing."""
    state: dict[str, Json] = {}
    origin: _Origin = {}
    misfits: list[tuple[str, str]] = []
    for fact, patch in facts:
        for key, value in patch.items():
            if isinstance(value, _PLAIN):  # most are, and this is asked thousands of times
                state[key], origin[key] = value, fact
            else:
                _merge(state, origin, {key: value}, (), fact, misfits)
    return Fold(state, dict(_leaves(origin, "")), tuple(misfits))


def apply(target: JsonObject, patch: JsonObject) -> dict[str, Json]:
    """Return `target` with `patch` merged into it; neither is changed.

    A list edit removes first, then adds what is not there yet; on what is no list a new list starts.
    """
    state = _copied(target)
    _merge(state, _origin_of(state), patch, (), "", [])
    return state


def withdraw(patch: JsonObject, pointers: Collection[str]) -> JsonObject | None:
    """Return `patch` without the members that `pointers` name, or None if nothing is left.

    Parents that are emptied by it go too. A list, a list edit and an atom go whole, also for a pointer into
    them. A pointer to no member takes nothing.
    """
    paths = [split_pointer(pointer) for pointer in pointers if not pointer or pointer.startswith("/")]
    return _without(patch, paths) if paths else patch


def diff(old: JsonObject, new: JsonObject) -> dict[str, Json]:
    """Return the patch that turns the state `old` into the state `new`."""
    patch: dict[str, Json] = {key: None for key in old if key not in new}
    for key, value in new.items():
        before = old.get(key)
        if is_object(before) and is_object(value):
            if inner := diff(before, value):
                patch[key] = inner
        elif key not in old or not same(before, value):
            patch[key] = value
    return patch


def same(one: Json, other: Json) -> bool:
    """Return whether two values are equal as JSON (true is not 1, the order of members does not matter)."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if is_list(one) and is_list(other):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def is_atom(value: Json) -> bool:
    """Return whether `value` is `{"$none": true}` or `{"$unknown": true}`."""
    return (
        isinstance(value, Mapping)
        and len(value) == 1
        and (value.get("$none") is True or value.get("$unknown") is True)
    )


def is_list(value: Json) -> TypeGuard[Sequence[Json]]:
    """Return whether `value` is an array."""
    return isinstance(value, Sequence) and not isinstance(value, str)


def is_list_edit(value: Json) -> TypeGuard[Mapping[str, Sequence[Json]]]:
    """Return whether `value` is `{"$add": [...], "$remove": [...]}`, either key or both."""
    return (
        isinstance(value, Mapping)
        and bool(value)
        and value.keys() <= {"$add", "$remove"}
        and all(map(is_list, value.values()))
    )


def is_object(value: Json) -> TypeGuard[JsonObject]:
    """Return whether `value` is an object that merges: neither an atom nor a list edit."""
    return isinstance(value, Mapping) and not is_atom(value) and not is_list_edit(value)


def join_pointer(keys: Iterable[str]) -> str:
    """Return the JSON pointer (RFC 6901) of these member names."""
    return "".join("/" + _escaped(key) for key in keys)


def split_pointer(pointer: str) -> tuple[str, ...]:
    """Return the member names of a JSON pointer; the empty one names the whole."""
    return tuple(key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:])


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key


def _merge(
    target: dict[str, Json],
    origin: _Origin,
    patch: JsonObject,
    path: _Path,
    fact: str,
    misfits: list[tuple[str, str]],
) -> None:
    for key, value in patch.items():
        if isinstance(value, _PLAIN):
            target[key], origin[key] = value, fact
        elif value is None:
            target.pop(key, None)
            origin.pop(key, None)
        elif is_object(value):
            inner, inner_origin = _entered(target, origin, key)
            _merge(inner, inner_origin, value, (*path, key), fact, misfits)
        elif is_list_edit(value):
            current = target.get(key)
            edited = _edited(current if is_list(current) else (), value)
            if not is_list(current):
                misfits.append((fact, join_pointer((*path, key))))
            if not same(current, edited):
                target[key], origin[key] = edited, fact
        else:
            target[key], origin[key] = value, fact


def _entered(target: dict[str, Json], origin: _Origin, key: str) -> tuple[dict[str, Json], _Origin]:
    inner, inner_origin = target.get(key), origin.get(key)
    if isinstance(inner, dict) and isinstance(inner_origin, dict):
        return inner, inner_origin
    fresh: dict[str, Json] = {}
    fresh_origin: _Origin = {}
    target[key], origin[key] = fresh, fresh_origin
    return fresh, fresh_origin


def _edited(current: Sequence[Json], edit: Mapping[str, Sequence[Json]]) -> list[Json]:
    removed = edit.get("$remove", ())
    items = [item for item in current if not any(same(item, gone) for gone in removed)]
    for item in edit.get("$add", ()):
        if not any(same(item, there) for there in items):
            items.append(item)
    return items


def _leaves(origin: _Origin, above: str) -> Iterable[tuple[str, str]]:
    for key, source in origin.items():
        pointer = f"{above}/{_escaped(key)}"
        if isinstance(source, str):
            yield pointer, source
        else:
            yield from _leaves(source, pointer)


def _copied(target: JsonObject) -> dict[str, Json]:
    return {key: _copied(value) if is_object(value) else value for key, value in target.items()}


def _origin_of(state: JsonObject) -> _Origin:
    return {key: _origin_of(value) if is_object(value) else "" for key, value in state.items()}


def _without(patch: JsonObject, paths: Collection[_Path]) -> JsonObject | None:
    if () in paths:
        return None
    tails: dict[str, list[_Path]] = {}
    for path in paths:
        tails.setdefault(path[0], []).append(path[1:])
    kept: dict[str, Json] = {}
    for key, value in patch.items():
        left = _left_of(value, tails[key]) if key in tails else (value,)
        if left:
            kept[key] = left[0]
    return kept if kept or not patch else None


def _left_of(value: Json, tails: Collection[_Path]) -> tuple[Json] | None:
    """Return what is left of a member in a tuple (it may be null itself), or None if it goes."""
    if () in tails or is_list(value) or is_atom(value) or is_list_edit(value):
        return None
    if not is_object(value):
        return (value,)
    inner = _without(value, tails)
    return None if inner is None else (inner,)


def _check_members(value: JsonObject, path: _Path, *, in_list: bool) -> None:
    for key, item in value.items():
        if key.startswith("$"):
            raise BadPatch(pointer=join_pointer((*path, key)), reason="dollar_key")
        _check(item, (*path, key), in_list=in_list)


def _check(value: Json, path: _Path, *, in_list: bool) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise BadPatch(pointer=join_pointer(path), reason="not_finite")
    if len(path) >= MAX_DEPTH and (isinstance(value, Mapping) or is_list(value)):
        raise BadPatch(pointer=join_pointer(path), reason="too_deep")
    if is_list(value):
        _check_items(value, path)
    elif is_list_edit(value) and not in_list:
        for key, items in value.items():
            _check_items(items, (*path, key))
    elif isinstance(value, Mapping) and (in_list or not is_atom(value)):
        _check_members(value, path, in_list=in_list)


def _check_items(items: Sequence[Json], path: _Path) -> None:
    for index, item in enumerate(items):
        _check(item, (*path, str(index)), in_list=True)
