"""Our requests as they reach Gemini through a proxy, in its own format, and what comes back from it."""

import json
from dataclasses import replace
from typing import Any

import pytest

from agent_core.errors import ModelCause, ModelFailure
from agent_core.messages import (
    ChatMessage,
    Finish,
    ModelReply,
    ModelRequest,
    Role,
    ToolCall,
    ToolSchema,
    Usage,
)
from agent_core.tools.catalogue import TOOLS
from agent_core.tools.registry import Registry
from tests.emulators.gemini import GeminiEndpoint, GeminiError, GeminiReply
from tests.litellm.conftest import Opener

pytestmark = pytest.mark.litellm

LOOKUP = ToolSchema("lookup", "Looks up.", {"type": "object", "properties": {"name": {"type": "string"}}})
USER = ChatMessage(Role.USER, "Who is Mara?")
QUESTION = ModelRequest(messages=(USER,), tools=(LOOKUP,))
SIGNATURE = "c2lnbmF0dXJlIG9mIGEgdGhvdWdodA=="


def after(reply: ModelReply, *results: str) -> ModelRequest:
    """The request that follows `reply`, with a result for each of its calls."""
    said = ChatMessage(Role.ASSISTANT, reply.text, reply.calls, raw=reply.raw, provider="writer-model")
    answers = [
        ChatMessage(Role.TOOL, text, call_id=call.id) for call, text in zip(reply.calls, results, strict=True)
    ]
    return ModelRequest(messages=(USER, said, *answers), tools=(LOOKUP,))


async def test_shipped_model_name_reaches_gemini_with_its_key(
    talk_to: Opener, gemini: GeminiEndpoint
) -> None:
    talk = await talk_to("writer-model")
    gemini.reply(GeminiReply("Mara has grey eyes."))

    reply = await talk.ask(ModelRequest((ChatMessage(Role.SYSTEM, "Be brief."), USER), (LOOKUP,)))

    assert (reply.text, reply.usage, reply.finish) == ("Mara has grey eyes.", Usage(11, 7), Finish.STOP)
    assert (gemini.requests[0].model, gemini.requests[0].key) == ("gemini-3-pro-preview", "key-of-gemini")
    assert "Be brief." in json.dumps(gemini.requests[0].body["systemInstruction"])


def shown() -> list[ToolSchema]:
    registry = Registry(TOOLS)
    return [registry.schema(tool.name) for tool in TOOLS if tool.for_models]


async def test_every_tool_reaches_gemini_as_we_send_it(talk_to: Opener, gemini: GeminiEndpoint) -> None:
    """What a proxy would rewrite on the way, or Gemini would refuse, must not be in our golden schemas."""
    tools = tuple(shown())
    gemini.reply("Hello.")

    await (await talk_to("writer-model")).ask(ModelRequest((USER,), tools))

    arrived = gemini.requests[0].declarations
    assert [(one["name"], one["description"]) for one in arrived] == [
        (tool.name, tool.description) for tool in tools
    ]
    for tool, one in zip(tools, arrived, strict=True):
        assert one["parameters"] == on_the_way(dict(tool.parameters)), tool.name


def on_the_way(schema: dict[str, Any]) -> dict[str, Any]:  # any JSON schema
    """What the proxy may change: it leaves out that there are no fields, and describes each alternative."""
    kept = {key: value for key, value in schema.items() if (key, value) != ("properties", {})}
    if "properties" in kept:
        kept["properties"] = {name: on_the_way(one) for name, one in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = on_the_way(kept["items"])
    if "anyOf" in kept:
        about = {"description": kept.pop("description")} if "description" in kept else {}
        kept["anyOf"] = [{**on_the_way(one), **about} for one in kept["anyOf"]]
    return kept


@pytest.mark.parametrize("calls", [1, 2])
async def test_calls_go_back_with_the_signature_of_their_thought(
    calls: int, talk_to: Opener, gemini: GeminiEndpoint
) -> None:
    talk = await talk_to("writer-model")
    asked = [("lookup", {"name": name}) for name in ("Mara", "Tom")[:calls]]
    gemini.reply(GeminiReply("Let me see.", asked, SIGNATURE), GeminiReply("Grey."))

    reply = await talk.ask(QUESTION)
    last = await talk.ask(after(reply, *["eyes: grey"] * calls))

    assert [json.loads(call.arguments) for call in reply.calls] == [arguments for _, arguments in asked]
    assert last.text == "Grey."
    model, results = gemini.requests[1].contents[1:]
    signatures = [part.get("thoughtSignature") for part in model["parts"] if "functionCall" in part]
    assert signatures == [SIGNATURE, None][:calls]
    assert len(results["parts"]) == calls


async def test_thoughts_are_neither_shown_nor_lost(talk_to: Opener, gemini: GeminiEndpoint) -> None:
    talk = await talk_to("writer-model")
    gemini.reply(
        GeminiReply("Let me see.", [("lookup", {"name": "Mara"})], SIGNATURE, thought="She asks for Mara."),
        GeminiReply("Grey.", thought="Found it.", signature=SIGNATURE),
        "And tall.",
    )

    reply = await talk.ask(QUESTION)
    asked = after(reply, "eyes: grey")
    last = await talk.ask(asked)
    said = ChatMessage(Role.ASSISTANT, last.text, raw=last.raw, provider="writer-model")
    await talk.ask(replace(asked, messages=(*asked.messages, said, USER)))

    assert (reply.text, last.text) == ("Let me see.", "Grey.")
    assert talk.deltas == ["Let me see.", "Grey.", "And tall."]
    assert "She asks for Mara." in json.dumps(reply.raw)
    shown = [part for content in gemini.requests[2].contents for part in content["parts"] if "text" in part]
    assert [part["text"] for part in shown if not part.get("thought")] == [
        "Who is Mara?", "Let me see.", "Grey.", "Who is Mara?",
    ]  # fmt: skip


async def test_calls_of_another_model_are_taken_without_their_signature(
    talk_to: Opener, gemini: GeminiEndpoint
) -> None:
    """Whoever changes the model in the middle of a conversation keeps its history."""
    gemini.reply("Grey.")
    said = ChatMessage(
        Role.ASSISTANT, "", (ToolCall("call_1", "lookup", '{"name":"Mara"}'),), provider="other"
    )
    result = ChatMessage(Role.TOOL, "eyes: grey", call_id="call_1")

    reply = await (await talk_to("writer-model")).ask(ModelRequest((USER, said, result), (LOOKUP,)))

    assert reply.text == "Grey."


async def test_last_request_keeps_the_tools_and_forbids_them(talk_to: Opener, gemini: GeminiEndpoint) -> None:
    gemini.reply("Grey.")

    await (await talk_to("writer-model")).ask(ModelRequest((USER,), (LOOKUP,), "none"))

    [request] = gemini.requests
    assert [tool["name"] for tool in request.declarations] == ["lookup"]
    assert "NONE" in json.dumps(request.body["toolConfig"])


async def test_model_without_thoughts_calls_too(talk_to: Opener, gemini: GeminiEndpoint) -> None:
    gemini.reply(GeminiReply("", [("lookup", {"name": "Mara"})]))

    reply = await (await talk_to("gem-two")).ask(QUESTION)

    assert [call.name for call in reply.calls] == ["lookup"]


# Trouble


def refused(reason: str) -> list[dict[str, str]]:
    return [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason}]


