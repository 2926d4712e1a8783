"""Merge patches, list operations and withdrawals, written down as simply as the text has them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_core.lore.model import JsonObject
from agent_core.messages import Json


@dataclass(frozen=True)
class Folded:
    """A state, the fact behind each leaf, and the list operations that found no list."""

    state: Json
    sources: Mapping[str, str]
    misfits: frozenset[tuple[str, str]]


def canonical(value: Json) -> str:
    """Return the value as text that is equal exactly for equal JSON (true is not 1)."""
    return json.dumps(value, sort_keys=True)


def is_object(value: Json) -> bool:
    """Return whether the value has members of its own; atoms and list operations have none."""
    return isinstance(value, Mapping) and not any(key.startswith("$") for key in value)


def changes_list(value: Json) -> bool:
    """Return whether the value is a list operation."""
    return isinstance(value, Mapping) and ("$add" in value or "$remove" in value)


def merged(target: Json, patch: Json) -> Json:
    """Return the target after a merge patch."""
    if not isinstance(patch, Mapping):
        return patch
    if "$none" in patch or "$unknown" in patch:
        return patch
    if changes_list(patch):
        return changed_list(target if isinstance(target, list) else [], patch)
    result = dict(target) if isinstance(target, Mapping) and is_object(target) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def changed_list(items: Sequence[Json], operation: JsonObject) -> Json:
    """Return the list with items removed, then added; what is there is not added again."""
    removed, added = operation.get("$remove", []), operation.get("$add", [])
    assert isinstance(removed, list)
    assert isinstance(added, list)
    result = [item for item in items if canonical(item) not in [canonical(one) for one in removed]]
    for item in added:
        if canonical(item) not in [canonical(one) for one in result]:
            result.append(item)
    return result


def fold(facts: Sequence[tuple[str, JsonObject]]) -> Folded:
    """Return the facts (id, patch) folded from nothing."""
    states: list[Json] = [{}]
    misfits: set[tuple[str, str]] = set()
    for fact, patch in facts:
        for pointer, value in leaves(patch):
            if changes_list(value) and not isinstance(value_at(states[-1], pointer), list):
                misfits.add((fact, pointer))
        states.append(merged(states[-1], patch))
    sources = {}
    for pointer, _ in leaves(states[-1]):
        for (fact, patch), before, after in zip(facts, states, states[1:], strict=False):
            given = dict(leaves(patch)).get(pointer)
            unchanged = canonical(value_at(before, pointer)) == canonical(value_at(after, pointer))
            if given is not None and not (changes_list(given) and unchanged):
                sources[pointer] = fact
    return Folded(states[-1], sources, frozenset(misfits))


def leaves(value: Json, pointer: str = "") -> Iterator[tuple[str, Json]]:
    """Return (pointer, value) of every member that has no members itself."""
    if not isinstance(value, Mapping) or not is_object(value):
        yield pointer, value
        return
    for key, member in value.items():
        yield from leaves(member, f"{pointer}/{escaped(key)}")


def value_at(value: Json, pointer: str) -> Json:
    """Return the member there, or None."""
    for key in pointer.split("/")[1:]:
        object_there = value if isinstance(value, Mapping) else {}
        value = {escaped(name): member for name, member in object_there.items()}.get(key)
    return value


def without(patch: JsonObject, pointers: Sequence[str], parent: str = "") -> JsonObject | None:
    """Return the patch without these members and the parents that they empty; None if nothing is left.

    What has no members of its own (a list, a list operation, an atom) goes whole.
    """
    if parent in pointers:
        return None
    kept: dict[str, Json] = {}
    for key, member in patch.items():
        pointer = f"{parent}/{escaped(key)}"
        within = any(one.startswith(f"{pointer}/") for one in pointers)
        if isinstance(member, Mapping) and is_object(member):
            left = without(member, pointers, pointer)
            if left is not None:
                kept[key] = left
        elif pointer not in pointers and not (within and isinstance(member, Mapping | list)):
            kept[key] = member
    return kept if kept or not patch else None


def escaped(key: str) -> str:
    """Return the key as a JSON pointer writes it."""
    return key.replace("~", "~0").replace("/", "~1")
