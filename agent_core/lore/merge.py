"""How patches become a state: RFC 7396 with "none", "left open" and additions to lists."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from agent_core.lore.model import JsonObject
from agent_core.messages import Json


@dataclass(frozen=True, slots=True)
class Fold:
    """A folded state with the fact behind each leaf.

    `sources` maps the JSON pointer of every leaf (a value that is no plain object, an atom, a whole list)
    to the id of the fact that gave it; for a list the last one that changed it. `misfits` are the
    (fact id, pointer) pairs whose list additions met something that is no list.
    """

    state: dict[str, Json]
    sources: Mapping[str, str]
    misfits: tuple[tuple[str, str], ...]


def validate_patch(patch: Json) -> None:
    """Return if `patch` may be recorded.

    Raises:
        BadPatch: not_object, dollar_key, too_deep, too_large or not_finite, with the pointer.

    """
    raise NotImplementedError


def apply(target: JsonObject, patch: JsonObject) -> dict[str, Json]:
    """Return `target` with `patch` merged into it; neither is changed."""
    raise NotImplementedError


def withdraw(patch: JsonObject, pointers: Collection[str]) -> JsonObject | None:
    """Return `patch` without the members that `pointers` name, or None if nothing is left."""
    raise NotImplementedError


def diff(old: JsonObject, new: JsonObject) -> dict[str, Json]:
    """Return the patch that turns the state `old` into the state `new`."""
    raise NotImplementedError


def fold(facts: Iterable[tuple[str, JsonObject]]) -> Fold:
    """Return the state that the patches of (fact id, patch) give, applied in order from nothing."""
    raise NotImplementedError


def is_atom(value: Json) -> bool:
    """Return whether `value` is `{"$none": true}` or `{"$unknown": true}`."""
    raise NotImplementedError


def is_list_edit(value: Json) -> bool:
    """Return whether `value` adds to or removes from a list."""
    raise NotImplementedError


def same(one: Json, other: Json) -> bool:
    """Return whether two values are equal as JSON (true is not 1, order of members does not matter)."""
    raise NotImplementedError
