"""Spans and counters of a real turn; the packages come with the extra `telemetry`."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from agent_core.clock import new_id
from agent_core.llm.openai import Endpoint, OpenAIChatModel
from agent_core.pipeline.telemetry import Telemetry
from bot.settings import Settings
from bot.telemetry import Metrics, Spans, together, watching
from bot.wiring import build
from tests.clock import FakeClock
from tests.emulators.model_endpoint import Call, ModelEndpoint, Raw
from tests.house import House

sdk = pytest.importorskip("opentelemetry.sdk.trace")
export = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
prometheus = pytest.importorskip("prometheus_client")

SECRET = "correct-horse-battery"


class Watched:
    """What was seen; spans newest last."""

    def __init__(self, *, with_content: bool) -> None:
        self.exporter = export.InMemorySpanExporter()
        self.registry = prometheus.CollectorRegistry()
        provider = sdk.TracerProvider()
        provider.add_span_processor(
            pytest.importorskip("opentelemetry.sdk.trace.export").SimpleSpanProcessor(self.exporter)
        )
        spans = Spans(provider.get_tracer("test"), with_content=with_content)
        self.telemetry: Telemetry = together([spans, Metrics(self.registry)])

    def spans(self) -> dict[str, Any]:  # any span: the package is not always there
        return {span.name: span for span in self.exporter.get_finished_spans()}

    def count(self, name: str, **labels: str) -> float:
        return float(self.registry.get_sample_value(name, labels) or 0.0)


@pytest.fixture(params=[False, True], ids=["without content", "with content"])
def watched(request: pytest.FixtureRequest) -> Watched:
    return Watched(with_content=bool(request.param))


@pytest.fixture
async def endpoint() -> AsyncIterator[ModelEndpoint]:
    async with ModelEndpoint() as opened:
        yield opened


@pytest.fixture
async def house(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock, watched: Watched
) -> AsyncIterator[House]:
    settings = Settings(
        data_dir=tmp_path,
        language="en",
        time_zone=ZoneInfo("UTC"),
        model_api_key=SECRET,
    )
    async with (
        OpenAIChatModel(Endpoint(endpoint.url, "scripted")) as model,
        build(settings, clock=clock, ids=new_id, model=model, telemetry=watched.telemetry) as app,
    ):
        opened = House(app=app, endpoint=endpoint, clock=clock)
        await opened.found()
        watched.exporter.clear()
        yield opened


async def test_turn_is_a_span_around_those_of_its_replies_and_calls(
    house: House, endpoint: ModelEndpoint, watched: Watched
) -> None:
    endpoint.reply(Call("get_entity_state", {"entityId": "Mara"}, id="call00001"))
    endpoint.reply("Her eyes are green.")

    await house.say("What colour are her eyes?")

    spans = watched.spans()
    turn, reply, call = (
        spans[name] for name in ("invoke_agent lorekeeper", "chat scripted", "execute_tool get_entity_state")
    )
    assert {reply.parent.span_id, call.parent.span_id} == {turn.context.span_id}
    assert dict(turn.attributes) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "lorekeeper",
        "gen_ai.conversation.id": "main-id",
        "lorekeeper.outcome": "done",
    }
    assert reply.kind.name == "CLIENT"
    assert reply.attributes["gen_ai.request.model"] == "scripted"
    assert reply.attributes["gen_ai.usage.input_tokens"] == 11
    assert reply.attributes["gen_ai.usage.output_tokens"] == 7
    assert reply.attributes["gen_ai.response.finish_reasons"] == ("stop",)
    assert call.attributes["gen_ai.tool.call.id"] == "call00001"
    assert call.attributes["lorekeeper.outcome"] == "done"


async def test_content_is_there_only_if_it_was_asked_for_and_without_secrets(
    house: House, endpoint: ModelEndpoint, watched: Watched, request: pytest.FixtureRequest
) -> None:
    endpoint.reply(Call("search_lore", {"query": f"green {SECRET}"}))
    endpoint.reply(f"Green, says {SECRET}.")

    await house.say(f"Colour of {SECRET}?")

    everything = str([dict(span.attributes) for span in watched.exporter.get_finished_spans()])
    assert ("Colour of" in everything) is ("Green, says" in everything) is ("green" in everything)
    assert ("Colour of" in everything) is ("with content" in request.node.name.replace("without content", ""))
    assert SECRET not in everything


async def test_failed_reply_is_an_error_with_its_cause_and_is_counted(
    house: House, endpoint: ModelEndpoint, watched: Watched
) -> None:
    endpoint.reply(Raw(status=401, body={"error": {"message": "no"}}))

    await house.say("Who is Mara?")

    reply, turn = watched.spans()["chat scripted"], watched.spans()["invoke_agent lorekeeper"]
    assert (reply.status.status_code.name, reply.attributes["error.type"]) == ("ERROR", "auth")
    assert (turn.status.status_code.name, turn.attributes["error.type"]) == ("ERROR", "failed")
    assert watched.count("lorekeeper_model_replies_total", model="scripted", outcome="auth") == 1
    assert watched.count("lorekeeper_turns_total", agent="lorekeeper", outcome="failed") == 1


async def test_calls_are_counted_by_tool_and_made_up_names_under_one(
    house: House, endpoint: ModelEndpoint, watched: Watched
) -> None:
    endpoint.reply(Call("made_up_1"), Call("made_up_2"), Call("get_entity_state", {"entityId": "Mara"}))
    endpoint.reply("Done.")

    await house.say("Try it.")

    assert watched.count("lorekeeper_tool_calls_total", tool="unknown", outcome="refused") == 2
    assert watched.count("lorekeeper_tool_calls_total", tool="get_entity_state", outcome="done") == 1
    assert watched.count("lorekeeper_tool_calls_seconds_count", tool="unknown") == 2
    assert watched.count("lorekeeper_tokens_total", model="scripted", direction="prompt") == 22


async def test_counters_are_served_on_the_port_that_was_set(tmp_path: Path, unused_tcp_port: int) -> None:
    settings = Settings(
        data_dir=tmp_path, language="en", time_zone=ZoneInfo("UTC"), metrics_port=unused_tcp_port
    )

    async with watching(settings), httpx.AsyncClient() as client:
        page = await client.get(f"http://127.0.0.1:{unused_tcp_port}/metrics")

    assert "lorekeeper_turns_total" in page.text
