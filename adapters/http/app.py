"""Puts the API and the page together."""

from collections.abc import Sequence

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from adapters.http.description import describe
from adapters.http.guard import Counts, Guard
from adapters.http.hook import Hook, hook_route
from adapters.http.host import Host
from adapters.http.mask import Mask
from adapters.http.problems import answer_with_problems
from adapters.http.routes import conversations, files, lore, page, series, talk, transfer, watch, writes

MEGABYTE = 1_000_000
ROUTERS = (
    talk.router,
    conversations.router,
    files.router,
    series.router,
    lore.router,
    writes.router,
    transfer.router,
    watch.router,
)


def create_app(host: Host, hooks: Sequence[Hook] = ()) -> ASGIApp:
    """Return the application that serves a host, and platforms that call us."""
    settings = host.app.settings
    api = described()
    api.state.host = host
    api.state.counts = Counts({})
    answer_with_problems(api, host.core.runtime.pipeline.redaction, settings.language)
    api.router.routes.extend(hook_route(hook) for hook in hooks)
    api.router.routes.append(page.ROUTE)
    app: ASGIApp = Mask(api, host.core.runtime.pipeline.redaction)
    origins = settings.http_origins.split()
    if origins:
        app = CORSMiddleware(
            app,
            allow_origins=origins,
            allow_methods=["GET", "POST"],
            allow_headers=["authorization", "content-type", "last-event-id", "accept-language"],
        )
    upload_bytes = settings.http_upload_mb * MEGABYTE
    return Guard(app, upload_bytes=upload_bytes, language=settings.language, counts=api.state.counts)


def described() -> FastAPI:
    """Return the bare API with all its routes and their description, served with nothing yet."""
    api = FastAPI(
        title="LoreKeeper",
        description="Keeps the canon of a book series: looks up before it claims, writes what you confirm.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    for router in ROUTERS:
        api.include_router(router)
    describe(api)
    return api
