"""What a model is told of earlier turns: bounded, paired, trimmed at whole turns, whole only to its own."""

import asyncio
import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from agent_core.clock import new_id
from agent_core.llm.base import OnDelta
from agent_core.messages import ChatMessage, Json, ModelReply, ModelRequest, Role, ToolCall
from agent_core.people.model import SeriesRole
from agent_core.turn.history import MAX_CHARS, flattened, sanitised, trimmed
from agent_core.turn.model import Incoming, Step, Turn, TurnStatus
from tests.agent_core.turn.test_calls import results
from tests.agent_core.turn.test_cards import asked, fact
from tests.emulators.model_endpoint import Call, Reply
from tests.emulators.model_rules import problems_of
from tests.house import House, open_house

LOOK = Call("get_entity_state", {"entityId": "Mara"})

ROLES = st.sampled_from([Role.USER, Role.ASSISTANT, Role.TOOL])
IDS = st.sampled_from(["a", "b", "c", "d"])


@st.composite
def histories(draw: st.DrawFn) -> list[ChatMessage]:
    """Return any torn history whose calls have ids of their own."""
    free, made = ["a", "b", "c", "d", "e"], []
    for role in draw(st.lists(ROLES, max_size=12)):
        if role is Role.ASSISTANT:
            count = draw(st.integers(0, min(2, len(free))))
            calls = tuple(ToolCall(free.pop(), "echo", "{}") for _ in range(count))
            made.append(ChatMessage(role, draw(st.text(max_size=5)), calls=calls))
        elif role is Role.TOOL:
            made.append(ChatMessage(role, "result", call_id=draw(IDS)))
        else:
            made.append(ChatMessage(role, "question"))
    return [*made, ChatMessage(Role.USER, "last")]


@given(histories())
def test_any_torn_history_is_repaired_to_one_that_providers_take(history: list[ChatMessage]) -> None:
    assert not problems_of(_body(sanitised(history)))
    assert [m for m in sanitised(history) if m.role is not Role.TOOL] == [
        m for m in history if m.role is not Role.TOOL
    ]
    assert sanitised(sanitised(history)) == sanitised(history)


@given(histories())
def test_flattened_history_has_no_calls_and_no_results(history: list[ChatMessage]) -> None:
    assert all(m.role is not Role.TOOL and not m.calls for m in flattened(history))
    assert flattened(history)[-1].content == "last"


@given(st.lists(st.lists(st.integers(1, 40_000), min_size=1, max_size=3), max_size=8))
def test_history_is_the_newest_whole_turns_that_fit(sizes: list[list[int]]) -> None:
    turns = [
        [ChatMessage(Role.USER, f"{number}"), *(ChatMessage(Role.ASSISTANT, "x" * size) for size in turn)]
        for number, turn in enumerate(sizes)
    ]

    kept = trimmed(turns)

    assert sum(len(message.content) for message in kept) <= MAX_CHARS
    assert list(kept) == [m for turn in turns[len(turns) - _count(kept) :] for m in turn]
    if _count(kept) < len(turns):
        more = [*turns[len(turns) - _count(kept) - 1], *kept]
        assert sum(len(message.content) + 20 for message in more) > MAX_CHARS


def _count(messages: tuple[ChatMessage, ...]) -> int:
    return sum(message.role is Role.USER for message in messages)


