"""Serves the API and the page on a socket until told to stop."""

import asyncio
import logging
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import uvicorn

from adapters.http.app import create_app
from adapters.http.asking import hand_over, tell_card, watch_cards
from adapters.http.caller import is_loopback
from adapters.http.channel import Teller
from adapters.http.hook import Hook
from adapters.http.host import PLATFORM, Host, HttpApp, hosted
from adapters.http.scheduled import ChannelOutlet
from adapters.scheduled import is_open
from agent_core.errors import LoreKeeperError, NotPermitted
from agent_core.events import Emit
from agent_core.pipeline.model import Batch

BACKLOG = 2048
TRIES = 20
GRACE_S = 5

Started = Callable[[str], None]
Moved = Callable[[int, int], None]

logger = logging.getLogger(__name__)


async def serve_http(
    app: HttpApp,
    started: Started,
    moved: Moved = lambda wanted, taken: None,
    hooks: Sequence[Hook] = (),
) -> None:
    """Serve until cancelled, then end streams, wait a moment for turns, and close.

    `started` gets the address; before that `moved` gets the port that was wanted and the one taken, if the
    first was in use.

    Raises:
        NotPermitted: reason "open_without_token"; others could reach it and there is no token.
        LoreKeeperError: no port can be had.
    """
    settings = app.settings
    if not is_loopback(settings.http_host) and not await app.tokens.are_there_any():
        raise NotPermitted(reason="open_without_token", host=settings.http_host)
    listening = _listening(settings.http_host, settings.http_port)
    port = listening.getsockname()[1]
    if settings.http_port not in {0, port}:
        moved(settings.http_port, port)
    async with hosted(app) as host:
        await _take_up(host)
        watching = host.works.tasks.create_task(watch_cards(host))
        server = _Server(_config(host, hooks))
        serving = host.works.tasks.create_task(server.serve([listening]))
        try:
            started(f"http://{_shown(settings.http_host)}:{port}")
            with is_open(ChannelOutlet(host), app.outlets, PLATFORM):
                await asyncio.shield(serving)
        finally:
            watching.cancel()
            await host.works.close()
            server.should_exit = True
            await asyncio.wait({serving}, timeout=2 * GRACE_S)


class _Server(uvicorn.Server):
    """A server that leaves signals to the program that it is a part of."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _config(host: Host, hooks: Sequence[Hook]) -> uvicorn.Config:
    return uvicorn.Config(
        create_app(host, hooks),
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=GRACE_S,
        h11_max_incomplete_event_size=32_768,
        limit_concurrency=4_096,
    )


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that is bound; on this machine alone the next free port will do.

    Raises:
        LoreKeeperError: reason "port".
    """
    tries = range(port, port + TRIES) if port and is_loopback(host) else (port,)
    for candidate in tries:
        try:
            return _bound(host, candidate)
        except (OSError, OverflowError) as error:
            logger.info("port not free", extra={"port": candidate, "cause": str(error)})
    raise _no_port(host, port)


def _bound(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    found = socket.socket(family, kind, protocol)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(BACKLOG)
    except OSError:
        found.close()
        raise
    found.setblocking(False)
    return found


def _no_port(host: str, port: int) -> LoreKeeperError:
    return NotPermitted(reason="port", host=host, port=port)


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


async def _take_up(host: Host) -> None:
    """Take up in the background what a crash or a stop left open in the conversations of HTTP."""
    runtime, core = host.core.runtime, host.core
    open_here = [batch.conversation for batch in await runtime.batches.unsettled()]
    open_here += [turn.conversation for turn in await runtime.turns.unfinished()]
    for conversation in dict.fromkeys(open_here):
        place = await core.askers.conversations.conversation(conversation)
        if place is None or place.platform != PLATFORM:
            continue
        with host.works.held(conversation) as channel:
            teller = Teller(channel=channel, message=runtime.new_id())

            async def work(emit: Emit, teller: Teller = teller) -> bool:
                here = teller.channel.conversation
                left = [one for one in await runtime.batches.unsettled() if one.conversation == here]
                await core.recover(lambda _: emit, here)
                await _tell_settled(host, left)
                await hand_over(host, teller)
                return True

            host.works.start(teller, work, place.language)


async def _tell_settled(host: Host, left: Sequence[Batch]) -> None:
    """Tell what became of batches of commands that were left open; of the others their turn tells."""
    for one in left:
        batch = await host.core.batch(one.id)
        if batch is not None and batch.settled and batch.turn is None:
            await tell_card(host, batch)
