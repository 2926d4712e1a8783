"""What the rows of an edit did, line by line, with the values before and after that edit."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from agent_core.lore.answers import EntryRef, HistoryLine
from agent_core.lore.before_after import state_at
from agent_core.lore.canon import Canon
from agent_core.lore.lens import Lens, json_value
from agent_core.lore.model import (
    Asserted,
    Author,
    Created,
    Merged,
    Named,
    Node,
    OutlineEdited,
    Recorded,
    Retired,
    Row,
    TextSet,
    Undone,
    Withdrawn,
)
from agent_core.lore.timeline import Entry
from agent_core.messages import Json


def touches(row: Row, key: str) -> bool:
    """Return whether the row says or strikes something of this top-level detail."""
    if isinstance(row, Asserted):
        return key in row.patch
    return isinstance(row, Withdrawn) and top_key(row.pointer) == key


def concerns(row: Row, family: Collection[str]) -> bool:
    """Return whether the row is about one of these entities (none: whatever it is about), or an undo."""
    if not family or isinstance(row, Undone):
        return True
    if isinstance(row, Merged):
        return bool({row.entity, row.into} & set(family))
    return isinstance(row, _OF_ENTITY) and row.entity in family


def top_key(pointer: str) -> str:
    """Return the top-level detail that a JSON pointer lies in; "" for the whole row."""
    return pointer.split("/")[1].replace("~1", "/").replace("~0", "~") if pointer else ""


class HistoryLines:
    """The lines of edits, with the entries as they stood before and after each."""

    def __init__(
        self,
        canon: Canon,
        entries: Mapping[tuple[str, int], Entry],
        refs: Mapping[str, EntryRef],
        targets: Mapping[str, Row],
    ) -> None:
        self._outline = canon.outline
        self._lens = Lens(canon, Author())
        self._entries = entries
        self._refs = refs
        self._targets = targets

    @classmethod
    async def over(cls, canon: Canon, rows: Iterable[Recorded]) -> "HistoryLines":
        """Return the lines over these rows, with all that they need read."""
        pairs = [(one.row.entity, one.change) for one in rows if isinstance(one.row, _OF_ENTITY)]
        entities = list(dict.fromkeys(entity for entity, _ in pairs))
        entries: dict[tuple[str, int], Entry] = {}
        for entity, number in dict.fromkeys(
            (one, at) for one, change in pairs for at in (change - 1, change)
        ):
            entry = await canon.entry(entity, bound=Author(), known=number)
            if entry is not None:
                entries[entity, number] = entry
        lens = Lens(canon, Author())
        now = await canon.entries(entities, bound=Author())
        latest = {entity: entry for (entity, _), entry in sorted(entries.items(), key=lambda one: one[0][1])}
        refs = {entity: lens.entry(entry) for entity, entry in {**latest, **now}.items()}
        stored = await canon.rows(entities)
        targets = {one.row.id: one.row for one in stored if isinstance(one.row, Named | Asserted)}
        return cls(canon, entries, refs, targets)

    def of(self, rows: Iterable[Recorded], key: str | None) -> Iterator[HistoryLine]:
        """Yield the lines of these rows, only those of the detail where one is given."""
        for one in rows:
            yield from (line for line in self._lines(one) if key is None or line.key in ("", key))

    def _lines(self, recorded: Recorded) -> Iterator[HistoryLine]:
        row = recorded.row
        match row:
            case Asserted():
                yield from (self._fact(recorded.change, row, key) for key in row.patch)
            case Withdrawn():
                yield self._struck(recorded.change, row)
            case Created():
                yield HistoryLine(entry=self._refs.get(row.entity), kind="created")
            case Named():
                yield self._named(recorded.change, row)
            case Retired():
                yield HistoryLine(entry=self._refs.get(row.entity), kind="retired")
            case Merged():
                into = self._refs.get(row.into)
                after = into.name if into else None
                yield HistoryLine(entry=self._refs.get(row.entity), kind="merged", after=after)
            case Undone():
                yield HistoryLine(kind="undone", after=row.change)
            case TextSet():
                yield HistoryLine(kind="text", place=self._lens.place(row.scene))
            case OutlineEdited():
                yield from self._outline_lines(row)

    def _fact(self, number: int, row: Asserted, key: str) -> HistoryLine:
        before, after = self._values(number, row.entity, row.at, key)
        return HistoryLine(
            entry=self._refs.get(row.entity), kind="fact", place=self._lens.place(row.at), key=key,
            before=json_value(before), after=json_value(after),
        )  # fmt: skip

    def _struck(self, number: int, row: Withdrawn) -> HistoryLine:
        target = self._targets.get(row.target)
        entry = self._refs.get(row.entity)
        if not isinstance(target, Asserted):
            return HistoryLine(
                entry=entry, kind="struck", before=target.name if isinstance(target, Named) else None
            )
        key = top_key(row.pointer)
        before, after = self._values(number, row.entity, target.at, key)
        return HistoryLine(
            entry=entry, kind="struck", place=self._lens.place(target.at), key=key,
            before=json_value(before), after=json_value(after),
        )  # fmt: skip

    def _named(self, number: int, row: Named) -> HistoryLine:
        before = self._entries.get((row.entity, number - 1))
        old = before.name if before is not None and not row.alias else None
        return HistoryLine(
            entry=self._refs.get(row.entity),
            kind="alias" if row.alias else "named",
            place=self._lens.place(row.at),
            before=old,
            after=row.name,
        )

    def _values(self, number: int, entity: str, at: str | None, key: str) -> tuple[Json, Json]:
        def value(known: int) -> Json:
            return state_at(self._entries.get((entity, known)), at, self._outline).get(key)

        return value(number - 1), value(number)

    def _outline_lines(self, row: OutlineEdited) -> Iterator[HistoryLine]:
        place = self._lens.place(row.after.id)
        if row.before is None:
            yield HistoryLine(kind="outline", place=place, key="new", after=row.after.title)
            return
        for key in ("title", "number", "part", "mode", "deleted", "place", "order"):
            before, after = self._aspect(row.before, key), self._aspect(row.after, key)
            if before != after:
                yield HistoryLine(
                    kind="outline", place=place, key=key,
                    before=None if key == "order" else before, after=None if key == "order" else after,
                )  # fmt: skip

    def _aspect(self, node: Node, key: str) -> str | bool | None:
        match key:
            case "place":
                anchor = self._lens.place(node.place.node) if node.place else None
                return f"{node.place.relation} {anchor.label}" if node.place and anchor else None
            case "order":
                return f"{node.parent} {node.rank}"
            case "deleted":
                return node.deleted
            case _:
                return str(
                    {"title": node.title, "number": node.number, "part": node.part, "mode": node.mode}[key]
                )


_OF_ENTITY = (Created, Named, Asserted, Withdrawn, Retired, Merged)
