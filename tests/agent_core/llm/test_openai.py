import asyncio
import json
from dataclasses import replace

import httpx
import pytest
from pydantic import SecretStr

from agent_core.errors import ModelCause, ModelFailure
from agent_core.llm.openai import CallLimits, Endpoint, OpenAIChatModel, random_call_id
from agent_core.messages import (
    ChatMessage,
    Finish,
    Json,
    ModelReply,
    ModelRequest,
    Role,
    ToolCall,
    ToolSchema,
    Usage,
)
from tests.agent_core.llm.conftest import Talk
from tests.emulators.model_endpoint import DROP, Call, ModelEndpoint, Raw, Reply, sse
from tests.emulators.model_replies import chunk, error_body

LOOKUP = ToolSchema("lookup", "Looks up.", {"type": "object", "properties": {"name": {"type": "string"}}})
USER = ChatMessage(Role.USER, "Who is Mara?")
QUESTION = ModelRequest(messages=(USER,), tools=(LOOKUP,))


def after(reply: ModelReply, *results: str, provider: str = "scripted") -> ModelRequest:
    """The request that follows `reply`, with a result for each of its calls."""
    said = ChatMessage(Role.ASSISTANT, reply.text, reply.calls, raw=reply.raw, provider=provider)
    answers = [
        ChatMessage(Role.TOOL, text, call_id=call.id) for call, text in zip(reply.calls, results, strict=True)
    ]
    return ModelRequest(messages=(USER, said, *answers), tools=(LOOKUP,))


async def test_text_streams_and_comes_back_whole(talk: Talk) -> None:
    talk.endpoint.reply(Reply(text="Mara has grey eyes.", piece=5))

    reply = await talk.ask(QUESTION)

    assert talk.deltas == ["Mara ", "has g", "rey e", "yes."]
    assert (reply.text, reply.finish, reply.usage) == ("Mara has grey eyes.", Finish.STOP, Usage(11, 7))
    assert reply.calls == ()


async def test_request_carries_what_was_asked(talk: Talk) -> None:
    talk.endpoint.reply("x")

    await talk.ask(ModelRequest((ChatMessage(Role.SYSTEM, "Be brief."), USER), (LOOKUP,), "none", 0.1, 99))

    assert talk.endpoint.requests[0].body == {
        "model": "scripted",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Who is Mara?"},
        ],
        "temperature": 0.1,
        "max_tokens": 99,
        "stream": True,
        "stream_options": {"include_usage": True},
        "tool_choice": "none",
        "tools": [
            {
                "type": "function",
                "function": {"name": "lookup", "description": "Looks up.", "parameters": LOOKUP.parameters},
            }
        ],
    }
    assert talk.endpoint.requests[0].headers["authorization"] == "Bearer key-1"


async def test_plain_question_sends_no_tools(talk: Talk) -> None:
    talk.endpoint.reply("x")

    await talk.ask(ModelRequest(messages=(USER,), tool_choice="none"))

    assert {"tools", "tool_choice"} & talk.endpoint.requests[0].body.keys() == set()


async def test_each_tool_set_goes_out_as_itself(talk: Talk) -> None:
    other = ToolSchema("other", "Does else.", LOOKUP.parameters)
    for _ in range(4):
        talk.endpoint.reply("x")

    await talk.ask(ModelRequest((USER,), (LOOKUP,)))
    await talk.ask(ModelRequest((USER,), (LOOKUP, other)))
    await talk.ask(ModelRequest((USER,), (other,)))
    await talk.ask(ModelRequest((USER,), (ToolSchema("lookup", "Looks up.", dict(LOOKUP.parameters)),)))

    sent = [request.tools for request in talk.endpoint.requests]
    assert sent == [["lookup"], ["lookup", "other"], ["other"], ["lookup"]]


async def test_connection_is_used_again(talk: Talk) -> None:
    talk.endpoint.reply("one")
    talk.endpoint.reply(Raw(400, error_body("no")))
    talk.endpoint.reply("two")

    await talk.ask(QUESTION)
    with pytest.raises(ModelFailure):
        await talk.ask(QUESTION)
    await talk.ask(QUESTION)

    assert len({request.peer for request in talk.endpoint.requests}) == 1


# Calls and their replay


