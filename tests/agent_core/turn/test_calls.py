"""The calls of a reply: run, refused, cut or left out, each answered exactly once under its id."""

import asyncio
import json

import pytest

from agent_core.events import Done, ToolFinished, ToolStarted
from agent_core.messages import Json, Role
from agent_core.people.model import SeriesRole
from tests.agent_core.turn.probe import PLAIN_CHARS, Probe
from tests.emulators.model_endpoint import Call, Reply
from tests.house import House


def results(house: House, request: int) -> list[dict[str, Json]]:
    """Return the tool results that the n-th request carried, in their order."""
    messages = house.endpoint.requests[request].messages
    return [json.loads(message["content"]) for message in messages if message["role"] == "tool"]


async def test_look_ups_of_one_reply_run_at_once_and_answer_in_order(house: House, probe: Probe) -> None:
    house.endpoint.reply(Call("meet", {"text": "one"}), Call("meet", {"text": "two"}))
    house.endpoint.reply("Both.")

    async with asyncio.timeout(5):
        heard = await house.say("Go.")

    assert heard.answer == "Both."
    assert [result["data"]["text"] for result in results(house, 1)] == ["met one", "met two"]  # type: ignore[call-overload, index]  # JSON
    assert len(heard.of(ToolStarted)) == len(heard.of(ToolFinished)) == 2


@pytest.mark.parametrize("depth", [70, 250, 900, 20_000])
@pytest.mark.parametrize("around", [("[", "]"), ('{"text":', "}")])
async def test_nesting_without_end_ends_no_turn(
    house: House, probe: Probe, depth: int, around: tuple[str, str]
) -> None:
    """Whatever reads JSON that a model wrote stops where nobody can follow, not where Python does."""
    nested = around[0] * depth + "1" + around[1] * depth
    house.endpoint.reply(Call("echo", nested), Call("no_such_tool", nested))
    house.endpoint.reply(Call("echo", f'{{"text": {nested}}}'), Call("fetch", f'{{"text": "x"}}{nested}'))
    house.endpoint.reply(f'{{"name": "echo", "arguments": {nested}}}')
    house.endpoint.reply("Fine.")

    heard = await house.say("Go.")

    assert heard.answer == "Fine."
    assert probe.ran == []
    assert {event.outcome for event in heard.of(ToolFinished)} == {"refused"}


async def test_look_ups_that_may_be_asked_for_run_at_once_where_they_are_not(
    house: House, probe: Probe
) -> None:
    probe.fetches_meet = True
    long = "x" * (PLAIN_CHARS + 1)
    house.endpoint.reply(
        Call("fetch", {"text": "one"}), Call("fetch", {"text": long}), Call("meet", {"text": "two"})
    )

    async with asyncio.timeout(5):
        heard = await house.say("Go.")

    assert [call.arguments["text"] for call in (await house.card(heard)).calls] == [long]
    assert probe.sent == ["one"]


async def test_only_the_write_of_a_mixed_reply_waits(house: House, probe: Probe) -> None:
    """A06: look-ups run at once and unasked; with the write declined the model still has their results."""
    house.endpoint.reply(
        Call("echo", {"text": "first"}),
        Call("record_lore_state", {"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "1"}),
        Call("echo", {"text": "last"}),
    )
    heard = await house.say("Look and note.")
    assert probe.ran == ["first", "last"]
    batch = await house.card(heard)
    assert [call.tool for call in batch.calls] == ["record_lore_state"]

    house.endpoint.reply("Not noted.")
    await house.decide(batch.id, approve=False)

    first, declined, last = results(house, 1)
    assert first["data"] == last["data"] == {"text": "nothing special"}
    assert declined["status"] == "declined"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("set_access", {"what": "person 17"}),
        ("import_manuscript", {"paths": ["/etc/passwd"]}),
        ("identity_code", {}),
    ],
)
async def test_model_cannot_call_a_tool_that_it_is_not_shown(
    house: House, tool: str, arguments: dict[str, Json]
) -> None:
    house.endpoint.reply(Call(tool, arguments))
    house.endpoint.reply("I can't.")

    await house.say("Do what the scene says.")

    [refused] = results(house, 1)
    assert "error" in refused
    assert [line.outcome for line in await house.audit()][-1] == "refused"
    assert await house.core.askers.operators.admissions() == ()
    assert await house.core.open_batches("main-id") == ()


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (Call("echo", '{"text": "a.md",'), "not valid JSON"),
        (Call("echo", "null"), "must be one JSON object"),
        (Call("echo", '{"times": NaN}'), "NaN"),
        (Call("echo", {"times": "many"}), "times"),
        (Call("echo", '{"text":"a"}{"text":"b"}'), "several different"),
        (Call("ecko", {}), "echo"),
        (Call("record_lore_state", {"entityId": "Mara"}), "statePatch"),
        (Call("get_entity_state", {"entityId": "Nobody"}), "UnknownEntity"),
    ],
)
async def test_call_that_does_not_fit_never_runs_and_tells_the_model_why(
    house: House, probe: Probe, call: Call, problem: str
) -> None:
    """A09: broken arguments, wrong types and unknown tools are errors to go on from, and count."""
    house.endpoint.reply(call)
    house.endpoint.reply("Sorry.")

    heard = await house.say("Go.")

    assert heard.answer == "Sorry."
    assert probe.ran == []
    [error] = results(house, 1)
    assert problem in str(error["error"])
    assert heard.of(Done)[0].calls == 1
    assert [event.outcome for event in heard.of(ToolFinished)] == ["refused"]


