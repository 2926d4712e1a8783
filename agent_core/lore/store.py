"""What a backend of the canon must do. It stores and finds rows; it knows no rule of time."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from agent_core.lore.model import Change, ChangeDraft, Frame, Head, Recorded, Series


@dataclass(frozen=True, slots=True)
class EntityRows:
    """Rows read together with the head they belong to, ordered by (change, order)."""

    head: Head
    rows: tuple[Recorded, ...]


class SeriesStore(Protocol):
    """Universes by id and by name."""

    async def add_series(self, series: Series) -> None:
        """Store a new series.

        Raises:
            DuplicateEntity: if its owner has a series of the same canonical name.

        """
        ...

    async def series(self, series: str) -> Series | None:
        """Return the series with this id, or None."""
        ...

    async def series_by_name(self, name: str) -> tuple[Series, ...]:
        """Return the series whose canonical name (`fold_name`) is that of `name`, oldest first."""
        ...

    async def all_series(self) -> tuple[Series, ...]:
        """Return every series, oldest first."""
        ...


class LoreStore(Protocol):
    """Append-only rows of the canon. Every read is one consistent snapshot."""

    async def head(self, series: str) -> Head:
        """Return the newest numbers; zeros where nothing was recorded."""
        ...

    async def frame(self, series: str) -> Frame:
        """Return all nodes and the `Undone` and `Merged` rows, with the head they belong to."""
        ...

    async def rows(self, series: str, entities: Collection[str]) -> EntityRows:
        """Return every row that belongs to these entities, whatever its record time.

        Created, Named, Asserted, Withdrawn, Retired rows; rows of undone changes included.
        """
        ...

    async def all_rows(self, series: str) -> EntityRows:
        """Return every row of the series except outline edits and texts (export, listings, audits)."""
        ...

    async def name_rows(self, series: str) -> EntityRows:
        """Return every Created, Named, Withdrawn and Retired row of the series: entries without facts."""
        ...

    async def texts(self, series: str, scenes: Collection[str]) -> tuple[Recorded, ...]:
        """Return the `TextSet` rows of these scenes, oldest first."""
        ...

    async def changes(
        self,
        series: str,
        *,
        after: int = 0,
        up_to: int | None = None,
        entity: str | None = None,
        limit: int | None = None,
    ) -> tuple[Change, ...]:
        """Return changes with `after` < number <= `up_to`, newest first, at most `limit`.

        With `entity` only those that hold a row of that entity.
        """
        ...

    async def change_at(self, series: str, instant: datetime) -> int:
        """Return the highest number recorded at or before `instant`, or 0."""
        ...

    async def rows_of_changes(self, series: str, numbers: Collection[int]) -> tuple[Recorded, ...]:
        """Return all rows of these changes, texts and outline edits included, by (change, order)."""
        ...

    async def append(self, draft: ChangeDraft, token: str, at: datetime) -> Change:
        """Store the draft as the next change, all or nothing, durable before it returns.

        The same `token` again returns the change that is there. The instant is `at`, or the previous
        change's where that is later. Nodes of outline edits become the current nodes.

        Raises:
            Conflict: if a change after `draft.since` touched one of its keys; nothing is written.
            StoreFailure: locked, read-only, full; nothing is written.

        """
        ...

    async def find(self, series: str, token: str) -> Change | None:
        """Return the change that was appended with this token, or None: what a crash left open."""
        ...

    async def touched(self, series: str, *, since: int) -> tuple[tuple[int, str], ...]:
        """Return (number, conflict key) of the changes after `since`, by number."""
        ...


@dataclass(frozen=True, slots=True)
class NameHit:
    """A stored name row whose folded form matches. `row` is the `Named.id`; `score` is 0..100."""

    entity: str
    row: str
    name: str
    score: float = 100.0


@dataclass(frozen=True, slots=True)
class FactHit:
    """A fact whose folded text holds some of the terms."""

    entity: str
    row: str
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class TextHit:
    """A scene revision whose folded text holds some of the terms."""

    scene: str
    row: str
    terms: frozenset[str]


class LoreIndex(Protocol):
    """Finds candidates; whether they are active and may be seen is decided above it.

    Terms are folded words (`fold.terms`). Nothing of them is ever read as query syntax.
    Results carry no corpus statistic and come in no promised order.
    """

    async def names(self, series: str, key: str) -> tuple[NameHit, ...]:
        """Return the name rows whose whole folded form is `key` (exact canonical name or alias)."""
        ...

    async def name_terms(self, series: str, terms: Sequence[str]) -> tuple[NameHit, ...]:
        """Return the name rows that hold any of the terms as a word."""
        ...

    async def similar_names(self, series: str, key: str, limit: int = 200) -> tuple[NameHit, ...]:
        """Return name rows that share trigrams with `key` (substrings and typos), best score first."""
        ...

    async def facts(self, series: str, terms: Sequence[str]) -> tuple[FactHit, ...]:
        """Return the facts that hold any of the terms."""
        ...

    async def scenes(self, series: str, terms: Sequence[str]) -> tuple[TextHit, ...]:
        """Return the scene revisions that hold any of the terms."""
        ...