async def test_calls_and_their_results_go_back_as_the_provider_wrote_them(talk: Talk) -> None:
    """Thought signatures, reasoning and unknown fields reach the provider that made them."""
    signed: Json = {"google": {"thought_signature": "U0lH"}}
    call: Json = {
        "id": "call_7__thought__U0lH",
        "type": "function",
        "function": {"name": "lookup", "arguments": '{"name":"Mara"}'},
        "extra_content": signed,
    }
    talk.endpoint.reply(
        sse(
            chunk({"role": "assistant", "reasoning_content": "Look "}),
            chunk({"reasoning_content": "up."}),
            chunk({"content": None, "tool_calls": [call]}),
            chunk({"provider_specific_fields": {"thought_signatures": ["U0lH"]}}, "tool_calls"),
            "data: [DONE]",
        )
    )
    talk.endpoint.reply("Grey.")

    reply = await talk.ask(QUESTION)
    await talk.ask(after(reply, "eyes: grey"))

    assert talk.endpoint.requests[1].messages[1:] == [
        {
            "role": "assistant",
            "content": "",
            "reasoning_content": "Look up.",
            "provider_specific_fields": {"thought_signatures": ["U0lH"]},
            "tool_calls": [call],
        },
        {"role": "tool", "tool_call_id": "call_7__thought__U0lH", "content": "eyes: grey"},
    ]


async def test_another_provider_gets_the_bare_message(talk: Talk) -> None:
    talk.endpoint.reply(Reply(calls=(Call("lookup", {"name": "M"}),), fields={"reasoning_content": "secret"}))
    talk.endpoint.reply("Grey.")

    reply = await talk.ask(QUESTION)
    await talk.ask(after(reply, "eyes: grey", provider="another"))

    inner = {"name": "lookup", "arguments": '{"name": "M"}'}
    assert talk.endpoint.requests[1].messages[1] == {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "call_0001", "type": "function", "function": inner}],
    }


async def test_history_that_was_edited_does_not_come_back_from_raw(talk: Talk) -> None:
    talk.endpoint.reply(Reply(text="Old text.", calls=(Call("lookup"),), fields={"reasoning_content": "r"}))
    for _ in range(3):
        talk.endpoint.reply("x")
    reply = await talk.ask(QUESTION)

    shortened = ChatMessage(Role.ASSISTANT, "New text.", reply.calls, raw=reply.raw, provider="scripted")
    bare = ChatMessage(Role.ASSISTANT, "New text.", raw=reply.raw, provider="scripted")
    renamed = ChatMessage(
        Role.ASSISTANT, "New text.", (ToolCall("mine", "lookup", "{}"),), raw=reply.raw, provider="scripted"
    )
    result = ChatMessage(Role.TOOL, "r", call_id="call_0001")
    await talk.ask(ModelRequest((USER, shortened, result), (LOOKUP,)))
    await talk.ask(ModelRequest((USER, bare, USER), (LOOKUP,)))
    await talk.ask(ModelRequest((USER, renamed, replace(result, call_id="mine")), (LOOKUP,)))

    one, two, three = (request.messages[1] for request in talk.endpoint.requests[1:])
    assert (one["content"], one["reasoning_content"]) == ("New text.", "r")
    assert two == {"role": "assistant", "content": "New text."}
    assert [call["id"] for call in three["tool_calls"]] == ["mine"]


async def test_ids_that_repeat_within_a_turn_are_replaced(talk: Talk) -> None:
    """A02: the provider numbers the calls of each reply from nought."""
    for _ in range(2):
        talk.endpoint.reply(Call("lookup", {}, "call_0"), Call("lookup", {}, "call_0"))
    talk.endpoint.reply("Done.")

    first = await talk.ask(QUESTION)
    one = after(first, "a", "b")
    second = await talk.ask(one)
    two = after(second, "c", "d")
    await talk.ask(ModelRequest((*one.messages, *two.messages[1:]), (LOOKUP,)))

    assert [call.id for call in (*first.calls, *second.calls)] == [
        "call_0",
        "fresh0001",
        "fresh0002",
        "fresh0003",
    ]