def _body(messages: tuple[ChatMessage, ...]) -> dict[str, Json]:
    wire: list[Json] = []
    for message in messages:
        one: dict[str, Json] = {"role": message.role.value, "content": message.content}
        if message.calls:
            one["tool_calls"] = [
                {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                for c in message.calls
            ]
        if message.role is Role.TOOL:
            one["tool_call_id"] = message.call_id
        wire.append(one)
    tool: Json = {
        "type": "function",
        "function": {"name": "echo", "description": "e", "parameters": {"type": "object"}},
    }
    return {"model": "m", "messages": wire, "tools": [tool]}


async def test_calls_that_a_crash_left_without_result_are_told_as_interrupted(house: House) -> None:
    """C24: two calls stored, one result: the next question works, both look-ups stay paired."""
    ann = await house.asker()
    calls = (ToolCall("k1", "echo", "{}"), ToolCall("k2", "echo", "{}"))
    torn = Turn(
        id="torn", conversation="main-id", requester=ann.person.id, started=house.clock.now(),
        status=TurnStatus.FAILED, bound="author", language="en", text="who?",
    )  # fmt: skip
    steps = [
        Step(turn="torn", seq=0, message=ChatMessage(Role.ASSISTANT, "", calls=calls)),
        Step(turn="torn", seq=1, message=ChatMessage(Role.TOOL, '{"data":1}', call_id="k1")),
    ]
    await house.core.runtime.turns.save(torn, steps)
    house.endpoint.reply("Going on.")

    heard = await house.say("go on")

    assert heard.answer == "Going on."
    first, second = results(house, 0)
    assert first == {"data": 1}
    assert second["status"] == "interrupted"


async def test_long_conversation_is_cut_at_whole_turns_and_stays_valid(house: House) -> None:
    for number in range(5):
        house.endpoint.reply("x" * 12_000, LOOK)
        house.endpoint.reply("y" * 6_000)
        await house.say(f"question {number}")
    house.endpoint.reply("Fine.")

    await house.say("last question")

    seen = house.endpoint.requests[-1].messages
    questions = [m["content"] for m in seen if m["role"] == "user"]
    assert questions == ["question 2", "question 3", "question 4", "last question"]


async def test_reader_never_sees_what_was_said_under_a_wider_bound(house: House) -> None:
    await house.join("rob", SeriesRole.READER, "1")
    await house.join("sue", SeriesRole.READER, "2")
    for text, user in (("author only", "ann"), ("up to two", "sue"), ("up to one", "rob")):
        house.endpoint.reply(f"answer for {user}")
        await house.say(text, user=user, private=False)
    house.endpoint.reply("Fine.")
    house.endpoint.reply("Fine.")

    await house.say("now rob", user="rob")
    await house.say("now sue", user="sue")

    rob, sue = (json.dumps(seen.messages) for seen in house.endpoint.requests[-2:])
    assert ("author only" in rob, "up to two" in rob, "up to one" in rob) == (False, False, True)
    assert ("author only" in sue, "up to two" in sue, "up to one" in sue) == (False, True, True)


async def test_prompt_of_a_reader_names_nothing_beyond_their_bound(house: House) -> None:
    await house.write("place_scene", sceneId="2", title="The Betrayal of Tom")
    await house.write("set_position", position="2.2")
    await house.join("rob", SeriesRole.READER, "1")
    house.endpoint.reply("Hello.")
    house.endpoint.reply("Hello.")

    await house.say("hi", user="rob")
    await house.say("hi")

    bounded, whole = (seen.messages[0]["content"] for seen in house.endpoint.requests)
    assert "Betrayal" in whole
    assert "Betrayal" not in bounded
    assert "2.2" not in bounded
    assert "chapter 1" in bounded


async def test_turn_of_someone_demoted_while_it_waited_says_nothing_more(house: House) -> None:
    await house.join("ben", SeriesRole.EDITOR)
    heard, batch = await asked(house, LOOK, fact({"hat": "red"}), user="ben")
    await house.join("ben", SeriesRole.READER, "1")

    await house.decide(batch.id)

    assert len(house.endpoint.requests) == 1
    assert (await house.stored(heard.turn)).status is TurnStatus.CANCELLED
    assert await house.state("Mara", asOf="1") == {"eyes": "green", "hat": "red"}


async def test_place_linked_to_another_series_forgets_what_was_said(house: House) -> None:
    house.endpoint.reply("Her eyes are green.")
    await house.say("Mara's eyes?")
    house.clock.advance(seconds=1)
    await house.write("link_thread", series="Other", book="B")
    house.endpoint.reply("I don't know her.")

    await house.say("Mara's eyes?")

    assert "green" not in json.dumps(house.endpoint.requests[-1].messages)


async def test_raw_messages_go_back_to_their_own_provider_only(house: House) -> None:
    signed = {"reasoning_content": "hm", "extra": {"signature": "c2ln"}}
    house.endpoint.reply(Reply(calls=(LOOK,), fields=signed))
    house.endpoint.reply("Green.")
    await house.say("Eyes?")
    [raw] = [m for m in house.endpoint.requests[1].messages if m["role"] == "assistant"]
    assert (raw["reasoning_content"], raw["extra"]) == ("hm", {"signature": "c2ln"})
    other = Recording()
    folder = house.app.settings.data_dir

    async with open_house(folder, house.endpoint, house.clock, new_id, model=other) as later:
        await later.say("And her hat?", update="later")

    [asked_for] = other.requests
    old = [m for m in asked_for.messages if m.calls]
    assert [m.provider for m in old] == ["scripted"]


class Recording:
    """Another provider."""

    name, label = "another", ""

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []

    async def complete(self, request: ModelRequest, on_delta: OnDelta) -> ModelReply:
        self.requests.append(request)
        return ModelReply("Red.")


async def test_speakers_are_named_where_several_talk(house: House) -> None:
    await house.core.askers.conversations.save_conversation(
        replace((await house.asker()).conversation, private=False)
    )
    await house.join("ben", SeriesRole.EDITOR)
    house.endpoint.reply("Hello Ann.")
    house.endpoint.reply("Hello Ben.")

    await house.say("hi", private=False)
    await house.say("hi too", user="ben", private=False)

    said = [m["content"] for m in house.endpoint.requests[1].messages if m["role"] == "user"]
    assert said == ["Ann: hi", "Ben: hi too"]


async def test_steps_are_stored_as_they_happen(house: House) -> None:
    house.endpoint.reply("Let me look.", LOOK)
    house.endpoint.reply(Reply(text="Green.", hold=0))

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        task = group.create_task(house.say("Eyes?"))
        await house.endpoint.received(2)
        [turn] = await house.core.runtime.turns.unfinished()
        steps = await house.core.runtime.turns.steps([turn.id])
        house.endpoint.release()

    assert turn.status is TurnStatus.RUNNING
    assert (turn.replies, turn.calls) == (1, 1)
    assert [step.message.role for step in steps] == [Role.ASSISTANT, Role.TOOL]
    assert len(await house.steps(task.result().turn)) == 3


async def test_message_is_stored_with_its_exact_text(house: House) -> None:
    ann = await house.asker()
    text = "  Ünïcode \U0001f3a9 and\r\nlines  "
    incoming = Incoming(
        platform="terminal", update="u", message="m7", person=ann.person.id, conversation="main-id",
        text=text, at=house.clock.now(),
    )  # fmt: skip
    house.endpoint.reply("Saved as it is.")

    await house.core.handle(incoming, ann, _nothing)

    assert await house.core.runtime.turns.said("main-id", ann.person.id, "m7") == text


async def _nothing(event: object) -> None:
    """Hear nothing."""