RETRY = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}]
ROWS: list[tuple[str, GeminiError | GeminiReply, ModelCause]] = [
    (
        "bad key",
        GeminiError(
            400, "API key not valid. Please pass a valid API key.", details=refused("API_KEY_INVALID")
        ),
        ModelCause.AUTH,
    ),
    ("forbidden", GeminiError(403, "Permission denied", "PERMISSION_DENIED"), ModelCause.AUTH),
    ("unknown model", GeminiError(404, "models/x is not found", "NOT_FOUND"), ModelCause.NOT_FOUND),
    (
        "rate limit",
        GeminiError(
            429, "You exceeded your current quota. Please retry in 7s.", "RESOURCE_EXHAUSTED", details=RETRY
        ),
        ModelCause.RATE,
    ),
    (
        "context",
        GeminiError(400, "The input token count (9) exceeds the maximum number of tokens allowed (4)."),
        ModelCause.CONTEXT,
    ),
    (
        "lost signature",
        GeminiError(400, "Function call is missing a thought_signature in functionCall parts"),
        ModelCause.BAD_HISTORY,
    ),
    ("overloaded", GeminiError(503, "The model is overloaded.", "UNAVAILABLE"), ModelCause.UNAVAILABLE),
    ("internal", GeminiError(500, "An internal error has occurred.", "INTERNAL"), ModelCause.UNAVAILABLE),
    ("too slow", GeminiError(504, "Deadline expired.", "DEADLINE_EXCEEDED"), ModelCause.TIMEOUT),
    ("withheld", GeminiReply(finish="SAFETY"), ModelCause.FILTER),
    ("prohibited", GeminiReply(finish="PROHIBITED_CONTENT"), ModelCause.FILTER),
]


@pytest.mark.parametrize(("answer", "cause"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
async def test_trouble_of_gemini_is_told_by_its_cause(
    answer: GeminiError | GeminiReply, cause: ModelCause, talk_to: Opener, gemini: GeminiEndpoint
) -> None:
    gemini.reply(answer)

    with pytest.raises(ModelFailure) as caught:
        await (await talk_to("writer-model")).ask(QUESTION)

    assert caught.value.cause is cause


async def test_wait_that_gemini_asks_for_is_kept(talk_to: Opener, gemini: GeminiEndpoint) -> None:
    talk = await talk_to("writer-model", attempts=2)
    gemini.reply(ROWS[3][1], "Grey.")

    await talk.ask(QUESTION)

    assert talk.slept == [7.0]


async def test_orphan_result_is_told_as_a_bad_history(talk_to: Opener) -> None:
    """The proxy answers it by itself, as 500."""
    orphan = ModelRequest((USER, ChatMessage(Role.TOOL, "eyes: grey", call_id="call_9")), (LOOKUP,))

    with pytest.raises(ModelFailure) as caught:
        await (await talk_to("writer-model")).ask(orphan)

    assert caught.value.cause is ModelCause.BAD_HISTORY


@pytest.mark.parametrize("finish", ["STOP", "MALFORMED_FUNCTION_CALL"])
async def test_candidate_without_anything_is_an_empty_reply(
    finish: str, talk_to: Opener, gemini: GeminiEndpoint
) -> None:
    """The turn then asks once more."""
    gemini.reply(GeminiReply(finish=finish))

    reply = await (await talk_to("writer-model")).ask(QUESTION)

    assert (reply.text, reply.calls) == ("", ())


async def test_cut_off_answer_is_told_as_cut_off(talk_to: Opener, gemini: GeminiEndpoint) -> None:
    gemini.reply(GeminiReply("Mara has", finish="MAX_TOKENS"))

    assert (await (await talk_to("writer-model")).ask(QUESTION)).finish is Finish.LENGTH
