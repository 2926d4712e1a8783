"""Every turn ends in one honest, non-empty text, whatever the model and its endpoint do."""

import socket
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.clock import new_id
from agent_core.events import Delta, Done, Event, Failed, Message, Thought, ToolFinished
from agent_core.llm.base import OnDelta
from agent_core.messages import ModelReply, ModelRequest
from agent_core.people.model import SeriesRole
from agent_core.texts.catalogue import say
from agent_core.turn.model import TurnStatus
from tests.agent_core.turn.probe import Probe
from tests.agent_core.turn.test_calls import results
from tests.clock import FakeClock
from tests.emulators.model_endpoint import DROP, Call, ModelEndpoint, Raw, Reply, Scripted, sse
from tests.emulators.model_replies import chunk
from tests.house import Heard, House, open_house

LOOK = Call("get_entity_state", {"entityId": "Mara"})


def error(status: int, message: str, **more: object) -> Raw:
    return Raw(status=status, body={"error": {"message": message, "type": "api_error", **more}})


async def ends(house: House, *replies: Scripted | Call) -> Heard:
    """Let the model reply so; return what was heard, after checking that the turn ended well and once."""
    for reply in replies:
        house.endpoint.reply(reply)
    heard = await house.say("What colour are Mara's eyes?")
    finals = [*heard.of(Message), *heard.of(Failed)]
    assert len(finals) == 1
    assert heard.answer.strip()
    assert len(heard.of(Done)) == 1
    assert heard.events[-1] is heard.of(Done)[0]
    assert house.endpoint.left == 0
    stored = await house.stored(heard.turn)
    assert stored.answer == heard.answer
    assert [owed.text for owed in await house.core.owed("main-id")][-1] == heard.answer
    return heard


async def test_model_that_only_ever_calls_tools_is_asked_for_a_synthesis(house: House) -> None:
    """Fault 1: ten replies with calls, then one without: eleven requests."""
    calls = [
        Call("get_entity_state", {"entityId": "Mara", "asOf": f"{n % 2 + 1}.{n % 3 % 2 + 1}"})
        for n in range(10)
    ]

    heard = await ends(house, *calls, "Green, I think.")

    assert heard.answer == "Green, I think."
    last = house.endpoint.requests[-1].body
    assert last["tool_choice"] == "none"
    assert last["tools"]
    assert heard.of(Done)[0].replies == 11


async def test_model_that_calls_even_when_it_must_not_gets_an_answer_built(house: House) -> None:
    calls = [Call("get_entity_state", {"entityId": "Mara", "asOf": f"{n % 2 + 1}"}) for n in range(11)]

    heard = await ends(house, *calls)

    assert heard.answer.startswith("I could not put an answer into words, but these are the 4 things")
    assert "look up an entry: Mara, 1" in heard.answer
    assert len(house.endpoint.requests) == 11


@pytest.mark.parametrize(
    "nothing",
    [
        Reply(text=""),
        Reply(text="  \n"),
        Reply(text="<think>Hm. Green?"),
        Reply(finish="tool_calls"),
        sse("data: [DONE]"),
    ],
    ids=["empty", "blank", "thinking only", "calls announced, none there", "nothing at all"],
)
async def test_empty_reply_after_tools_is_nudged_once_and_then_built(house: House, nothing: Scripted) -> None:
    """Faults 2 and 3: the answer lists what was looked up and the sources."""
    if isinstance(nothing, Raw):
        nothing = sse({**chunk({"role": "assistant", "content": None}, "stop")}, "data: [DONE]")

    heard = await ends(house, LOOK, nothing, nothing)

    assert "look up an entry: Mara → Mara, one fact" in heard.answer
    assert "{" not in heard.answer
    assert house.endpoint.requests[2].messages[-1]["content"].startswith("Your last reply was empty")


async def test_steps_are_summed_up_in_the_language_of_the_conversation(house: House) -> None:
    ann = await house.asker()
    await house.core.askers.conversations.save_conversation(replace(ann.conversation, language="de"))
    house.endpoint.reply(LOOK, Call("get_entity_state", {"entityId": "Mombi"}))

    heard = await ends(house, "Grün (1.1).")

    missing, found = sorted(event.summary for event in heard.of(ToolFinished))  # they end in any order
    assert found == "Mara, eine Angabe"
    assert missing.startswith("Einen Eintrag „Mombi“ gibt es nicht")
    [done] = heard.of(Done)
    assert [step.detail for step in done.trace] == ["Mara → Mara, eine Angabe", "Mombi → abgelehnt"]


