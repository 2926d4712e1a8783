"""Finds what was noted of a detail once and has been struck out since: a correction keeps what was wrong."""

from collections.abc import Iterator, Mapping

from agent_core.lore.active import counting
from agent_core.lore.answers import Struck
from agent_core.lore.canon import Canon
from agent_core.lore.lens import Lens
from agent_core.lore.merge import split_pointer
from agent_core.lore.model import Asserted, Change, Recorded, Withdrawn
from agent_core.lore.timeline import Entry


async def struck_facts(
    canon: Canon, entry: Entry, key: str, lens: Lens, changes: Mapping[int, Change]
) -> tuple[Struck, ...]:
    """Return the struck-out facts about a detail, oldest first; none for readers, who see no edits."""
    if lens.bounded:
        return ()
    rows = counting(await canon.rows(canon.family(entry.entity)), canon.undone(), canon.known)
    facts = {one.row.id: one for one in rows if isinstance(one.row, Asserted)}
    found: dict[str, Struck] = {}
    for struck, by in _pairs(rows, facts, key):
        fact, change = struck.row, changes.get(by.change)
        if isinstance(fact, Asserted) and change is not None:
            shown = lens.fact(fact, changes.get(struck.change))
            only = shown.model_copy(update={"patch": {key: fact.patch[key]}})
            found.setdefault(fact.id, Struck(fact=only, edit=change.number, by=change.proposed_by))
    return tuple(found.values())


def _pairs(
    rows: list[Recorded], facts: Mapping[str, Recorded], key: str
) -> Iterator[tuple[Recorded, Recorded]]:
    """Yield each fact that says something of the detail with the row that strikes that out."""
    for one in rows:
        if isinstance(one.row, Withdrawn) and one.row.target in facts:
            fact, path = facts[one.row.target], split_pointer(one.row.pointer)
            said = isinstance(fact.row, Asserted) and key in fact.row.patch
            if said and path[:1] in ((), (key,)):
                yield fact, one