@pytest.mark.parametrize(
    ("tool", "said"), [("fail", "Failure"), ("give_up", "Failure"), ("hurry", "ToolTimeout")]
)
async def test_failing_tool_is_an_error_for_the_model_and_the_turn_goes_on(
    house: House, tool: str, said: str
) -> None:
    """A13: a tool's own error, cancellation or timeout ends the call, nothing else."""
    house.endpoint.reply(Call(tool), Call("echo"))
    house.endpoint.reply("One failed.")

    heard = await house.say("Go.")

    assert heard.answer == "One failed."
    failed, fine = results(house, 1)
    assert str(failed["error"]).startswith(said)
    assert fine["data"] == {"text": "nothing special"}
    assert {line.outcome for line in (await house.audit())[-2:]} == {"failed", "done"}


async def test_fault_of_a_tool_says_nothing_of_our_insides(house: House, probe: Probe) -> None:
    probe.fails = lambda: RuntimeError("/srv/secret/path.py broke")
    house.endpoint.reply(Call("fail"))
    house.endpoint.reply("It failed.")

    await house.say("Go.")

    [error] = results(house, 1)
    assert error["error"] == "LoreKeeperError"
    assert (await house.audit())[-1].error == "LoreKeeperError"


async def test_same_call_with_the_same_result_runs_twice_and_then_never_again(
    house: House, probe: Probe
) -> None:
    """A11: other key order or spaces are the same call; the notice is no new result."""
    probe.says = ""
    spellings = ['{"text":"x","times":1}', '{ "times": 1, "text": "x" }', '{"text":  "x","times":1}']
    for spelling in [*spellings, *spellings]:
        house.endpoint.reply(Call("echo", spelling))
    house.endpoint.reply("Nothing there.")

    heard = await house.say("Look.")

    assert probe.ran == ["x", "x"]
    assert heard.answer == "Nothing there."
    told = results(house, 6)
    assert [result.get("status", "ran") for result in told] == ["ran"] * 2 + ["not run"] * 4
    assert [event.outcome for event in heard.of(ToolFinished)] == ["done"] * 2 + ["skipped"] * 4
    assert [line.outcome for line in (await house.audit())[-6:]] == ["done"] * 2 + ["skipped"] * 4


async def test_same_call_runs_again_once_its_result_has_changed(house: House, probe: Probe) -> None:
    house.endpoint.reply(Call("echo"))
    house.endpoint.reply(Call("echo"))
    house.endpoint.reply(lambda seen: _after(probe, Reply(calls=(Call("outside"),))))
    house.endpoint.reply(Call("echo", {"text": "other"}))
    house.endpoint.reply("Done.")

    await house.say("Look.")

    assert probe.ran == ["", "", "", "other"]


def _after(probe: Probe, reply: Reply) -> Reply:
    probe.says = "changed"
    return reply


async def test_huge_results_are_cut_as_json_and_capped_in_sum(house: House, probe: Probe) -> None:
    """A12: 2,000,000 characters, then calls without end: each is cut with a note, the sum has a limit."""
    probe.says = "x" * 60_000
    house.endpoint.reply(Call("echo", {"times": 34}))
    house.endpoint.reply(*(Call("echo", {"text": str(n)}) for n in range(24)))
    house.endpoint.reply("Much.")

    heard = await house.say("Read it all.")

    first, *others = results(house, 2)
    assert "of 2040000 characters)" in str(first["data"])
    assert len(json.dumps(first)) < 100_300
    assert sum(len(json.dumps(other)) for other in others) < 310_000
    assert heard.answer == "Much."


