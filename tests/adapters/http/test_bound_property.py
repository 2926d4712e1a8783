"""A bounded token gets, byte for byte at every endpoint, what it would get if nothing further were written.

The endpoints come out of the API's own description; a new one joins by being there.
"""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.http.app import create_app, described
from adapters.http.host import hosted
from agent_core.messages import Json
from agent_core.tools.catalogue import TOOLS
from bot.settings import Settings
from bot.wiring import App, build
from tests.adapters.http.conftest import ADDRESS, LOCAL
from tests.agent_core.lore.naive_outline import NaiveOutline
from tests.clock import FakeClock, counting_ids
from tests.scenarios.cut_copy import cut
from tests.scenarios.test_bound_property import Case, Library, NoModel, Role, cases
from tests.scenarios.tool_arguments import Texts, arguments

pytestmark = pytest.mark.timeout(900)  # a failure is shrunk for up to five minutes

TOOLS_BY_NAME = {tool.name: tool for tool in TOOLS}
ASKS_A_MODEL = {"/api/agent/chat", "/api/bookslm/agent"}
NOT_ABOUT_LORE = {"/metrics", "/healthz", "/readyz", "/api/imports", "/api/imports/{upload}"}
PLACES = {"at", "to", "from", "asReader", "chapter", "bookId"}
TIMES = {"known", "since", "until"}
ID = re.compile(r"id-\d+")
DESK = "the conversation about the series that is always there"

Request = tuple[str, Any, Any]  # path, query and body, of any shape


@dataclass(frozen=True)
class Endpoint:
    """A path with its method and what it takes."""

    method: str
    path: str
    parameters: tuple[Mapping[str, Any], ...]
    tool: str

    def filled(
        self, series: str, texts: Texts, outline: NaiveOutline
    ) -> st.SearchStrategy[tuple[str, Any, Any]]:
        """Return paths with fitting texts, queries and bodies."""
        values = {
            one["name"]: _value(one, texts, outline)
            for one in self.parameters
            if one["in"] in {"path", "query"} and one["name"] != "seriesId"
        }
        needed = {one["name"] for one in self.parameters if one["required"]} & values.keys()
        given = st.fixed_dictionaries(
            {name: values[name] for name in needed},
            optional={name: values[name] for name in values.keys() - needed},
        )
        body = arguments(TOOLS_BY_NAME[self.tool], texts) if self.tool else st.none()
        return st.tuples(given, body).map(lambda drawn: self._request(series, *drawn))

    def _request(self, series: str, given: dict[str, Any], body: Json) -> Request:
        path = self.path.replace("{seriesId}", series)
        for name in re.findall(r"{(\w+)}", path):
            path = path.replace(f"{{{name}}}", str(given.pop(name)).replace("#", "%23").replace("/", "%2F"))
        return path, given, body


API = described().openapi()


def endpoints() -> list[Endpoint]:
    found = []
    for path, operations in API["paths"].items():
        for method, operation in operations.items():
            is_stream = path.endswith("/events") or path in ASKS_A_MODEL
            if path not in NOT_ABOUT_LORE and not is_stream:
                name = operation["operationId"].partition("_api_")[0]
                tool = name if name in TOOLS_BY_NAME and method == "post" else ""
                found.append(Endpoint(method.upper(), path, tuple(operation.get("parameters", ())), tool))
    return found


ENDPOINTS = endpoints()


def _value(parameter: Mapping[str, Any], texts: Texts, outline: NaiveOutline) -> st.SearchStrategy[Any]:
    name, schema = parameter["name"], parameter["schema"]
    choices = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    if name in PLACES:
        return st.sampled_from(texts.places)
    if name in TIMES:
        return st.sampled_from(texts.times)
    if name in {"entry", "q"}:
        return st.sampled_from(texts.entries)
    if name == "conversation":
        return st.sampled_from([DESK, *outline.reading])
    if "$ref" in choices[0]:
        choices = [API["components"]["schemas"][choices[0]["$ref"].rpartition("/")[2]]]
    if "enum" in choices[0]:
        return st.sampled_from(choices[0]["enum"])
    if choices[0].get("type") == "integer":
        return st.integers(0, 60)
    if choices[0].get("type") == "boolean":
        return st.booleans()
    return st.sampled_from([*texts.words, *outline.reading])


