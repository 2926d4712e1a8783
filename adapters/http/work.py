"""Work that goes on whoever listens: turns and decisions, each in a task of its own."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from adapters.http.channel import Channel, Happening, Listener, Teller
from adapters.surface import error_text
from agent_core.conversation.events import EventStore
from agent_core.errors import Failure, LoreKeeperError
from agent_core.events import Emit
from agent_core.messages import Json
from agent_core.pipeline.redaction import Redaction

CLOSING_S = 3.0
"""How long a stop waits for work; what is left is taken up again at the next start."""

T = TypeVar("T")

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Run(Generic[T]):
    """A piece of work. `result` is there once `over` is set, unless it failed with `error`."""

    teller: Teller
    listener: Listener | None = None
    fails_for_all: bool = False
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
    _running: dict[asyncio.Task[None], Channel] = field(default_factory=dict)
    _closing: bool = False

    @property
    def running(self) -> int:
        """How many pieces of work are under way."""
        return len(self._running)

    @property
    def listening(self) -> int:
        """How many listeners there are."""
        return sum(len(channel.listeners) for channel in self.channels.values())

    @contextmanager
    def held(self, conversation: str) -> Iterator[Channel]:
        """Give the channel of a conversation, which is the same for all as long as anybody holds it."""
        if conversation not in self.channels:
            self.channels[conversation] = Channel(conversation, self.events)
        channel = self.channels[conversation]
        channel.held += 1
        try:
            yield channel
        finally:
            self._let_go(channel)

    def start(
        self,
        teller: Teller,
        work: Callable[[Emit], Awaitable[T]],
        language: str,
        listener: Listener | None = None,
        *,
        fails_for_all: bool = False,
    ) -> Run[T]:
        """Let something run on; what it emits is told, and the listener to it ends when it is over.

        A failure is told to that listener alone, or to all who listen. The channel has to be held.
        """
        run: Run[T] = Run(teller=teller, listener=listener, fails_for_all=fails_for_all)
        task = self.tasks.create_task(self._carried(run, work, language))
        self._running[task] = teller.channel
        teller.channel.held += 1
        task.add_done_callback(self._ended)
        return run

    def attached(self, channel: Channel, listener: Listener) -> AbstractContextManager[Listener]:
        """Return what gives a listener that has joined a channel, held from now on until it is left."""
        if self._closing:
            listener.close()
        held = ExitStack()
        held.enter_context(self.held(channel.conversation))
        held.callback(self._leave, channel, listener)
        return _Attached(listener, held)

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

    async def _carried(self, run: Run[T], work: Callable[[Emit], Awaitable[T]], language: str) -> None:
        try:
            run.result = await work(run.teller)
        except asyncio.CancelledError:
            run.error = Failure()  # the service stops; the next start goes on with it
            raise
        except LoreKeeperError as error:
            run.error = error
            await self._tell_failure(run, error, language)
        except Exception:  # the border of background work
            logger.exception("work failed")
            run.error = LoreKeeperError()
            await self._tell_failure(run, run.error, language)
        finally:
            run.teller.channel.end_texts(run.teller.message)
            run.over.set()
            if run.listener is not None:
                run.listener.close()
                run.teller.channel.listeners.discard(run.listener)

    async def _tell_failure(self, run: Run[T], error: LoreKeeperError, language: str) -> None:
        teller, text = run.teller, self.redaction.own(error_text(error, language))
        told: dict[str, dict[str, Json]] = {
            "error": {"text": text, "key": error.text_key},
            "done": {"turnId": teller.turn, "status": "failed"},
        }
        for name, body in told.items():
            if run.fails_for_all:
                await teller.tell(name, body)
            elif run.listener is not None:
                happening = Happening(name=name, body=body, turn=teller.turn, message=teller.message)
                run.listener.take(happening)

    def _leave(self, channel: Channel, listener: Listener) -> None:
        self.dropped += listener.is_behind
        channel.listeners.discard(listener)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._let_go(self._running.pop(task))

    def _let_go(self, channel: Channel) -> None:
        channel.held -= 1
        if not channel.held:
            self.channels.pop(channel.conversation, None)


@dataclass(frozen=True, slots=True)
class _Attached(AbstractContextManager[Listener]):
    """A listener, and what is let go when its stream ends."""

    listener: Listener
    held: ExitStack

    def __enter__(self) -> Listener:
        return self.listener

    def __exit__(self, *ended: object) -> None:
        self.held.close()
