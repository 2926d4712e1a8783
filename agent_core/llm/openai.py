"""A model behind any OpenAI-compatible endpoint."""

import asyncio
import secrets
import string
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import httpx
from openai import AsyncOpenAI, AsyncStream, OpenAIError

from agent_core.clock import NewId
from agent_core.errors import ModelCause, ModelFailure
from agent_core.llm.accumulate import Accumulator
from agent_core.llm.base import OnDelta
from agent_core.llm.classify import classify, classify_body, refused_parameter
from agent_core.llm.encode import DISPENSABLE, RequestEncoder
from agent_core.llm.endpoint import Endpoint as Endpoint  # noqa: PLC0414  callers name it with the model
from agent_core.llm.sse import DONE, events
from agent_core.messages import Finish, Json, ModelReply, ModelRequest, parse_json

Sleep = Callable[[float], Awaitable[object]]

_RETRIED = frozenset({ModelCause.RATE, ModelCause.TIMEOUT, ModelCause.UNAVAILABLE})
_FAILED_FINISHES = frozenset({"error", "insufficient_system_resource"})
_FIRST_DELAY_S = 0.5
_NO_KEY = "none"  # the client wants one even where the endpoint does not
_CALL_ID_LENGTH = 9


@dataclass(frozen=True, slots=True)
class CallLimits:
    """How long and how often one question may be tried, and how many calls may run at once.

    `idle_s` is the longest silence between two bytes; a wait longer than `longest_wait_s` that the endpoint
    asks for is not waited out but told to the person. What a reply says beyond `reply_chars` is taken for cut
    off, a response of more than `response_bytes` for no reply at all.
    """

    deadline_s: float = 300.0
    idle_s: float = 60.0
    connect_s: float = 10.0
    attempts: int = 3
    longest_wait_s: float = 20.0
    at_once: int = 8
    reply_chars: int = 400_000
    response_bytes: int = 64 << 20


DEFAULT_LIMITS = CallLimits()


def random_call_id() -> str:
    """Return nine random letters and digits, the one form of a call id that every provider takes."""
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(_CALL_ID_LENGTH))


