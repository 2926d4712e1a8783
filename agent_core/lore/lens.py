"""Shows nodes, entries and facts to one bound, the same way in every answer."""

from typing import cast

from pydantic import JsonValue

from agent_core.clock import to_stamp
from agent_core.lore import told as telling
from agent_core.lore.answers import EntryRef, Fact, Place
from agent_core.lore.canon import Canon
from agent_core.lore.model import Asserted, Author, Bound, Change, Told
from agent_core.lore.timeline import ActiveFact, Entry
from agent_core.messages import Json


class Lens:
    """What someone who sees up to `bound` is shown: no place beyond it, no edits, authors or notes."""

    def __init__(self, canon: Canon, bound: Bound) -> None:
        self.bound = bound
        self.bounded = not isinstance(bound, Author)
        self.outline = canon.outline.seen(bound)
        self._places: dict[str, Place | None] = {}
        self._told: dict[Told, str] = {}
        self._stamps: dict[int, str] = {}

    def place(self, node: str | None) -> Place | None:
        """Return the node as a place, or None if there is none or it lies beyond the bound."""
        if node is None:
            return None
        if node not in self._places:
            self._places[node] = self._place(node)
        return self._places[node]

    def told(self, told: Told) -> str:
        """Return when the reader learns something, as a label."""
        if told not in self._told:
            self._told[told] = telling.told_label(told, self.outline)
        return self._told[told]

    def entry(self, entry: Entry) -> EntryRef:
        """Return the entry as it stands in a list."""
        return EntryRef(
            id=entry.entity,
            type=entry.type,
            name=entry.name,
            hint=entry.disambiguator,
            aliases=tuple(dict.fromkeys(one.name for one in entry.names if one.alias)),
        )

    def fact(self, fact: ActiveFact | Asserted, change: Change | None) -> Fact:
        """Return the fact with its places and, for authors, the change it came with."""
        if self.bounded:
            change = None
        return Fact(
            id=fact.id,
            patch=json_value(fact.patch),
            from_=self.place(fact.at),
            until=self.place(fact.until),
            told=self.told(fact.told),
            scope_book=self.place(fact.scope_book),
            static=fact.static,
            edit=change.number if change else None,
            by=change.proposed_by if change else None,
            recorded_at=self._stamp(change) if change else None,
            note="" if self.bounded else fact.note,
        )

    def _place(self, node: str) -> Place | None:
        if not self.outline.sees(self.bound, node):
            return None
        shown = self.outline.nodes[node]
        return Place(id=node, label=self.outline.label(node), title=shown.title, kind=shown.kind)

    def _stamp(self, change: Change) -> str:
        if change.number not in self._stamps:
            self._stamps[change.number] = to_stamp(change.at)
        return self._stamps[change.number]


def json_value(value: Json) -> JsonValue:
    """Return the same value as pydantic names its type."""
    return cast("JsonValue", value)  # both name the values of JSON; only their spelling differs
