"""One long dialogue about a book through a scripted endpoint: every fate that a proposal can have."""

from pathlib import Path
from typing import Any

import pytest

from agent_core.clock import new_id
from agent_core.errors import BatchClosed
from agent_core.events import ConfirmationClosed
from agent_core.people.model import SeriesRole
from agent_core.pipeline.model import BatchStatus
from tests.clock import FakeClock
from tests.emulators.model_endpoint import Call, ModelEndpoint
from tests.house import House, open_house


def fact(entity: str, at: str, **patch: str) -> Call:
    return Call("record_lore_state", {"entityId": entity, "statePatch": patch, "chapterId": at})


async def test_a_dialogue_with_every_fate_of_a_proposal(tmp_path: Path, clock: FakeClock) -> None:
    await hold_dialogue(tmp_path, clock)


async def hold_dialogue(folder: Path, clock: FakeClock, **settings: Any) -> None:  # Any: as settings differ
    """Hold the whole dialogue over an installation in `folder` with these settings."""
    async with ModelEndpoint() as endpoint:
        async with open_house(folder, endpoint, clock, new_id, **settings) as house:
            await house.found()
            await approved_after_a_look_up(house)
            await partly_approved(house)
            await declined(house)
            await expired(house, clock)
            await replaced_by_a_new_wish(house)
            stopped = await proposed_before_the_process_stops(house)
        async with open_house(folder, endpoint, clock, new_id, **settings) as house:
            await house.core.recover(lambda conversation: _nobody)
            await approved_after_the_restart(house, stopped)
            await taken_back(house)
            await asked_by_a_reader(house)


async def _nobody(event: object) -> None:
    raise AssertionError(f"nothing was left to recover, but: {event}")


async def approved_after_a_look_up(house: House) -> None:
    house.endpoint.reply(
        Call("search_lore", {"query": "scarf"}), Call("get_entity_state", {"entityId": "Mara"})
    )
    house.endpoint.reply("She loses it in (2.1).", fact("Mara", "2", scarf="lost"))
    heard = await house.say("Does Mara lose her scarf? Then note it.")
    batch = await house.card(heard)
    [change] = batch.calls[0].card.changes
    assert (change.key, change.before, change.after) == ("scarf", None, "lost")
    house.endpoint.reply("Noted: her scarf is lost from chapter 2 on.")

    done, after = await house.decide(batch.id)

    assert done.edit is not None
    assert after.answer == "Noted: her scarf is lost from chapter 2 on."
    assert await house.state("Mara", asOf="1") == {"eyes": "green"}
    assert await house.state("Mara", asOf="2") == {"eyes": "green", "scarf": "lost"}


async def partly_approved(house: House) -> None:
    house.endpoint.reply(
        Call("create_lore_entity", {"type": "character", "name": "Tom", "staticTraits": {}}),
        fact("Tom", "2", trade="smith"),
        fact("Tom", "2", secret="thief"),
    )
    batch = await house.card(await house.say("Who is Tom? Make an entry."))
    house.endpoint.reply("Tom the smith is noted, his secret is not.")

    done, _ = await house.decide(batch.id, chosen=[1, 2])

    assert [call.status.value for call in done.calls] == ["done", "done", "declined"]
    assert await house.state("Tom", asOf="2") == {"trade": "smith"}


async def declined(house: House) -> None:
    house.endpoint.reply(fact("Mara", "1", mood="sad"))
    batch = await house.card(await house.say("She seems sad."))
    house.endpoint.reply("Then I leave it.")

    done, after = await house.decide(batch.id, approve=False)

    assert done.status is BatchStatus.DECLINED
    assert after.answer == "Then I leave it."


async def expired(house: House, clock: FakeClock) -> None:
    house.endpoint.reply(fact("Mara", "1", mood="tired"))
    batch = await house.card(await house.say("Or tired?"))
    clock.advance(hours=25)

    with pytest.raises(BatchClosed):
        await house.decide(batch.id)

    assert await house.core.open_batches("main-id") == ()


async def replaced_by_a_new_wish(house: House) -> None:
    house.endpoint.reply(fact("Mara", "1", hat="red"))
    old = await house.card(await house.say("Her hat is red."))
    house.endpoint.reply(fact("Mara", "1", hat="blue"))

    heard = await house.say("No, blue.")

    assert heard.of(ConfirmationClosed) == [ConfirmationClosed(old.id, "superseded")]
    new = await house.card(heard)
    house.endpoint.reply("Blue it is.")
    await house.decide(new.id)
    assert await house.state("Mara", asOf="1") == {"eyes": "green", "hat": "blue"}


async def proposed_before_the_process_stops(house: House) -> str:
    house.endpoint.reply(fact("Mara", "2", hat="none at all"))
    return (await house.card(await house.say("In chapter 2 she has no hat."))).id


async def approved_after_the_restart(house: House, batch: str) -> None:
    house.endpoint.reply("Noted.")

    await house.decide(batch)

    state = await house.state("Mara", asOf="2")
    assert state == {"eyes": "green", "scarf": "lost", "hat": "none at all"}
    assert await house.state("Mara", asOf="1") == {"eyes": "green", "hat": "blue"}


async def taken_back(house: House) -> None:
    house.endpoint.reply(Call("undo", {}))
    batch = await house.card(await house.say("Take that back.", update="later-1"))
    house.endpoint.reply("Taken back.")

    await house.decide(batch.id)

    assert await house.state("Mara", asOf="2") == {"eyes": "green", "scarf": "lost", "hat": "blue"}


async def asked_by_a_reader(house: House) -> None:
    await house.join("rob", SeriesRole.READER, "1")
    house.endpoint.reply(Call("get_entity_state", {"entityId": "Mara"}))
    house.endpoint.reply("A blue hat.")

    heard = await house.say("What does Mara wear?", user="rob", update="later-2")

    assert heard.answer == "A blue hat."
    sent = str(house.endpoint.requests[-1].messages)
    assert "blue" in sent
    assert "scarf" not in sent
    assert "lost" not in sent
