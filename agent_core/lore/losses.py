"""What a change of the outline would cost: facts that lose their scene or could never be true."""

import asyncio
from collections.abc import Iterable, Iterator

from agent_core.lore import timeline
from agent_core.lore.answers import Warn
from agent_core.lore.canon import Canon
from agent_core.lore.model import Asserted, Author, Created, Named
from agent_core.lore.outline import Outline

_NAMED = 10


async def loss_warnings(before: Canon, after: Canon) -> tuple[Warn, ...]:
    """Return how many facts lose their scene between two views, which, and whose end comes too early."""
    if _happens_alike(before.outline, after.outline):
        return ()
    already = {(_number(one), one.what) for one in await lost_rows(before)}
    lost = {_number(one): one for one in await lost_rows(after) if (_number(one), one.what) not in already}
    entries = await before.entries([one.row.entity for one in lost.values()], bound=Author())
    counted = [one for one in lost.values() if one.row.entity in entries]
    named = (
        Warn(
            code="fact_loses_scene", facts={"name": entries[one.row.entity].name, "detail": _detail(one.row)}
        )
        for one in counted[:_NAMED]
    )
    total = (Warn(code="loses_scene", facts={"n": len(counted)}),) if counted else ()
    return (*total, *named, *await _reversed_warnings(before, after))


async def lost_rows(canon: Canon) -> tuple[timeline.Lost, ...]:
    """Return the rows that count and lost their scene; an entry that did stands for its names."""
    rows, undone = await canon.all_rows(), canon.undone()
    found = await asyncio.to_thread(
        lambda: timeline.lost(rows, undone=undone, known=canon.known, outline=canon.outline)
    )
    entries = {one.row.entity for one in found if isinstance(one.row, Created)}
    return tuple(one for one in found if not (isinstance(one.row, Named) and one.row.entity in entries))


def _happens_alike(before: Outline, after: Outline) -> bool:
    """Return whether every node happens in the same order and none has come or gone."""
    return all(
        after.story.get(node) == place and after.is_gone(node) == before.is_gone(node)
        for node, place in before.story.items()
    )


def _number(one: timeline.Lost) -> tuple[int, int]:
    return (one.recorded.change, one.recorded.order)


def _detail(row: Created | Named | Asserted) -> str:
    match row:
        case Asserted():
            return ", ".join(row.patch)
        case Named():
            return row.name
        case Created():
            return ""


async def _reversed_warnings(before: Canon, after: Canon) -> tuple[Warn, ...]:
    rows = await before.all_rows()
    ending = {one.row.entity for one in rows if isinstance(one.row, Asserted) and one.row.until is not None}
    entries = await before.entries(ending, bound=Author())
    facts = {fact.id: fact for entry in entries.values() for fact in entry.facts}.values()
    turned = set(_reversed(facts, after.outline)) - set(_reversed(facts, before.outline))
    return (Warn(code="ends_too_early", facts={"n": len(turned)}),) if turned else ()


def _reversed(facts: Iterable[timeline.ActiveFact], outline: Outline) -> Iterator[str]:
    """Yield the facts that would end as or before they begin."""
    for fact in facts:
        if fact.at is None or fact.until is None or outline.is_gone(fact.until):
            continue
        if outline.story[fact.at] >= outline.story[fact.until]:
            yield fact.id
