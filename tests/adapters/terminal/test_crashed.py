"""What a crash kept from being shown: the next start tells it, once."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.terminal.say import Instruction
from agent_core.clock import new_id
from agent_core.conversation.model import ShownCard, card_state
from agent_core.events import ignore
from tests.adapters.terminal.conftest import Terminal
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import open_house
from tests.interrupted import CHANNELS, broken_off

TOLD = "outcome not certain"


@pytest.fixture
async def terminal(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Terminal]:
    async with (
        ModelEndpoint() as endpoint,
        open_house(tmp_path, endpoint, clock, new_id, notify_channels=CHANNELS) as house,
    ):
        await house.found()
        yield Terminal(house)


async def test_message_that_a_crash_broke_off_is_told_at_the_next_start_once(terminal: Terminal) -> None:
    await broken_off(terminal.house, await terminal.house.asker())

    shown = await terminal.type()
    again = await terminal.type()

    assert TOLD in " ".join(shown.split())
    assert TOLD not in " ".join(again.split())


async def test_it_is_told_without_a_keyboard_too(terminal: Terminal) -> None:
    await broken_off(terminal.house, await terminal.house.asker())

    code, shown = await terminal.say(Instruction(texts=("/state Mara",)))

    assert TOLD in " ".join(shown.split())
    assert code == 0


async def test_it_is_told_where_another_process_has_settled_it(terminal: Terminal) -> None:
    batch = await broken_off(terminal.house, await terminal.house.asker())
    state = card_state("open", batch.digest, settled=False)
    core = terminal.house.core
    await core.chat.card_shown(
        ShownCard(platform="terminal", ref=batch.id, batch=batch.id, place=batch.conversation, state=state)
    )
    await core.recover(lambda _: ignore)

    assert TOLD in " ".join((await terminal.type()).split())


async def test_what_was_shown_after_the_decision_is_not_shown_again(terminal: Terminal) -> None:
    await terminal.type("/notify hook Ready.", "n")

    assert "Declined" not in await terminal.type()
    assert await terminal.house.core.chat.stale_cards("terminal", 10) == ()
