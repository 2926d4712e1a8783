"""Where a terminal session prints to: text for people, or one JSON object a line for programs."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol, TypeVar

from rich.console import Console
from rich.text import Text

from adapters.cards import Card, View
from adapters.surface import LoadBatch, Verbosity, drive_turn
from adapters.terminal.render import card_renderable, plain_text, prose_renderable
from adapters.terminal.surface import TerminalSurface
from adapters.wire import batch_json, event_json
from agent_core.events import ConfirmationAsked, ConfirmationClosed, Emit, Event, Failed
from agent_core.lore.answers import Answer
from agent_core.messages import Json
from agent_core.pipeline.model import Batch
from agent_core.texts import say

T = TypeVar("T")


class Output(Protocol):
    """Shows what a session says; `verbosity` is how much of a trace."""

    verbosity: Verbosity

    async def drive(self, work: Callable[[Emit], Awaitable[T]], load: LoadBatch, view: View) -> T:
        """Return what the work returns, having shown what it emitted."""
        ...

    def answer(self, tool: str, answer: Answer, card: Card) -> None:
        """Show the answer to a command."""
        ...

    def batch(self, batch: Batch, card: Card) -> None:
        """Show a batch as it stands now."""
        ...

    def card(self, card: Card) -> None:
        """Show a card that is about no data, such as the help."""
        ...

    def file(self, path: Path, language: str) -> None:
        """Show where a file lies that was made."""
        ...

    def note(self, text: str) -> None:
        """Show a line beside the matter."""
        ...

    def trouble(self, text: str) -> None:
        """Show that something was refused or failed."""
        ...


class TextOutput:
    """Prints for people."""

    def __init__(self, console: Console, verbosity: Verbosity = Verbosity.SHORT) -> None:
        self.console = console
        self.verbosity = verbosity
        self.settled: set[str] = set()

    async def drive(self, work: Callable[[Emit], Awaitable[T]], load: LoadBatch, view: View) -> T:
        surface = TerminalSurface(self.console, view.language)
        try:
            return await drive_turn(work, surface, load, view, self.verbosity)
        finally:
            self.settled |= surface.settled

    def answer(self, tool: str, answer: Answer, card: Card) -> None:
        self.card(card)

    def batch(self, batch: Batch, card: Card) -> None:
        if batch.id not in self.settled:
            self.card(card)

    def card(self, card: Card) -> None:
        self.console.print(card_renderable(card))
        self.console.print()

    def file(self, path: Path, language: str) -> None:
        self.console.print(Text(say(language, "terminal.file", path=str(path)), "lore.note"), soft_wrap=True)

    def note(self, text: str) -> None:
        self.console.print(prose_renderable(text, "lore.note"))

    def trouble(self, text: str) -> None:
        self.console.print(prose_renderable(text, "lore.trouble"))


class JsonOutput:
    """Prints one JSON object a line."""

    def __init__(self, console: Console) -> None:
        self.verbosity = Verbosity.FULL
        self._console = console

    async def drive(self, work: Callable[[Emit], Awaitable[T]], load: LoadBatch, view: View) -> T:
        async def emit(event: Event) -> None:
            line = event_json(event)
            if isinstance(event, ConfirmationAsked | ConfirmationClosed):
                loaded = await load(event.batch_id)
                line |= batch_json(loaded.batch) if loaded is not None else {}
            self._line(line)

        return await work(emit)

    def answer(self, tool: str, answer: Answer, card: Card) -> None:
        found = answer.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        self._line({"event": "answer", "tool": tool, "answer": found})

    def batch(self, batch: Batch, card: Card) -> None:
        self._line({"event": "batch", **batch_json(batch)})

    def card(self, card: Card) -> None:
        self._line({"event": "note", "text": plain_text(card_renderable(card))})

    def file(self, path: Path, language: str) -> None:
        self._line({"event": "file", "path": str(path)})

    def note(self, text: str) -> None:
        self._line({"event": "note", "text": text})

    def trouble(self, text: str) -> None:
        self._line(event_json(Failed(text)))

    def _line(self, line: dict[str, Json]) -> None:
        self._console.out(json.dumps(line, ensure_ascii=False), highlight=False)
