"""Everything in this folder runs on real Directus servers; its fixtures lead to them."""

import os
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from tests.directus_server import TOKEN_VARIABLE, DirectusServer, given_server, running_server


@pytest.fixture(scope="session")
def directus_url() -> str:
    """The server that all tests of a run share: let a test begin a series of its own."""
    return given_server()


@pytest.fixture(scope="session")
def directus_token() -> str:
    """The administrator's token, on every server here."""
    return os.environ[TOKEN_VARIABLE]


@pytest.fixture
async def administrator(directus_url: str, directus_token: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the shared server that may do everything."""
    headers = {"Authorization": f"Bearer {directus_token}"}
    async with httpx.AsyncClient(base_url=directus_url, headers=headers, timeout=30) as client:
        yield client


@pytest.fixture(scope="session")
def _own_directus() -> Iterator[DirectusServer]:
    with running_server() as server:
        yield server


@pytest.fixture
def own_directus(_own_directus: DirectusServer) -> Iterator[DirectusServer]:
    """A server that a test may stop, kill, pause, restart and reset as it likes; it is made by the first."""
    yield _own_directus
    if _own_directus.process is not None and not _own_directus.settings:
        _own_directus.resume()
    else:
        _own_directus.restart()
