"""The record history: what each edit did, newest first. It is for authors; readers get none."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from agent_core.clock import to_stamp
from agent_core.lore.answers import History, HistoryItem
from agent_core.lore.canon import Canon
from agent_core.lore.history_lines import HistoryLines, concerns, touches
from agent_core.lore.lookup import find_entry
from agent_core.lore.model import Author, Bound, Change, Merged, Recorded, Undone


async def history(
    canon: Canon,
    ref: str | None = None,
    *,
    key: str | None = None,
    since: int = 0,
    until: int | None = None,
    by: frozenset[str] | None = None,
    bound: Bound,
    limit: int = 25,
) -> History:
    """Return the edits after `since` up to `until`, of one entry, detail or person if these are given.

    A person may be known by several ids.

    Raises:
        UnknownEntity, AmbiguousEntity: as `find_entry`.

    """
    if not isinstance(bound, Author):
        return History(items=())
    family = () if ref is None else canon.family((await find_entry(canon, ref, bound)).entity)
    last = canon.head if until is None else min(until, canon.head)
    changes = await canon.store.changes(canon.series.id, after=since, up_to=last)
    numbers = None if ref is None and key is None else await _numbers(canon, family, key)
    wanted = [
        one
        for one in changes
        if (numbers is None or one.number in numbers)
        and (by is None or by & {one.proposed_by, one.approved_by})
    ]
    return History(
        items=await _items(canon, wanted[:limit], frozenset(family), key),
        more=max(0, len(wanted) - limit),
    )


async def _numbers(canon: Canon, family: Sequence[str], key: str | None) -> frozenset[int]:
    """Return the changes that touch these entities (none: any) and, if given, this detail."""
    rows = await canon.rows(family) if family else await canon.all_rows()
    numbers = {one.change for one in rows if key is None or touches(one.row, key)}
    for link in canon.links:
        if isinstance(link.row, Undone):
            if link.row.change in numbers:
                numbers.add(link.change)
        elif isinstance(link.row, Merged) and key is None and {link.row.entity, link.row.into} & set(family):
            numbers.add(link.change)
    return frozenset(numbers)


async def _items(
    canon: Canon, changes: Sequence[Change], family: frozenset[str], key: str | None
) -> tuple[HistoryItem, ...]:
    stored = await canon.store.rows_of_changes(canon.series.id, [one.number for one in changes])
    rows = [one for one in stored if concerns(one.row, family)]
    lines = await HistoryLines.over(canon, rows)
    by_change = _grouped(rows)
    takers = _takers(canon)
    return tuple(
        HistoryItem(
            edit=change.number,
            recorded_at=to_stamp(change.at),
            proposed_by=change.proposed_by,
            approved_by=change.approved_by,
            source=change.source,
            undone_by=takers.get(change.number),
            lines=tuple(lines.of(by_change.get(change.number, ()), key)),
        )
        for change in changes
    )


def _grouped(rows: Iterable[Recorded]) -> dict[int, list[Recorded]]:
    grouped: defaultdict[int, list[Recorded]] = defaultdict(list)
    for one in rows:
        grouped[one.change].append(one)
    return grouped


def _takers(canon: Canon) -> Mapping[int, int]:
    """Return for each change that is taken back the edit that did it."""
    return dict(_active_undos(canon))


def _active_undos(canon: Canon) -> Iterator[tuple[int, int]]:
    undone = canon.undone()
    for link in canon.links:
        if isinstance(link.row, Undone) and link.change not in undone:
            yield link.row.change, link.change
