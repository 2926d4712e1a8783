"""Says why a model endpoint gave no reply, as something the turn can act on.

Error codes do not survive proxies: a wrong key comes as 400, a time-out as 408, an orphan tool message as
500, a used-up quota as a plain 429. So the kind of error, its status and the words in its body decide.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

import httpx
import openai

from agent_core.errors import ModelCause, ModelFailure
from agent_core.messages import Json

_CLIENT_FAULT = frozenset({400, 403, 404, 413, 422, 500})

# The order decides: the first cause with one of its phrases in the text wins.
_PHRASES: tuple[tuple[ModelCause, tuple[str, ...]], ...] = (
    (
        ModelCause.BAD_HISTORY,
        (
            "messages with role 'tool'",
            'messages with role "tool"',
            "missing corresponding tool call",
            "did not have response messages",
            "without `tool_result` blocks",
            "tool calling without `tools=` param",
            "unexpected `tool_use_id`",
            "number of function response parts",
            "thought signature",
            "thought_signature",
            "must be passed back to the api",
            "tool call id was",
            "no tool call found for",
        ),
    ),
    (
        ModelCause.NO_TOOLS,
        (
            "does not support tools",
            "support tool use",
            "does not support function calling",
            "does not support parameters: ['tools'",
            "tool calling is not supported",
            "tool use is not supported",
            "tools are not supported",
            "--enable-auto-tool-choice",
        ),
    ),
    (
        ModelCause.CONTEXT,
        (
            "context_length_exceeded",
            "contextwindowexceeded",
            "context length",
            "context window",
            "context size",
            "exceed_context_size",
            "prompt is too long",
            "input is too long",
            "input token count",
            "no user query found in messages",
        ),
    ),
    (
        ModelCause.FILTER,
        (
            "content_filter",
            "content management policy",
            "content policy",
            "content_policy",
            "response was filtered",
            "prohibited_content",
            "data_inspection_failed",
            "flagged",
        ),
    ),
    (
        ModelCause.AUTH,
        (
            "no_db_connection",
            "invalid_api_key",
            "incorrect api key",
            "api key not valid",
            "api_key_invalid",
            "no api key",
            "missing api key",
            "authentication_error",
            "no cookie auth credentials",
        ),
    ),
    (
        ModelCause.NOT_FOUND,
        (
            "no healthy deployments",
            "invalid model name",
            "model_not_found",
            "model not found",
            "model does not exist",
            "not a valid model",
            "unknown model",
        ),
    ),
)
_STATUSES = {
    401: ModelCause.AUTH,
    402: ModelCause.QUOTA,
    403: ModelCause.AUTH,
    404: ModelCause.NOT_FOUND,
    405: ModelCause.NOT_FOUND,
    408: ModelCause.TIMEOUT,
    413: ModelCause.CONTEXT,
    429: ModelCause.RATE,
    504: ModelCause.TIMEOUT,
    524: ModelCause.TIMEOUT,
}
_QUOTA_PHRASES = ("insufficient_quota", "exceeded your current quota", "billing", "credit")
_RATE_PHRASES = ("rate limit", "rate_limit", "too many requests", "resource_exhausted")
_WAIT_HEADERS = ("retry-after", "llm_provider-retry-after")
_WAIT = re.compile(r"(?:(?:retry|again) in|retrydelay)\W{1,3}((?:\d+(?:\.\d+)?(?:ms|h|m|s)\s?)+)")
_WAIT_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_REFUSED = re.compile(
    r"unsupported|not support|n't support|not permitted|unrecognized|unknown|to stream this model"
)


def classify(error: Exception) -> ModelFailure:
    """Return the failure that `error` from the client, the socket or our reading of a reply amounts to."""
    match error:
        case ModelFailure():
            return error
        case openai.APIStatusError():
            text = _flat((error.message, error.body))
            return _failure(error.status_code, text, _wait(error.response.headers, text))
        case openai.APITimeoutError() | httpx.TimeoutException() | TimeoutError():
            return ModelFailure(reason=ModelCause.TIMEOUT)
        case UnicodeEncodeError():
            return ModelFailure(reason=ModelCause.AUTH)  # only the key can hold what no header carries
        case _:
            return ModelFailure(reason=ModelCause.UNAVAILABLE)


def classify_body(body: Json) -> ModelFailure:
    """Return the failure told by an error object that came with status 200, alone or inside a stream."""
    text = _flat(body)
    if isinstance(body, list) and body:  # Google's way
        body = body[0]
    if isinstance(body, Mapping) and isinstance(inner := body.get("error"), Mapping):
        body = inner
    code = str(body.get("code")) if isinstance(body, Mapping) else ""
    status = int(code) if re.fullmatch("[45][0-9][0-9]", code) else None
    return _failure(status, text, _wait_told(text))


def refused_parameter(error: BaseException | None, candidates: Iterable[str]) -> str | None:
    """Return the first of `candidates`, parameters of our request, that the endpoint refuses to take."""
    if not isinstance(error, openai.APIStatusError) or error.status_code not in _CLIENT_FAULT:
        return None
    text = _flat((error.message, error.body))
    if not _REFUSED.search(text):
        return None
    return next((name for name in candidates if re.search(rf"\b{name}\b", text)), None)


def _failure(status: int | None, text: str, wait_s: float | None) -> ModelFailure:
    return ModelFailure(reason=_cause(status, text, told_to_wait=wait_s is not None), retry_after_s=wait_s)


def _cause(status: int | None, text: str, *, told_to_wait: bool) -> ModelCause:
    if status is None or status in _CLIENT_FAULT:
        for cause, phrases in _PHRASES:
            if _any_in(phrases, text):
                return cause
    if status == 429 or (status is None and _any_in(_RATE_PHRASES + _QUOTA_PHRASES, text)):
        # Some providers speak of the quota at each rate limit; one that is used up names no time to wait.
        is_used_up = _any_in(_QUOTA_PHRASES, text) and not told_to_wait
        return ModelCause.QUOTA if is_used_up else ModelCause.RATE
    if status is None or status >= 500:
        return _STATUSES.get(status or 500, ModelCause.UNAVAILABLE)
    # We follow no redirects: the text of a book goes to the address that was configured, and nowhere else.
    return _STATUSES.get(status, ModelCause.NOT_FOUND if status < 400 else ModelCause.BAD_REQUEST)


def _any_in(phrases: tuple[str, ...], text: str) -> bool:
    return any(phrase in text for phrase in phrases)


def _flat(value: object) -> str:
    """Return all texts and numbers inside `value`, keys included, in lower case."""
    if isinstance(value, Mapping):
        value = tuple(value.items())
    if isinstance(value, list | tuple):
        return " ".join(_flat(item) for item in value)
    return "" if value is None else str(value).lower()


def _wait(headers: Mapping[str, str], text: str) -> float | None:
    """Return the seconds to wait as the headers say, else as the text does; LiteLLM renames the header."""
    for name in _WAIT_HEADERS:
        value = headers.get(name, "")
        if re.fullmatch(r"\d+(\.\d+)?", value):
            return float(value)
        if (until := _instant(value)) and (now := _instant(headers.get("date", ""))):
            return max(0.0, (until - now).total_seconds())
    return _wait_told(text)


def _wait_told(text: str) -> float | None:
    told = _WAIT.search(text)
    if told is None:
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in _WAIT_PART.findall(told[1]))


def _instant(value: str) -> datetime | None:
    try:
        instant = parsedate_to_datetime(value)
    except ValueError:
        return None
    return instant if instant.tzinfo else None
