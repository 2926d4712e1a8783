"""Cards over HTTP: asked, answered, decided line by line, taken back."""

from typing import Any

from agent_core.people.model import SeriesRole
from tests.adapters.http.conftest import Desk
from tests.emulators.model_endpoint import Call

RED = {"entityId": "Mara", "statePatch": {"scarf": "red"}}
SCARF = Call("record_lore_state", {**RED, "sourceSceneId": "1.2"})
HAT = Call("record_lore_state", {"entityId": "Mara", "statePatch": {"hat": "felt"}, "sourceSceneId": "2.1"})
EVENTS = {"accept": "text/event-stream"}


async def state(desk: Desk) -> dict[str, Any]:
    found: dict[str, Any] = (await desk.get(desk.at("/entries/Mara/state")))["answer"]["state"]
    return found


async def pending(desk: Desk, *calls: Call) -> dict[str, Any]:
    """Return the card that the model's calls lead to."""
    desk.house.endpoint.reply(*calls)
    card: dict[str, Any] = (await desk.ask("Dress her."))["pending"]
    return card


async def test_answer_brings_its_steps_in_the_shape_of_the_seed(desk: Desk) -> None:
    desk.house.endpoint.reply("I look her up.", Call("get_entity_state", {"entityId": "Mara"}))
    desk.house.endpoint.reply("Green (1.1).")

    reply = await desk.ask("Eyes?")

    assert reply["reply"] == "Green (1.1)."
    assert reply["thoughtProcess"] == ["I look her up."]
    assert [(one["name"], one["outcome"]) for one in reply["toolCallsExecuted"]] == [
        ("get_entity_state", "done")
    ]
    assert reply["pending"] is None
    turn = await desk.get(f"/api/turns/{reply['turnId']}")
    assert [step["kind"] for step in turn["steps"]] == ["thought", "tool"]


async def test_confirmed_batch_is_written_and_its_turn_goes_on(desk: Desk) -> None:
    card = await pending(desk, SCARF)
    assert await state(desk) == {"eyes": "green"}
    desk.house.endpoint.reply("She wears it.")

    decided = await desk.post(
        "/api/bookslm/agent/confirm_all", {"batchId": card["batchId"], "digest": card["digest"]}
    )

    assert decided["reply"] == "She wears it."
    assert decided["status"] == "done"
    assert (await state(desk))["scarf"] == "red"


async def test_only_the_chosen_lines_are_written(desk: Desk) -> None:
    card = await pending(desk, SCARF, HAT)
    desk.house.endpoint.reply("Only the hat, then.")
    chosen = [call["callId"] for call in card["calls"] if "hat" in call["arguments"]["statePatch"]]

    decided = await desk.post("/api/bookslm/agent/confirm", {"batchId": card["batchId"], "callIds": chosen})

    assert [call["status"] for call in decided["batch"]["calls"]] == ["declined", "done"]
    assert await state(desk) == {"eyes": "green", "hat": "felt"}


async def test_card_that_changed_since_it_was_seen_is_not_decided(desk: Desk) -> None:
    card = await pending(desk, SCARF)

    found = await desk.client.post(
        "/api/bookslm/agent/confirm_all", json={"batchId": card["batchId"], "digest": "another"}
    )

    assert found.status_code == 409
    assert found.json()["type"] == "urn:lorekeeper:problem:batch-closed:changed"
    assert await state(desk) == {"eyes": "green"}


async def test_batch_is_decided_once(desk: Desk) -> None:
    card = await pending(desk, SCARF)
    desk.house.endpoint.reply("As you like.")
    await desk.post("/api/bookslm/agent/decline", {"batchId": card["batchId"]})

    again = await desk.client.post("/api/bookslm/agent/confirm_all", json={"batchId": card["batchId"]})

    assert again.status_code == 409
    assert await state(desk) == {"eyes": "green"}


async def test_decision_is_streamed_where_a_stream_is_wanted(desk: Desk) -> None:
    card = await pending(desk, SCARF)
    desk.house.endpoint.reply("She wears it.")

    found = await desk.client.post(
        "/api/bookslm/agent/confirm_all", json={"batchId": card["batchId"]}, headers=EVENTS
    )

    names = [line.removeprefix("event: ") for line in found.text.splitlines() if line.startswith("event: ")]
    assert [name for name in names if name != "delta"] == ["confirmation", "message", "done"]


