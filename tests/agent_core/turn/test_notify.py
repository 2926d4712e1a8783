"""A message to the outside in a turn: nothing leaves before a yes, and never twice."""

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from adapters.cards import View, outcome_card, proposal_card
from agent_core.clock import new_id
from agent_core.errors import BatchClosed, NotifyRefusal, NotPermitted, NotYourBatch
from agent_core.events import ignore
from agent_core.people.model import SeriesRole
from agent_core.pipeline.confirmations import Decision
from agent_core.pipeline.model import CallStatus
from tests.adapters.test_cards import text_of
from tests.clock import FakeClock
from tests.emulators.model_endpoint import Call, ModelEndpoint
from tests.emulators.webhook import TOKEN, Refuse, WebhookEmulator, webhook_emulator
from tests.house import House, open_house

TEXT = "Chapter 3 is ready.\n\nPlease read it, @everyone."


@pytest.fixture
async def services() -> AsyncIterator[WebhookEmulator]:
    async with webhook_emulator() as opened:
        yield opened


def own(port: int) -> dict[str, Any]:  # Any: settings
    """Return the settings of a house with a channel of Discord and an address for JSON."""
    return {
        "notify_channels": SecretStr(
            f"team=discord+http://127.0.0.1:{port}/api/webhooks/17/{TOKEN} "
            f"hook=http://127.0.0.1:{port}/in/{TOKEN}?key={TOKEN}"
        ),
    }


@pytest.fixture
async def house(
    folder: Path, endpoint: ModelEndpoint, clock: FakeClock, services: WebhookEmulator
) -> AsyncIterator[House]:
    async with open_house(folder, endpoint, clock, new_id, **own(services.port)) as opened:
        await switched_on(opened)
        yield opened


async def switched_on(house: House) -> None:
    """Switch messages on in the place."""
    place = (await house.asker()).conversation
    await house.core.askers.conversations.save_conversation(replace(place, families=("notify",)))


async def test_message_leaves_after_a_yes_alone(house: House, services: WebhookEmulator) -> None:
    house.endpoint.reply(Call("notify_external", {"channel": "team", "text": TEXT, "title": "News"}))
    batch = await house.card(await house.say("Tell the team that chapter 3 is ready."))
    shown = text_of(proposal_card(batch, View(language="en", series="The Salt Roads")), "en")
    assert services.requests == []
    assert f"send a message to team (http://127.0.0.1:{services.port})" in shown
    assert "Please read it, @everyone." in shown
    assert "can’t be taken back" in shown
    assert TOKEN not in shown

    house.endpoint.reply("Sent.")
    decided, heard = await house.decide(batch.id)
    assert [taken.text for taken in services.taken] == [f"News\n\n{TEXT}"]
    assert services.taken[0].calls == ()
    assert services.requests[0].headers["idempotency-key"] == batch.calls[0].arguments["deliveryId"]
    assert heard.answer == "Sent."
    assert [line.outcome for line in await house.audited(decided)] == ["done"]


async def test_declined_message_never_leaves(house: House, services: WebhookEmulator) -> None:
    house.endpoint.reply(Call("notify_external", {"channel": "team", "text": TEXT}))
    batch = await house.card(await house.say("Tell the team."))
    house.endpoint.reply("Not sent.")
    await house.decide(batch.id, approve=False)
    assert services.requests == []


async def test_only_leads_let_a_message_out(house: House, services: WebhookEmulator) -> None:
    await house.join("bo", SeriesRole.EDITOR)
    await house.join("rea", SeriesRole.READER, "1")
    line = ("notify_external", {"channel": "team", "text": TEXT})
    batch = await house.core.propose([line], await house.asker("bo"), complete=True)
    assert not batch.settled
    with pytest.raises(NotYourBatch):
        await house.decide(batch.id, user="bo")
    with pytest.raises(NotPermitted):
        await house.core.propose([line], await house.asker("rea"), complete=True)
    assert services.requests == []


@pytest.mark.parametrize(
    ("channel", "text", "reason"), [("https://evil.test/x", "Hi", "channel"), ("team", " \n", "empty")]
)
async def test_refused_message_makes_no_card(
    channel: str, text: str, reason: str, house: House, services: WebhookEmulator
) -> None:
    """Case A53, and no address but those of the settings."""
    house.endpoint.reply(Call("notify_external", {"channel": channel, "text": text}))
    house.endpoint.reply("I can't.")
    await house.say("Send it.")
    [line] = [line for line in await house.audit() if line.tool == "notify_external"]
    assert line.outcome == "refused"
    assert f"reason={reason}" in line.error
    assert services.requests == []


