"""The cut copy of a series: what would stand in the store if the author had written no further than R.

Rows told after R are out, an `until` told later is open, later nodes stay as places without title and text,
and without number unless numbers are kept. What nothing is left of is no change at all, so that the copy
counts its changes differently.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agent_core.lore.model import (
    Asserted,
    Bound,
    Created,
    Merged,
    Named,
    OutlineEdited,
    Retired,
    Row,
    TextSet,
    Told,
    ToldKind,
    Undone,
    UpTo,
    Withdrawn,
)
from tests.agent_core.lore.naive_outline import NaiveOutline

Numbered = list[tuple[int, tuple[Row, ...]]]


def cut(
    changes: Sequence[tuple[Row, ...]], outline: NaiveOutline, bound: Bound, *, keep_numbers: bool
) -> Numbered:
    """Return what is left of the changes for a reader, each with the number that it had."""
    scissors = _Scissors(changes, outline, bound, keep_numbers=keep_numbers)
    left: Numbered = []
    numbers: dict[int, int] = {}
    for number, rows in enumerate(changes, 1):
        kept = tuple(row for old in rows for row in scissors.rest(old, numbers))
        if kept:
            left.append((number, kept))
            numbers[number] = len(left)
    return left


class _Scissors:
    def __init__(
        self, changes: Sequence[tuple[Row, ...]], outline: NaiveOutline, bound: Bound, *, keep_numbers: bool
    ) -> None:
        rows = [row for change in changes for row in change]
        self._outline = outline
        self._bound = bound
        self._keep_numbers = keep_numbers
        self._seen = {row.entity for row in rows if isinstance(row, Created) and self._is_told(row.told)}
        self._kept = {
            row.id
            for row in rows
            if isinstance(row, Named | Asserted) and row.entity in self._seen and self._is_told(row.told)
        }

    def rest(self, row: Row, numbers: dict[int, int]) -> Iterator[Row]:
        """Yield what is left of a row; `numbers` gives the new number of each earlier change."""
        match row:
            case OutlineEdited(after=node) if not self._is_read(node.id):
                labels = (node.number, node.part) if self._keep_numbers else ("", "")
                yield replace(row, after=replace(node, title="", number=labels[0], part=labels[1]))
            case TextSet(scene=scene) if not self._is_read(scene):
                pass
            case Undone(change=change):
                if change in numbers:
                    yield Undone(change=numbers[change])
            case Created(entity=entity, told=told) if entity in self._seen and not self._is_told(told):
                yield Retired(entity=entity)  # an entity whose creation is not told any more is absent
            case Named(id=key) | Asserted(id=key) | Withdrawn(target=key) if key not in self._kept:
                pass
            case Asserted(until=until) if until is not None and not self._is_read(until):
                yield replace(row, until=None)
            case Created() | Retired() | Merged() if row.entity not in self._seen:
                pass
            case _:
                yield row

    def _is_read(self, node: str) -> bool:
        reading = self._outline.reading
        return isinstance(self._bound, UpTo) and reading[node] <= reading[self._bound.node]

    def _is_told(self, told: Told) -> bool:
        if told.kind is ToldKind.START:
            return isinstance(self._bound, UpTo)
        return told.node is not None and not self._outline.is_gone(told.node) and self._is_read(told.node)
