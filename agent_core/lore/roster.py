"""Which entries a series has, by name, as one bound knows them; no facts, so that it stays quick."""

from collections import OrderedDict, defaultdict
from collections.abc import Collection, Mapping, Sequence

from agent_core.lore import timeline
from agent_core.lore.fold import name_key
from agent_core.lore.model import Bound, Recorded
from agent_core.lore.outline import Outline

Roster = tuple[timeline.Entry, ...]


def roster(
    rows: Mapping[str, Sequence[Recorded]],
    *,
    merges: Mapping[str, str],
    undone: Collection[int],
    known: int | None,
    bound: Bound,
    outline: Outline,
) -> Roster:
    """Return the entries that the rows of each entity give, in the order of their names."""
    absorbed = _absorbed(merges)
    found: list[timeline.Entry] = []
    for entity in rows.keys() - merges.keys():
        others = absorbed.get(entity, ())
        entry = timeline.resolve(
            [one for member in (entity, *others) for one in rows.get(member, ())],
            entity=entity,
            absorbed=others,
            frame_undone=undone,
            known=known,
            bound=bound,
            outline=outline,
        )
        if entry is not None:
            found.append(entry)
    return tuple(sorted(found, key=lambda one: (name_key(one.name), one.name, one.disambiguator, one.entity)))


class KeptRosters:
    """The rosters that were asked for last, each of one series at one edit for one bound."""

    def __init__(self, most: int = 4) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[str, int, Bound], Roster] = OrderedDict()

    def get(self, series: str, head: int, bound: Bound) -> Roster | None:
        """Return the roster as of exactly this edit, or None."""
        return self._kept.get((series, head, bound))

    def put(self, series: str, head: int, bound: Bound, found: Roster) -> None:
        """Keep a roster in place of the oldest one."""
        self._kept[series, head, bound] = found
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)


def _absorbed(merges: Mapping[str, str]) -> Mapping[str, Sequence[str]]:
    """Return for each entity those that were merged into it."""
    absorbed: defaultdict[str, list[str]] = defaultdict(list)
    for one, into in merges.items():
        absorbed[into].append(one)
    return absorbed
