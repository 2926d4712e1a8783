"""Which members of which facts a correction strikes out, and where the right value goes instead."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeGuard

from agent_core.lore import merge
from agent_core.lore.history_lines import top_key
from agent_core.lore.model import JsonObject, Told
from agent_core.lore.outline import Outline
from agent_core.lore.timeline import ActiveFact
from agent_core.messages import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """A wrong member of a fact: `leaf` is the pointer of the right value, `pointer` that of the wrong one."""

    fact: ActiveFact
    leaf: str
    pointer: str
    value: Json

    @property
    def key(self) -> str:
        """The top-level detail."""
        return top_key(self.pointer)


@dataclass(slots=True)
class Group:
    """Leaves that share one new assertion; `tolds` are those of the facts it replaces."""

    leaves: set[str] = field(default_factory=set)
    tolds: list[Told] = field(default_factory=list)
    static: bool = False


GroupKey = tuple[str | None, str | None, bool]


def leaves(patch: JsonObject, above: str = "") -> Iterator[tuple[str, Json]]:
    """Yield the JSON pointer and value of each member that is not a plain object."""
    for key, value in patch.items():
        pointer = f"{above}/{key.replace('~', '~0').replace('/', '~1')}"
        if _is_plain(value) and value:
            yield from leaves(value, pointer)
        else:
            yield pointer, value


def replaced_by(
    patch: JsonObject, facts: Iterable[ActiveFact], at: str | None, to: str | None, outline: Outline
) -> tuple[Replaced, ...]:
    """Return the members that say otherwise in the facts that start from `at` until before `to`."""
    within = [fact for fact in facts if _starts_within(fact, at, to, outline)]
    found = (_wrong(fact, leaf, right) for leaf, right in leaves(patch) for fact in within)
    return tuple(one for one in found if one is not None)


def grouped(
    patch: JsonObject, replaced: Iterable[Replaced], to: str | None, outline: Outline
) -> dict[GroupKey, Group]:
    """Return the assertions that the right values need, by (until, scope, whether it replaces nothing).

    Each replaced fact hands on its own end, if that comes before `to`, and its scope.
    """
    groups: dict[GroupKey, Group] = {}
    for one in replaced:
        until = _sooner(one.fact.until, to, outline)
        group = groups.setdefault((until, one.fact.scope_book, False), Group())
        group.leaves.add(one.leaf)
        group.tolds.append(one.fact.told)
        group.static = group.static or one.fact.static
    taken = {leaf for group in groups.values() for leaf in group.leaves}
    new = {leaf for leaf, _ in leaves(patch)} - taken
    if new:
        groups[to, None, True] = Group(leaves=new)
    return groups


def _starts_within(fact: ActiveFact, at: str | None, to: str | None, outline: Outline) -> bool:
    if fact.at is None:
        return at is None
    begins = outline.story[fact.at]
    return (at is None or outline.story[at] <= begins) and (to is None or begins < outline.story[to])


def _wrong(fact: ActiveFact, leaf: str, right: Json) -> Replaced | None:
    """Return the member of the fact that stands where `leaf` says `right`, or above it and in its way."""
    value: Json = fact.patch
    parts = leaf.split("/")[1:]
    for depth, part in enumerate(parts):
        if not _is_plain(value):
            pointer = "/" + "/".join(parts[:depth])
            return Replaced(fact=fact, leaf=leaf, pointer=pointer, value=value)
        key = part.replace("~1", "/").replace("~0", "~")
        if key not in value:
            return None
        value = value[key]
    if merge.same(value, right) and not merge.is_list_edit(value) and right is not None:
        return None
    return Replaced(fact=fact, leaf=leaf, pointer=leaf, value=value)


def _sooner(one: str | None, other: str | None, outline: Outline) -> str | None:
    ends = [end for end in (one, other) if end is not None]
    return min(ends, key=outline.story.__getitem__, default=None)


def _is_plain(value: Json) -> TypeGuard[JsonObject]:
    return isinstance(value, Mapping) and not merge.is_atom(value) and not merge.is_list_edit(value)
