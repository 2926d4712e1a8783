"""Where conversations last."""

from typing import Protocol

from agent_core.conversation.model import Conversation


class ConversationStore(Protocol):
    """Conversations by id and by platform place."""

    async def conversation_at(self, new: Conversation) -> Conversation:
        """Return the conversation at `new.platform` and `new.place`; store `new` where there is none."""
        ...

    async def conversation(self, conversation: str) -> Conversation | None:
        """Return the conversation with this id, or None."""
        ...

    async def save_conversation(self, conversation: Conversation) -> None:
        """Store the conversation in place of the one with its id."""
        ...