async def test_custom_call_goes_back_as_a_function(talk: Talk) -> None:
    """We declare none, and no other provider would take one."""
    entry: Json = {"id": "a", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    talk.endpoint.reply(sse(chunk({"tool_calls": [entry]}, "tool_calls")))
    talk.endpoint.reply("x")

    reply = await talk.ask(QUESTION)
    await talk.ask(after(reply, "unknown tool"))

    inner = {"name": "sql", "arguments": "{}"}
    assert talk.endpoint.requests[1].messages[1]["tool_calls"] == [
        {"id": "a", "type": "function", "function": inner}
    ]


@pytest.mark.parametrize("provider", ["scripted", "another"])
@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"path": "a.md",', "{}"),
        ("", "{}"),
        ("null", "{}"),
        ("[1]", "{}"),
        ('"text"', "{}"),
        ('{"n": NaN}', "{}"),
        ('{"x":3}{"x":3}', '{"x":3}'),
        ('{"x": 3} ', '{"x": 3} '),
    ],
)
async def test_broken_arguments_do_not_get_the_history_refused(
    provider: str, arguments: str, sent: str, talk: Talk
) -> None:
    """A09: the call comes back as it was sent, but what goes into the next request is JSON."""
    talk.endpoint.reply(Call("lookup", arguments))
    talk.endpoint.reply("Sorry.")

    reply = await talk.ask(QUESTION)
    await talk.ask(after(reply, "broken JSON", provider=provider))

    assert reply.calls[0].arguments == arguments
    assert talk.endpoint.requests[1].messages[1]["tool_calls"][0]["function"]["arguments"] == sent


@pytest.mark.parametrize(
    ("name", "sent"), [("lore.lookup", "lore_lookup"), ("", "unknown"), ("x" * 70, "x" * 64)]
)
async def test_invented_names_do_not_get_the_history_refused(name: str, sent: str, talk: Talk) -> None:
    talk.endpoint.reply(Call(name, {"name": "Mara"}))
    talk.endpoint.reply("Sorry.")

    reply = await talk.ask(QUESTION)
    await talk.ask(after(reply, "unknown tool"))

    assert reply.calls[0].name == name
    assert talk.endpoint.requests[1].messages[1]["tool_calls"][0]["function"]["name"] == sent


async def test_lone_halves_of_emoji_in_the_history_are_mended(talk: Talk) -> None:
    """C02."""
    talk.endpoint.reply("x")

    await talk.ask(ModelRequest((ChatMessage(Role.USER, "a\ud83c\udfa9b\ud83c"),)))

    assert talk.endpoint.requests[0].messages[0]["content"] == "a\U0001f3a9b\ufffd"


async def test_halves_of_an_emoji_in_two_deltas_are_joined(talk: Talk) -> None:
    """C02."""
    talk.endpoint.reply(
        sse(
            chunk({"content": "a" * 4095}),
            'data: {"choices":[{"delta":{"content":"\\ud83c"}}]}',
            'data: {"choices":[{"delta":{"content":"\\udfa9"}}]}',
            chunk({}, "stop"),
        )
    )

    reply = await talk.ask(QUESTION)

    assert reply.text == "a" * 4095 + "\U0001f3a9"
    assert talk.deltas == ["a" * 4095, "\U0001f3a9"]


def test_invented_ids_have_nine_letters_and_digits() -> None:
    """Mistral takes no other."""
    ids = {random_call_id() for _ in range(50)}

    assert len(ids) == 50
    assert all(len(id_) == 9 and id_.isascii() and id_.isalnum() for id_ in ids)


# Odd endpoints


async def test_done_without_finish_reason_is_a_whole_reply(talk: Talk) -> None:
    talk.endpoint.reply(sse(chunk({"content": "Grey."}), "data: [DONE]"))

    assert (await talk.ask(QUESTION)).text == "Grey."


async def test_stream_without_a_last_line_end_is_a_whole_reply(talk: Talk) -> None:
    stream = sse(chunk({"content": "Grey."}), "data: [DONE]")
    talk.endpoint.reply(replace(stream, body=stream.body.rstrip()))

    assert (await talk.ask(QUESTION)).text == "Grey."


async def test_what_follows_done_is_not_read(talk: Talk) -> None:
    talk.endpoint.reply(sse(chunk({"content": "Grey."}), "data: [DONE]", chunk({"content": "Blue."})))

    assert (await talk.ask(QUESTION)).text == "Grey."


async def test_finish_reason_without_done_is_a_whole_reply(talk: Talk) -> None:
    talk.endpoint.reply(sse(": OPENROUTER PROCESSING", chunk({"content": "Grey."}), chunk({}, "stop")))

    assert (await talk.ask(QUESTION)).text == "Grey."


