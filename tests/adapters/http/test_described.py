"""The API does what its own description says, whatever is sent to it.

The fuzzing runs where schemathesis is installed: the stage acceptance-tests of scripts/test --all.
"""

import asyncio
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest
from hypothesis import HealthCheck, settings

from adapters.http.app import described
from adapters.http.caller import LOCAL
from adapters.http.server import serve_http
from agent_core.people.model import Membership, SeriesRole
from bot.settings import Settings
from bot.wiring import build

schemathesis = pytest.importorskip("schemathesis")
pytestmark = pytest.mark.timeout(180)

TIMEOUT_S = 20
schema = schemathesis.openapi.from_dict(described().openapi())
checks = schemathesis.checks
CHECKED = [
    checks.not_a_server_error,
    *(
        checks.CHECKS.get_one(name)
        for name in ("status_code_conformance", "content_type_conformance", "response_schema_conformance")
    ),
]


class Service(threading.Thread):
    """The API over real notes with the offline responder, in a loop of its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.address = ""
        self.ready = threading.Event()
        self.loop = asyncio.new_event_loop()
        self._settings = Settings(
            data_dir=folder,
            time_zone=ZoneInfo("UTC"),
            language="en",
            http_port=0,
            rate_limit_per_minute=10**9,
        )
        self._work: asyncio.Task[None] | None = None

    def run(self) -> None:
        self._work = self.loop.create_task(self._serve())
        try:
            self.loop.run_until_complete(self._work)
        except asyncio.CancelledError:
            pass
        finally:
            self.ready.set()
            self.loop.close()

    def stop(self) -> None:
        """End the service."""
        assert self._work is not None
        self.loop.call_soon_threadsafe(self._work.cancel)
        self.join(TIMEOUT_S)

    async def _serve(self) -> None:
        async with build(self._settings) as app:
            askers = app.core.askers
            person = await askers.people.person_for(LOCAL, "Local", new_id="local", operator=True)
            [series] = await askers.series.all_series()
            await askers.people.set_membership(
                Membership(person=person.id, series=series.id, role=SeriesRole.OWNER)
            )
            await serve_http(app, self._is_at)

    def _is_at(self, address: str) -> None:
        self.address = address
        self.ready.set()


@pytest.fixture(scope="module")
def service(founded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    running = Service(shutil.copytree(founded, tmp_path_factory.mktemp("described") / "house"))
    running.start()
    assert running.ready.wait(TIMEOUT_S)
    assert running.address
    yield running
    running.stop()


@pytest.fixture(scope="module")
def known(service: Service) -> dict[str, str]:
    """Ids of what is there, so that not everything ends at an unknown one."""
    with httpx.Client(base_url=service.address, timeout=TIMEOUT_S) as client:
        [series] = client.get("/api/series").json()
        question = {
            "conversationId": series["conversationId"],
            "messages": [{"role": "user", "content": "Mara?"}],
        }
        turn = client.post("/api/agent/chat", json=question).json()["turnId"]
        fact = {"entityId": "Mara", "statePatch": {"hat": "felt"}, "sourceSceneId": "1.1"}
        batch = client.post(f"/api/series/{series['id']}/facts", json=fact).json()["batchId"]
        entry = client.get(f"/api/series/{series['id']}/entries").json()["entries"][0]["id"]
    return {
        "seriesId": series["id"], "bookId": series["books"][0]["id"], "entry": entry, "turn": turn,
        "batch": batch, "batchId": batch, "conversation": series["conversationId"],
        "conversationId": series["conversationId"], "chapter": "1",
    }  # fmt: skip


@schema.parametrize()  # type: ignore[untyped-decorator]  # it is not here while types are checked
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_request_is_answered_as_described(case: Any, service: Service, known: dict[str, str]) -> None:
    lasts = case.path.endswith("/events") and "conversation" in case.path
    if not lasts:  # that stream would go on for ever
        for name in known.keys() & (case.path_parameters or {}).keys():
            case.path_parameters[name] = known[name]
        if isinstance(case.body, dict):
            case.body.update({name: known[name] for name in known.keys() & case.body.keys()})
    case.call_and_validate(base_url=service.address, checks=CHECKED, timeout=TIMEOUT_S)


def test_notes_are_whole_after_all_that(service: Service, known: dict[str, str]) -> None:
    with httpx.Client(base_url=service.address, timeout=TIMEOUT_S) as client:
        ready = client.get("/readyz").json()
        state = client.get(f"/api/series/{known['seriesId']}/entries").json()

    assert ready["status"] == "ready"
    assert known["entry"] in {entry["id"] for entry in state["entries"]}