async def test_nudged_model_that_answers_is_taken_at_its_word(house: House) -> None:
    heard = await ends(house, LOOK, Reply(text=""), "Green (1.1).")

    assert heard.answer == "Green (1.1)."


async def test_empty_replies_without_any_tool_still_say_something(house: House) -> None:
    heard = await ends(house, Reply(text=""), Reply(text=""))

    assert heard.answer == say("en", "answer.nothing")


@pytest.mark.parametrize(
    "fault",
    [
        Call("get_entity_state", '{"entityId": "Ma'),
        Call("get_entity_state", {"entityId": ["Mara"]}),
        Call("look_up_entity", {"entityId": "Mara"}),
    ],
    ids=["truncated JSON", "wrong types", "unknown tool"],
)
async def test_model_that_repeats_its_fault_to_the_end_gets_no_silence(house: House, fault: Call) -> None:
    """Faults 4 to 6."""
    heard = await ends(house, *[fault] * 10, Reply(text=""))

    assert heard.answer == say("en", "answer.nothing")


async def test_answer_cut_in_half_a_sentence_is_continued(house: House) -> None:
    """Fault 7: asked to go on once; both halves are one answer."""
    heard = await ends(house, Reply(text="Her eyes are gr", finish="length"), "een (1.1).")

    assert heard.answer == "Her eyes are green (1.1)."
    assert house.endpoint.requests[1].messages[-2]["content"] == "Her eyes are gr"
    house.endpoint.reply("You're welcome.")
    await house.say("Thanks.")
    said = [m["content"] for m in house.endpoint.requests[-1].messages if m["role"] == "assistant"]
    assert said == ["Her eyes are gr", "een (1.1)."]


@pytest.mark.parametrize("second", [Reply(text="een, li", finish="length"), Reply(text="")])
async def test_answer_that_stays_cut_says_so(house: House, second: Reply) -> None:
    replies = [Reply(text="Her eyes are gr", finish="length"), second]

    heard = await ends(house, *replies, *([Reply(text="")] if not second.text else []))

    assert heard.answer == f"Her eyes are gr{second.text}\n\n{say('en', 'answer.cut')}"


@pytest.mark.parametrize(
    "leak",
    [
        '{"name": "get_entity_state", "arguments": {"entityId": "Mara"}}',
        '<tool_call>{"name": "get_entity_state", "arguments": {"entityId": "Mara"}}</tool_call>',
        '```json\n{"name": "get_entity_state", "parameters": {"entityId": "Mara"}}\n```',
    ],
)
async def test_look_up_written_as_text_is_carried_out_and_never_shown(house: House, leak: str) -> None:
    heard = await ends(house, leak, "Green.")

    assert results(house, 1)[0]["tool"] == "get_entity_state"
    assert "".join(delta.text for delta in heard.of(Delta)) == "Green."
    assert heard.answer == "Green."


@pytest.mark.parametrize(
    "leak",
    [
        '{"name": "update_entry", "arguments": {"entityId": "Mara", "rename": "Maria"}}',
        '{"name": "no_such_tool", "arguments": {}}',
        '<tool_call>{"name": "get_entity_state", "argum',
    ],
    ids=["a write", "unknown", "broken"],
)
async def test_other_calls_written_as_text_are_neither_run_nor_shown(house: House, leak: str) -> None:
    heard = await ends(house, leak, leak)

    assert heard.answer == say("en", "answer.nothing")
    assert heard.of(Delta) == []
    assert await house.core.open_batches("main-id") == ()


async def test_thinking_is_neither_streamed_nor_told(house: House) -> None:
    text = "<think>The reader must not know {secret}.</think>Green, as in 1.1."
    house.endpoint.reply(Reply(text=text, piece=3))

    heard = await house.say("Eyes?")

    assert heard.answer == "Green, as in 1.1."
    assert "".join(delta.text for delta in heard.of(Delta)) == "Green, as in 1.1."


async def test_text_beside_calls_is_a_thought_that_takes_over_its_stream(house: House) -> None:
    house.endpoint.reply("Let me look.", LOOK)
    house.endpoint.reply("Green.")

    heard = await house.say("Eyes?")

    [thought] = heard.of(Thought)
    assert {delta.reply_id for delta in heard.of(Delta) if delta.text == "Let me look."} == {thought.reply_id}
    assert heard.of(Message)[0].reply_id != thought.reply_id
    kinds = [type(event).__name__ for event in heard.events if not isinstance(event, Delta)]
    assert kinds == ["Thought", "ToolStarted", "ToolFinished", "Message", "Done"]


