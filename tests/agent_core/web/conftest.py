"""A site and a client for the tests of the web."""

from collections.abc import AsyncIterator

import pytest

from agent_core.outbound.client import Outbound, open_outbound
from tests.agent_core.outbound.places import Names
from tests.agent_core.web.places import HOSTS
from tests.emulators.site import Site, open_site


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with open_site() as served:
        yield served


@pytest.fixture
async def outbound() -> AsyncIterator[Outbound]:
    async with open_outbound(HOSTS, resolver=Names()) as client:
        yield client
