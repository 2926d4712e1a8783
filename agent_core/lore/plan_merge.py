"""Plans that several entries are one: their names and facts become those of the one that is kept."""

from collections.abc import Iterator, Sequence

from agent_core.errors import NothingToDo
from agent_core.lore import conflict, merge, timeline
from agent_core.lore.answers import CardLine, KeyChange, Warn
from agent_core.lore.canon import Canon
from agent_core.lore.lens import Lens, json_value
from agent_core.lore.lookup import find_entry
from agent_core.lore.model import Author, Merged, When
from agent_core.lore.plan import Plan
from agent_core.lore.timeline import Entry
from agent_core.messages import Json


async def plan_merge(canon: Canon, *, keep: str, others: Sequence[str]) -> Plan:
    """Return the plan of a merge; the card counts the facts that move and shows the details that clash.

    Raises:
        UnknownEntity, AmbiguousEntity: as `find_entry`.
        NothingToDo: reason "same_fact", where all of them are one entry already.

    """
    kept = await find_entry(canon, keep, Author())
    found = {entry.entity: entry for entry in [await find_entry(canon, one, Author()) for one in others]}
    found.pop(kept.entity, None)
    if not found:
        raise NothingToDo(reason="same_fact")
    merged = tuple(found.values())
    rows = tuple(Merged(entity=one.entity, into=kept.entity) for one in merged)
    lens = Lens(canon, Author())
    return Plan(
        rows=rows,
        keys=conflict.keys_of(rows),
        card=CardLine(
            kind="merge",
            entry=lens.entry(kept),
            others=tuple(map(lens.entry, merged)),
            changes=await _clashes(canon, kept, rows),
            facts={
                "facts": sum(len(one.facts) for one in merged),
                "names": sum(len(one.names) for one in merged),
            },
            warnings=tuple(_warnings(canon, kept, merged)),
        ),
        resolved={"keep": kept.entity, "merge": list(found)},
    )


async def _clashes(canon: Canon, kept: Entry, rows: Sequence[Merged]) -> tuple[KeyChange, ...]:
    """Return the details of the kept entry that would have another value after all."""
    after = await canon.fork(rows).entry(kept.entity, bound=Author())
    old, new = _state(canon, kept), _state(canon, after)
    return tuple(
        KeyChange(key=key, before=json_value(value), after=json_value(new.get(key)))
        for key, value in old.items()
        if not merge.same(value, new.get(key))
    )


def _warnings(canon: Canon, kept: Entry, merged: Sequence[Entry]) -> Iterator[Warn]:
    own = _state(canon, kept)
    for other in merged:
        if other.type is not kept.type:
            yield Warn(code="other_kind", facts={"name": other.name, "kind": other.type.value})
        for key, value in _state(canon, other).items():
            if key in own and not merge.same(value, own[key]):
                values = {"kept": json_value(own[key]), "other": json_value(value)}
                yield Warn(code="values_clash", facts={"key": key, "name": other.name}, values=values)


def _state(canon: Canon, entry: Entry | None) -> dict[str, Json]:
    facts = timeline.at_position(entry, None, When.END, canon.outline) if entry is not None else ()
    return timeline.fold_entry(facts).state
