"""The protocol of a model: the turn knows nothing else about who answers."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from agent_core.messages import ModelReply, ModelRequest

OnDelta = Callable[[str], Awaitable[None]]


class ChatModel(Protocol):
    """Answers a history, with or without tool calls."""

    @property
    def name(self) -> str:
        """The model's name as people and audit rows read it; also the key under which `raw` is replayed."""
        ...

    @property
    def label(self) -> str:
        """A line shown under each answer ("offline mode"), or "" for a real model."""
        ...

    async def complete(self, request: ModelRequest, on_delta: OnDelta) -> ModelReply:
        """Return the whole reply; call `on_delta` with pieces of its text as they arrive.

        Must not retry beyond its own overall deadline and must leave no request running when cancelled.

        Raises:
            ModelFailure: with a `ModelCause` on which the caller acts; nothing else from the network.

        """
        ...
