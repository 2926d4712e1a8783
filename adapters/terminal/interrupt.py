"""Ctrl-C while something runs: stops the turn, not the program."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress


async def interruptible(work: Awaitable[None], stop: Callable[[], Awaitable[None]]) -> bool:
    """Run the work to its end and return whether Ctrl-C was pressed meanwhile, which calls `stop`."""
    loop = asyncio.get_running_loop()
    presses: list[asyncio.Task[None]] = []
    try:
        async with asyncio.TaskGroup() as group:

            def pressed() -> None:
                presses.append(group.create_task(_told(stop)))

            with suppress(NotImplementedError):  # some platforms have no signal handlers on the loop
                loop.add_signal_handler(signal.SIGINT, pressed)
            try:
                await work
            finally:
                with suppress(NotImplementedError):
                    loop.remove_signal_handler(signal.SIGINT)
    except ExceptionGroup as errors:  # what went wrong in the work, as it was
        raise errors.exceptions[0] from None
    return bool(presses)


async def _told(stop: Callable[[], Awaitable[None]]) -> None:
    await stop()
