"""What Ctrl-C and SIGTERM end, and what they leave behind."""

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.bot.commands import at_terminal
from tests.emulators.model_endpoint import ModelEndpoint, Reply


def turns(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "notes/lorekeeper.db")) as connection:
        return [status for (status,) in connection.execute("SELECT status FROM turn")]


@pytest.mark.parametrize(
    ("sent", "code", "said", "left"),
    [
        (signal.SIGINT, 130, "Stopped. Nothing more is looked up or written.", ["cancelled"]),
        (signal.SIGTERM, 143, "", ["queued"]),  # the next start answers it
    ],
)
async def test_signal_ends_a_question_that_waits_for_the_model(
    folder: Path, sent: signal.Signals, code: int, said: str, left: list[str]
) -> None:
    """A70: it ends at once and everything is closed."""
    async with ModelEndpoint() as endpoint:
        endpoint.reply(Reply(text="Grey eyes.", hold=1))
        settings = {"LOREKEEPER_MODEL": "scripted", "LOREKEEPER_MODEL_BASE_URL": endpoint.url}
        async with at_terminal(folder, "chat", "--say", "Eyes?", "--say", "Hair?", **settings) as terminal:
            await endpoint.received(1)
            terminal.process.send_signal(sent)

            assert await terminal.ended() == code
            if said:
                await terminal.until(said)
        assert len(endpoint.requests) == 1
    assert turns(folder) == left
    assert not (folder / "notes/lorekeeper.db-wal").exists()


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
async def test_signal_ends_a_question_on_the_command_line_at_once(
    folder: Path, sent: signal.Signals, code: int
) -> None:
    (folder / "a.md").write_text("# One\n\nMara came home.\n")
    async with at_terminal(folder, "import", "a.md") as terminal:
        await terminal.until("[Y/n]")
        await terminal.reads()
        terminal.process.send_signal(sent)

        assert await terminal.ended() == code