async def test_withheld_answer_is_said_to_be_withheld(house: House) -> None:
    heard = await ends(house, LOOK, Reply(finish="content_filter"))

    assert heard.answer == say("en", "error.model.filter")
    house.endpoint.reply("Fine.")
    assert (await house.say("And now?")).answer == "Fine."


async def test_answer_withheld_halfway_keeps_its_half_and_says_so(house: House) -> None:
    heard = await ends(house, Reply(text="He drew the knife and", finish="content_filter"))

    assert heard.answer == f"He drew the knife and\n\n{say('en', 'answer.filtered')}"


async def test_context_too_long_is_tried_once_more_with_less(house: House, probe: Probe) -> None:
    for number in range(3):
        house.endpoint.reply("x" * 5_000)
        await house.say(f"question {number}")
    probe.says = "y" * 90_000
    too_long = error(400, "maximum context length exceeded", code="context_length_exceeded")

    heard = await ends(house, Call("echo"), too_long, "Short.")

    assert heard.answer == "Short."
    retried = house.endpoint.requests[-1].messages
    assert retried[0]["role"] == "system"
    assert "What colour are Mara's eyes?" in [m["content"] for m in retried]
    assert sum(len(m["content"]) for m in retried[1:]) < 20_000
    assert "cut, " in str(results(house, -1)[0]["data"])


async def test_context_too_long_twice_is_told(house: House) -> None:
    too_long = error(400, "maximum context length exceeded", code="context_length_exceeded")

    heard = await ends(house, too_long, too_long)

    assert heard.answer == say("en", "error.model.context")


async def test_model_without_tools_answers_and_says_that_it_cannot_look_up(house: House) -> None:
    heard = await ends(house, error(400, "scripted does not support tools"), "Perhaps green.")

    assert heard.answer == f"Perhaps green.\n\n{say('en', 'answer.toolless')}"
    assert "tools" not in house.endpoint.requests[1].body


async def test_history_that_an_endpoint_refuses_is_sent_flattened(house: House) -> None:
    refused = error(400, "messages with role 'tool' must be a response to a preceding message")

    heard = await ends(house, LOOK, refused, "Green.")

    flat = house.endpoint.requests[-1].messages
    assert {m["role"] for m in flat} == {"system", "user"}
    assert '"eyes":"green"' in flat[-1]["content"]
    assert heard.answer == "Green."


async def test_synthesis_refused_with_tools_is_asked_for_without(house: House) -> None:
    calls = [Call("get_entity_state", {"entityId": "Mara", "asOf": f"{n % 2 + 1}"}) for n in range(10)]

    heard = await ends(house, *calls, error(400, "tool_choice none is odd"), "Green.")

    assert heard.answer == "Green."
    assert "tools" not in house.endpoint.requests[-1].body


@pytest.mark.parametrize(
    ("replies", "key"),
    [
        ([error(401, "Incorrect API key provided")], "error.model.auth"),
        ([error(429, "You exceeded your current quota", code="insufficient_quota")], "error.model.quota"),
        ([error(404, "The model `x` does not exist")], "error.model.not_found"),
        ([error(400, "something is wrong")], "error.model.bad_request"),
    ],
)
@pytest.mark.parametrize("language", ["en", "de"])
async def test_failing_endpoint_is_explained_and_the_next_question_works(
    house: House, replies: list[Raw], key: str, language: str
) -> None:
    ann = await house.asker()
    await house.core.askers.conversations.save_conversation(replace(ann.conversation, language=language))

    heard = await ends(house, LOOK, *replies)

    assert heard.answer == say(language, key)
    stored = await house.stored(heard.turn)
    assert stored.status is TurnStatus.FAILED
    assert len(await house.steps(heard.turn)) == 2
    house.endpoint.reply("Green.")
    assert (await house.say("Again?")).answer == "Green."


async def test_endpoint_that_asks_to_wait_too_long_is_quoted_in_whole_seconds(house: House) -> None:
    limited = Raw(status=429, headers={"retry-after": "90.4"}, body={"error": {"message": "rate limit"}})

    heard = await ends(house, limited)

    assert heard.answer == say("en", "error.model.rate", retry_after_s=90)


