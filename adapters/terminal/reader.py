"""Where typed lines come from: a real terminal with history and completion, or plain standard input."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from typing import Protocol, TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.output import Output

from adapters.commands import BY_NAME, COMMANDS, Kind
from agent_core.texts import say

Names = Callable[[str], Awaitable[Sequence[str]]]

_NAMED = frozenset({Kind.ENTRY, Kind.ENTRIES})


class Reader(Protocol):
    """Reads one line at a time."""

    async def read(self, prompt: str, language: str) -> str:
        """Return the next line.

        Raises:
            EOFError: there will be no more.
            KeyboardInterrupt: the person gave up this line.
        """
        ...


class PromptReader:
    """Reads from a terminal, with history in memory and completion of commands and names."""

    def __init__(self, names: Names, *, source: Input | None = None, target: Output | None = None) -> None:
        self._completer = LoreCompleter(names)
        self._session: PromptSession[str] = PromptSession(
            history=InMemoryHistory(),
            completer=self._completer,
            complete_while_typing=False,
            input=source,
            output=target,
        )

    async def read(self, prompt: str, language: str) -> str:
        self._completer.language = language
        return await self._session.prompt_async(FormattedText([("bold", prompt), ("", " › ")]))


class LineReader:
    """Reads plain lines and repeats each behind its prompt, so that a transcript can be followed."""

    def __init__(self, source: TextIO, echo: Callable[[str], None]) -> None:
        self._source = source
        self._echo = echo

    async def read(self, prompt: str, language: str) -> str:
        line = await asyncio.to_thread(self._source.readline)
        if not line:
            raise EOFError
        self._echo(f"{prompt} › {line.rstrip()}")
        return line.rstrip("\n")


class LoreCompleter(Completer):
    """Completes command names, and names of entries where a command takes one or in plain text."""

    def __init__(self, names: Names) -> None:
        self.language = "en"
        self._names = names

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        return ()

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        text = document.text_before_cursor
        for command in commands_for(text):
            about = say(self.language, f"about.{command}")
            yield Completion(
                f"/{command} ", start_position=-len(text), display=f"/{command}", display_meta=about
            )
        begun = name_begun(text)
        if begun:
            for name in await self._names(begun):
                yield Completion(name, start_position=-len(begun))


def commands_for(text: str) -> tuple[str, ...]:
    """Return the commands that a line so far may become."""
    if not text.startswith("/"):
        return ()
    return tuple(command.name for command in COMMANDS if command.name.startswith(text[1:].lower()))


def name_begun(text: str) -> str:
    """Return the beginning of an entry's name at the end of a line, "" where none is expected."""
    if not text.startswith("/"):
        return text.rpartition(" ")[2]
    words = text[1:].split(" ")
    for length in (2, 1):
        command = BY_NAME.get(" ".join(words[:length]).lower())
        if command is not None and len(words) > length:
            takes_name = any(option.kind in _NAMED for option in command.options)
            return " ".join(words[length:]).lstrip() if takes_name else ""
    return ""
