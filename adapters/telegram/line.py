"""Calls to the Bot API, chat by chat in order: flood waits and lost connections are waited out here."""

import asyncio
import logging
import re
import warnings
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

import httpx
from telegram.error import (
    BadRequest,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)
from telegram.warnings import PTBDeprecationWarning, PTBUserWarning

from adapters.chat.room import ChatError
from agent_core.clock import Clock

T = TypeVar("T")
Pause = Callable[[float], Awaitable[None]]

CALL_TIMEOUT_S = 60.0
LONGEST_WAIT_S = 600.0
"""A flood wait beyond this is not sat out: what is owed stays stored until it is over."""
NO_FILES = "no_files"
"""Why a call was refused in a place that takes text, but no files from us."""
_BACKOFF_S = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 60.0, 60.0, 60.0)
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_GONE = (
    "thread not found",
    "topic_deleted",
    "message to edit not found",
    "message can't be edited",
    "message_id_invalid",
    "chat not found",
    "peer_id_invalid",
    "user is deactivated",
)
_NO_FILES = re.compile(r"not enough rights to send (?!text)|chat_send_\w+_forbidden")
_CLOSED = (
    "not enough rights",
    "topic_closed",
    "chat_write_forbidden",
    "have no rights to send",
    "chat_restricted",
)

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Line:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    free_at: float = 0.0


@dataclass(slots=True)
class Lines:
    """One line of calls a chat: a chat that has to wait keeps no other waiting."""

    clock: Clock
    pause: Pause
    _lines: dict[int, _Line] = field(default_factory=dict)

    async def call(
        self,
        chat: int,
        make: Callable[[], Awaitable[T]],
        *,
        repeatable: bool,
        wanted: Callable[[], bool] = lambda: True,
    ) -> T | None:
        """Return what the call returns, None if it is not `wanted` any more when its turn has come.

        After a broken connection a call that is not `repeatable` is made again only if it was never sent.

        Raises:
            ChatError: it was refused; the wait is too long ("flood"); nobody knows if it arrived ("lost").
            ChatMigrated: the chat has another id now.
            BadRequest: what is wrong is with what was said, not with the place.
        """
        line = self._lines.setdefault(chat, _Line())
        async with line.lock:
            for backoff_s in _BACKOFF_S:
                try:
                    return await self._made(line, make, wanted)
                except BadRequest:  # a NetworkError by its class only
                    raise
                except (NetworkError, TimeoutError) as error:
                    if not (repeatable or _was_never_done(error)):
                        raise ChatError("lost", type(error).__name__) from error
                logger.info("Telegram is out of reach", extra={"chat": chat, "again_in_s": backoff_s})
                await self.pause(backoff_s)
        raise ChatError("lost", "out of reach")

    def is_waiting(self, chat: int) -> bool:
        """Tell whether a flood wait runs in a chat."""
        line = self._lines.get(chat)
        return line is not None and line.free_at > self.clock.monotonic()

    def hold(self, chat: int, seconds: float) -> None:
        """Let a flood wait begin in a chat."""
        line = self._lines.setdefault(chat, _Line())
        line.free_at = max(line.free_at, self.clock.monotonic() + seconds)

    async def _made(
        self, line: _Line, make: Callable[[], Awaitable[T]], wanted: Callable[[], bool]
    ) -> T | None:
        """Make the call as soon as no flood wait runs."""
        while True:
            await self._wait(line)
            if not wanted():
                return None
            try:
                async with asyncio.timeout(CALL_TIMEOUT_S):
                    return await make()
            except RetryAfter as error:
                line.free_at = self.clock.monotonic() + wait_of(error)
            except (BadRequest, Forbidden, InvalidToken) as error:
                raise refusal_of(error) from error

    async def _wait(self, line: _Line) -> None:
        while (left_s := line.free_at - self.clock.monotonic()) > 0:
            if left_s > LONGEST_WAIT_S:
                raise ChatError("flood", f"{left_s:.0f} s")
            await self.pause(left_s)


def wait_of(error: RetryAfter) -> float:
    """Return the seconds that Telegram wants us to wait."""
    wait = error.retry_after
    return float(wait) if isinstance(wait, int | float) else wait.total_seconds()


def silence_the_library() -> None:
    """Silence what it says at each flood wait (a type will change) and when updates are read unparsed."""
    warnings.filterwarnings("ignore", ".*attribute `retry_after`.*", PTBDeprecationWarning)
    warnings.filterwarnings("ignore", "Please use 'Bot.getUpdates'.*", PTBUserWarning)


def is_unchanged(error: BadRequest) -> bool:
    """Tell whether the refusal only says that the message looks so already."""
    return "not modified" in error.message.lower()


def refusal_of(error: TelegramError) -> Exception:
    """Return what a refusal means: a `ChatError` where the place is the reason, else the error itself."""
    text = error.message.lower()
    if isinstance(error, Forbidden):
        return ChatError("closed", error.message)
    if isinstance(error, BadRequest):
        if _NO_FILES.search(text) and "chat_send_plain" not in text:
            return ChatError(NO_FILES, error.message)
        if any(part in text for part in _CLOSED):
            return ChatError("closed", error.message)
        if any(part in text for part in _GONE):
            return ChatError("gone", error.message)
    return error


def _was_never_done(error: Exception) -> bool:
    """Tell whether a failed call surely did nothing: it never left, or the server said so."""
    if not isinstance(error, NetworkError) or isinstance(error, TimedOut):
        return isinstance(error.__cause__, _NEVER_SENT)
    return error.__cause__ is None or isinstance(error.__cause__, _NEVER_SENT)
