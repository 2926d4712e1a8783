"""Which rows count at one record time: known, not undone, not withdrawn."""

from collections.abc import Collection, Iterable

from agent_core.lore.merge import withdraw
from agent_core.lore.model import (
    LOG_ORDER,
    Asserted,
    Created,
    JsonObject,
    Named,
    Recorded,
    Retired,
    Withdrawn,
)


def counting(rows: Iterable[Recorded], undone: Collection[int], known: int | None) -> list[Recorded]:
    """Return the rows of changes up to `known` (None: all) that are not undone, by (change, order)."""
    found = [one for one in rows if one.change not in undone and is_known(one, known)]
    return sorted(found, key=LOG_ORDER)


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
        self.facts: list[tuple[Recorded, Asserted, JsonObject]] = [
            (one, row, patch)
            for one, row in facts
            if (patch := withdraw(row.patch, struck[row.id]) if row.id in struck else row.patch) is not None
        ]
