"""What each kind of trouble at an endpoint is taken for, shown over a real socket."""

import json

import pytest

from agent_core.errors import ModelCause, ModelFailure
from agent_core.llm.classify import classify, classify_body
from agent_core.llm.openai import CallLimits
from agent_core.messages import ChatMessage, Json, ModelRequest, Role
from tests.agent_core.llm.conftest import Talk
from tests.emulators.model_endpoint import DROP, Raw, Reply, Scripted, sse
from tests.emulators.model_replies import chunk

QUESTION = ModelRequest(messages=(ChatMessage(Role.USER, "Who is Mara?"),))
BEGUN = chunk({"role": "assistant", "content": ""})


@pytest.fixture
def limits() -> CallLimits:
    return CallLimits(attempts=1)


def error(status: int, message: str, **more: object) -> Raw:
    headers = more.pop("headers", {})
    assert isinstance(headers, dict)
    return Raw(status, {"error": {"message": message, **more}}, headers)


def google(status: int, message: str, **details: str) -> Raw:
    """An error of Gemini's own OpenAI-compatible endpoint: a list that holds one object."""
    told = {"code": status, "message": message, "status": "?", "details": [details]}
    return Raw(status, [{"error": told}])


ROWS: list[tuple[str, Scripted, ModelCause]] = [
    # the key
    ("bad key", error(401, "Incorrect API key provided", code="invalid_api_key"), ModelCause.AUTH),
    (
        "bad key, LiteLLM",
        error(401, "litellm.AuthenticationError: …", type="authentication_error", code="401"),
        ModelCause.AUTH,
    ),
    (
        "wrong proxy key, LiteLLM without database",
        error(400, "No connected db.", type="no_db_connection", code="400"),
        ModelCause.AUTH,
    ),
    ("no key, LiteLLM", error(500, "No api key passed in.", type="auth_error"), ModelCause.AUTH),
    (
        "bad key, Gemini",
        Raw(400, [{"error": {"code": 400, "message": "API key not valid."}}]),
        ModelCause.AUTH,
    ),
    ("key without rights, Gemini", google(403, "Permission denied on resource project x."), ModelCause.AUTH),
    ("forbidden", error(403, "Country not supported"), ModelCause.AUTH),
    # the model
    (
        "unknown model",
        error(404, "The model `x` does not exist", code="model_not_found"),
        ModelCause.NOT_FOUND,
    ),
    (
        "unknown model, LiteLLM",
        error(400, "You passed in model=x. There are no healthy deployments for this model", code="400"),
        ModelCause.NOT_FOUND,
    ),
    (
        "unknown model, Gemini",
        google(404, "models/x is not found for API version v1main"),
        ModelCause.NOT_FOUND,
    ),
    ("wrong path", Raw(404, "<html>Not Found</html>"), ModelCause.NOT_FOUND),
    ("redirect", Raw(307, "", {"location": "/elsewhere"}), ModelCause.NOT_FOUND),
    # limits
    ("rate limit", error(429, "Rate limit reached", code="rate_limit_exceeded"), ModelCause.RATE),
    ("rate limit, LiteLLM", error(429, "slow down", type="throttling_error", code="429"), ModelCause.RATE),
    ("quota", error(429, "You exceeded your current quota", code="insufficient_quota"), ModelCause.QUOTA),
    (
        "quota, LiteLLM",
        error(
            429,
            "litellm.RateLimitError: You exceeded your current quota",
            type="throttling_error",
            code="429",
        ),
        ModelCause.QUOTA,
    ),
    (
        "rate limit that speaks of the quota, Gemini",
        error(429, "You exceeded your current quota, check your billing. Please retry in 21.5s."),
        ModelCause.RATE,
    ),
    (
        "rate limit, Gemini",
        google(429, "You exceeded your current quota, please check your plan and billing.", retryDelay="21s"),
        ModelCause.RATE,
    ),
    (
        "quota, Gemini",
        google(429, "You exceeded your current quota, please check your plan and billing details."),
        ModelCause.QUOTA,
    ),
    ("no credits", error(402, "Insufficient credits"), ModelCause.QUOTA),
    # the history
    ("context", error(400, "too long", code="context_length_exceeded", param="messages"), ModelCause.CONTEXT),
    (
        "context, LiteLLM",
        error(400, "litellm.ContextWindowExceededError: …", code="400", param=None),
        ModelCause.CONTEXT,
    ),
    (
        "context, llama.cpp",
        error(400, "the request exceeds it", type="exceed_context_size_error", n_prompt_tokens=9, n_ctx=4),
        ModelCause.CONTEXT,
    ),
    (
        "context, Gemini",
        google(400, "The input token count (9) exceeds the maximum number of tokens allowed (4)."),
        ModelCause.CONTEXT,
    ),
    ("context, cut silently by Ollama", error(500, "no user query found in messages."), ModelCause.CONTEXT),
    (
        "orphan tool message",
        error(400, "messages with role 'tool' must be a response to …", param="messages.[2].role"),
        ModelCause.BAD_HISTORY,
    ),
    (
        "orphan tool message, LiteLLM to Gemini",
        error(500, "litellm.APIConnectionError: Missing corresponding tool call for tool response message"),
        ModelCause.BAD_HISTORY,
    ),
    (
        "lost thought signature",
        error(400, "Function call is missing a thought_signature in functionCall parts"),
        ModelCause.BAD_HISTORY,
    ),
    (
        "lost thought signature, Gemini",
        google(400, "Function call is missing a thought_signature in functionCall parts."),
        ModelCause.BAD_HISTORY,
    ),
    (
        "lost result, Gemini",
        google(400, "Please ensure that the number of function response parts is equal to the number of …"),
        ModelCause.BAD_HISTORY,
    ),
    (
        "history without tools, LiteLLM to Anthropic",
        error(
            400,
            "litellm.UnsupportedParamsError: Anthropic doesn't support tool calling without `tools=` param",
        ),
        ModelCause.BAD_HISTORY,
    ),
    # tools
    (
        "no tools, Ollama",
        error(400, "registry.ollama.ai/library/x does not support tools", type="api_error", code=None),
        ModelCause.NO_TOOLS,
    ),
    (
        "no tools, LiteLLM",
        error(400, "litellm.BadRequestError: OpenAIException - x does not support tools"),
        ModelCause.NO_TOOLS,
    ),
    ("no tools, Ollama's own API", Raw(400, {"error": "x does not support tools"}), ModelCause.NO_TOOLS),
    (
        "no tools, OpenRouter",
        error(404, "No endpoints found that support tool use.", code=404),
        ModelCause.NO_TOOLS,
    ),
    (
        "no tools, LiteLLM parameters",
        error(400, "litellm.UnsupportedParamsError: x does not support parameters: ['tools', 'tool_choice']"),
        ModelCause.NO_TOOLS,
    ),
    # content
    (
        "prompt filter, Azure",
        error(400, "The response was filtered", code="content_filter", innererror={"code": "Policy"}),
        ModelCause.FILTER,
    ),
    (
        "prompt filter whose code LiteLLM dropped",
        error(400, "litellm.BadRequestError: OpenAIException - The response was filtered", code="400"),
        ModelCause.FILTER,
    ),
    ("reply withheld", Reply(finish="content_filter"), ModelCause.FILTER),
    # trouble that passes
    ("slow, LiteLLM", error(408, "Timeout", type="invalid_request_error"), ModelCause.TIMEOUT),
    ("gateway time-out", Raw(504, "<html>"), ModelCause.TIMEOUT),
    ("socket closed", DROP, ModelCause.UNAVAILABLE),
    ("socket closed, LiteLLM", error(500, "Connection error.", code="500"), ModelCause.UNAVAILABLE),
    ("503 with HTML", Raw(503, "<html>Service Unavailable</html>"), ModelCause.UNAVAILABLE),
    ("overloaded, Gemini", google(503, "The model is overloaded."), ModelCause.UNAVAILABLE),
    (
        "too slow, Gemini",
        google(504, "Deadline expired before operation could complete."),
        ModelCause.TIMEOUT,
    ),
    ("overloaded", error(529, "Overloaded"), ModelCause.UNAVAILABLE),
    # inside a 200
    ("error in a stream", sse(BEGUN, {"error": {"message": "gone", "code": 503}}), ModelCause.UNAVAILABLE),
    (
        "rate limit in a stream",
        sse(BEGUN, {"error": {"message": "Rate limit", "code": 429}}),
        ModelCause.RATE,
    ),
    ("rate limit in words", sse(BEGUN, {"error": "too many requests"}), ModelCause.RATE),
    ("context in a stream", sse({"error": {"message": "prompt is too long"}}), ModelCause.CONTEXT),
    ("error list in a stream, Gemini", sse('data: [{"error": {"message": "?"}}]'), ModelCause.UNAVAILABLE),
    (
        "error list with a code in a stream, Gemini",
        sse('data: [{"error": {"code": 429, "message": "Resource has been exhausted."}}]'),
        ModelCause.RATE,
    ),
    ("error list with status 200, Gemini", Raw(200, [{"error": {"code": 401}}]), ModelCause.AUTH),
    ("cut stream", Reply(text="", cut=1), ModelCause.UNAVAILABLE),
    ("stream that ends too early", sse(BEGUN), ModelCause.UNAVAILABLE),
    ("empty stream", sse("data: [DONE]"), ModelCause.UNAVAILABLE),
    ("finish reason error", sse(BEGUN, chunk({}, "error"), "data: [DONE]"), ModelCause.UNAVAILABLE),
    ("broken JSON in a stream", sse('data: {"choices": [', "data: [DONE]"), ModelCause.UNAVAILABLE),
    ("no choices", sse({"choices": None}, "data: [DONE]"), ModelCause.UNAVAILABLE),
    (
        "error body, OpenRouter",
        Raw(200, {"error": {"message": "Provider returned error", "code": 502}, "choices": None}),
        ModelCause.UNAVAILABLE,
    ),
    ("body without choices", Raw(200, {"id": "x", "choices": None}), ModelCause.UNAVAILABLE),
    ("200 with HTML", Raw(200, "<html>Welcome</html>"), ModelCause.UNAVAILABLE),
    (
        "200 with broken JSON",
        Raw(200, '{"choices": [', {"content-type": "application/json"}),
        ModelCause.UNAVAILABLE,
    ),
    ("body that is no UTF-8", Raw(200, "é", {"content-encoding": "gzip"}), ModelCause.UNAVAILABLE),
    # the rest
    ("bad request", error(400, "temperature must be at most 2"), ModelCause.BAD_REQUEST),
    (
        "unprocessable",
        Raw(422, {"detail": [{"loc": ["body"], "msg": "field required"}]}),
        ModelCause.BAD_REQUEST,
    ),
]


