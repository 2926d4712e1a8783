"""A turn in a room: streamed by edits that never hurry the platform, one trace, cards where they belong."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from adapters.cards import Card
from adapters.chat.board import Board
from adapters.chat.linking import linked
from adapters.chat.room import ChatError, Room
from adapters.surface import Block, Mark, Said, Trace
from agent_core.pipeline.model import Batch

SLOWEST_EDIT_S = 2.0
"""How long an edit of a growing answer may hold up the turn: while one is on its way others are dropped."""

logger = logging.getLogger(__name__)

OpenTrace = Callable[[Card], Awaitable[Card]]
Elsewhere = Callable[[Card, Batch], Awaitable[bool]]


@dataclass(slots=True)
class _Shown:
    """The messages in which a block stands. `edited` is the loop's time of the last edit.

    `flight` is an edit on its way. It is let arrive: a message whose ref is lost would stand there for ever.
    """

    refs: list[str] = field(default_factory=list)
    parts: list[object] = field(default_factory=list)
    edited: float = -1e9
    flight: asyncio.Task[None] | None = None

    def is_quiet(self, for_s: float) -> bool:
        """Return whether nothing is on its way, and the last edit is so long ago."""
        is_flying = self.flight is not None and not self.flight.done()
        return not is_flying and asyncio.get_running_loop().time() - self.edited >= for_s

    async def landed(self) -> None:
        """Wait until nothing is on its way."""
        if self.flight is not None:
            await asyncio.wait({self.flight})
            self.flight = None


@dataclass(slots=True, kw_only=True)
class ChatSurface:
    """Shows one turn in a room, as answers to `message` ("" for none).

    `with_steps` makes a closed trace one that can be opened; `elsewhere` shows a card that may not stand in
    the room privately and tells whether it did. `lost` becomes True when an answer could not be shown.
    """

    room: Room[object]
    board: Board
    language: str
    message: str = ""
    conversation: str = ""
    with_steps: OpenTrace
    elsewhere: Elsewhere
    slowest_edit_s: float = SLOWEST_EDIT_S
    lost: bool = False
    _shown: dict[str, _Shown] = field(default_factory=dict)

    async def post(self, block: Block, *, final: bool) -> str:
        ref = str(len(self._shown) + 1)
        self._shown[ref] = _Shown()
        await self.edit(ref, block, final=final)
        return ref

    async def edit(self, ref: str, block: Block, *, final: bool) -> None:
        shown = self._shown[ref]
        if final:
            await shown.landed()
            await self._put(shown, block, final=True)
        elif shown.is_quiet(self.room.edit_every_s):
            shown.flight = asyncio.create_task(self._put(shown, block, final=False))
            await asyncio.wait({shown.flight}, timeout=self.slowest_edit_s)

    async def delete(self, ref: str) -> None:
        shown = self._shown.pop(ref, _Shown())
        await shown.landed()
        for part in shown.refs:
            await self._harmless(self.room.delete(part))

    async def ask(self, card: Card, batch: Batch) -> None:
        if await self.board.refresh(batch):
            return
        try:
            if not await self.elsewhere(card, batch):
                await self.board.put(self.room, card, batch, reply_to=self.message)
        except ChatError as error:
            self.lost = True
            logger.warning("card not shown", extra={"batch": batch.id, "reason": error.reason})

    async def settle(self, card: Card, batch: Batch) -> None:
        await self.board.refresh(batch)

    async def react(self, mark: Mark) -> None:
        await self.room.mark(self.message, mark)

    async def _put(self, shown: _Shown, block: Block, *, final: bool) -> None:
        """Let the messages show the block: those that changed are edited, new ones sent, others deleted."""
        if isinstance(block, Trace) and final and not block.is_open:
            block = replace(block, card=await self.with_steps(block.card))
        if isinstance(block, Said) and final and block.sources:
            edits = tuple(filter(None, block.edits))
            urls = await self.board.links(self.room, self.conversation, edits) if edits else {}
            block = linked(block, urls, self.language)
        silent = isinstance(block, Trace)
        parts = self.room.parts(block, self.language, final=final)
        try:
            await self._draw(shown, parts, silent=silent)
        except ChatError as error:
            self.lost = self.lost or (final and isinstance(block, Said))
            logger.warning("not shown", extra={"reason": error.reason, "final": final})
        shown.edited = asyncio.get_running_loop().time()

    async def _draw(self, shown: _Shown, parts: Sequence[object], *, silent: bool) -> None:
        for place, part in enumerate(parts):
            if place == len(shown.refs):
                reply_to = "" if place else self.message
                shown.refs.append(await self.room.send(part, reply_to=reply_to, silent=silent))
                shown.parts.append(part)
            elif part != shown.parts[place]:
                await self._change(shown, place, part, silent=silent)
        for ref in shown.refs[len(parts) :]:
            await self._harmless(self.room.delete(ref))
        del shown.refs[len(parts) :], shown.parts[len(parts) :]

    async def _change(self, shown: _Shown, place: int, part: object, *, silent: bool) -> None:
        """Edit a message; one that can't be edited any more is said anew."""
        try:
            await self.room.edit(shown.refs[place], part)
        except ChatError as error:
            if error.reason not in {"old_edit", "gone"}:
                raise
            shown.refs[place] = await self.room.send(part, silent=silent)
        shown.parts[place] = part

    async def _harmless(self, work: Awaitable[None]) -> None:
        try:
            await work
        except ChatError as error:
            logger.info("not taken away", extra={"reason": error.reason})
