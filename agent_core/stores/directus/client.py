"""The one way to Directus: a client with a deadline, few retries and a breaker; it trusts no status code."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TypeAlias

import httpx

from agent_core.clock import Clock
from agent_core.messages import Json
from agent_core.stores.directus.breaker import Breaker
from agent_core.stores.directus.faults import (
    DirectusCause,
    DirectusFailure,
    NotUnique,
    OutcomeUnknown,
    failure_of,
)

Query: TypeAlias = Mapping[str, Json]
Sleep: TypeAlias = Callable[[float], Awaitable[object]]

DEADLINE_S = 15.0
"""For a request with all its retries, so that nobody in a chat waits for longer."""
_PAUSES_S = (0.25, 0.5, 1.0)
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_READING = {"GET", "SEARCH"}
_MOST_CHARS = 6_000
"""Of a question in an address, which grows by a half when it is quoted; servers take 16 KB."""
_PASSING = {DirectusCause.AWAY, DirectusCause.LIMITED}


@dataclass(frozen=True, slots=True)
class Answer:
    """What Directus gave as `data` (None where it gave nothing), and its own time, to the second."""

    data: Json
    at: datetime


class DirectusClient:
    """Asks Directus.

    Each method raises `DirectusFailure`; a write raises `OutcomeUnknown` if it may have happened.
    """

    def __init__(
        self,
        http: httpx.AsyncClient,
        clock: Clock,
        *,
        deadline_s: float = DEADLINE_S,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._http = http
        self._clock = clock
        self._breaker = Breaker(clock)
        self._deadline_s = deadline_s
        self._sleep = sleep

    async def get(self, path: str, query: Query | None = None) -> Answer:
        """Return what stands there; asked again where no answer came."""
        return await self._ask("GET", path, query or {}, None)

    async def post(self, path: str, payload: Json, query: Query | None = None) -> Answer:
        """Return what was made of the payload."""
        return await self._ask("POST", path, query or {}, payload)

    async def patch(self, path: str, payload: Json, query: Query | None = None) -> Answer:
        """Return what was changed."""
        return await self._ask("PATCH", path, query or {}, payload)

    async def _ask(self, method: str, path: str, query: Query, payload: Json) -> Answer:
        request = self._request(method, path, query, payload)
        failure, sent = DirectusFailure(reason=DirectusCause.AWAY), False
        try:
            async with asyncio.timeout(self._deadline_s):
                for pause_s in (*_PAUSES_S, None):
                    if not self._breaker.lets_through():
                        break
                    try:
                        sent = method != "GET"
                        return await self._once(request)
                    except _Passing as passing:
                        failure, sent = passing.failure, False
                        if pause_s is not None:
                            await self._sleep(passing.wait(pause_s))
        except TimeoutError as error:
            if sent:
                raise OutcomeUnknown(reason=DirectusCause.LATE) from error
        raise failure

    def _request(self, method: str, path: str, query: Query, payload: Json) -> httpx.Request:
        """Return a request; a question too long for an address goes into the body of a SEARCH."""
        texts = _texts(query)
        if method != "GET":
            return self._http.build_request(method, path, params=texts, json=payload)
        if sum(map(len, texts.values())) > _MOST_CHARS:
            return self._http.build_request("SEARCH", path, json={"query": query})
        return self._http.build_request(method, path, params=texts)

    async def _once(self, request: httpx.Request) -> Answer:
        """Return the answer to one attempt.

        Raises:
            _Passing: it may be tried again.
            DirectusFailure: it may not.

        """
        try:
            response = await self._http.send(request)
        except _NOT_SENT as error:
            self._breaker.failed()
            raise _Passing(DirectusFailure(reason=DirectusCause.AWAY)) from error
        except httpx.TransportError as error:
            self._breaker.failed()
            if request.method in _READING:
                raise _Passing(DirectusFailure(reason=DirectusCause.AWAY)) from error
            raise OutcomeUnknown(reason=DirectusCause.LATE) from error
        failure = failure_of(response)
        if failure is None:
            self._breaker.worked()
            return _answer(response, self._clock.now())
        self._count(failure)
        is_reading = request.method in _READING
        if response.status_code in {502, 504} and not is_reading:
            raise OutcomeUnknown(reason=DirectusCause.LATE)
        if failure.cause in _PASSING or (
            failure.cause is DirectusCause.BROKEN and request.method in _READING
        ):
            raise _Passing(failure, _wait_s(response))
        raise failure

    def _count(self, failure: DirectusFailure) -> None:
        if failure.cause in {DirectusCause.AWAY, DirectusCause.BROKEN} and not isinstance(failure, NotUnique):
            self._breaker.failed()
        else:
            self._breaker.worked()


@asynccontextmanager
async def open_client(
    url: str, token: str, clock: Clock, *, deadline_s: float = DEADLINE_S, sleep: Sleep = asyncio.sleep
) -> AsyncIterator[DirectusClient]:
    """Give a client that keeps its connections; the token goes into a header, never into an address."""
    async with httpx.AsyncClient(
        base_url=url,
        headers={"Authorization": f"Bearer {token}"},
        timeout=httpx.Timeout(deadline_s, connect=3.0, pool=5.0),
        limits=httpx.Limits(max_connections=8),
        trust_env=False,
    ) as http:
        yield DirectusClient(http, clock, deadline_s=deadline_s, sleep=sleep)


class _Passing(Exception):
    """A failure that a moment later may not be there; `wait_s` is what Directus asks for."""

    def __init__(self, failure: DirectusFailure, wait_s: float = 0.0) -> None:
        super().__init__(failure)
        self.failure = failure
        self._wait_s = wait_s

    def wait(self, pause_s: float) -> float:
        """Return how long to wait: some part of the pause, so that two who failed don't meet again."""
        return self._wait_s + pause_s * random.random()  # noqa: S311  no secret


def _wait_s(response: httpx.Response) -> float:
    if response.status_code != 429:
        return 0.0
    asked = response.headers.get("retry-after", "")
    return max(1.0, float(asked)) if asked.isdecimal() else 1.0


def _answer(response: httpx.Response, now: datetime) -> Answer:
    date = response.headers.get("date")
    at = parsedate_to_datetime(date) if date else now
    if response.status_code == 204 or not response.content:
        return Answer(None, at)
    try:
        body = response.json()
    except ValueError as error:
        raise DirectusFailure(reason=DirectusCause.FOREIGN) from error
    if not isinstance(body, dict) or "data" not in body:
        raise DirectusFailure(reason=DirectusCause.FOREIGN)
    return Answer(body["data"], at)


def _texts(query: Query) -> dict[str, str]:
    """Return a query as Directus reads it: lists of columns with commas, whatever is deeper as JSON."""
    return {name: _text(value) for name, value in query.items()}


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return ",".join(map(str, value))
    return json.dumps(value, separators=(",", ":"))
