"""A turn from question to answer, and what it stores on the way."""

from agent_core.events import ConfirmationAsked, Delta, Done, Thought, ToolFinished
from tests.emulators.model_endpoint import Call
from tests.house import House


async def test_answer_follows_a_look_up(house: House) -> None:
    house.endpoint.reply("Let me look.", Call("get_entity_state", {"entityId": "Mara"}))
    house.endpoint.reply("Her eyes are green (1.1).")

    heard = await house.say("What colour are Mara's eyes?")

    assert heard.answer == "Her eyes are green (1.1)."
    assert [event.text for event in heard.of(Thought)] == ["Let me look."]
    assert "".join(event.text for event in heard.of(Delta)).endswith("Her eyes are green (1.1).")
    assert [event.outcome for event in heard.of(ToolFinished)] == ["done"]
    assert '"eyes":"green"' in house.endpoint.requests[1].messages[-1]["content"]
    done = heard.of(Done)[0]
    assert (done.status, done.replies, done.calls) == ("done", 2, 1)


async def test_write_waits_for_a_person_and_then_goes_on(house: House) -> None:
    house.endpoint.reply(
        Call("record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "lost"}, "chapterId": "2"})
    )
    heard = await house.say("Note that Mara lost her scarf in chapter 2.")
    asked = heard.of(ConfirmationAsked)[0]
    assert await house.state("Mara", asOf="2.1") == {"eyes": "green"}

    house.endpoint.reply("Saved: Mara's scarf is lost from chapter 2 on.")
    batch, after = await house.decide(asked.batch_id)

    assert batch.edit is not None
    assert after.answer.startswith("Saved")
    assert await house.state("Mara", asOf="2.1") == {"eyes": "green", "scarf": "lost"}
    assert f"edit no. {batch.edit}" in house.endpoint.requests[1].messages[-1]["content"]


async def test_halves_of_characters_in_a_message_are_read_as_unknown_ones(house: House) -> None:
    """A66: platforms send them, and neither the store nor a model takes them."""
    house.endpoint.reply("Whole again.")

    heard = await house.say("who is \ud83d\ude00 and \udcff?")

    assert heard.answer == "Whole again."
    assert house.endpoint.requests[0].messages[-1]["content"].endswith("who is 😀 and \ufffd?")