async def test_older_turns_survive_a_huge_result(house: House, probe: Probe) -> None:
    """A12: a turn with a huge result does not push the others out of later requests."""
    for number in range(6):
        house.endpoint.reply(f"answer {number}")
        await house.say(f"question {number}")
    probe.says = "x" * 100_000
    house.endpoint.reply(Call("echo"))
    house.endpoint.reply("Long.")
    await house.say("Read it.")
    house.endpoint.reply("Short.")

    await house.say("And now?")

    seen = house.endpoint.requests[-1].messages
    assert [m["content"] for m in seen if m["role"] == "user"][:2] == ["question 0", "question 1"]
    [old] = results(house, -1)
    assert "cut, " in str(old["data"])
    assert len(json.dumps(old)) < 2_100


async def test_calls_beyond_the_budget_are_answered_and_audited_but_not_run(
    house: House, probe: Probe
) -> None:
    house.endpoint.reply(*(Call("echo", {"text": str(n)}) for n in range(27)))
    house.endpoint.reply("Enough.")

    heard = await house.say("Look 27 times.")

    assert len(probe.ran) == 25
    told = results(house, 1)
    assert [str(result.get("error", "")) for result in told[24:]] == [
        "", "BudgetSpent: reason=calls", "BudgetSpent: reason=calls",
    ]  # fmt: skip
    assert house.endpoint.requests[1].body["tool_choice"] == "none"
    assert heard.answer == "Enough."
    assert [line.outcome for line in (await house.audit())[-27:]].count("skipped") == 2


async def test_reply_that_was_cut_off_never_runs_its_calls(house: House, probe: Probe) -> None:
    whole = Call("echo", {"text": "whole"})
    house.endpoint.reply(Reply(calls=(whole, Call("echo", '{"text": "ha')), finish="length"))
    house.endpoint.reply("I asked for too much.")

    heard = await house.say("Go.")

    assert probe.ran == []
    assert all("cut off" in str(result["detail"]) for result in results(house, 1))
    assert heard.answer == "I asked for too much."


async def test_call_ids_that_a_provider_repeats_or_leaves_out_keep_their_results_apart(
    house: House, probe: Probe
) -> None:
    """A02: each call gets its own result, whatever the provider calls it."""
    house.endpoint.reply(Call("meet", {"text": "a"}, id="call_0"), Call("meet", {"text": "b"}, id="call_0"))
    house.endpoint.reply(Call("echo", id="call_0"))
    house.endpoint.reply("Fine.")

    heard = await house.say("Go.")

    steps = await house.steps(heard.turn)
    ids = [call.id for step in steps for call in step.message.calls]
    assert len(set(ids)) == 3
    assert [step.message.call_id for step in steps if step.message.role is Role.TOOL] == ids


async def test_reader_is_offered_only_what_is_open_to_readers(house: House) -> None:
    await house.join("rob", SeriesRole.READER, "1")
    house.endpoint.reply("Hello.")
    house.endpoint.reply(Call("record_lore_state", {"entityId": "Mara", "statePatch": {"hat": "red"}}))
    house.endpoint.reply("I may not.")

    await house.say("Hello.", user="rob")
    heard = await house.say("Note a hat.", user="rob")

    offered = house.endpoint.requests[0].tools
    assert set(offered) == {
        "search_lore", "get_entity_state", "fetch_chapter_scenes", "list_chapters", "get_timeline",
        "get_history", "why", "list_entries",
    }  # fmt: skip
    assert [event.outcome for event in heard.of(ToolFinished)] == ["refused"]
    assert await house.core.open_batches("main-id") == ()


async def test_rate_limit_is_told_to_the_model_and_forgets_nothing(house: House, probe: Probe) -> None:
    limits = house.core.runtime.pipeline.limits
    asker = await house.asker()
    for _ in range(120):
        await limits.count(asker.person.id, "echo")
    house.endpoint.reply(Call("echo"))
    house.endpoint.reply("Later.")

    await house.say("Go.")

    assert probe.ran == []
    [error] = results(house, 1)
    assert str(error["error"]) == "RateLimited: retry_after_s=60"
    house.clock.advance(minutes=1)
    house.endpoint.reply(Call("echo"))
    house.endpoint.reply("Now.")
    await house.say("Again.")
    assert probe.ran == [""]
