"""The interactive session: reads lines, carries them out, and asks for a decision while a card is open."""

from collections.abc import Awaitable

from adapters.cards import Button
from adapters.cards.values import moment_text
from adapters.terminal.decision import NoSuchLine, read_decision, reply_hints
from adapters.terminal.dialogue import Dialogue
from adapters.terminal.host import Host
from adapters.terminal.interrupt import interruptible
from adapters.terminal.output import TextOutput
from adapters.terminal.reader import Reader
from adapters.terminal.scheduled import TerminalOutlet
from agent_core.pipeline.confirmations import Decision
from agent_core.pipeline.model import Batch
from agent_core.texts import say


class Session:
    """A conversation at the keyboard. Ctrl-C stops what is running, Ctrl-D ends the session."""

    def __init__(self, host: Host, output: TextOutput, reader: Reader, *, offline: bool = False) -> None:
        self._host = host
        self._output = output
        self._reader = reader
        self._offline = offline
        self._dialogue = Dialogue(host=host, output=output)
        self._postponed = ("", "")

    @property
    def outlet(self) -> TerminalOutlet:
        """Where scheduled runs are shown meanwhile."""
        return TerminalOutlet(self._dialogue)

    async def run(self) -> None:
        """Talk until the input ends."""
        language = await self._greet()
        try:
            await self._interruptible(self._dialogue.catch_up())
            text = await self._decisions(from_before=True)
            while True:
                line = (text or await self._line()).strip()
                if line and not await self._is_late_decision(line):
                    await self._interruptible(self._dialogue.take(line))
                text = await self._decisions()
        except EOFError:
            language = (await self._host.asker()).language
        self._output.note(say(language, "terminal.bye"))

    async def _greet(self) -> str:
        language = (await self._host.asker()).language
        self._output.note(say(language, "terminal.welcome"))
        if self._offline:
            self._output.note(say(language, "terminal.offline"))
        self._output.console.print()
        return language

    async def _line(self) -> str:
        language = (await self._host.asker()).language
        return await self._read("terminal.prompt", language)

    async def _read(self, key: str, language: str) -> str:
        """Return a line; one that the person gave up with Ctrl-C is empty."""
        try:
            return await self._reader.read(say(language, key), language)
        except KeyboardInterrupt:
            return ""

    async def _decisions(self, *, from_before: bool = False) -> str:
        """Ask for decisions while a card is open; return what was typed instead of one, or ""."""
        while True:
            batch = await self._dialogue.waiting(self._postponed)
            if batch is None or (batch.id, batch.digest) == self._postponed:
                return ""
            language = (await self._host.asker()).language
            if from_before:
                self._output.note(say(language, "terminal.open_before"))
                from_before = False
            typed = await self._reply(batch, language)
            if typed is not None:
                return typed

    async def _reply(self, batch: Batch, language: str) -> str | None:
        """Take one reply to a card; return None to look at the card again, else what to do instead."""
        self._output.note(" · ".join(say(language, f"terminal.{key}") for key in reply_hints(batch)))
        text = await self._read("terminal.decide_prompt", language)
        if not text.strip():
            await self._later(batch)
            return ""
        return None if await self._replied(text, batch) else text

    async def _is_late_decision(self, text: str) -> bool:
        """Take a decision about a card that was put off before; return whether the text was one."""
        batch = await self._dialogue.waiting(self._postponed) if any(self._postponed) else None
        return batch is not None and await self._replied(text, batch)

    async def _replied(self, text: str, batch: Batch) -> bool:
        """Carry out what a text says about a card; return whether it said anything about it.

        A question mark asks what can be said: the hints follow anew.
        """
        if text.strip() == "?":
            return True
        language = (await self._host.asker()).language
        match read_decision(text, batch):
            case Decision() as decision:
                await self._interruptible(self._dialogue.decide(batch, decision))
            case Button() as button:
                await self._dialogue.answer(button)
            case NoSuchLine(number):
                self._output.trouble(say(language, "terminal.no_line", number=number))
            case None:
                return False
        return True

    async def _later(self, batch: Batch) -> None:
        self._postponed = (batch.id, batch.digest)
        view = await self._host.view(await self._host.asker())
        date = moment_text(view, batch.expires.isoformat())
        self._output.note(say(view.language, "terminal.stays_open", date=date))

    async def _interruptible(self, work: Awaitable[None]) -> None:
        async with self._dialogue.printing:
            await interruptible(work, self._dialogue.stop)
