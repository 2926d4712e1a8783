"""A store that refuses writes for a while: everyone is told, nothing is half done, all goes on afterwards."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from agent_core.errors import StoreFailure
from agent_core.events import Done, Failed
from agent_core.messages import Json
from agent_core.pipeline.model import BatchStatus, CallStatus
from agent_core.texts.catalogue import say
from agent_core.turn.model import TurnStatus
from tests.agent_core.turn.test_cards import asked, fact
from tests.emulators.model_endpoint import Call
from tests.house import Heard, House

TROUBLE = say("en", "error.store.other")
LOOK = Call("get_entity_state", {"entityId": "Mara"})


@contextmanager
def refusing(house: House, what: str) -> Iterator[None]:
    """Let the store refuse a kind of write ("INSERT ON inbox") while this block runs."""
    with closing(sqlite3.connect(house.app.settings.database)) as connection:
        connection.execute(f"CREATE TRIGGER refused BEFORE {what} BEGIN SELECT RAISE(ABORT, 'no'); END")
        connection.commit()
    yield
    with closing(sqlite3.connect(house.app.settings.database)) as connection:
        connection.execute("DROP TRIGGER refused")
        connection.commit()


async def test_message_that_cannot_be_stored_is_refused_and_may_come_again(house: House) -> None:
    with refusing(house, "INSERT ON inbox"), pytest.raises(StoreFailure):
        await house.say("Eyes?", update="u1")
    house.endpoint.reply("Green.")

    assert (await house.say("Eyes?", update="u1")).answer == "Green."


@pytest.mark.parametrize("what", ["INSERT ON turn_step", "UPDATE ON turn", "INSERT ON audit"])
async def test_turn_that_cannot_be_stored_is_told_and_holds_nobody_up(house: House, what: str) -> None:
    house.endpoint.reply(LOOK)

    with refusing(house, what):
        heard = await house.say("Eyes?")

    assert [event.text for event in heard.of(Failed)] == [TROUBLE]
    assert [event.status for event in heard.of(Done)] == ["failed"]
    house.endpoint.reply("Green.")
    assert (await house.say("Again?")).answer == "Green."


async def test_turn_whose_end_was_stored_is_not_run_again(house: House) -> None:
    house.endpoint.reply(LOOK)
    with refusing(house, "INSERT ON audit"):
        heard = await house.say("Eyes?")

    assert (await house.stored(heard.turn)).status is TurnStatus.FAILED
    await house.core.recover(lambda conversation: Heard().emit)
    assert len(house.endpoint.requests) == 1


async def test_card_of_a_turn_that_could_not_be_parked_is_closed(house: House) -> None:
    house.endpoint.reply(fact({"hat": "red"}))
    with refusing(house, "INSERT ON turn_step WHEN NEW.role = 'tool'"):
        heard = await house.say("Note a hat.")

    assert heard.answer == TROUBLE
    assert await house.core.open_batches("main-id") == ()


async def test_decision_stands_while_the_canon_cannot_be_written_and_is_tried_again(house: House) -> None:
    heard, batch = await asked(house, fact({"hat": "red"}))
    with refusing(house, "INSERT ON change"), pytest.raises(StoreFailure):
        await house.decide(batch.id)

    stored = await house.core.batch(batch.id)
    assert stored is not None
    assert (stored.status, stored.settled) == (BatchStatus.APPROVED, False)
    assert [call.status for call in stored.calls] == [CallStatus.APPROVED]
    assert (await house.stored(heard.turn)).status is TurnStatus.PARKED
    assert await house.state("Mara", asOf="1") == {"eyes": "green"}
    house.endpoint.reply("Saved.")

    done, after = await house.decide(batch.id)

    assert [call.status for call in done.calls] == [CallStatus.DONE]
    assert after.answer == "Saved."


async def test_decision_that_cannot_be_stored_leaves_the_card_open(house: House) -> None:
    _, batch = await asked(house, fact({"hat": "red"}))
    with refusing(house, "UPDATE ON batch"), pytest.raises(StoreFailure):
        await house.decide(batch.id, approve=False)

    assert await house.core.batch(batch.id) == batch


async def test_declined_card_whose_results_could_not_be_stored_is_settled_by_deciding_again(
    house: House,
) -> None:
    _, batch = await asked(house, fact({"hat": "red"}))
    with refusing(house, "UPDATE ON turn_step"), pytest.raises(StoreFailure):
        await house.decide(batch.id, approve=False)
    house.endpoint.reply("Left.")

    done, after = await house.decide(batch.id, approve=False)

    assert (done.status, done.settled) == (BatchStatus.DECLINED, True)
    assert after.answer == "Left."


async def test_typed_command_that_fails_is_no_open_card_and_can_be_typed_again(house: House) -> None:
    ann = await house.asker()
    hat: dict[str, Json] = {"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "1"}
    with refusing(house, "INSERT ON change"), pytest.raises(StoreFailure):
        await house.core.propose([("record_lore_state", hat)], ann, complete=True)

    again = await house.core.propose([("record_lore_state", hat)], ann, complete=True)
    await house.core.recover(lambda conversation: Heard().emit)

    assert again.settled
    assert await house.core.open_batches("main-id") == ()
    assert await house.state("Mara", asOf="1") == {"eyes": "green", "hat": "red"}


async def test_order_that_cannot_be_given_back_loses_no_answer(house: House) -> None:
    house.endpoint.reply("Green.")
    house.endpoint.reply("Still green.")
    with refusing(house, "DELETE ON turn_order"):
        assert (await house.say("Eyes?")).answer == "Green."
        assert (await house.say("Eyes?")).answer == "Still green."
