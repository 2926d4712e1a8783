"""Which of our messages show a card: people may be faster than the note of where one stands."""

from dataclasses import dataclass

from adapters.telegram.line import Pause
from adapters.telegram.place import PLATFORM
from agent_core.conversation.store import ChatStore

_NOTED_AFTER_S = (0.5, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cards:
    """Looks cards up."""

    chat: ChatStore
    pause: Pause

    async def is_noted(self, ref: str) -> bool:
        """Return whether a message shows a card; one that was just sent is noted a moment later."""
        for wait_s in _NOTED_AFTER_S:
            if await self.chat.card_at(PLATFORM, ref) is not None:
                return True
            await self.pause(wait_s)
        return await self.chat.card_at(PLATFORM, ref) is not None
