"""The time that a tool may take, whenever any of its handlers runs."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from agent_core.errors import Failure, ToolTimeout
from agent_core.tools.spec import AnyTool

T = TypeVar("T")


async def timed(tool: AnyTool, work: Awaitable[T]) -> T:
    """Return what a handler of the tool gives.

    Raises:
        ToolTimeout: it takes longer than the tool may.
        Failure: something inside the handler was cancelled, not the task that called it.
    """
    try:
        async with asyncio.timeout(tool.timeout_s):
            return await work
    except TimeoutError as error:
        raise ToolTimeout(tool=tool.name, timeout_s=tool.timeout_s) from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise Failure from error
