"""What a proxy makes of the replies of an OpenAI-shaped model behind it, and what we read out of that."""

import asyncio

import pytest

from agent_core.errors import ModelCause, ModelFailure
from agent_core.messages import ChatMessage, Finish, Json, ModelReply, ModelRequest, Role, ToolSchema, Usage
from tests.emulators.model_endpoint import DROP, Call, ModelEndpoint, Raw, Reply, Scripted, sse
from tests.emulators.model_replies import chunk, error_body
from tests.litellm.conftest import Opener

pytestmark = pytest.mark.litellm

LOOKUP = ToolSchema("lookup", "Looks up.", {"type": "object", "properties": {"name": {"type": "string"}}})
USER = ChatMessage(Role.USER, "Who is Mara?")
QUESTION = ModelRequest(messages=(USER,), tools=(LOOKUP,))


def after(reply: ModelReply, *results: str, provider: str) -> ModelRequest:
    """The request that follows `reply`, with a result for each of its calls."""
    said = ChatMessage(Role.ASSISTANT, reply.text, reply.calls, raw=reply.raw, provider=provider)
    answers = [
        ChatMessage(Role.TOOL, text, call_id=call.id) for call, text in zip(reply.calls, results, strict=True)
    ]
    return ModelRequest(messages=(USER, said, *answers), tools=(LOOKUP,))


async def test_text_streams_through(talk_to: Opener, endpoint: ModelEndpoint) -> None:
    talk = await talk_to("stub/scripted")
    endpoint.reply(Reply(text="Mara has grey eyes.", piece=5))

    reply = await talk.ask(QUESTION)

    assert "".join(talk.deltas) == reply.text == "Mara has grey eyes."
    assert len(talk.deltas) > 1
    assert (reply.finish, reply.usage) == (Finish.STOP, Usage(11, 7))


async def test_answer_of_a_model_that_the_proxy_mocks_is_read(talk_to: Opener) -> None:
    assert (await (await talk_to("mock-text")).ask(QUESTION)).text == "A text."


async def test_tools_arrive_as_we_sent_them(talk_to: Opener, endpoint: ModelEndpoint) -> None:
    endpoint.reply("x")

    await (await talk_to("stub/scripted")).ask(QUESTION)

    [tool] = endpoint.requests[0].body["tools"]
    assert tool["function"] == {"name": "lookup", "description": "Looks up.", "parameters": LOOKUP.parameters}


@pytest.mark.parametrize("finish", ["tool_calls", "stop"])
async def test_parallel_calls_come_through_and_their_results_go_back(
    finish: str, talk_to: Opener, endpoint: ModelEndpoint
) -> None:
    talk = await talk_to("stub/scripted")
    calls = (Call("lookup", {"name": "Mara"}), Call("lookup", {"name": "Tom"}))
    endpoint.reply(Reply(calls=calls, finish=finish, piece=4))
    endpoint.reply("Grey, and brown.")

    reply = await talk.ask(QUESTION)
    last = await talk.ask(after(reply, "eyes: grey", "eyes: brown", provider="stub/scripted"))

    assert [call.arguments for call in reply.calls] == ['{"name": "Mara"}', '{"name": "Tom"}']
    assert last.text == "Grey, and brown."
    assert [message["role"] for message in endpoint.requests[1].messages] == [
        "user",
        "assistant",
        "tool",
        "tool",
    ]


@pytest.mark.parametrize("id_", ["", None])
async def test_call_without_an_id_gets_one(id_: str | None, talk_to: Opener, endpoint: ModelEndpoint) -> None:
    talk = await talk_to("stub/scripted")
    inner = {"name": "lookup", "arguments": '{"name":"Mara"}'}
    part = {"index": 0, "id": id_, "type": "function", "function": inner}
    endpoint.reply(sse(chunk({"role": "assistant", "tool_calls": [part]}), chunk({}, "stop"), "data: [DONE]"))
    endpoint.reply("Grey.")

    reply = await talk.ask(QUESTION)

    assert reply.calls[0].id
    assert (await talk.ask(after(reply, "eyes: grey", provider="stub/scripted"))).text == "Grey."


