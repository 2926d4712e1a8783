"""The border of background work: what goes wrong in one event ends nothing else."""

import logging
from collections.abc import Awaitable

from adapters.chat.room import ChatError

logger = logging.getLogger(__name__)


async def guarded(work: Awaitable[None]) -> None:
    """Do a work; what goes wrong there is logged."""
    try:
        await work
    except ChatError as error:
        logger.warning("refused by discord", extra={"reason": str(error)})
    except Exception:  # the border of a background task
        logger.exception("an event went wrong")
