"""Plans taking an edit back: a new edit that makes it not count, and puts the outline back."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from agent_core.errors import NothingToDo, UnknownChange
from agent_core.lore import conflict, edits
from agent_core.lore.answers import CardLine, Warn
from agent_core.lore.canon import Canon
from agent_core.lore.lens import Lens
from agent_core.lore.losses import loss_warnings
from agent_core.lore.model import Author, OutlineEdited, Recorded, TextSet, Undone
from agent_core.lore.plan import Plan
from agent_core.lore.undo_changes import entry_changes


async def plan_undo(canon: Canon, *, change: int) -> Plan:
    """Return the plan that takes back one edit; taking back an undo is a redo.

    Raises:
        UnknownChange: there is no edit of that number.
        NothingToDo: reason "already_undone".
        PlaceGone: an outline edit cannot be put back.
        StoryCycle: a story place would close on itself.

    """
    rows = await canon.store.rows_of_changes(canon.series.id, [change]) if 1 <= change <= canon.head else ()
    if not rows:
        raise UnknownChange(change=change, last=canon.head)
    if change in canon.undone():
        raise NothingToDo(reason="already_undone", change=change)
    back = edits.inverse(canon.outline, [one.row for one in rows if isinstance(one.row, OutlineEdited)])
    after = canon.fork((Undone(change=change), *back))
    behind = await _behind(canon, rows)
    touched = await canon.store.touched(canon.series.id, since=change - 1)
    keys = frozenset(key for number, key in touched if number == change)
    changed = await entry_changes(canon, after, behind)
    texts = await _texts(canon, after, behind)
    warnings = (
        *(Warn(code="built_on", facts={"edit": one}) for one in _later(canon, change, keys, touched)),
        *(await loss_warnings(canon, after) if back else ()),
    )
    lens = Lens(canon, Author())
    return Plan(
        rows=(Undone(change=change), *back),
        keys=keys | conflict.keys_of(back),
        card=CardLine(
            kind="undo",
            edit=change,
            entry=lens.entry(changed.entries[0]) if len(changed.entries) == 1 else None,
            others=tuple(map(lens.entry, changed.entries)) if len(changed.entries) > 1 else (),
            changes=changed.changes,
            before_text=texts[0][0] if len(texts) == 1 else "",
            after_text=texts[0][1] if len(texts) == 1 else "",
            facts={"scenes": len(texts), "nodes": len(back)},
            warnings=warnings,
        ),
        resolved={"change": change},
        overwrites=bool(warnings),
    )


async def _behind(canon: Canon, rows: Sequence[Recorded]) -> tuple[Recorded, ...]:
    """Return the rows whose effect changes: those of the edit, and of all that it takes back in turn."""
    found, fresh = list(rows), list(rows)
    while numbers := {one.row.change for one in fresh if isinstance(one.row, Undone)}:
        fresh = list(await canon.store.rows_of_changes(canon.series.id, numbers))
        found += fresh
    return tuple(found)


def _later(canon: Canon, change: int, ours: frozenset[str], touched: Sequence[tuple[int, str]]) -> list[int]:
    """Return the later edits that still count, are no undos themselves, and touch the same."""
    passed = canon.undone() | {link.change for link in canon.links if isinstance(link.row, Undone)}
    theirs: defaultdict[int, list[str]] = defaultdict(list)
    for number, key in touched:
        if change < number <= canon.head and number not in passed:
            theirs[number].append(key)
    return [number for number, keys in theirs.items() if conflict.overlap(ours, keys)]


async def _texts(canon: Canon, after: Canon, behind: Sequence[Recorded]) -> list[tuple[str, str]]:
    """Return the texts before and after of the scenes that change."""
    scenes = list(dict.fromkeys(_scenes(behind)))
    old, new = await canon.texts(scenes), await after.texts(scenes)
    pairs = ((_text(old.get(scene)), _text(new.get(scene))) for scene in scenes)
    return [(before, now) for before, now in pairs if before != now]


def _scenes(behind: Sequence[Recorded]) -> Iterator[str]:
    return (one.row.scene for one in behind if isinstance(one.row, TextSet))


def _text(revision: TextSet | None) -> str:
    return revision.text if revision is not None else ""
