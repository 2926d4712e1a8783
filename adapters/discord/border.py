"""Background work: what goes wrong in one event ends nothing else, and nothing begins once it is to end."""

import asyncio
import logging
from collections.abc import Coroutine

from adapters.chat.room import ChatError

logger = logging.getLogger(__name__)

Work = Coroutine[object, object, None]


class Works:
    """Starts works in a task group until `end`."""

    def __init__(self, tasks: asyncio.TaskGroup) -> None:
        self._group = tasks
        self._running: set[asyncio.Task[None]] = set()
        self._is_open = True

    def start(self, work: Work) -> asyncio.Task[None] | None:
        """Do a work in a task of its own and return that; after the end it isn't begun."""
        if not self._is_open:
            work.close()
            return None
        task = self._group.create_task(guarded(work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        task.add_done_callback(lambda _: work.close())  # one stopped before it began was never awaited
        return task

    async def end(self, *, within_s: float) -> None:
        """Begin nothing any more and stop what runs; return when it has ended, or when the time is up."""
        self._is_open = False
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(set(self._running), timeout=within_s)


async def guarded(work: Work) -> None:
    """Do a work; what goes wrong there is logged."""
    try:
        await work
    except ChatError as error:
        logger.warning("refused by discord", extra={"reason": str(error)})
    except Exception:  # the border of a background task
        logger.exception("an event went wrong")