async def test_reasoning_and_unknown_fields_go_there_and_back(
    talk_to: Opener, endpoint: ModelEndpoint
) -> None:
    talk = await talk_to("stub/scripted")
    signed: Json = {"google": {"thought_signature": "U0lH"}}
    inner = {"name": "lookup", "arguments": "{}"}
    part = {"index": 0, "id": "call_1", "type": "function", "function": inner, "extra_content": signed}
    endpoint.reply(
        sse(
            chunk({"role": "assistant", "reasoning_content": "Look up."}),
            chunk({"tool_calls": [part]}),
            chunk({}, "tool_calls"),
            "data: [DONE]",
        )
    )
    endpoint.reply("Grey.")

    reply = await talk.ask(QUESTION)
    await talk.ask(after(reply, "eyes: grey", provider="stub/scripted"))

    sent = endpoint.requests[1].messages[1]
    assert sent["reasoning_content"] == "Look up."
    assert sent["tool_calls"][0]["extra_content"] == signed


async def test_call_that_was_cut_off_is_told_as_cut_off(talk_to: Opener, endpoint: ModelEndpoint) -> None:
    endpoint.reply(Reply(calls=(Call("lookup", '{"name": "Ma'),), finish="length"))

    reply = await (await talk_to("stub/scripted")).ask(QUESTION)

    assert (reply.finish, reply.calls[0].arguments) == (Finish.LENGTH, '{"name": "Ma')


# Trouble


def error(status: int, message: str, **more: object) -> Raw:
    headers = more.pop("headers", {})
    assert isinstance(headers, dict)
    return Raw(status, {"error": {"message": message, **more}}, headers)


BEGUN = chunk({"role": "assistant", "content": ""})
ROWS: list[tuple[str, Scripted, ModelCause]] = [
    ("bad key", error(401, "Incorrect API key provided", code="invalid_api_key"), ModelCause.AUTH),
    (
        "unknown model",
        error(404, "The model `x` does not exist", code="model_not_found"),
        ModelCause.NOT_FOUND,
    ),
    ("rate limit", error(429, "Rate limit reached", code="rate_limit_exceeded"), ModelCause.RATE),
    ("quota", error(429, "You exceeded your current quota", code="insufficient_quota"), ModelCause.QUOTA),
    (
        "context",
        error(400, "This model's maximum context length is 9", code="context_length_exceeded"),
        ModelCause.CONTEXT,
    ),
    (
        "context, llama.cpp",
        error(400, "the request exceeds the available context size", type="exceed_context_size_error"),
        ModelCause.CONTEXT,
    ),
    ("no tools", error(400, "registry.ollama.ai/library/x does not support tools"), ModelCause.NO_TOOLS),
    (
        "orphan tool message",
        error(400, "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."),
        ModelCause.BAD_HISTORY,
    ),
    ("filter", error(400, "The response was filtered", code="content_filter"), ModelCause.FILTER),
    ("reply withheld", Reply(finish="content_filter"), ModelCause.FILTER),
    ("503 with HTML", Raw(503, "<html>Service Unavailable</html>"), ModelCause.UNAVAILABLE),
    ("500", Raw(500, error_body("Internal")), ModelCause.UNAVAILABLE),
    ("socket closed", DROP, ModelCause.UNAVAILABLE),
    (
        "error at the head of a stream",
        sse({"error": {"message": "gone", "code": 503}}),
        ModelCause.UNAVAILABLE,
    ),
    ("cut stream", Reply(text="", cut=1), ModelCause.UNAVAILABLE),
    ("bad request", error(400, "top_p must be at most 1"), ModelCause.BAD_REQUEST),
]


