"""A lore store without cleverness: a plain list of changes, replayed from scratch for every series.

Written from the text of the semantics alone. It shares only the row types with the product, so that the
two can be compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from agent_core.lore.model import (
    Asserted,
    Author,
    Bound,
    Created,
    EntityType,
    JsonObject,
    Merged,
    Mode,
    Named,
    OutlineEdited,
    Retired,
    Row,
    TextSet,
    Told,
    ToldKind,
    Undone,
    UpTo,
    When,
    Withdrawn,
)
from agent_core.messages import Json
from tests.agent_core.lore.naive_json import fold, without
from tests.agent_core.lore.naive_outline import NaiveOutline

_BEFORE_EVERYTHING = -1


@dataclass(frozen=True)
class Held:
    """A fact that counts: what is left of its patch, and the places that are still there."""

    id: str
    patch: JsonObject
    at: str | None
    until: str | None
    scope_book: str | None
    change: int
    order: int


@dataclass(frozen=True)
class Known:
    """What one may know of an entity."""

    type: EntityType
    hint: str
    name: str
    aliases: frozenset[str]
    facts: tuple[Held, ...]


@dataclass(frozen=True)
class NaiveLore:
    """Changes in order; the first has number 1. `known` is the last number to count, None the newest."""

    changes: tuple[tuple[Row, ...], ...]

    @cached_property
    def outline(self) -> NaiveOutline:
        """Each node as it was last edited: the outline acts at every record time."""
        rows = [row for change in self.changes for row in change]
        return NaiveOutline({row.after.id: row.after for row in rows if isinstance(row, OutlineEdited)})

    def undone(self, known: int | None = None) -> set[int]:
        """Return the changes that are taken back."""
        gone: set[int] = set()
        for number in reversed(self._numbers(known)):
            if number not in gone:
                gone |= {row.change for row in self.changes[number - 1] if isinstance(row, Undone)}
        return gone

    def rows(self, known: int | None = None) -> list[tuple[int, int, Row]]:
        """Return (change, order, row) of what counts, in the order of recording."""
        gone = self.undone(known)
        return [
            (number, order, row)
            for number in self._numbers(known)
            if number not in gone
            for order, row in enumerate(self.changes[number - 1])
        ]

    def final(self, entity: str, known: int | None = None) -> str:
        """Return the entity that this one was merged into in the end."""
        into = {row.entity: row.into for _, _, row in self.rows(known) if isinstance(row, Merged)}
        while entity in into:
            entity = into[entity]
        return entity

    def texts(self, known: int | None = None) -> dict[str, str]:
        """Return the current text of each scene that has one."""
        return {row.scene: row.text for _, _, row in self.rows(known) if isinstance(row, TextSet)}

    def is_told(self, told: Told, bound: Bound) -> bool:
        """Return whether a reader with this bound has been told."""
        match bound:
            case Author():
                return True
            case UpTo(node=mark):
                there = told.node is not None and not self.outline.is_gone(told.node)
                reading = self.outline.reading
                return told.kind is ToldKind.START or (
                    there and told.node is not None and reading[told.node] <= reading[mark]
                )
        return False

    def creation(self, entity: str, bound: Bound, known: int | None = None) -> Created | None:
        """Return the creation that counts, or None if the entity is absent."""
        latest: Row | None = None
        for _, _, row in self.rows(known):
            if isinstance(row, Created | Retired) and row.entity == entity:
                latest = row
        return latest if isinstance(latest, Created) and self.is_told(latest.told, bound) else None

    def entry(self, entity: str, bound: Bound, known: int | None = None) -> Known | None:
        """Return what may be known of the entity and those merged into it, or None if it is absent.

        Where no name of its own may be known there is nothing to call it by: it is absent too.
        """
        if self.creation(entity, bound, known) is None:
            return None
        entity = self.final(entity, known)
        creation = self.creation(entity, bound, known)
        own_name, _ = self._names(entity, bound, known)
        if creation is None or own_name is None:
            return None
        made = {row.entity for _, _, row in self.rows(known) if isinstance(row, Created)}
        group = [one for one in made if self.final(one, known) == entity and self.creation(one, bound, known)]
        names = {name for one in group for name in self._all_names(one, bound, known)}
        facts = [fact for one in group for fact in self._facts(one, bound, known)]
        return Known(
            type=creation.type,
            hint=creation.disambiguator,
            name=own_name,
            aliases=frozenset(names - {own_name}),
            facts=tuple(sorted(facts, key=self._fold_order)),
        )

    def held(
        self,
        entity: str,
        position: str | None,
        bound: Bound,
        when: When = When.END,
        known: int | None = None,
    ) -> list[Held]:
        """Return the facts that hold there, in the order of folding."""
        entry = self.entry(entity, bound, known)
        return self.held_of(entry.facts if entry else (), position, when)

    def held_of(self, facts: Sequence[Held], position: str | None, when: When) -> list[Held]:
        """Return those of the facts that hold there."""
        if position is None:
            return [fact for fact in facts if fact.until is None]
        story, book = self.outline.story, self.outline.book_of(position)
        here = story[position]
        return [
            fact
            for fact in facts
            if fact.scope_book in (None, book)
            and (begins := _BEFORE_EVERYTHING if fact.at is None else story[fact.at]) <= here
            and (when is When.END or begins < here)
            and (fact.until is None or here < story[fact.until])
        ]

    def state(
        self,
        entity: str,
        position: str | None,
        bound: Bound,
        when: When = When.END,
        known: int | None = None,
    ) -> Json:
        """Return the folded state there; None where no fact holds."""
        facts = self.held(entity, position, bound, when, known)
        return fold([(fact.id, fact.patch) for fact in facts]).state if facts else None

    def lost(self, known: int | None = None) -> set[tuple[str, str]]:
        """Return (fact, "from" | "until" | "told" | "scope") for each place that is gone."""
        return {
            (row.id, what)
            for _, _, row in self.rows(known)
            if isinstance(row, Asserted)
            and self.creation(row.entity, Author(), known)
            and without(row.patch, self._struck(row.id, known)) is not None
            for what, node in (
                ("from", row.at),
                ("until", row.until),
                ("told", row.told.node),
                ("scope", row.scope_book),
            )
            if node is not None and self.outline.is_gone(node)
        }

    def default_position(self, here: str | None, book: str | None, bound: Bound) -> str | None:
        """Return where one is when no position is given."""
        read = [node for node in self.outline.living() if self.is_told(Told.at(node), bound)]
        if here is not None and not self.outline.is_gone(here):
            position = self.outline.last_position(here)
            if position in read:
                return position
        linear = [node for node in read if self.outline.nodes[node].mode is Mode.LINEAR]
        of_book = [node for node in linear if self.outline.book_of(node) == book]
        if isinstance(bound, Author):
            linear = of_book = [node for node in of_book if self.outline.is_scene(node)]
        found = of_book or linear
        return found[-1] if found else None

    def _numbers(self, known: int | None) -> list[int]:
        last = len(self.changes) if known is None else min(known, len(self.changes))
        return list(range(1, last + 1))

    def _struck(self, target: str, known: int | None) -> list[str]:
        rows = [row for _, _, row in self.rows(known) if isinstance(row, Withdrawn)]
        return [row.pointer for row in rows if row.target == target]

    def _all_names(self, entity: str, bound: Bound, known: int | None) -> set[str]:
        name, aliases = self._names(entity, bound, known)
        return aliases if name is None else aliases | {name}

    def _names(self, entity: str, bound: Bound, known: int | None) -> tuple[str | None, set[str]]:
        told = [
            row
            for _, _, row in self.rows(known)
            if isinstance(row, Named)
            and row.entity == entity
            and self.is_told(row.told, bound)
            and "" not in self._struck(row.id, known)
            and (row.at is None or not self.outline.is_gone(row.at))
        ]
        own = [row.name for row in told if not row.alias]
        return own[-1] if own else None, {row.name for row in told if row.alias}

    def _facts(self, entity: str, bound: Bound, known: int | None) -> Iterator[Held]:
        for number, order, row in self.rows(known):
            if not isinstance(row, Asserted) or row.entity != entity or not self.is_told(row.told, bound):
                continue
            if any(place is not None and self.outline.is_gone(place) for place in (row.at, row.scope_book)):
                continue
            patch = without(row.patch, self._struck(row.id, known))
            if patch is not None:
                until = row.until if self._ends(row.until, bound) else None
                yield Held(row.id, patch, row.at, until, row.scope_book, number, order)

    def _ends(self, until: str | None, bound: Bound) -> bool:
        there = until is not None and not self.outline.is_gone(until)
        return there and until is not None and self.is_told(Told.at(until), bound)

    def _fold_order(self, fact: Held) -> tuple[int, int, int, int]:
        if fact.at is None:
            return _BEFORE_EVERYTHING, _BEFORE_EVERYTHING, fact.change, fact.order
        return self.outline.story[fact.at], self.outline.reading[fact.at], fact.change, fact.order