class OpenAIChatModel:
    """Answers through one HTTP client that lives as long as the model; use it as an async context manager.

    A call is tried again only until the first piece of text has gone out, so that nobody reads the same
    sentence twice; from then on a broken stream fails with what broke it.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        limits: CallLimits = DEFAULT_LIMITS,
        sleep: Sleep = asyncio.sleep,
        new_call_id: NewId = random_call_id,
    ) -> None:
        self._model = endpoint.model
        self._limits = limits
        self._sleep = sleep
        self._new_call_id = new_call_id
        self._slots = asyncio.Semaphore(limits.at_once)
        self._encoder = RequestEncoder(endpoint.model)
        self._refused: frozenset[str] = frozenset()
        self._client = _client(endpoint, limits)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()

    @property
    def name(self) -> str:
        return self._model

    @property
    def label(self) -> str:
        return ""

    async def complete(self, request: ModelRequest, on_delta: OnDelta) -> ModelReply:
        deadline = asyncio.timeout(self._limits.deadline_s)
        try:
            async with deadline:
                return await self._try(request, _Relay(on_delta), deadline)
        except TimeoutError as error:
            if not deadline.expired():
                raise
            raise ModelFailure(reason=ModelCause.TIMEOUT) from error

    async def _try(self, request: ModelRequest, relay: "_Relay", deadline: asyncio.Timeout) -> ModelReply:
        refused = self._refused
        tries = 0
        while True:
            try:
                reply = await self._ask(request, refused, relay)
            except ModelFailure as failure:
                unwanted = refused_parameter(failure.__cause__, (p for p in DISPENSABLE if p not in refused))
                if unwanted is not None:
                    refused |= {unwanted}
                    continue
                tries += 1
                delay_s = self._delay_s(failure, tries, deadline)
                if relay.has_spoken or delay_s is None:
                    raise
                await self._sleep(delay_s)
            else:
                self._refused = refused
                return reply

    def _delay_s(self, failure: ModelFailure, tries: int, deadline: asyncio.Timeout) -> float | None:
        """Return how long to wait before the next try; None if there is to be none."""
        if failure.cause not in _RETRIED or tries >= self._limits.attempts:
            return None
        told = failure.facts.get("retry_after_s")
        delay_s = told if isinstance(told, float) else _FIRST_DELAY_S * 2 ** (tries - 1)
        end = deadline.when()
        left_s = end - asyncio.get_running_loop().time() if end is not None else delay_s
        return delay_s if delay_s <= min(left_s, self._limits.longest_wait_s) else None

    async def _ask(self, request: ModelRequest, refused: frozenset[str], relay: "_Relay") -> ModelReply:
        accumulator = Accumulator(self._limits.reply_chars)
        is_done = False
        async with self._slots, aclosing(self._pieces(self._encoder.encode(request, refused))) as pieces:
            async for piece in pieces:
                if piece == DONE:
                    is_done = True
                else:
                    await relay.say(accumulator.feed(_chunk(piece)))
                if accumulator.is_full:
                    break
        is_whole = accumulator.has_begun and (is_done or accumulator.finish_reason)
        if not is_whole or accumulator.finish_reason in _FAILED_FINISHES:
            raise ModelFailure(reason=ModelCause.UNAVAILABLE)
        await relay.say(accumulator.close())
        taken = {call.id for message in request.messages for call in message.calls}
        return _answer(accumulator.reply(taken, self._new_call_id))

    async def _pieces(self, body: bytes) -> AsyncGenerator[str]:
        """Yield the JSON texts of the response and `DONE` behind the last, if it is certain to be the last.

        Raises:
            ModelFailure: and nothing else of what the client or the socket may raise.
        """
        try:
            async with await self._client.post(
                "/chat/completions", cast_to=object, content=body, stream=True, stream_cls=AsyncStream[object]
            ) as stream:
                response = stream.response
                blocks = _bounded(response.aiter_bytes(), self._limits.response_bytes)
                if "event-stream" in response.headers.get("content-type", ""):
                    async for event in events(blocks):
                        yield event
                else:
                    yield b"".join([block async for block in blocks]).decode()
                    yield DONE
        except (OpenAIError, httpx.HTTPError, OSError, UnicodeError) as error:
            raise classify(error) from error


async def _bounded(blocks: AsyncIterator[bytes], max_bytes: int) -> AsyncIterator[bytes]:
    """Yield the blocks of a response.

    Raises:
        ModelFailure: there are more than any reply needs.
    """
    size = 0
    async for block in blocks:
        size += len(block)
        if size > max_bytes:
            raise ModelFailure(reason=ModelCause.UNAVAILABLE)
        yield block


class _Relay:
    """Hands text on and remembers that it did."""

    def __init__(self, on_delta: OnDelta) -> None:
        self.has_spoken = False
        self._on_delta = on_delta

    async def say(self, text: str) -> None:
        if text:
            self.has_spoken = True
            await self._on_delta(text)


def _client(endpoint: Endpoint, limits: CallLimits) -> AsyncOpenAI:
    key = endpoint.api_key.get_secret_value().strip() if endpoint.api_key else ""
    timeout = httpx.Timeout(limits.idle_s, connect=limits.connect_s)
    client = AsyncOpenAI(
        base_url=endpoint.base_url,
        api_key=key or _NO_KEY,
        max_retries=0,
        http_client=httpx.AsyncClient(timeout=timeout),  # type: ignore[arg-type]  # typed for httpx2, takes both
    )
    # These come from the environment, which is for settings alone to read, and would go to any endpoint.
    client.organization = client.project = None
    return client


def _chunk(text: str) -> Mapping[str, Json]:
    try:
        chunk: Json = parse_json(text)
    except ValueError as error:
        raise ModelFailure(reason=ModelCause.UNAVAILABLE) from error
    if not isinstance(chunk, Mapping):
        raise classify_body(chunk)
    if chunk.get("error"):
        raise classify_body(chunk["error"])
    return chunk


def _answer(reply: ModelReply) -> ModelReply:
    """Return `reply` unless the provider withheld all of it without a word."""
    if reply.finish is Finish.FILTER and not reply.text and not reply.calls:
        raise ModelFailure(reason=ModelCause.FILTER)
    return reply
