"""Which rows count at one record time: known, not undone, not withdrawn."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from agent_core.lore.merge import withdraw
from agent_core.lore.model import (
    LOG_ORDER,
    Asserted,
    Created,
    Named,
    Recorded,
    Retired,
    Withdrawn,
)


def counting(rows: Iterable[Recorded], undone: Collection[int], known: int | None) -> list[Recorded]:
    """Return the rows of changes up to `known` (None: all) that are not undone, by (change, order)."""
    found = [one for one in rows if one[0] not in undone and (known is None or one[0] <= known)]
    found.sort(key=LOG_ORDER)
    return found


def is_known(one: Recorded, known: int | None) -> bool:
    """Return whether the row was recorded by change `known`; None knows all."""
    return known is None or one.change <= known


class ActiveRows:
    """The rows of a record time apart by kind, less what other rows of it strike out.

    `creations` holds the latest one of each entity that is not retired since; `facts` come with what is left
    of their patch, those of which nothing is left are out. A withdrawal may come before or after its target.
    """

    def __init__(self, rows: Iterable[Recorded]) -> None:
        self.creations: dict[str, tuple[Recorded, Created]] = {}
        struck: dict[str, set[str]] = {}
        names: list[tuple[Recorded, Named]] = []
        facts: list[tuple[Recorded, Asserted]] = []
        for one in rows:
            match one.row:
                case Asserted() as row:
                    facts.append((one, row))
                case Created() as row:
                    self.creations[row.entity] = (one, row)
                case Retired() as row:
                    self.creations.pop(row.entity, None)
                case Named() as row:
                    names.append((one, row))
                case Withdrawn() as row:
                    struck.setdefault(row.target, set()).add(row.pointer)
                case _:
                    pass
        self.names = [(one, row) for one, row in names if row.id not in struck]
        self.facts = list(_left(facts, struck)) if struck else facts


def _left(
    facts: Iterable[tuple[Recorded, Asserted]], struck: Mapping[str, Collection[str]]
) -> Iterator[tuple[Recorded, Asserted]]:
    for one, row in facts:
        if row.id not in struck:
            yield one, row
        elif (patch := withdraw(row.patch, struck[row.id])) is not None:
            yield one, replace(row, patch=patch)
