"""Puts a terminal session together: where it prints, where it reads, what it finds left open."""

import sys
from typing import TYPE_CHECKING

from adapters.scheduled import is_open
from adapters.surface import Verbosity
from adapters.terminal.console import terminal_console
from adapters.terminal.host import PLATFORM, Host
from adapters.terminal.output import JsonOutput, Output, TextOutput
from adapters.terminal.reader import LineReader, PromptReader, Reader
from adapters.terminal.say import Instruction, Verdict, say_all
from adapters.terminal.session import Session
from bot.cli.place import Seat, seated
from bot.wiring import App

if TYPE_CHECKING:
    from bot.cli.chat import Wish


async def converse(app: App, seat: Seat) -> int:
    """Talk at the keyboard until the input ends; return the exit code."""
    console = terminal_console(sys.stdout)
    output = TextOutput(console, Verbosity(app.settings.trace))
    host = _host(app, seat)
    at_keyboard = sys.stdin.isatty() and sys.stdout.isatty()
    reader: Reader = PromptReader(host.names) if at_keyboard else LineReader(sys.stdin, output.note)
    session = Session(host, output, reader, offline=app.settings.model is None)
    with is_open(session.outlet, app.outlets, PLATFORM):
        await session.run()
    return 0


async def say_once(app: App, wish: "Wish") -> int:
    """Say what the command line gave and decide as it told; return the exit code."""
    console = terminal_console(sys.stdout)
    output: Output = (
        JsonOutput(console) if wish.as_json else TextOutput(console, Verbosity(app.settings.trace))
    )
    instruction = Instruction(texts=wish.texts, verdict=_verdict(wish), pick=wish.pick)
    return await say_all(instruction, _host(app, wish.seat), output)


def _verdict(wish: "Wish") -> Verdict:
    if wish.pick:
        return Verdict.PICK
    if wish.yes:
        return Verdict.YES
    return Verdict.NO if wish.no else Verdict.LEAVE


def _host(app: App, seat: Seat) -> Host:
    return Host(core=app.core, files=app.settings.data_dir / "files", sit=lambda: seated(app, seat))
