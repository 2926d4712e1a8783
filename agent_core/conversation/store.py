"""Where conversations last."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from agent_core.conversation.model import Conversation, Followup, Overheard, ShownCard


class ConversationStore(Protocol):
    """Conversations by id and by platform place."""

    async def conversation_at(self, new: Conversation) -> Conversation:
        """Return the conversation at `new.platform` and `new.place`; store `new` where there is none."""
        ...

    async def conversation_in(self, platform: str, place: str) -> Conversation | None:
        """Return the conversation at a platform's place, or None."""
        ...

    async def conversation(self, conversation: str) -> Conversation | None:
        """Return the conversation with this id, or None."""
        ...

    async def save_conversation(self, conversation: Conversation) -> None:
        """Store the conversation in place of the one with its id."""
        ...

    async def alter(self, conversation: str, change: Callable[[Conversation], Conversation]) -> None:
        """Store what `change` makes of the conversation as it is now; nothing changes it meanwhile."""
        ...


class ChatStore(Protocol):
    """What chat platforms find again after a restart. Each verb is one transaction."""

    async def card_shown(self, card: ShownCard) -> None:
        """Note that a message shows a card, or shows another state or batch now."""
        ...

    async def card_gone(self, platform: str, ref: str) -> None:
        """Forget a message that shows a card no more."""
        ...

    async def card_at(self, platform: str, ref: str) -> ShownCard | None:
        """Return the card that a message shows, or None."""
        ...

    async def cards_of(self, batch: str) -> tuple[ShownCard, ...]:
        """Return the messages that show a batch, oldest first."""
        ...

    async def cards_of_edits(self, platform: str, conversation: str, edits: Sequence[int]) -> dict[int, str]:
        """Return by edit the ref of a message that shows it, for the edits of a conversation's series."""
        ...

    async def stale_cards(self, platform: str, limit: int) -> tuple[ShownCard, ...]:
        """Return messages that show another state than their batch is in."""
        ...

    async def unshown_batches(self, platform: str) -> tuple[str, ...]:
        """Return the open batches of a platform's places that no message shows, oldest first."""
        ...

    async def overhear(self, said: Overheard, keep: int) -> None:
        """Keep what was said; the newest `keep` of a conversation stay. The same message is replaced."""
        ...

    async def overheard(self, conversation: str, since: datetime | None) -> tuple[Overheard, ...]:
        """Return what was said in a conversation after `since`, oldest first."""
        ...

    async def forget_overheard(self, conversation: str) -> None:
        """Forget what was said besides in a conversation."""
        ...

    async def amend(self, conversation: str, message: str, text: str | None) -> str | None:
        """Put another text in place of a message, None where it was deleted; return the turn it started.

        The message, the question of its turn and what was overheard change; the steps and the answer of a
        turn whose message was deleted are removed where it is over.
        """
        ...

    async def follow_up(self, followup: Followup, *, forget_before: datetime) -> None:
        """Store what buttons go on with; what was stored before `forget_before` is removed."""
        ...

    async def followup(self, followup: str) -> Followup | None:
        """Return what buttons go on with, None where it was removed."""
        ...

    async def note(self, platform: str, key: str, value: str) -> None:
        """Keep a value under a key."""
        ...

    async def noted(self, platform: str, key: str) -> str | None:
        """Return the value under a key, or None."""
        ...

    async def places(self, platform: str) -> tuple[Conversation, ...]:
        """Return the conversations of a platform that are linked to a series, oldest first."""
        ...

    async def move_places(self, platform: str, was: str, now: str) -> int:
        """Give the places whose key is `was` or begins with `was:` the new beginning; return how many.

        A conversation that began under the new key before the move was told is put aside. A chat that was let
        in stays so.
        """
        ...
