"""A turn in the terminal: what still changes is drawn below, what is final is printed and stays."""

import asyncio

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.text import Text

from adapters.cards import Card
from adapters.surface import Block, Mark
from adapters.terminal.render import block_renderable
from agent_core.pipeline.model import Batch
from agent_core.texts import say

REDRAW_S = 0.08


class TerminalSurface:
    """Draws one turn. In a pipe or a dumb terminal only what is final is printed."""

    def __init__(self, console: Console, language: str) -> None:
        self.settled: set[str] = set()
        self._console = console
        self._language = language
        self._blocks: dict[str, tuple[Block, bool]] = {}
        self._count = 0
        self._live: Live | None = None
        self._drawn_at = 0.0

    async def post(self, block: Block, *, final: bool) -> str:
        self._count += 1
        ref = str(self._count)
        self._blocks[ref] = (block, final)
        self._draw(at_once=final)
        return ref

    async def edit(self, ref: str, block: Block, *, final: bool) -> None:
        self._blocks[ref] = (block, final)
        self._draw(at_once=final)

    async def delete(self, ref: str) -> None:
        self._blocks.pop(ref, None)
        self._draw(at_once=True)

    async def ask(self, card: Card, batch: Batch) -> None:
        await self.post(card, final=True)

    async def settle(self, card: Card, batch: Batch) -> None:
        self.settled.add(batch.id)
        await self.post(card, final=True)

    async def react(self, mark: Mark) -> None:
        if mark is Mark.WORKING:
            self._start()
        else:
            self._stop()

    def _start(self) -> None:
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._live = Live(self._waiting(), console=self._console, auto_refresh=False, transient=True)
            self._live.start(refresh=True)

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
        for block, _ in self._blocks.values():
            self._print(block)
        self._blocks.clear()

    def _draw(self, *, at_once: bool) -> None:
        """Print the finished blocks at the top, in order; redraw the others below."""
        for ref, (block, final) in tuple(self._blocks.items()):
            if not final:
                break
            self._print(block)
            del self._blocks[ref]
        now = asyncio.get_running_loop().time()
        if self._live is not None and (at_once or now - self._drawn_at >= REDRAW_S):
            self._drawn_at = now
            self._live.update(self._below(), refresh=True)

    def _below(self) -> RenderableType:
        if not self._blocks:
            return self._waiting()
        parts: list[RenderableType] = []
        for block, _ in self._blocks.values():
            parts += [block_renderable(block, self._language), ""]
        return _Tail(Group(*parts[:-1]))

    def _print(self, block: Block) -> None:
        self._console.print(block_renderable(block, self._language))
        self._console.print()

    def _waiting(self) -> RenderableType:
        return Text(say(self._language, "trace.working"), "lore.step")


class _Tail:
    """The last lines of something that may be higher than the terminal."""

    def __init__(self, inner: RenderableType) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self._inner, options.update(height=None), pad=False)
        for line in lines[-max(1, console.height - 2) :]:
            yield from line
            yield Text()