async def test_question_on_a_card_is_answered(desk: Desk) -> None:
    card = await pending(
        desk, Call("record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "red"}})
    )
    [answer, *_] = [button for button in card["card"]["buttons"] if button["action"] == "answer"]

    revised = await desk.post(
        "/api/bookslm/agent/answer",
        {"batchId": card["batchId"], "line": answer["line"], "name": "at", "value": "2.1"},
    )

    assert revised["status"] == "open"
    assert revised["digest"] != card["digest"]


async def test_written_batch_is_taken_back(desk: Desk) -> None:
    card = await pending(desk, SCARF)
    desk.house.endpoint.reply("She wears it.")
    await desk.post("/api/bookslm/agent/confirm_all", {"batchId": card["batchId"]})

    undone = await desk.post("/api/bookslm/agent/take_back", {"batchId": card["batchId"]})

    assert undone["status"] == "approved"
    assert await state(desk) == {"eyes": "green"}


async def test_card_of_a_group_is_seen_and_decided_by_those_who_write_in_its_series(desk: Desk) -> None:
    await desk.house.core.propose(
        [("link_thread", {"series": "The Salt Roads", "book": "1"})],
        await desk.house.asker("ann", "team", private=False),
        complete=True,
    )
    desk.house.endpoint.reply(SCARF)
    heard = await desk.house.say("Dress her.", "ann", "team", private=False)
    batch = (await desk.house.card(heard)).id
    writer, reader = await desk.token("kim", SeriesRole.EDITOR), await desk.token("bea", SeriesRole.READER)

    seen = (await desk.get(desk.at("/proposals"), headers=writer))["proposals"]
    hidden = (await desk.get(desk.at("/proposals"), headers=reader))["proposals"]
    desk.house.endpoint.reply("She wears it.")
    decided = await desk.post("/api/bookslm/agent/confirm_all", {"batchId": batch}, headers=writer)

    assert [one["batchId"] for one in seen] == [batch]
    assert hidden == []
    assert decided["batch"]["status"] == "approved"


async def test_command_without_obstacle_is_done_at_once_and_asks_where_wanted(desk: Desk) -> None:
    fact = {"entityId": "Mara", "statePatch": {"scarf": "red"}, "sourceSceneId": "1.2"}

    asked = await desk.post(desk.at("/facts?ask=true"), fact)
    done = await desk.post(desk.at("/facts"), fact)
    overwriting = await desk.post(desk.at("/facts"), {**fact, "statePatch": {"scarf": "blue"}})

    assert (asked["status"], done["status"], overwriting["status"]) == ("open", "approved", "open")


async def test_outline_entries_and_position_are_changed_by_commands(desk: Desk) -> None:
    await desk.post(desk.at("/entries"), {"type": "character", "name": "Tom", "staticTraits": {}})
    await desk.post(desk.at("/entries/update"), {"entityId": "Tom", "addAlias": "the smith"})
    placed = await desk.post(
        desk.at("/scenes/place"), {"sceneId": "2.1", "relation": "before", "node": "1.1"}
    )
    await desk.post(desk.at("/position"), {"position": "2.1"})

    entries = (await desk.get(desk.at("/entries")))["entries"]
    [series] = await desk.get("/api/series")
    place = (await desk.get(f"/api/conversations/{series['conversationId']}"))["position"]
    assert [(one["name"], one["aliases"]) for one in entries] == [("Mara", []), ("Tom", ["the smith"])]
    assert placed["status"] in {"approved", "open"}
    assert place["label"] == "2.1"


async def test_series_is_begun_and_conversation_linked(desk: Desk) -> None:
    begun = await desk.post("/api/series", {"series": "Weather", "book": "Rain"})
    conversation = (await desk.post("/api/conversations"))["id"]

    await desk.post(f"/api/conversations/{conversation}/link", {"series": "Weather"})

    linked = await desk.get(f"/api/conversations/{conversation}")
    assert begun["status"] == "approved"
    assert (linked["series"], linked["book"]) == ("Weather", "Rain")


async def test_fresh_start_forgets_the_history_and_keeps_the_notes(desk: Desk) -> None:
    desk.house.endpoint.reply("Green.")
    conversation = (await desk.ask("Eyes?"))["conversationId"]
    desk.house.clock.advance(seconds=1)

    fresh = await desk.post(f"/api/conversations/{conversation}/fresh")

    assert fresh["turns"] == []
    assert await state(desk) == {"eyes": "green"}


async def test_reader_sets_progress_and_sees_as_far(desk: Desk) -> None:
    bea = await desk.token("bea", SeriesRole.READER)
    before = await desk.get(desk.at("/books"), headers=bea)

    await desk.post(desk.at("/progress"), {"finished": "1"}, headers=bea)

    after = await desk.get(desk.at("/books"), headers=bea)
    [series] = await desk.get("/api/series", headers=bea)
    assert before["answer"]["books"] == []
    assert [chapter["place"]["label"] for chapter in after["answer"]["books"][0]["chapters"]] == ["1"]
    assert series["finished"]["label"] == "1"


async def test_state_is_answered_for_a_place_and_for_earlier_notes(desk: Desk) -> None:
    await desk.post(
        desk.at("/facts"), {"entityId": "Mara", "statePatch": {"scarf": "red"}, "sourceSceneId": "2.1"}
    )
    head = (await desk.get(desk.at("/history")))["answer"]["items"][0]["edit"]

    early = await desk.get(desk.at("/entries/Mara/state"), at="1.2")
    late = await desk.get(desk.at("/entries/Mara/state"), at="2.1")
    before = await desk.get(desk.at("/entries/Mara/state"), at="2.1", known=str(head - 1))

    assert [one["answer"]["state"].get("scarf") for one in (early, late, before)] == [None, "red", None]
    assert {source["pointer"] for source in late["answer"]["sources"]} == {"/eyes", "/scarf"}


async def test_conversation_has_a_position_of_its_own(desk: Desk) -> None:
    conversation = (await desk.post(f"/api/conversations?bookId={desk.book}"))["id"]
    here = f"?conversationId={conversation}"

    await desk.post(desk.at(f"/position{here}"), {"position": "1.1"})
    await desk.post(desk.at("/facts"), {**RED, "sourceSceneId": "2.1"})

    place = (await desk.get(f"/api/conversations/{conversation}"))["position"]
    there = await desk.get(desk.at(f"/entries/Mara/state{here}&at=here"))
    foreign = await desk.client.get(desk.at("/books?conversationId=main-id"))
    assert place["label"] == "1.1"
    assert there["answer"]["state"] == {"eyes": "green"}
    assert foreign.status_code == 404


async def test_refused_decision_is_told_to_who_made_it_only(desk: Desk) -> None:
    card = await pending(desk, SCARF)
    desk.house.endpoint.reply("As you like.")
    await desk.post("/api/bookslm/agent/decline", {"batchId": card["batchId"]})

    plain = await desk.client.post("/api/bookslm/agent/confirm_all", json={"batchId": card["batchId"]})
    stream = await desk.client.post(
        "/api/bookslm/agent/confirm_all", json={"batchId": card["batchId"]}, headers=EVENTS
    )

    stored = await desk.house.app.events.events(card["conversationId"])
    assert plain.status_code == 409
    assert "event: error" in stream.text
    assert [event.name for event in stored if event.name == "error"] == []


async def test_nothing_of_a_conversation_is_kept_in_memory_when_all_are_gone(desk: Desk) -> None:
    await pending(desk, SCARF)
    await desk.post(desk.at("/facts"), {**RED, "sourceSceneId": "2.1"})
    desk.house.endpoint.reply("Green.")
    question = {"bookId": desk.book, "messages": [{"role": "user", "content": "Eyes?"}]}
    await desk.client.post("/api/bookslm/agent", json=question)

    assert desk.host is not None
    assert desk.host.works.channels == {}


async def test_earlier_turns_are_read_page_by_page(desk: Desk) -> None:
    conversation = (await desk.post("/api/conversations"))["id"]
    for number in range(3):
        desk.house.endpoint.reply(f"Answer {number}.")
        await desk.ask(f"Question {number}?", conversation)
    path = f"/api/conversations/{conversation}"

    newest = (await desk.get(path, limit=1))["turns"]
    before = (await desk.get(path, limit=1, before=newest[0]["id"]))["turns"]
    unknown = await desk.client.get(path, params={"before": "none"})

    assert [turn["answer"] for turn in (*newest, *before)] == ["Answer 2.", "Answer 1."]
    assert unknown.status_code == 404