@dataclass
class Reader:
    """An installation with its API, as somebody reads there."""

    app: App
    library: Library
    client: httpx.AsyncClient
    desk: str = ""

    async def sit_down(self, case: Case, changes: Any) -> tuple[str, dict[str, str]]:
        """Store the series of the case; return its id and the headers of who may read part of it."""
        asker = await self.library.asker(case, changes)
        token = await self.app.tokens.make(asker.person.id, "test")
        headers = {"authorization": f"Bearer {token}", "accept-language": case.language}
        [series] = (await self.client.get("/api/series", headers=headers)).json()
        self.desk = series["conversationId"]
        return series["id"], headers

    async def said(self, endpoint: Endpoint, request: Request, headers: dict[str, str]) -> str:
        """Return everything that a response shows, fresh ids by the order in which they come."""
        path, query, body = request
        path = path.replace(DESK, self.desk)
        found = await self.client.request(endpoint.method, path, params=query, json=body, headers=headers)
        assert found.status_code < 500, (path, found.text)
        numbers: dict[str, str] = {}
        text = ID.sub(lambda match: numbers.setdefault(match[0], f"new {len(numbers)}"), found.text)
        shown = {name: value for name, value in found.headers.items() if name != "content-length"}
        return f"{found.status_code} {shown}\n{text}"


@pytest.fixture
async def readers(tmp_path: Path) -> AsyncIterator[tuple[Reader, Reader]]:
    """Two installations: one for whole series, one for their cut copies."""
    async with AsyncExitStack() as stack:
        found = []
        for name in ("whole", "cut"):
            clock = FakeClock()
            chosen = Settings(
                data_dir=tmp_path / name,
                rate_limit_per_minute=10**9,
                time_zone=ZoneInfo("UTC"),
                language="en",
            )
            app = await stack.enter_async_context(
                build(chosen, clock=clock, ids=counting_ids(), model=NoModel())
            )
            host = await stack.enter_async_context(hosted(app))
            transport = httpx.ASGITransport(create_app(host), client=LOCAL, raise_app_exceptions=False)
            client = httpx.AsyncClient(transport=transport, base_url=ADDRESS)
            found.append(Reader(app, Library(app, clock), await stack.enter_async_context(client)))
        whole, copy = found
        yield whole, copy


def test_endpoints_are_those_of_the_api() -> None:
    assert len(ENDPOINTS) > 30
    assert {"/api/me", "/api/series/{seriesId}/entries/{entry}/state"} <= {one.path for one in ENDPOINTS}
    assert {one.tool for one in ENDPOINTS} > {"record_lore_state", "set_progress", "undo"}


@pytest.mark.slow
@settings(max_examples=settings().max_examples // 5)
@given(data=st.data(), case=cases())
async def test_every_endpoint_answers_a_reader_as_the_cut_copy_does(
    readers: tuple[Reader, Reader], data: st.DataObject, case: Case
) -> None:
    whole, copy = readers
    case = replace(case, role=Role.READER)
    series, headers = await whole.sit_down(case, list(enumerate(case.lore.changes, 1)))
    left = cut(case.lore.changes, case.lore.outline, case.bound, keep_numbers=case.numbers_are_known)
    same, other_headers = await copy.sit_down(case, left)
    assert series == same

    texts = Texts.about(case.lore.outline)
    for endpoint in ENDPOINTS:
        if endpoint.tool == "set_progress":
            continue  # how far one has come in the printed book is said in its numbers
        requests = st.lists(endpoint.filled(series, texts, case.lore.outline), min_size=1, max_size=2)
        for request in data.draw(requests, label=endpoint.path):
            shown = await whole.said(endpoint, request, headers)
            assert shown == await copy.said(endpoint, request, other_headers), (endpoint.path, request)
            assert not case.names_unread(shown), (endpoint.path, request)
