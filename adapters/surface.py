"""How a turn is shown, once for all platforms: `drive_turn` turns its events into posts and edits."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol, TypeVar

from adapters.cards import Card, Step, View, outcome_card, proposal_card, trace_card
from agent_core.errors import LoreKeeperError
from agent_core.events import (
    ConfirmationAsked,
    ConfirmationClosed,
    Delta,
    Done,
    Emit,
    Event,
    Failed,
    Message,
    Thought,
    ToolFinished,
    ToolStarted,
)
from agent_core.pipeline.model import Batch
from agent_core.texts import say

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A batch with the name of the person who decided it, "" for an open one.

    `view` is given where its card may stand elsewhere than the turn: what was asked in another series.
    """

    batch: Batch
    by: str = ""
    view: View | None = None


LoadBatch = Callable[[str], Awaitable[Loaded | None]]


class Verbosity(StrEnum):
    """How much of a turn's trace is shown."""

    OFF = "off"
    SHORT = "short"
    FULL = "full"


class Mark(StrEnum):
    """A sign at the person's message (or a typing signal) that says how its turn stands."""

    WORKING = "working"
    DONE = "done"
    WAITING = "waiting"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Text of the answer in Markdown, with its sources (scenes, notes, pages) and the edits that noted them.

    `by_model` marks words that are not ours: in them nothing may ping or act as a command.
    """

    markdown: str
    by_model: bool = False
    sources: tuple[str, ...] = ()
    edits: tuple[int, ...] = ()
    as_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The steps of the turn: closed to one line, or open."""

    card: Card
    is_open: bool


Block = Said | Trace | Card


class Surface(Protocol):
    """A place where one turn is shown."""

    async def post(self, block: Block, *, final: bool) -> str:
        """Show a block and return a reference to it. One that is not final will change."""
        ...

    async def edit(self, ref: str, block: Block, *, final: bool) -> None:
        """Show the block in place of the earlier one. Edits that are not final may be dropped."""
        ...

    async def delete(self, ref: str) -> None:
        """Take a block away that turned out not to be part of the answer."""
        ...

    async def ask(self, card: Card, batch: Batch) -> None:
        """Show a confirmation card with the means to decide it."""
        ...

    async def settle(self, card: Card, batch: Batch) -> None:
        """Show what became of a batch in place of its card."""
        ...

    async def react(self, mark: Mark) -> None:
        """Show how the turn stands. A failure here must not reach the turn."""
        ...


async def drive_turn(
    work: Callable[[Emit], Awaitable[T]],
    surface: Surface,
    load: LoadBatch,
    view: View,
    verbosity: Verbosity = Verbosity.SHORT,
) -> T:
    """Return what `work` returns, after everything that it emitted was shown.

    Whatever happens to the work, no block is left in a state that promises more.
    """
    stage = _Stage(surface=surface, load=load, view=view, verbosity=verbosity)
    await surface.react(Mark.WORKING)
    try:
        return await work(stage.take)
    finally:
        await stage.close()


def error_text(error: LoreKeeperError, language: str) -> str:
    """Return the sentence for people about an error."""
    return say(language, error.text_key, **error.facts)


@dataclass(slots=True, kw_only=True)
class _Stage:
    surface: Surface
    load: LoadBatch
    view: View
    verbosity: Verbosity
    steps: dict[str, Step] = field(default_factory=dict)
    streams: dict[str, tuple[str, str]] = field(default_factory=dict)
    trace_ref: str | None = None
    mark: Mark = Mark.FAILED
    closed: bool = False

    async def take(self, event: Event) -> None:
        """Show one event."""
        match event:
            case Thought():
                await self._thought(event)
            case ToolStarted():
                await self._step(event.call_id, Step(tool=event.tool, arguments=event.summary))
            case ToolFinished():
                await self._finished(event)
            case Delta():
                await self._delta(event)
            case Message():
                said = Said(
                    markdown=event.markdown,
                    by_model=True,
                    sources=event.sources,
                    edits=event.edits,
                    as_of=event.as_of,
                )
                await self._answer(event.reply_id, said)
            case ConfirmationAsked():
                await self._asked(event.batch_id)
            case ConfirmationClosed():
                await self._closed(event.batch_id)
            case Done():
                await self._done(event)
            case Failed():
                await self._answer("", Said(markdown=event.text))

    async def close(self) -> None:
        """Leave nothing half shown; what was streamed of an answer that never came stays as it is."""
        if self.closed:
            return
        self.closed = True
        for ref, text in self.streams.values():
            await self.surface.edit(ref, Said(markdown=text, by_model=True), final=True)
        self.streams.clear()
        await self._show_trace(duration_ms=sum(step.duration_ms for step in self.steps.values()))
        await self.surface.react(self.mark)

    async def _thought(self, event: Thought) -> None:
        ref, _ = self.streams.pop(event.reply_id, (None, ""))
        if ref is not None:
            await self.surface.delete(ref)
        await self._step(event.reply_id, Step(result=event.text, outcome="thought"))

    async def _finished(self, event: ToolFinished) -> None:
        started = self.steps.get(event.call_id, Step(tool=event.tool))
        ended = replace(started, outcome=event.outcome, result=event.summary, duration_ms=event.duration_ms)
        await self._step(event.call_id, ended)

    async def _step(self, key: str, step: Step) -> None:
        self.steps[key] = step
        await self._show_trace(duration_ms=None)

    async def _show_trace(self, *, duration_ms: int | None) -> None:
        if self.verbosity is Verbosity.OFF or not self.steps:
            return
        running = duration_ms is None
        card = trace_card(tuple(self.steps.values()), self.view.language, duration_ms=duration_ms)
        block = Trace(card=card, is_open=running or self.verbosity is Verbosity.FULL)
        if self.trace_ref is None:
            self.trace_ref = await self.surface.post(block, final=not running)
        else:
            await self.surface.edit(self.trace_ref, block, final=not running)

    async def _delta(self, event: Delta) -> None:
        ref, text = self.streams.get(event.reply_id, (None, ""))
        text += event.text
        if ref is not None:
            await self.surface.edit(ref, Said(markdown=text, by_model=True), final=False)
        elif text.strip():
            ref = await self.surface.post(Said(markdown=text, by_model=True), final=False)
        if ref is not None:
            self.streams[event.reply_id] = (ref, text)

    async def _answer(self, reply_id: str, said: Said) -> None:
        ref, _ = self.streams.pop(reply_id, (None, ""))
        if ref is None:
            await self.surface.post(said, final=True)
        else:
            await self.surface.edit(ref, said, final=True)

    async def _asked(self, batch_id: str) -> None:
        loaded = await self.load(batch_id)
        if loaded is not None:
            await self.surface.ask(proposal_card(loaded.batch, loaded.view or self.view), loaded.batch)

    async def _closed(self, batch_id: str) -> None:
        loaded = await self.load(batch_id)
        if loaded is not None:
            card = outcome_card(loaded.batch, loaded.view or self.view, by=loaded.by)
            await self.surface.settle(card, loaded.batch)

    async def _done(self, event: Done) -> None:
        marks = {"done": Mark.DONE, "parked": Mark.WAITING, "cancelled": Mark.CANCELLED}
        self.mark = marks.get(event.status, Mark.FAILED)
        await self._show_trace(duration_ms=event.duration_ms)
        self.closed = True
        await self._drop_streams()
        await self.surface.react(self.mark)

    async def _drop_streams(self) -> None:
        leftover: Sequence[tuple[str, str]] = tuple(self.streams.values())
        self.streams.clear()
        for ref, _ in leftover:
            await self.surface.delete(ref)