@pytest.mark.parametrize(("answer", "cause"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
async def test_trouble_is_told_by_its_cause(answer: Scripted, cause: ModelCause, talk: Talk) -> None:
    talk.endpoint.reply(answer)

    with pytest.raises(ModelFailure) as caught:
        await talk.ask(QUESTION)

    assert caught.value.cause is cause
    assert talk.deltas == []


@pytest.mark.parametrize(
    ("headers", "message", "wait_s"),
    [
        ({"retry-after": "2"}, "", 2.0),
        ({"llm_provider-retry-after": "2.5"}, "", 2.5),
        (
            {"retry-after": "Sat, 02 May 2026 10:00:30 GMT", "date": "Sat, 02 May 2026 10:00:00 GMT"},
            "",
            30.0,
        ),
        ({"retry-after": "Sat, 02 May 2026 10:00:30 GMT"}, "", None),
        ({"retry-after": "soon"}, "Please try again in 1m30.5s.", 90.5),
        ({}, "Please try again in 200ms", 0.2),
        ({}, "retryDelay: 21s", 21.0),
        ({}, "Rate limit reached", None),
    ],
)
async def test_time_to_wait_is_read_from_headers_and_words(
    headers: dict[str, str], message: str, wait_s: float | None, talk: Talk
) -> None:
    talk.endpoint.reply(error(429, message, headers=headers))

    with pytest.raises(ModelFailure) as caught:
        await talk.ask(QUESTION)

    assert caught.value.cause is ModelCause.RATE
    assert caught.value.facts["retry_after_s"] == wait_s


def test_failure_is_its_own_classification() -> None:
    failure = ModelFailure(reason=ModelCause.QUOTA)

    assert classify(failure) is failure


@pytest.mark.parametrize("code", [20015, "x", None, True, "0503", "99999"])
def test_code_that_is_no_status_decides_nothing(code: Json) -> None:
    assert classify_body({"code": code, "message": json.dumps("?")}).cause is ModelCause.UNAVAILABLE
