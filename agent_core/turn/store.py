"""Where turns last. Each verb is one transaction; steps need no power-loss durability, answers do."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from agent_core.turn.model import Incoming, Owed, Step, Turn


class TurnStore(Protocol):
    """Messages, turns, steps, the turn order and what is owed to people."""

    async def receive(self, incoming: Incoming, turn: Turn | None) -> bool:
        """Store the delivery id, the message and the turn it starts (if any) in one transaction.

        Return False, storing nothing, if this delivery is known already.
        """
        ...

    async def said(self, conversation: str, person: str, message: str) -> str | None:
        """Return the exact text of a message in the conversation, or None.

        `message` is the platform's id of any message, or "this" (the person's newest) or "last" (the one
        before it).
        """
        ...

    async def turn(self, turn: str) -> Turn | None:
        """Return the turn with this id, or None."""
        ...

    async def unfinished(self) -> tuple[Turn, ...]:
        """Return the queued and running turns of all conversations, oldest first."""
        ...

    async def recent_turns(self, conversation: str, *, before: str | None, limit: int) -> tuple[Turn, ...]:
        """Return the last `limit` turns started before turn `before` (None: all), oldest first."""
        ...

    async def turns_since(self, conversation: str, turn: str) -> tuple[Turn, ...]:
        """Return the turns of the conversation started after this one, oldest first."""
        ...

    async def steps(self, turns: Sequence[str]) -> tuple[Step, ...]:
        """Return the steps of these turns, ordered by turn as given, then by seq."""
        ...

    async def save(self, turn: Turn, steps: Sequence[Step] = ()) -> None:
        """Store the turn's new state and append steps. Durable if the turn is parked or over."""
        ...

    async def finish(self, turn: Turn, steps: Sequence[Step], owed: Owed) -> None:
        """Store the final state, the last steps and the owed answer in one durable transaction."""
        ...

    async def replace_result(self, turn: str, call_id: str, content: str, outcome: str) -> None:
        """Put the settled result in place of the pending one with this call id."""
        ...

    async def take_order(self, conversation: str, holder: str, *, now: datetime, until: datetime) -> bool:
        """Take or renew the conversation's turn order until `until`; False while another holder has it."""
        ...

    async def order_holder(self, conversation: str) -> str | None:
        """Return who took the conversation's turn order last and has not given it back, or None."""
        ...

    async def free_order(self, conversation: str, holder: str) -> None:
        """Give the turn order back, if this holder has it."""
        ...

    async def owe(self, owed: Owed) -> None:
        """Store a text that a place is owed."""
        ...

    async def delivered(self, owed: str) -> None:
        """Note that the text has arrived."""
        ...

    async def undelivered(self, conversation: str | None = None) -> tuple[Owed, ...]:
        """Return what is owed and has not arrived, oldest first."""
        ...

    async def clear_history(self, conversation: str, at: datetime) -> None:
        """Start afresh: turns started before `at` no longer count as history."""
        ...
