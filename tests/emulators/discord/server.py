"""The emulator itself: the whole Discord of a test, open while it is used as a context manager."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from types import TracebackType
from typing import Final, Self

from aiohttp import web

from tests.clock import FakeClock
from tests.emulators.discord.faults import Fault
from tests.emulators.discord.front import Front
from tests.emulators.discord.gateway import Gateway
from tests.emulators.discord.gateway_words import Intent
from tests.emulators.discord.interactions import InteractionKind
from tests.emulators.discord.press import Press
from tests.emulators.discord.rest import Request
from tests.emulators.discord.stage import Stage
from tests.emulators.discord.talk import Talk
from tests.emulators.discord.world import PATIENCE_S, Found, World

_MOST_BYTES: Final = 64 * 1024 * 1024


class Discord(Stage, Talk, Press):
    """An emulated Discord with one bot; the package's docstring says how to use it."""

    def __init__(
        self,
        *,
        clock: FakeClock | None = None,
        token: str = "emulated.bot.token",  # noqa: S107 - no secret
        portal: Intent = Intent.MESSAGE_CONTENT,
        heartbeat_s: float = 41.25,
    ) -> None:
        self.clock = clock or FakeClock(datetime.now(UTC))
        self.token = token
        self.world = World(self.clock)
        self.world.portal_intents = int(portal)
        self.gateway = Gateway(self.world, token, heartbeat_s)
        self.front = Front(self.world, token)
        self.api_base = ""
        self.gateway_url = ""
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=_MOST_BYTES)
        application.router.add_get("/gw/", self.front.open_to_faults(self.gateway.connect))
        self.front.add_to(application)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        self._open.push_async_callback(runner.cleanup)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.api_base = f"http://{host}:{port}/api/v10"
        self.gateway_url = self.world.gateway_url = f"ws://{host}:{port}/gw/"
        self.world.cdn = f"http://{host}:{port}/cdn"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.gateway.drop()
        await self._open.aclose()
        if error is None:
            unmet = [f"a planned fault that no request met: {fault}" for fault in self.front.faults.unmet]
            wrong = [*self.violations, *unmet, *self._left_alone()]
            assert not wrong, "what Discord refuses or nobody expected:\n" + "\n".join(wrong)

    @property
    def violations(self) -> list[str]:
        """The requests that were refused without the test expecting it."""
        return self.world.violations

    @property
    def requests(self) -> list[Request]:
        """Every request, in order of arrival."""
        return self.front.requests

    def asked(self, method: str, ending: str) -> list[Request]:
        """Return the requests of that method whose path ends so."""
        return [one for one in self.requests if one.method == method and one.path.endswith(ending)]

    def expects(self, *codes: int) -> None:
        """Let requests be refused with these codes or statuses, and with 10062 interactions be ignored."""
        self.front.expected |= set(codes)

    def fault(self, method: str, path: str, fault: Fault, *, skip: int = 0, times: int = 1) -> None:
        """Let the next `times` fitting requests meet the fault, after `skip` others; `*` fits anything."""
        self.front.faults.plan(method, path, fault, skip=skip, times=times)

    async def until(
        self, holds: Callable[[], Found], *, within_s: float = PATIENCE_S, because: str = ""
    ) -> Found:
        """Wait until `holds()` is truthy and return it; looked at whenever anything happened here."""
        return await self.world.until(holds, within_s=within_s, because=because)

    async def ready(self, *, times: int = 1) -> None:
        """Wait until a bot has identified itself so many times."""
        await self.until(lambda: self.gateway.identified >= times, because="a bot that identifies itself")

    def _left_alone(self) -> list[str]:
        """Return what people did with commands and buttons that the bot never tried to answer."""
        if 10062 in self.front.expected:
            return []
        tried = {one.path.split("/")[2] for one in self.requests if one.path.startswith("/interactions/")}
        return [
            f"{one.user.display_name} was never answered: {one.kind.name} {one.name}"
            for one in self.world.interactions.values()
            if str(one.id) not in tried and one.kind is not InteractionKind.AUTOCOMPLETE
        ]