@pytest.mark.parametrize(("answer", "cause"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
async def test_trouble_behind_the_proxy_is_told_by_its_cause(
    answer: Scripted, cause: ModelCause, talk_to: Opener, endpoint: ModelEndpoint
) -> None:
    talk = await talk_to("stub/scripted")
    endpoint.reply(answer)

    with pytest.raises(ModelFailure) as caught:
        await talk.ask(QUESTION)

    assert caught.value.cause is cause
    assert talk.deltas == []


@pytest.mark.parametrize(
    ("name", "key", "cause"),
    [
        ("mock-text", "sk-wrong", ModelCause.AUTH),
        ("mock-text", "no-key-at-all", ModelCause.AUTH),
        ("mock-text", "", ModelCause.AUTH),
        ("no-such-model", None, ModelCause.NOT_FOUND),
        ("mock-rate", None, ModelCause.RATE),
        ("mock-context", None, ModelCause.CONTEXT),
        ("mock-error", None, ModelCause.UNAVAILABLE),
        ("no-tools", None, ModelCause.NO_TOOLS),
    ],
)
async def test_trouble_of_the_proxy_itself_is_told_by_its_cause(
    name: str, key: str | None, cause: ModelCause, talk_to: Opener
) -> None:
    talk = await talk_to(name) if key is None else await talk_to(name, key=key)

    with pytest.raises(ModelFailure) as caught:
        await talk.ask(QUESTION)

    assert caught.value.cause is cause


async def test_wait_that_the_model_asks_for_is_kept(talk_to: Opener, endpoint: ModelEndpoint) -> None:
    """The proxy passes the header on under another name."""
    talk = await talk_to("stub/scripted", attempts=2)
    endpoint.reply(error(429, "Rate limit reached", headers={"retry-after": "7"}))
    endpoint.reply("Grey.")

    reply = await talk.ask(QUESTION)

    assert (reply.text, talk.slept) == ("Grey.", [7.0])


async def test_model_that_is_too_slow_is_a_time_out(talk_to: Opener, endpoint: ModelEndpoint) -> None:
    talk = await talk_to("slow")
    endpoint.reply(Reply(text="Never", hold=0))

    with pytest.raises(ModelFailure) as caught:
        await talk.ask(QUESTION)

    assert caught.value.cause is ModelCause.TIMEOUT


async def test_stream_that_breaks_after_its_first_words_is_not_said_twice(
    talk_to: Opener, endpoint: ModelEndpoint
) -> None:
    talk = await talk_to("stub/scripted", attempts=3)
    endpoint.reply(Reply(text="Mara has grey eyes.", piece=5, hold=3, cut=3))
    asking = asyncio.ensure_future(talk.ask(QUESTION))
    async with asyncio.timeout(20):
        await talk.has_spoken.wait()

    endpoint.release()

    with pytest.raises(ModelFailure) as caught:
        await asking
    assert caught.value.cause is ModelCause.UNAVAILABLE
    assert talk.slept == []


async def test_error_after_the_first_words_is_not_tried_again(
    talk_to: Opener, endpoint: ModelEndpoint
) -> None:
    talk = await talk_to("stub/scripted", attempts=3)
    failure = {"error": {"message": "gone", "code": 503}}
    endpoint.reply(sse(chunk({"content": "Mara "}), chunk({"content": "has "}), failure))

    with pytest.raises(ModelFailure) as caught:
        await talk.ask(QUESTION)

    assert caught.value.cause is ModelCause.UNAVAILABLE
    assert talk.deltas[0] == "Mara "
    assert talk.slept == []


async def test_many_failures_close_no_model_behind_the_proxy(
    talk_to: Opener, endpoint: ModelEndpoint
) -> None:
    talk = await talk_to("stub/scripted", attempts=3)
    for _ in range(6):
        endpoint.reply(Raw(503, "<html>"))
    for _ in range(2):
        with pytest.raises(ModelFailure):
            await talk.ask(QUESTION)
    endpoint.reply("Grey.")

    assert (await talk.ask(QUESTION)).text == "Grey."
