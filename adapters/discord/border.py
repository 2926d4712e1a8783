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
        self._tasks = tasks
        self._is_open = True

    def start(self, work: Work) -> None:
        """Do a work in a task of its own; after the end it isn't begun."""
        if self._is_open:
            self._tasks.create_task(guarded(work))
        else:
            work.close()

    def end(self) -> None:
        """Begin nothing any more."""
        self._is_open = False


async def guarded(work: Work) -> None:
    """Do a work; what goes wrong there is logged."""
    try:
        await work
    except ChatError as error:
        logger.warning("refused by discord", extra={"reason": str(error)})
    except Exception:  # the border of a background task
        logger.exception("an event went wrong")
