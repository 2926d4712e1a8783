"""Spans for OpenTelemetry and counters for Prometheus, both from the extra `telemetry`.

Spans follow the conventions for generative AI. They hold no content unless a setting says so.
"""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agent_core.messages import Finish
from agent_core.pipeline.telemetry import Kind, Observation, Telemetry, unwatched
from bot.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer
    from prometheus_client import CollectorRegistry

AGENT = "lorekeeper"
EXTRA = "lorekeeper[telemetry]"
METRICS_HOST = "127.0.0.1"
_SECONDS = (0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
_FACTS = {
    "temperature": "gen_ai.request.temperature",
    "max_tokens": "gen_ai.request.max_tokens",
    "prompt_tokens": "gen_ai.usage.input_tokens",
    "completion_tokens": "gen_ai.usage.output_tokens",
}
_FINE = {
    Kind.TURN: frozenset({"done", "parked"}),
    Kind.REPLY: frozenset(finish.value for finish in Finish),
    Kind.CALL: frozenset({"done", "proposed"}),
}

logger = logging.getLogger(__name__)


@asynccontextmanager
async def watching(settings: Settings) -> AsyncIterator[Telemetry]:
    """Give whatever the settings ask for; what is not installed or not possible is logged and left out."""
    with_threads = ExitStack()
    watchers = await asyncio.to_thread(_opened, settings, with_threads)
    try:
        yield together(watchers)
    finally:
        await asyncio.to_thread(with_threads.close)


def _opened(settings: Settings, stack: ExitStack) -> list[Telemetry]:
    watchers: list[Telemetry] = []
    try:
        if settings.telemetry_endpoint is not None:
            tracer = stack.enter_context(_tracer(settings.telemetry_endpoint))
            watchers.append(Spans(tracer, with_content=settings.telemetry_content))
        if settings.metrics_port is not None:
            watchers.append(stack.enter_context(_served_metrics(settings.metrics_port)))
    except ImportError:
        logger.warning("telemetry is not installed", extra={"install": EXTRA})
    except OSError as error:
        logger.warning("metrics are not served", extra={"cause": str(error)})
    return watchers


def together(watchers: Sequence[Telemetry]) -> Telemetry:
    """Return what lets all of them watch."""
    if not watchers:
        return unwatched

    @contextmanager
    def watched(observation: Observation) -> Iterator[None]:
        with ExitStack() as stack:
            for watcher in watchers:
                stack.enter_context(watcher(observation))
            yield

    return watched


@dataclass(frozen=True, slots=True)
class Spans:
    """Makes a span of each observation, inside of that in which it happens."""

    tracer: "Tracer"
    with_content: bool = False

    def __call__(self, observation: Observation) -> AbstractContextManager[None]:
        return self._span(observation)

    @contextmanager
    def _span(self, seen: Observation) -> Iterator[None]:
        from opentelemetry.trace import SpanKind  # noqa: PLC0415  from the extra

        kind = SpanKind.CLIENT if seen.kind is Kind.REPLY else SpanKind.INTERNAL
        named, attributes = _named(seen)
        with self.tracer.start_as_current_span(
            named, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield
            finally:
                self._finish(span, seen)

    def _finish(self, span: "Span", seen: Observation) -> None:
        from opentelemetry.trace import StatusCode  # noqa: PLC0415  from the extra

        for name, value in seen.facts.items():
            span.set_attribute(_FACTS[name], value)
        if seen.kind is Kind.REPLY and seen.outcome in _FINE[seen.kind]:
            span.set_attribute("gen_ai.response.finish_reasons", [seen.outcome])
        else:
            span.set_attribute("lorekeeper.outcome", seen.outcome)
        if seen.outcome not in _FINE[seen.kind]:
            span.set_attribute("error.type", seen.outcome)
            span.set_status(StatusCode.ERROR)
        if self.with_content and seen.kind is Kind.REPLY:
            span.set_attribute("gen_ai.input.messages", seen.asked())
            span.set_attribute("gen_ai.output.messages", seen.answered())
        if self.with_content and seen.kind is Kind.CALL:
            span.set_attribute("gen_ai.tool.call.arguments", seen.asked())
            span.set_attribute("gen_ai.tool.call.result", seen.answered())


def _named(seen: Observation) -> tuple[str, dict[str, str]]:
    operation = {Kind.TURN: "invoke_agent", Kind.REPLY: "chat", Kind.CALL: "execute_tool"}[seen.kind]
    facts = {
        Kind.TURN: {"gen_ai.agent.name": AGENT, "gen_ai.conversation.id": seen.id},
        Kind.REPLY: {"gen_ai.request.model": seen.name, "gen_ai.provider.name": "openai"},
        Kind.CALL: {"gen_ai.tool.name": seen.name, "gen_ai.tool.call.id": seen.id},
    }[seen.kind]
    return f"{operation} {seen.name or AGENT}", {"gen_ai.operation.name": operation, **facts}


@dataclass(slots=True)
class Metrics:
    """Counts observations by outcome, and how long they took."""

    registry: "CollectorRegistry"
    _counts: dict[Kind, "_Counts"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._counts = {kind: _Counts(kind, self.registry) for kind in Kind}

    def __call__(self, observation: Observation) -> AbstractContextManager[None]:
        return self._counts[observation.kind].counted(observation)


class _Counts:
    """The series of one kind of observation."""

    def __init__(self, kind: Kind, registry: "CollectorRegistry") -> None:
        from prometheus_client import Counter, Histogram  # noqa: PLC0415  from the extra

        what = {Kind.TURN: "turns", Kind.REPLY: "model_replies", Kind.CALL: "tool_calls"}[kind]
        label = {Kind.TURN: "agent", Kind.REPLY: "model", Kind.CALL: "tool"}[kind]
        self._ended = Counter(
            f"lorekeeper_{what}", f"{what} by outcome", (label, "outcome"), registry=registry
        )
        self._seconds = Histogram(
            f"lorekeeper_{what}_seconds", f"duration of {what}", (label,), registry=registry, buckets=_SECONDS
        )
        self._tokens = (
            Counter("lorekeeper_tokens", "tokens by direction", ("model", "direction"), registry=registry)
            if kind is Kind.REPLY
            else None
        )

    @contextmanager
    def counted(self, seen: Observation) -> Iterator[None]:
        began = time.perf_counter()
        try:
            yield
        finally:
            name = seen.name or AGENT
            self._ended.labels(name, seen.outcome).inc()
            self._seconds.labels(name).observe(time.perf_counter() - began)
            if self._tokens is not None:
                for direction in ("prompt", "completion"):
                    self._tokens.labels(name, direction).inc(float(seen.facts.get(f"{direction}_tokens", 0)))


@contextmanager
def _tracer(endpoint: str) -> Iterator["Tracer"]:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415  extra
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415  from the extra
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415  from the extra
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415  from the extra

    provider = TracerProvider(resource=Resource.create({"service.name": AGENT}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, timeout=5)))
    try:
        yield provider.get_tracer(AGENT)
    finally:
        provider.shutdown()


@contextmanager
def _served_metrics(port: int) -> Iterator[Metrics]:
    from prometheus_client import CollectorRegistry, start_http_server  # noqa: PLC0415  from the extra

    registry = CollectorRegistry()
    server, thread = start_http_server(port, METRICS_HOST, registry)
    try:
        yield Metrics(registry)
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)