async def test_endpoint_that_never_streams_is_understood(talk: Talk) -> None:
    message = {"role": "assistant", "content": "Grey.", "refusal": None}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "length"}]}
    talk.endpoint.reply(Raw(200, body))

    reply = await talk.ask(QUESTION)

    assert (reply.text, reply.finish, talk.deltas) == ("Grey.", Finish.LENGTH, ["Grey."])


@pytest.mark.parametrize("limits", [CallLimits(reply_chars=50)])
@pytest.mark.parametrize("way", ["content", "reasoning_content", "tool_calls"])
async def test_reply_that_never_ends_is_cut(way: str, talk: Talk) -> None:
    """The stream goes on until the client hangs up."""
    call = [{"index": 0, "id": "c1", "function": {"name": "lookup", "arguments": "word " * 11}}]
    said = {way: call if way == "tool_calls" else "word " * 11}
    talk.endpoint.reply(sse(*[chunk(said), chunk({"content": "later"})] * 3))

    reply = await talk.ask(QUESTION)

    assert reply.finish is Finish.LENGTH
    assert "later" not in reply.text
    assert reply.calls == ()
    assert reply.text == "".join(talk.deltas) == ("word " * 10 if way == "content" else "")


@pytest.mark.parametrize("limits", [CallLimits(response_bytes=500)])
@pytest.mark.parametrize("headers", [{"content-type": "text/event-stream"}, {}])
async def test_response_that_no_reply_is_so_long_as_is_none(headers: dict[str, str], talk: Talk) -> None:
    for _ in range(3):
        talk.endpoint.reply(Raw(200, "data: " + "x" * 1000, headers))

    with pytest.raises(ModelFailure) as caught:
        await talk.ask(QUESTION)

    assert caught.value.cause is ModelCause.UNAVAILABLE


async def test_filtered_reply_keeps_the_text_that_came(talk: Talk) -> None:
    talk.endpoint.reply(Reply(text="The knife", finish="content_filter"))

    reply = await talk.ask(QUESTION)

    assert (reply.text, reply.finish) == ("The knife", Finish.FILTER)


async def test_refusal_is_shown_as_text(talk: Talk) -> None:
    talk.endpoint.reply(Reply(fields={"refusal": "I can't write this."}, finish="content_filter"))

    reply = await talk.ask(QUESTION)

    assert (reply.text, reply.finish) == ("I can't write this.", Finish.FILTER)
    assert talk.deltas == ["I can't write this."]


@pytest.mark.parametrize(
    ("refusal", "gone", "instead"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            "max_tokens",
            {"max_completion_tokens": 8192},
        ),
        (
            "Unsupported value: 'temperature' does not support 0.3 with this model. "
            "Only the default (1) value is supported.",
            "temperature",
            {},
        ),
        ("stream_options: Extra inputs are not permitted", "stream_options", {}),
        ("Your organization must be verified to stream this model.", "stream", {}),
    ],
)
async def test_parameter_that_is_refused_is_left_out_from_then_on(
    refusal: str, gone: str, instead: dict[str, int], talk: Talk
) -> None:
    talk.endpoint.reply(Raw(400, error_body(refusal)))
    talk.endpoint.reply("one")
    talk.endpoint.reply("two")

    replies = [await talk.ask(QUESTION), await talk.ask(QUESTION)]

    assert [reply.text for reply in replies] == ["one", "two"]
    assert [gone in request.body for request in talk.endpoint.requests] == [True, False, False]
    assert instead.items() <= talk.endpoint.requests[2].body.items()
    assert talk.slept == []


async def test_endless_refusals_end(talk: Talk) -> None:
    names = "stream_options max_tokens max_completion_tokens temperature stream"
    for _ in range(6):
        talk.endpoint.reply(Raw(400, error_body(f"unsupported: {names}")))

    with pytest.raises(ModelFailure) as caught:
        await talk.ask(QUESTION)

    assert caught.value.cause is ModelCause.BAD_REQUEST


# Trying again


async def test_trouble_that_passes_is_tried_again_with_growing_waits(talk: Talk) -> None:
    talk.endpoint.reply(DROP)
    talk.endpoint.reply(Raw(503, "<html>"))
    talk.endpoint.reply("Grey.")

    reply = await talk.ask(QUESTION)

    assert (reply.text, talk.slept) == ("Grey.", [0.5, 1.0])


