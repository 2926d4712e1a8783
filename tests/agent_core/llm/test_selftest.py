import pytest

from agent_core.errors import ModelCause, ModelFailure
from agent_core.llm.openai import CallLimits
from agent_core.llm.selftest import can_call_tools, reads_long_requests
from tests.agent_core.llm.conftest import Talk
from tests.emulators.model_endpoint import Call, Raw, Reply
from tests.emulators.model_replies import error_body


async def test_model_that_calls_can_call(talk: Talk) -> None:
    talk.endpoint.reply(Call("ping", {"word": "pong"}))

    assert await can_call_tools(talk.model)


async def test_model_that_answers_in_prose_cannot(talk: Talk) -> None:
    """llama.cpp and LiteLLM drop tools without a word."""
    talk.endpoint.reply('Sure! {"name": "ping", "arguments": {"word": "pong"}}')

    assert not await can_call_tools(talk.model)


async def test_model_that_says_so_cannot(talk: Talk) -> None:
    talk.endpoint.reply(Raw(400, error_body("registry.ollama.ai/library/x does not support tools")))

    assert not await can_call_tools(talk.model)


async def test_trouble_leaves_the_question_open(talk: Talk) -> None:
    talk.endpoint.reply(Raw(401, error_body("Incorrect API key provided")))

    with pytest.raises(ModelFailure) as caught:
        await can_call_tools(talk.model)

    assert caught.value.cause is ModelCause.AUTH


@pytest.mark.parametrize(("counted", "reads"), [(6_020, True), (4_096, False), (0, True)])
async def test_tokens_that_were_read_tell_whether_a_long_request_was_cut(
    counted: int, reads: bool, talk: Talk
) -> None:
    talk.endpoint.reply(Reply(text="Words.", usage=(counted, 1)))

    assert await reads_long_requests(talk.model) is reads


async def test_long_request_that_is_refused_is_too_long(talk: Talk) -> None:
    talk.endpoint.reply(Raw(400, error_body("the request exceeds the available context size")))

    assert not await reads_long_requests(talk.model)


@pytest.mark.parametrize("limits", [CallLimits(attempts=1)])
async def test_model_that_is_too_slow_for_a_long_request_is_believed(talk: Talk) -> None:
    talk.endpoint.reply(Raw(504, "<html>"))

    assert await reads_long_requests(talk.model)
