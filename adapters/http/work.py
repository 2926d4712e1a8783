"""Work that goes on whoever listens: turns and decisions, each in a task of its own."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from adapters.http.channel import Channel, Listener, Teller
from adapters.surface import error_text
from agent_core.conversation.events import EventStore
from agent_core.errors import Failure, LoreKeeperError
from agent_core.events import Emit
from agent_core.pipeline.redaction import Redaction

CLOSING_S = 3.0
"""How long a stop waits for work; what is left is taken up again at the next start."""

T = TypeVar("T")

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Run(Generic[T]):
    """A piece of work. `result` is there once `over` is set, unless it failed with `error`."""

    teller: Teller
    over: asyncio.Event = field(default_factory=asyncio.Event)
    result: T | None = None
    error: LoreKeeperError | None = None

    async def ended(self) -> T:
        """Return the result when there is one; who waits may go away, the work goes on.

        Raises:
            LoreKeeperError: what the work ended with.
        """
        await self.over.wait()
        if self.error is not None:
            raise self.error
        assert self.result is not None  # noqa: S101  set together with `over`
        return self.result


@dataclass(slots=True, kw_only=True)
class Works:
    """Keeps the channels of conversations, and all that runs."""

    tasks: asyncio.TaskGroup
    events: EventStore
    redaction: Redaction
    channels: dict[str, Channel] = field(default_factory=dict)
    dropped: int = 0
    _running: dict[asyncio.Task[None], str] = field(default_factory=dict)
    _closing: bool = False

    @property
    def running(self) -> int:
        """How many pieces of work are under way."""
        return len(self._running)

    @property
    def listening(self) -> int:
        """How many listeners there are."""
        return sum(len(channel.listeners) for channel in self.channels.values())

    def channel(self, conversation: str) -> Channel:
        """Return the channel of a conversation; it is kept while somebody listens or something runs."""
        if conversation not in self.channels:
            self.channels[conversation] = Channel(conversation, self.events)
        return self.channels[conversation]

    def start(
        self,
        teller: Teller,
        work: Callable[[Emit], Awaitable[T]],
        language: str,
        listener: Listener | None = None,
    ) -> Run[T]:
        """Let something run on; what it emits is told, and the listener to it ends when it is over."""
        run: Run[T] = Run(teller=teller)
        task = self.tasks.create_task(self._carried(run, work, language, listener))
        self._running[task] = teller.channel.conversation
        task.add_done_callback(self._ended)
        return run

    @contextmanager
    def attached(self, conversation: str, listener: Listener) -> Iterator[Listener]:
        """Give a listener that has joined, and let it listen no longer afterwards."""
        if self._closing:
            listener.close()
        try:
            yield listener
        finally:
            self.dropped += listener.is_behind
            if conversation in self.channels:
                self.channels[conversation].listeners.discard(listener)
                self.tidy(conversation)

    def tidy(self, conversation: str) -> None:
        """Forget the channel of a conversation in which nobody listens and nothing runs."""
        channel = self.channels.get(conversation)
        if channel and not channel.listeners and conversation not in self._running.values():
            del self.channels[conversation]

    def hang_up(self) -> None:
        """End all streams, and each that begins from now on."""
        self._closing = True
        for channel in self.channels.values():
            for listener in channel.listeners:
                listener.close()

    async def close(self) -> None:
        """End all streams, wait a moment for what runs, and stop the rest."""
        self.hang_up()
        if self._running:
            await asyncio.wait(self._running, timeout=CLOSING_S)
        for task in self._running:
            task.cancel()

    async def _carried(
        self, run: Run[T], work: Callable[[Emit], Awaitable[T]], language: str, listener: Listener | None
    ) -> None:
        try:
            run.result = await work(run.teller)
        except asyncio.CancelledError:
            run.error = Failure()  # the service stops; the next start goes on with it
            raise
        except LoreKeeperError as error:
            run.error = error
            await self._tell_failure(run.teller, error, language)
        except Exception:  # the border of background work
            logger.exception("work failed")
            run.error = LoreKeeperError()
            await self._tell_failure(run.teller, run.error, language)
        finally:
            run.teller.channel.end_texts(run.teller.message)
            run.over.set()
            if listener is not None:
                listener.close()

    async def _tell_failure(self, teller: Teller, error: LoreKeeperError, language: str) -> None:
        text = self.redaction.own(error_text(error, language))
        await teller.tell("error", {"text": text, "key": error.text_key})
        await teller.tell("done", {"turnId": teller.turn, "status": "failed"})

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.tidy(self._running.pop(task))
