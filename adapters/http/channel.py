"""What happens in one conversation, on its way to everybody who listens.

Events get their number from the store. Deltas are stored nowhere: who comes late gets the text so far as one.
A listener that does not keep up is let go instead of filling memory; it comes back by its last number.
"""

import asyncio
import json
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from adapters.wire import event_json
from agent_core.conversation.events import EventStore, StoredEvent
from agent_core.errors import StoreFailure
from agent_core.events import Delta, Event, Message, Thought
from agent_core.messages import Json

ROOM = 512
"""Events that wait for one listener before it counts as gone."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """An event as a listener gets it. `seq` is 0 for what is stored nowhere."""

    name: str
    body: Mapping[str, Json]
    seq: int = 0
    turn: str = ""
    message: str = ""


def stored_happening(event: StoredEvent) -> Happening:
    """Return a stored event as a listener gets it."""
    body = json.loads(event.body)
    return Happening(name=event.name, body=body, seq=event.seq, turn=event.turn, message=event.message)


Wanted = Callable[[Happening], bool]


def everything(happening: Happening) -> bool:
    """Want all that happens."""
    return True


@dataclass(slots=True, eq=False)
class Listener:
    """One who listens; `is_behind` says that it was let go because it did not keep up.

    It ends with the first new event named `ends_with`. Pieces of one text that wait become one.
    """

    wanted: Wanted = everything
    ends_with: str = ""
    is_behind: bool = False
    _waiting: deque[Happening] = field(default_factory=deque)
    _has_come: asyncio.Event = field(default_factory=asyncio.Event)
    _room: int = ROOM
    _is_closed: bool = False

    def catch_up(self, missed: Sequence[Happening]) -> None:
        """Queue what happened before it listened, however much that is."""
        self._room += len(missed)
        for happening in missed:
            self.take(happening)

    def take(self, happening: Happening) -> None:
        """Queue an event, if it is wanted."""
        if self._is_closed or not self.wanted(happening):
            return
        joined = _joined(self._waiting[-1], happening) if self._waiting else None
        if joined is not None:
            self._waiting[-1] = joined
        elif len(self._waiting) < self._room:
            self._waiting.append(happening)
        else:
            self.is_behind = True
            self.close()
        self._has_come.set()

    def close(self) -> None:
        """Let `heard` end after what is queued."""
        self._is_closed = True
        self._has_come.set()

    async def heard(self, beat_s: float) -> AsyncIterator[Happening | None]:
        """Yield events as they come, and None whenever nothing came for so long."""
        while self._waiting or not self._is_closed:
            if self._waiting:
                yield self._waiting.popleft()
                continue
            self._has_come.clear()
            try:
                async with asyncio.timeout(beat_s):
                    await self._has_come.wait()
            except TimeoutError:
                yield None


def _joined(before: Happening, after: Happening) -> Happening | None:
    """Return two pieces of one text as one, None for anything else."""
    one, other = before.body, after.body
    if before.name != "delta" or after.name != "delta" or one["replyId"] != other["replyId"]:
        return None
    return replace(before, body={**one, "text": f"{one['text']}{other['text']}"})


@dataclass(slots=True)
class _Text:
    turn: str
    message: str
    text: str = ""


@dataclass(slots=True, eq=False)
class Channel:
    """One conversation's events and who listens to them.

    `asked` are the cards that wait in it; `held` is how many streams and pieces of work need it.
    """

    conversation: str
    events: EventStore
    listeners: set[Listener] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    held: int = 0
    _texts: dict[str, _Text] = field(default_factory=dict)
    _in_order: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def publish(
        self, name: str, body: Mapping[str, Json], *, turn: str = "", message: str = ""
    ) -> Happening:
        """Store an event and hand it to all listeners; one that can't be stored is heard all the same."""
        async with self._in_order:
            try:
                stored = await self.events.add_event(
                    self.conversation, name, json.dumps(body, ensure_ascii=False), turn=turn, message=message
                )
                happening = stored_happening(stored)
            except StoreFailure:
                logger.exception("event not stored", extra={"event": name})
                happening = Happening(name=name, body=body, turn=turn, message=message)
            self._hand_on(happening)
        return happening

    def stream(self, delta: Delta, *, turn: str, message: str) -> None:
        """Hand a piece of text to all listeners."""
        text = self._texts.setdefault(delta.reply_id, _Text(turn, message))
        body: dict[str, Json] = {"replyId": delta.reply_id, "offset": len(text.text), "text": delta.text}
        text.text += delta.text
        self._hand_on(Happening(name="delta", body=body, turn=turn, message=message))

    def forget_text(self, reply_id: str) -> None:
        """Forget the streamed text that a thought or message has taken over."""
        self._texts.pop(reply_id, None)

    def end_texts(self, message: str) -> None:
        """Forget what was streamed in a piece of work that is over."""
        self._texts = {key: text for key, text in self._texts.items() if text.message != message}

    async def join(self, listener: Listener, *, after: int | None = None, turn: str = "") -> None:
        """Let somebody listen from event number `after` on (None: from now), to one turn or to all."""
        async with self._in_order:
            missed = () if after is None else await self._missed(after, turn)
            listener.catch_up([*map(stored_happening, missed), *self._so_far()])
            self.listeners.add(listener)

    async def _missed(self, after: int, turn: str) -> tuple[StoredEvent, ...]:
        if turn:
            return await self.events.events_of(turn, after=after)
        return await self.events.events(self.conversation, after=after)

    def _so_far(self) -> list[Happening]:
        return [
            Happening(
                name="delta",
                body={"replyId": reply, "offset": 0, "text": text.text},
                turn=text.turn,
                message=text.message,
            )
            for reply, text in self._texts.items()
        ]

    def _hand_on(self, happening: Happening) -> None:
        for listener in tuple(self.listeners):
            listener.take(happening)
            if happening.name == listener.ends_with and listener.wanted(happening):
                listener.close()
            if listener.is_behind:
                self.listeners.discard(listener)


@dataclass(slots=True, kw_only=True)
class Teller:
    """Tells a channel what one piece of work emits, all of it under its `message`.

    `before_first` happens just before the first event; `told` are the events without deltas.
    """

    channel: Channel
    message: str
    turn: str = ""
    before_first: Callable[[], Awaitable[None]] | None = None
    told: list[Event] = field(default_factory=list)

    async def __call__(self, event: Event) -> None:
        """Take an event of the core."""
        if self.before_first is not None:
            first, self.before_first = self.before_first, None
            await first()
        if not self.turn:
            self.turn = await self._turn()
        if isinstance(event, Delta):
            self.channel.stream(event, turn=self.turn, message=self.message)
            return
        self.told.append(event)
        if isinstance(event, Thought | Message):
            self.channel.forget_text(event.reply_id)
        fields = event_json(event)
        body = {key: value for key, value in fields.items() if key != "event"}
        await self.tell(str(fields["event"]), body)

    async def tell(self, name: str, body: Mapping[str, Json]) -> None:
        """Publish an event of this work."""
        await self.channel.publish(name, body, turn=self.turn, message=self.message)
        if name == "confirmation":
            change = self.channel.asked.add if body.get("state") == "asked" else self.channel.asked.discard
            change(str(body["batchId"]))

    async def _turn(self) -> str:
        with suppress(StoreFailure):  # what happens is told all the same
            return await self.channel.events.turn_of(self.message)
        return ""
