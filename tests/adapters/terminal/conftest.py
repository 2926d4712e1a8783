"""A terminal at a whole installation: typed lines go in, what is printed comes out."""

import io
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters.terminal.console import terminal_console
from adapters.terminal.host import Host
from adapters.terminal.output import JsonOutput, TextOutput
from adapters.terminal.reader import LineReader
from adapters.terminal.say import Instruction, say_all
from adapters.terminal.session import Session
from agent_core.clock import new_id
from agent_core.tools.spec import AnyTool
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, open_house

WIDTH = 76


@dataclass
class Terminal:
    """A keyboard and a screen before a house."""

    house: House
    user: str = "ann"

    @property
    def host(self) -> Host:
        return Host(
            self.house.core, self.house.app.settings.data_dir / "files", lambda: self.house.asker(self.user)
        )

    async def type(self, *lines: str) -> str:
        """Type these lines into a session and end it; return what was printed."""
        screen = io.StringIO()
        output = TextOutput(terminal_console(screen, width=WIDTH))
        typed = io.StringIO("".join(f"{line}\n" for line in lines))
        reader = LineReader(typed, output.console.print)
        await Session(self.host, output, reader).run()
        return screen.getvalue()

    async def say(self, instruction: Instruction, *, as_json: bool = False) -> tuple[int, str]:
        """Run without a keyboard; return the exit code and what was printed."""
        screen = io.StringIO()
        console = terminal_console(screen, width=WIDTH)
        output = JsonOutput(console) if as_json else TextOutput(console)
        return await say_all(instruction, self.host, output), screen.getvalue()


@pytest.fixture
def more_tools() -> Sequence[AnyTool]:
    """Tools beside ours; a test module puts its own here."""
    return ()


@pytest.fixture
async def terminal(
    tmp_path: Path, clock: FakeClock, more_tools: Sequence[AnyTool]
) -> AsyncIterator[Terminal]:
    async with (
        ModelEndpoint() as endpoint,
        open_house(tmp_path, endpoint, clock, new_id, tools=more_tools) as house,
    ):
        await house.found()
        yield Terminal(house)
