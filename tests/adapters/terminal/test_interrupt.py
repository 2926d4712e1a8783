"""Ctrl-C while something runs."""

import asyncio
import os
import signal

import pytest

from adapters.terminal.interrupt import interruptible
from agent_core.errors import StoreFailure


async def test_ctrl_c_stops_the_work_and_is_told() -> None:
    going, stopped = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        going.set()
        await stopped.wait()

    async def stop() -> None:
        stopped.set()

    running = asyncio.ensure_future(interruptible(work(), stop))
    await going.wait()
    os.kill(os.getpid(), signal.SIGINT)
    async with asyncio.timeout(5):
        assert await running


async def test_what_goes_wrong_comes_out_as_it_is() -> None:
    async def work() -> None:
        raise StoreFailure(reason="busy")

    async def stop() -> None:
        raise AssertionError("nobody pressed anything")

    with pytest.raises(StoreFailure):
        await interruptible(work(), stop)
