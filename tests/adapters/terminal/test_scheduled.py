"""Scheduled tasks at the terminal: shown above the prompt while it is open, else at the next start."""

import io

from adapters.terminal.console import terminal_console
from adapters.terminal.output import TextOutput
from adapters.terminal.reader import LineReader
from adapters.terminal.session import Session
from tests.adapters.terminal.conftest import WIDTH, Terminal
from tests.emulators.model_endpoint import Call
from tests.scheduling import tick

SCARF = Call("record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "lost"}, "chapterId": "2.1"})


def opened(terminal: Terminal) -> tuple[Session, io.StringIO]:
    """Return a session whose outlet is open, and its screen."""
    screen = io.StringIO()
    output = TextOutput(terminal_console(screen, width=WIDTH))
    session = Session(terminal.host, output, LineReader(io.StringIO(), output.console.print))
    terminal.house.app.outlets["terminal"] = session.outlet
    return session, screen


async def test_answer_comes_up_in_the_open_session_with_its_card(terminal: Terminal) -> None:
    await terminal.type("/schedule add every day 13:00: Note the scarf.")
    session, screen = opened(terminal)
    terminal.house.endpoint.reply("I would note that:", SCARF)
    terminal.house.clock.advance(hours=1)

    await tick(terminal.house.app)

    shown = screen.getvalue()
    assert "Task no. 1, every day at 13:00" in shown
    assert "Note the scarf." in shown
    assert "Proposal" in shown
    terminal.house.endpoint.reply("Noted.")
    assert "Noted." in await terminal.type("save")
    assert session is not None


async def test_answer_waits_for_the_next_session_where_none_is_open(terminal: Terminal) -> None:
    await terminal.type("/schedule add every day 13:00: /lore Mara")
    terminal.house.clock.advance(hours=1)
    await tick(terminal.house.app)

    shown = await terminal.type()
    again = await terminal.type()

    assert "Task no. 1, every day at 13:00" in shown
    assert "green" in shown
    assert "again" not in shown  # nobody has seen it before
    assert "green" not in again


async def test_commands_list_refuse_and_explain(terminal: Terminal) -> None:
    shown = await terminal.type(
        "/schedule",
        "/schedule add 0 9 13 * 5: How is Mara?",
        "/schedule add every minute: How is Mara?",
        "/schedule add 30 February: How is Mara?",
        "/schedule add soon: How is Mara?",
        "/schedule add daily: /cost",
        "/schedule add every day 8:00: /schedule run 1",
        "/schedule pause 7",
        "/schedule",
    )

    for part in (
        "Nothing is scheduled here.",
        "on day 13 of the month and besides every Friday (either is enough)",
        "There have to be at least 5 minutes between two runs".lower(),
        "never comes, at least not within ten years",
        "is no time that I understand",
        "“look at the costs” can’t be scheduled",
        "“run a scheduled task now” can’t be scheduled",
        "There is no task “7” here. These are: 1.",
        "asks: How is Mara?",
    ):
        assert part.lower() in " ".join(shown.split()).lower()


async def test_new_task_is_told_with_its_number_and_who_does_it(terminal: Terminal) -> None:
    added = await terminal.type("/schedule add every day 13:00: /lore Mara")
    started = await terminal.type("/schedule run 1")

    assert "That is task no. 1." in added
    assert "done by lorekeeper run while it is at work" in " ".join(started.split())
