"""What writing means in every database: who is told of commits, and that a write runs to its end."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeAlias, TypeVar

AfterCommit: TypeAlias = Callable[[int], None]
"""Called in the writing thread with the count of commits so far."""

T = TypeVar("T")


async def to_the_end(work: Awaitable[T]) -> T:
    """Return what `work` gives; a cancellation is passed on only when it has ended."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):  # raised anew below
                await asyncio.wait({task})
        if not task.cancelled():
            task.exception()
        raise
