"""Where notes say something else than the canon: the canon answers, and this lists the others."""

import asyncio

from pydantic import JsonValue

from agent_core.importing.bible.comparing import Called, Compared, Verdict, compared
from agent_core.importing.bible.merging import united
from agent_core.importing.bible.model import UNREAD, Bible, Remark
from agent_core.lore.answers import Answer, EntryRef, Place
from agent_core.lore.canon import Canon
from agent_core.lore.lens import Lens, json_value
from agent_core.lore.model import Author
from agent_core.lore.timeline import Entry

MAX_ITEMS = 200


class NoteDifference(Answer):
    """A field of a note whose value is not the canon's. `scene` is where the canon's becomes true."""

    vault: str
    path: str
    line: int
    entry: EntryRef
    key: str
    note: JsonValue
    canon: JsonValue
    scene: Place | None = None


class NoteDifferences(Answer):
    """Differences in the order of the notes; `more` are not listed.

    `same` and `new` count the details that agree and those that the canon says nothing of; `without_entry`
    names what notes tell of and the canon has no entry for, `left_out` files that can't be read, with the
    line where there is one. `at` is the place compared at, None for the end.
    """

    items: tuple[NoteDifference, ...]
    more: int = 0
    same: int = 0
    new: int = 0
    without_entry: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    at: Place | None = None


async def note_differences(canon: Canon, bible: Bible, *, vault: str, at: str | None) -> NoteDifferences:
    """Return what the notes of a folder say otherwise than the canon at a node; None for the end."""
    lens = Lens(canon, Author())
    called = Called(await canon.all_entries(bound=Author()))
    return await asyncio.to_thread(_differences, bible, called, vault, at, lens)


def _differences(bible: Bible, called: Called, vault: str, at: str | None, lens: Lens) -> NoteDifferences:
    remarks: list[Remark] = []
    items: list[NoteDifference] = []
    counts = dict.fromkeys(Verdict, 0)
    missing: list[str] = []
    for said in united(bible.entries, remarks):
        there = [entry for entry in called.of(said.name, said.hint) if entry.type is said.kind]
        if not there:
            missing.append(said.name)
        for one in compared(said, there[0], at, lens.outline) if len(there) == 1 else ():
            counts[one.verdict] += 1
            if one.verdict is Verdict.DIFFERS:
                items.append(_difference(one, there[0], vault, lens))
    return NoteDifferences(
        items=tuple(items[:MAX_ITEMS]),
        more=max(0, len(items) - MAX_ITEMS),
        same=counts[Verdict.SAME],
        new=counts[Verdict.NEW],
        without_entry=tuple(missing[:MAX_ITEMS]),
        left_out=tuple(str(one.spot) for one in bible.remarks if one.code in UNREAD)[:MAX_ITEMS],
        at=lens.place(at),
    )


def _difference(one: Compared, entry: Entry, vault: str, lens: Lens) -> NoteDifference:
    return NoteDifference(
        vault=vault,
        path=one.detail.spot.file,
        line=one.detail.spot.line,
        entry=lens.entry(entry),
        key=".".join(one.path),
        note=json_value(one.detail.value),
        canon=json_value(one.canon),
        scene=lens.place(one.fact.at) if one.fact is not None else None,
    )