async def test_wait_that_the_endpoint_asks_for_is_kept(talk: Talk) -> None:
    talk.endpoint.reply(Raw(429, error_body("slow down"), {"llm_provider-retry-after": "7"}))
    talk.endpoint.reply("Grey.")

    await talk.ask(QUESTION)

    assert talk.slept == [7.0]


async def test_third_failure_is_the_last(talk: Talk) -> None:
    for _ in range(3):
        talk.endpoint.reply(DROP)

    with pytest.raises(ModelFailure) as caught:
        await talk.ask(QUESTION)

    assert caught.value.cause is ModelCause.UNAVAILABLE
    assert len(talk.slept) == 2


async def test_long_wait_is_told_instead_of_waited_out(talk: Talk) -> None:
    talk.endpoint.reply(Raw(429, error_body("slow down"), {"retry-after": "3600"}))

    with pytest.raises(ModelFailure) as caught:
        await talk.ask(QUESTION)

    assert caught.value.facts["retry_after_s"] == 3600.0
    assert talk.slept == []


@pytest.mark.parametrize("status", [401, 402, 403, 404, 413, 422])
async def test_trouble_that_stays_is_not_tried_again(status: int, talk: Talk) -> None:
    talk.endpoint.reply(Raw(status, error_body("no")))

    with pytest.raises(ModelFailure):
        await talk.ask(QUESTION)

    assert talk.slept == []


@pytest.mark.parametrize("cut", [1, 3])
async def test_stream_cut_before_any_text_is_tried_again(cut: int, talk: Talk) -> None:
    talk.endpoint.reply(Reply(calls=(Call("lookup", {"name": "Mara"}),), cut=cut))
    talk.endpoint.reply(Call("lookup", {"name": "Mara"}))

    reply = await talk.ask(QUESTION)

    assert reply.calls == (ToolCall("call_0002", "lookup", '{"name": "Mara"}'),)


@pytest.mark.parametrize(
    "broken",
    [
        Reply(text="Mara has grey eyes.", piece=5, cut=3),
        sse(chunk({"content": "Mara "}), chunk({"content": "has g"}), cut=True),
        sse(chunk({"content": "Mara "}), chunk({"content": "has g"})),
        sse(chunk({"content": "Mara "}), chunk({"content": "has g"}), {"error": {"code": 503}}),
    ],
)
async def test_text_that_went_out_is_not_said_twice(broken: Reply | Raw, talk: Talk) -> None:
    talk.endpoint.reply(broken)

    with pytest.raises(ModelFailure) as caught:
        await talk.ask(QUESTION)

    assert caught.value.cause is ModelCause.UNAVAILABLE
    assert talk.deltas == ["Mara ", "has g"]
    assert talk.slept == []


# Time and cancelling


@pytest.mark.parametrize("limits", [CallLimits(deadline_s=0.1)])
async def test_deadline_ends_a_call_and_its_request(talk: Talk) -> None:
    talk.endpoint.reply(Reply(text="Never", hold=0))

    with pytest.raises(ModelFailure) as caught:
        await talk.ask(QUESTION)

    assert caught.value.cause is ModelCause.TIMEOUT
    await within(talk.endpoint.hung_up.wait())


@pytest.mark.parametrize("limits", [CallLimits(deadline_s=5)])
async def test_wait_beyond_the_deadline_is_not_begun(talk: Talk) -> None:
    talk.endpoint.reply(Raw(429, error_body("slow down"), {"retry-after": "6"}))

    with pytest.raises(ModelFailure) as caught:
        await talk.ask(QUESTION)

    assert caught.value.cause is ModelCause.RATE
    assert talk.slept == []


@pytest.mark.parametrize("limits", [CallLimits(idle_s=0.3)])
async def test_silence_is_a_time_out_and_tried_again(talk: Talk) -> None:
    talk.endpoint.reply(Reply(text="Never", hold=0))
    talk.endpoint.reply(Reply(calls=(Call("lookup"),), hold=2))
    talk.endpoint.reply("Grey.")

    assert (await talk.ask(QUESTION)).text == "Grey."
    assert talk.slept == [0.5, 1.0]