async def test_card_of_a_message_that_went_out_in_part_does_not_say_that_nothing_was_written(
    house: House, services: WebhookEmulator
) -> None:
    services.turns = ["take", Refuse(404)]
    house.endpoint.reply(Call("notify_external", {"channel": "team", "text": "The tide turns again. " * 150}))
    batch = await house.card(await house.say("Tell the team."))
    house.endpoint.reply("It went out in part.")
    decided, _ = await house.decide(batch.id)

    assert len(services.taken) == 1
    card = outcome_card(decided, View(language="en"))
    assert card.title == "Could not be sent, or not wholly."
    assert "team took 1 of 2 parts" in text_of(card, "en")
    assert outcome_card(decided, View(language="de")).title == "Konnte nicht oder nicht ganz gesendet werden."
    assert outcome_card(decided, View(language="fr")).title == "N’a pas pu être envoyé, ou pas en entier."


async def test_doubt_is_shown_and_not_repeated(house: House, services: WebhookEmulator) -> None:
    """Case A54: what is ambiguous is reported as unknown."""
    services.turns = ["drop"]
    house.endpoint.reply(Call("notify_external", {"channel": "hook", "text": TEXT}))
    batch = await house.card(await house.say("Tell them."))
    house.endpoint.reply("It isn't certain.")
    decided, _ = await house.decide(batch.id)
    with pytest.raises(BatchClosed):
        await house.decide(batch.id)
    assert [call.status for call in decided.calls] == [CallStatus.UNKNOWN]
    assert len(services.requests) == 1
    assert "It isn’t certain whether this happened" in text_of(outcome_card(decided, View()), "en")
    assert [line.outcome for line in await house.audited(decided)] == ["unknown"]


async def test_nothing_of_a_channel_is_shown_anywhere(
    house: House, services: WebhookEmulator, caplog: pytest.LogCaptureFixture
) -> None:
    """Case A51: log, audit, chat and card show scheme, host and the channel's name only."""
    caplog.set_level(logging.DEBUG)
    services.turns = [Refuse(403), Refuse(401), "drop"]
    told: list[str] = []
    for channel in ("hook", "team", "hook"):
        house.endpoint.reply(
            Call("notify_external", {"channel": channel, "text": f"The address is {TOKEN}, isn't it?"})
        )
        batch = await house.card(await house.say(f"Send {TOKEN} there."))
        house.endpoint.reply(f"It went to {TOKEN}.")
        decided, heard = await house.decide(batch.id)
        view = View(language="en", series="The Salt Roads")
        cleaned = await house.core.batch(decided.id)
        assert cleaned is not None
        told += [
            heard.answer,
            text_of(outcome_card(cleaned, view), "en"),
            *(call.result for call in cleaned.calls),
        ]
    told += [json.dumps([line.arguments, line.error]) for line in await house.audit()]
    told += [record.getMessage() for record in caplog.records]
    assert TOKEN not in "\n".join(told)
    assert "did not take the message (status 403)" in "\n".join(told)


@pytest.mark.slow
async def test_message_under_way_at_a_crash_is_unknown_and_not_sent_again(
    folder: Path, endpoint: ModelEndpoint, clock: FakeClock, services: WebhookEmulator
) -> None:
    """Case A54: killed between the intent and the answer."""
    services.turns = ["stall"]
    async with open_house(folder, endpoint, clock, new_id, **own(services.port)) as house:
        line = ("notify_external", {"channel": "hook", "text": TEXT})
        batch = await house.core.propose([line], await house.asker(), complete=True)
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.agent_core.turn.decide_child", str(folder), str(services.port), batch.id
    )
    try:
        async with asyncio.timeout(30):
            await services.arrived.wait()
    finally:
        child.kill()
        await child.wait()

    async with open_house(folder, endpoint, clock, new_id, **own(services.port)) as house:
        await house.core.recover(lambda conversation: ignore)
        settled = await house.core.batch(batch.id)
        assert settled is not None
        assert [call.status for call in settled.calls] == [CallStatus.UNKNOWN]
        with pytest.raises(BatchClosed):
            await house.core.decide(batch.id, Decision(approve=True), await house.asker(), ignore)
    assert len(services.requests) == 1


async def test_without_channels_the_tool_says_how_to_add_them(
    folder: Path, endpoint: ModelEndpoint, clock: FakeClock
) -> None:
    async with open_house(folder, endpoint, clock, new_id) as house:
        line = ("notify_external", {"channel": "team", "text": TEXT})
        with pytest.raises(NotifyRefusal) as caught:
            await house.core.propose([line], await house.asker(), complete=True)
    assert caught.value.facts == {"reason": "none", "variable": "LOREKEEPER_NOTIFY_CHANNELS"}
