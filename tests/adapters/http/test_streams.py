"""Streams over real sockets: who listens, who goes away, who comes back."""

import asyncio
from pathlib import Path

from agent_core.clock import new_id
from agent_core.texts.catalogue import say
from tests.adapters.http.conftest import Desk, seated, served
from tests.adapters.http.events import listening
from tests.clock import FakeClock
from tests.emulators.model_endpoint import Call, ModelEndpoint, Raw, Reply
from tests.house import open_house
from tests.interrupted import CHANNELS, broken_off

STATE = Call("get_entity_state", {"entityId": "Mara"})
FACT = Call("record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "red"}, "sourceSceneId": "1.2"})


def asked(desk: Desk, text: str, conversation: str | None = None) -> dict[str, object]:
    question: dict[str, object] = {"bookId": desk.book, "messages": [{"role": "user", "content": text}]}
    return question if conversation is None else {**question, "conversationId": conversation}


async def begun(desk: Desk) -> str:
    """Begin a conversation and return its id."""
    conversation: str = (await desk.post(f"/api/conversations?bookId={desk.book}"))["id"]
    return conversation


async def test_agent_streams_the_events_of_a_turn(wire: Desk) -> None:
    wire.house.endpoint.reply("I look her up.", STATE)
    wire.house.endpoint.reply("Her eyes are green (1.1).")

    async with listening(wire.client, "/api/bookslm/agent", body=asked(wire, "Eyes?")) as ear:
        heard = await ear.rest()

    names = [sent.name for sent in heard if sent.name != "delta"]
    assert names == ["question", "thought", "tool", "tool", "message", "done"]
    assert ear.response.headers["x-accel-buffering"] == "no"
    assert ear.response.headers["content-type"].startswith("text/event-stream")
    message = heard[-2]
    assert message.data["markdown"] == "Her eyes are green (1.1)."
    assert {sent.data["turnId"] for sent in heard[1:]} == {heard[-1].data["turnId"]}


async def test_deltas_put_together_are_the_message(wire: Desk) -> None:
    wire.house.endpoint.reply(Reply(text="Green they are, as the sea at noon.", piece=5))

    async with listening(wire.client, "/api/bookslm/agent", body=asked(wire, "Eyes?")) as ear:
        heard = await ear.rest()

    text = ""
    for sent in heard:
        if sent.name == "delta":
            text = text[: sent.data["offset"]] + sent.data["text"]
            assert sent.id is None
    assert text == "Green they are, as the sea at noon."


async def test_turn_goes_on_when_its_listener_goes_away(wire: Desk) -> None:
    """A20: the stream is dropped in the middle of the answer, which is in the conversation all the same."""
    conversation = await begun(wire)
    wire.house.endpoint.reply(Reply(text="Green, as the sea at noon.", piece=6, hold=3))

    async with listening(wire.client, "/api/bookslm/agent", body=asked(wire, "Eyes?", conversation)) as ear:
        await ear.until("delta")
    async with listening(wire.client, f"/api/conversations/{conversation}/events?after=0") as again:
        so_far = await again.until("delta")
        wire.house.endpoint.release()
        done = await again.until("done")

    [turn] = (await wire.get(f"/api/conversations/{conversation}"))["turns"]
    assert so_far.data["offset"] == 0
    assert "Green".startswith(so_far.data["text"][:5])
    assert turn["answer"] == "Green, as the sea at noon."
    assert turn["id"] == done.data["turnId"]


async def test_listener_that_comes_back_hears_what_it_missed_and_nothing_twice(wire: Desk) -> None:
    conversation = await begun(wire)
    wire.house.endpoint.reply(STATE)
    wire.house.endpoint.reply("Green.")
    events = f"/api/conversations/{conversation}/events"
    async with listening(wire.client, f"{events}?after=0") as ear:
        asking = asyncio.ensure_future(wire.ask("Eyes?", conversation))
        last = await ear.until("tool", state="started")
        await asking

    async with listening(wire.client, events, headers={"last-event-id": str(last.id)}) as again:
        await again.until("done")

    assert [sent.name for sent in again.heard] == ["tool", "message", "done"]
    assert again.heard[0].id == (last.id or 0) + 1


async def test_events_of_a_turn_are_there_after_a_restart(folder: Path, endpoint: ModelEndpoint) -> None:
    endpoint.reply(STATE)
    endpoint.reply("Green.")
    async with (
        open_house(folder, endpoint, FakeClock(), new_id, http_port=0) as house,
        served(house) as service,
    ):
        turn = (await (await seated(house, service.client)).ask("Eyes?"))["turnId"]

    async with (
        open_house(folder, endpoint, FakeClock(), new_id, http_port=0) as house,
        served(house) as service,
        listening(service.client, f"/api/turns/{turn}/events") as ear,
    ):
        heard = await ear.rest()

    assert [sent.name for sent in heard] == ["tool", "tool", "message", "done"]


async def test_two_browsers_see_the_same_conversation(wire: Desk) -> None:
    conversation = await begun(wire)
    wire.house.endpoint.reply(FACT)
    wire.house.endpoint.reply("Noted.")
    events = f"/api/conversations/{conversation}/events?after=0"

    async with listening(wire.client, events) as one, listening(wire.client, events) as other:
        pending = (await wire.ask("Give her a red scarf in 1.2.", conversation))["pending"]
        cards = [await ear.until("confirmation", state="asked") for ear in (one, other)]
        await wire.post("/api/bookslm/agent/confirm_all", {"batchId": pending["batchId"]})
        decided = [await ear.until("confirmation", state="decided") for ear in (one, other)]
        answers = [await ear.until("message") for ear in (one, other)]

    assert {card.data["batchId"] for card in cards} == {pending["batchId"]}
    assert {card.data["status"] for card in decided} == {"approved"}
    assert [answer.data["markdown"] for answer in answers] == ["Noted.", "Noted."]
    assert [sent.id for sent in one.heard] == [sent.id for sent in other.heard]


async def test_card_waits_though_the_stream_that_asked_for_it_is_gone(wire: Desk) -> None:
    """A20, second case: the connection drops just as the confirmation is emitted."""
    conversation = await begun(wire)
    wire.house.endpoint.reply(FACT)
    async with listening(
        wire.client, "/api/bookslm/agent", body=asked(wire, "Red scarf.", conversation)
    ) as ear:
        await ear.until("confirmation")

    [card] = (await wire.get(f"/api/conversations/{conversation}"))["open"]
    wire.house.endpoint.reply("As you like.")
    declined = await wire.post("/api/bookslm/agent/decline", {"batchId": card["batchId"]})

    assert declined["batch"]["status"] == "declined"
    assert declined["reply"] == "As you like."


async def test_turn_that_runs_is_cancelled(wire: Desk) -> None:
    conversation = await begun(wire)
    wire.house.endpoint.reply(Reply(text="Never.", hold=0))
    asking = asyncio.ensure_future(wire.ask("Eyes?", conversation))
    await wire.house.endpoint.received(1)

    cancelled = await wire.post("/api/bookslm/agent/cancel", {"conversationId": conversation})

    assert cancelled == {"cancelled": True}
    assert (await asking)["status"] == "cancelled"


async def test_turn_with_few_iterations_is_cancelled_too(wire: Desk) -> None:
    conversation = await begun(wire)
    wire.house.endpoint.reply(Reply(text="Never.", hold=0))
    body = {**asked(wire, "Eyes?", conversation), "maxIterations": 2}
    asking = asyncio.ensure_future(wire.post("/api/agent/chat", body))
    await wire.house.endpoint.received(1)

    await wire.post("/api/bookslm/agent/cancel", {"conversationId": conversation})

    assert (await asking)["status"] == "cancelled"


async def test_stop_ends_streams_and_the_next_start_finishes_what_ran(
    folder: Path, endpoint: ModelEndpoint
) -> None:
    endpoint.reply(Reply(text="Never heard.", hold=0))
    async with (
        open_house(folder, endpoint, FakeClock(), new_id, http_port=0) as house,
        served(house) as service,
    ):
        desk = await seated(house, service.client)
        conversation = await begun(desk)
        path = f"/api/conversations/{conversation}/events"
        async with listening(service.client, f"{path}?after=0") as ear:
            agent = "/api/bookslm/agent"
            async with listening(service.client, agent, body=asked(desk, "Eyes?", conversation)) as other:
                await endpoint.received(1)
                await service.stop()
                heard = [await stream.rest() for stream in (ear, other)]

    endpoint.reply("Green.")
    async with (
        open_house(folder, endpoint, FakeClock(), new_id, http_port=0) as house,
        served(house) as service,
        listening(service.client, f"{path}?after=0") as ear,
    ):
        message = await ear.until("message")

    assert [[sent.name for sent in stream] for stream in heard] == [["question"], ["question"]]
    assert message.data["markdown"] == "Green."


async def test_card_that_is_decided_elsewhere_is_seen_in_the_browser(wire: Desk) -> None:
    conversation = await begun(wire)
    wire.house.endpoint.reply(FACT)
    pending = (await wire.ask("Give her a red scarf in 1.2.", conversation))["pending"]

    async with listening(wire.client, f"/api/conversations/{conversation}/events") as ear:
        wire.house.endpoint.reply("Noted.")
        await wire.house.decide(pending["batchId"], user="local")
        told = await ear.until("confirmation")

    assert told.data["state"] == "decided"
    assert told.data["card"]["title"].startswith("Saved, edit no.")


async def test_second_question_waits_for_the_answer_to_the_first(wire: Desk) -> None:
    """A19: one turn at a time in a conversation, also over HTTP; answers come in order."""
    conversation = await begun(wire)
    wire.house.endpoint.reply(Reply(text="First.", hold=0))
    wire.house.endpoint.reply("Second.")
    async with listening(wire.client, f"/api/conversations/{conversation}/events?after=0") as ear:
        first = asyncio.ensure_future(wire.ask("One?", conversation))
        await wire.house.endpoint.received(1)
        second = asyncio.ensure_future(wire.ask("Two?", conversation))
        await ear.until("question", text="Two?")
        assert len(wire.house.endpoint.requests) == 1
        wire.house.endpoint.release()
        answers = [(await ear.until("message")).data["markdown"] for _ in range(2)]

    assert answers == ["First.", "Second."]
    assert [(await asking)["reply"] for asking in (first, second)] == ["First.", "Second."]


async def test_typed_yes_decides_the_card_that_waits(wire: Desk) -> None:
    conversation = await begun(wire)
    wire.house.endpoint.reply(FACT)
    await wire.ask("Give her a red scarf in 1.2.", conversation)
    wire.house.endpoint.reply("Noted.")

    reply = await wire.ask("yes", conversation)

    assert reply["reply"] == "Noted."
    state = await wire.get(wire.at("/entries/Mara/state"))
    assert state["answer"]["state"]["scarf"] == "red"


async def test_new_question_closes_the_card_for_all_who_listen(wire: Desk) -> None:
    conversation = await begun(wire)
    wire.house.endpoint.reply(FACT)
    wire.house.endpoint.reply("Blue it is, then.")
    async with listening(wire.client, f"/api/conversations/{conversation}/events?after=0") as ear:
        await wire.ask("Give her a red scarf in 1.2.", conversation)
        await wire.ask("No, make it blue.", conversation)
        closed = await ear.until("confirmation", state="closed")

    assert closed.data["status"] == "superseded"


async def test_operator_is_told_what_broke(wire: Desk) -> None:
    conversation = await begun(wire)
    wire.house.endpoint.reply(Raw(status=401, body={"error": {"message": "no such key"}}))
    async with listening(wire.client, f"/api/conversations/{conversation}/events?after=0") as ear:
        reply = await wire.ask("Eyes?", conversation)
        notice = await ear.until("notice")

    assert reply["status"] == "failed"
    assert notice.data["text"] == say("en", "notice.model.auth")


async def test_command_that_a_crash_broke_off_is_told_after_the_restart(
    folder: Path, endpoint: ModelEndpoint
) -> None:
    async with (
        open_house(folder, endpoint, FakeClock(), new_id, http_port=0, notify_channels=CHANNELS) as house,
        served(house) as service,
    ):
        conversation = await begun(await seated(house, service.client))
        person = (await house.asker("local")).person.id
        asker = await house.core.askers.again(person, conversation, "en")
        assert asker is not None
        batch = await broken_off(house, asker)

    async with (
        open_house(folder, endpoint, FakeClock(), new_id, http_port=0, notify_channels=CHANNELS) as house,
        served(house) as service,
        listening(service.client, f"/api/conversations/{conversation}/events?after=0") as ear,
    ):
        told = await ear.until("confirmation", state="decided")

    assert told.data["batchId"] == batch.id
    assert "isn’t certain whether" in str(told.data)