async def test_stream_that_breaks_off_is_told_as_such(house: House) -> None:
    house.endpoint.reply(Reply(text="Her eyes are green and " * 5, cut=4))

    heard = await house.say("Eyes?")

    assert heard.answer == say("en", "error.model.unavailable")
    assert heard.of(Delta)
    assert (await house.stored(heard.turn)).status is TurnStatus.FAILED


async def test_endpoint_that_is_away_is_told_and_nothing_is_lost(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock
) -> None:
    nobody = ModelEndpoint()
    nobody.url = f"http://127.0.0.1:{_free_port()}/v1"
    async with open_house(tmp_path, nobody, clock, new_id) as house:
        await house.found()
        heard = await house.say("Eyes?")
    endpoint.reply("Green.")

    async with open_house(tmp_path, endpoint, clock, new_id) as house:
        again = await house.say("Eyes, please?", update="later")

    assert heard.answer == say("en", "error.model.unavailable")
    assert again.answer == "Green."
    questions = [m["content"] for m in endpoint.requests[-1].messages if m["role"] == "user"]
    assert questions == ["Eyes?", "Eyes, please?"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Broken:
    """A model with a fault of its own."""

    name, label = "broken", ""

    async def complete(self, request: ModelRequest, on_delta: OnDelta) -> ModelReply:
        raise RuntimeError("/srv/path")


async def test_fault_of_our_own_is_a_plain_sentence(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_house(tmp_path, endpoint, clock, new_id, model=Broken()) as house:
        heard = await house.say("Eyes?")

        assert heard.answer == say("en", "error.internal")
        assert (await house.stored(heard.turn)).status is TurnStatus.FAILED
    assert "/srv/path" in caplog.text


async def test_answer_says_where_it_stands_and_names_its_sources(house: House) -> None:
    house.endpoint.reply(LOOK)
    house.endpoint.reply("Green.")
    await house.write("set_position", position="2.1")

    heard = await house.say("Eyes?")

    [message] = heard.of(Message)
    assert message.as_of == "as of 2.1 (end)"


async def test_answer_to_a_reader_says_how_far_they_have_read(house: House) -> None:
    await house.write("set_position", position="2.2")
    await house.join("rob", SeriesRole.READER, "1")
    await house.join("new", SeriesRole.READER)
    for _ in range(2):
        house.endpoint.reply("Green.")

    first = await house.say("Eyes?", user="rob")
    second = await house.say("Eyes?", user="new")

    assert first.of(Message)[0].as_of == "you have finished chapter 1; later things aren’t shown"
    assert second.of(Message)[0].as_of == "you have finished no chapter yet; later things aren’t shown"


async def test_surface_that_fails_loses_neither_turn_nor_answer(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    """A20: whatever the listener does, the turn runs to its end and its answer stays owed."""
    house.endpoint.reply(LOOK)
    house.endpoint.reply("Green.")

    heard = await house.say("Eyes?", listener=_gone)

    stored = await house.stored(heard.turn)
    assert (stored.status, stored.answer) == (TurnStatus.DONE, "Green.")
    [owed] = await house.core.owed("main-id")
    assert (owed.id, owed.text, owed.repeat) == (stored.id, "Green.", True)
    assert [record.message for record in caplog.records] == ["surface failed"]
    await house.core.delivered(owed.id)
    assert await house.core.owed("main-id") == ()


async def _gone(event: Event) -> None:
    raise ConnectionResetError("the client went away")


async def test_deep_research_is_the_same_turn_with_an_instruction(house: House) -> None:
    house.endpoint.reply("Deep.")
    house.endpoint.reply("Shallow.")

    await house.say("Why?", deep=True)
    await house.say("Why?")

    deep, shallow = (seen.messages[0]["content"] for seen in house.endpoint.requests)
    assert "Deep research" in deep
    assert "Deep research" not in shallow


async def test_usage_is_counted_over_all_replies(house: House) -> None:
    house.endpoint.reply(Reply(calls=(LOOK,), usage=(100, 10)))
    house.endpoint.reply(Reply(text="Green.", usage=(150, 5)))

    heard = await house.say("Eyes?")

    usage = heard.of(Done)[0].usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (250, 15)
    assert (await house.stored(heard.turn)).usage == usage


async def test_error_of_an_endpoint_that_answers_by_dropping_the_line(house: House) -> None:
    heard = await ends(house, DROP, DROP, DROP)

    assert heard.answer == say("en", "error.model.unavailable")
