"""Whether the service lives and can work, and its counters for Prometheus."""

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from adapters.http.dependencies import Called, Hosted
from adapters.http.guard import Counts
from adapters.http.problems import Problem
from adapters.http.routes import examples
from agent_core.errors import StoreFailure

router = APIRouter(tags=["watch"])

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/healthz", responses=examples.answer("healthy"))
async def healthz() -> dict[str, str]:
    """Return that the service lives."""
    return {"status": "ok"}


@router.get("/readyz", responses=examples.answer("ready"))
async def readyz(host: Hosted) -> Response:
    """Return whether the database can be read (503 if not), and whether a model is set up."""
    model = "configured" if host.app.settings.model else "offline"
    try:
        await host.core.askers.conversations.conversation("")
    except StoreFailure as failure:
        reason = str(failure.facts.get("reason", "other"))
        return JSONResponse({"status": "unavailable", "database": reason, "model": model}, 503)
    return JSONResponse({"status": "ready", "database": "ok", "model": model})


@router.get("/metrics", response_class=PlainTextResponse, responses=examples.text("metrics"))
async def metrics(request: Request, host: Hosted, caller: Called) -> Response:
    """Return counters of the API; operators only. Those of turns and tools are in the extra `telemetry`."""
    if not caller.person.operator:
        raise Problem(403, "operator")
    counts: Counts = request.app.state.counts
    works = host.works
    lines = ["# TYPE lorekeeper_http_responses_total counter"]
    lines += [
        f'lorekeeper_http_responses_total{{status="{status}"}} {number}'
        for status, number in sorted(counts.by_status.items())
    ]
    gauges = {"http_listeners": works.listening, "http_work_running": works.running}
    for name, number in gauges.items():
        lines += [f"# TYPE lorekeeper_{name} gauge", f"lorekeeper_{name} {number}"]
    dropped = "lorekeeper_http_listeners_dropped_total"
    lines += [f"# TYPE {dropped} counter", f"{dropped} {works.dropped}"]
    return PlainTextResponse("\n".join(lines) + "\n", media_type=METRICS_TYPE)