@pytest.mark.parametrize("limits", [CallLimits(at_once=1)])
async def test_calls_beyond_the_cap_wait(talk: Talk) -> None:
    talk.endpoint.reply(Reply(text="one", hold=0))
    talk.endpoint.reply("two")
    async with asyncio.TaskGroup() as tasks:
        for _ in range(2):
            tasks.create_task(talk.ask(QUESTION))
        await talk.endpoint.received(1)
        async with httpx.AsyncClient() as client:
            for _ in range(5):  # time enough for a second request, were it not held back
                await client.get(talk.endpoint.url.replace("/v1", "/seen"))
        so_far = len(talk.endpoint.requests)
        talk.endpoint.release()

    assert so_far == 1
    assert len(talk.endpoint.requests) == 2


async def test_pause_between_tries_leaves_the_place_to_others(endpoint: ModelEndpoint) -> None:
    pausing, resume = asyncio.Event(), asyncio.Event()

    async def sleep(_: float) -> None:
        pausing.set()
        await resume.wait()

    endpoint.reply(DROP)
    endpoint.reply("two")
    endpoint.reply("one")
    where = Endpoint(endpoint.url, "scripted")
    async with OpenAIChatModel(where, limits=CallLimits(at_once=1), sleep=sleep) as model:
        first = asyncio.ensure_future(model.complete(QUESTION, ignore))
        await within(pausing.wait())
        second = await model.complete(QUESTION, ignore)
        resume.set()

        assert (second.text, (await first).text) == ("two", "one")


async def test_cancelled_call_leaves_no_request_running(talk: Talk) -> None:
    talk.endpoint.reply(Reply(text="Mara has grey eyes.", hold=2))
    talk.endpoint.reply("Still here.")
    asking = asyncio.ensure_future(talk.ask(QUESTION))
    await talk.endpoint.received(1)

    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    await within(talk.endpoint.hung_up.wait())
    assert (await talk.ask(QUESTION)).text == "Still here."


@pytest.mark.parametrize(
    "error", [RuntimeError("no surface"), TimeoutError("slow surface"), httpx.ReadError("?")]
)
async def test_trouble_of_the_listener_is_not_taken_for_the_models(error: Exception, talk: Talk) -> None:
    async def hear(_: str) -> None:
        raise error

    talk.endpoint.reply("Mara has grey eyes.")

    with pytest.raises(type(error)) as caught:
        await talk.model.complete(QUESTION, hear)

    assert caught.value is error


# Keys and the environment


async def test_environment_goes_to_no_endpoint(
    monkeypatch: pytest.MonkeyPatch, endpoint: ModelEndpoint
) -> None:
    for name in ("API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "BASE_URL"):
        monkeypatch.setenv(f"OPENAI_{name}", "https://from-the-environment.example")
    endpoint.reply("x")

    async with OpenAIChatModel(Endpoint(endpoint.url, "scripted")) as model:
        await model.complete(QUESTION, ignore)

    assert "from-the-environment" not in json.dumps(dict(endpoint.requests[0].headers))
    assert endpoint.requests[0].headers["authorization"] == "Bearer none"


async def test_white_space_around_a_key_is_dropped(endpoint: ModelEndpoint) -> None:
    endpoint.reply("x")

    async with OpenAIChatModel(Endpoint(endpoint.url, "scripted", SecretStr(" key-2\n"))) as model:
        await model.complete(QUESTION, ignore)

    assert endpoint.requests[0].headers["authorization"] == "Bearer key-2"


async def test_key_that_no_header_carries_is_a_bad_key(endpoint: ModelEndpoint) -> None:
    async with OpenAIChatModel(Endpoint(endpoint.url, "scripted", SecretStr("“key”"))) as model:
        with pytest.raises(ModelFailure) as caught:
            await model.complete(QUESTION, ignore)

    assert caught.value.cause is ModelCause.AUTH


async def test_dead_address_is_unavailable() -> None:
    async with ModelEndpoint() as endpoint:
        url = endpoint.url

    async with OpenAIChatModel(Endpoint(url, "scripted"), limits=CallLimits(attempts=1)) as model:
        with pytest.raises(ModelFailure) as caught:
            await model.complete(QUESTION, ignore)

    assert caught.value.cause is ModelCause.UNAVAILABLE


def test_model_is_named_after_itself_and_needs_no_label(talk: Talk) -> None:
    assert (talk.model.name, talk.model.label) == ("scripted", "")


def test_key_is_not_shown() -> None:
    assert "key-1" not in repr(Endpoint("http://x", "m", SecretStr("key-1")))


async def ignore(_: str) -> None:
    pass


async def within(waiting: object) -> None:
    async with asyncio.timeout(5):
        await waiting  # type: ignore[misc]  # any awaitable
