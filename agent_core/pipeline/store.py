"""Where batches, audit rows and rate windows last. Each verb is one transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from agent_core.pipeline.model import AuditRow, AuditState, Batch, BatchCall, BatchStatus, JournalMark


class PipelineStore(Protocol):
    """Batches, audit and rate windows."""

    async def audit(self, rows: Sequence[AuditRow], *, durable: bool) -> None:
        """Insert the rows, or complete those whose ids exist, in one transaction.

        Raises:
            StoreFailure: if they can't be written; a WRITE is then refused.

        """
        ...

    async def count_hit(self, person: str, tool: str, *, window: datetime) -> int:
        """Count one use in the window that starts at `window`; return the uses so far, this one included."""
        ...

    async def add_batch(self, batch: Batch, audit: Sequence[AuditRow]) -> None:
        """Store an open batch with its calls and their `proposed` audit rows, durably."""
        ...

    async def batch(self, batch: str) -> Batch | None:
        """Return the batch with its calls in order, or None."""
        ...

    async def open_batches(
        self, *, conversation: str | None = None, requester: str | None = None
    ) -> tuple[Batch, ...]:
        """Return the open batches, oldest first."""
        ...

    async def unsettled(self) -> tuple[Batch, ...]:
        """Return decided batches whose effects or results a crash left open, oldest first."""
        ...

    async def revise(self, batch: Batch, *, was: str) -> bool:
        """Put a revised open batch (calls, digest, selection, since, expires, surface_ref) in place.

        Compare-and-set on "open and the digest `was`"; return whether it was stored.
        """
        ...

    async def decide(
        self,
        batch: str,
        status: BatchStatus,
        *,
        digest: str,
        by: str | None,
        at: datetime,
        chosen: frozenset[int],
    ) -> bool:
        """Store a decision by compare-and-set on "open and this digest"; calls not chosen are declined.

        `chosen` holds ordinals; they become APPROVED where `status` is. Return whether it was stored.
        """
        ...

    async def update_calls(
        self,
        batch: str,
        calls: Sequence[BatchCall],
        audit: Sequence[AuditRow],
        *,
        settled: bool,
        edit: int | None,
    ) -> None:
        """Store new states of calls, their audit rows and whether the batch is settled, durably."""
        ...


class JournalStore(Protocol):
    """The audit as its journal reads it."""

    async def states(self, *, after: int, limit: int) -> tuple[AuditState, ...]:
        """Return the rows whose newest state came after `after`, in the order of their states."""
        ...

    async def newest_states(self, limit: int) -> tuple[AuditState, ...]:
        """Return the rows whose states are the newest, in the order of their states."""
        ...

    async def mark(self) -> JournalMark:
        """Return how far the journal is."""
        ...

    async def set_mark(self, mark: JournalMark) -> None:
        """Store how far the journal is."""
        ...
