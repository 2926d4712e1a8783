"""What Discord's refusals mean to us."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
import discord

from adapters.chat.room import ChatError

CALL_S = 330.0
"""Longest that one call may take, waiting for the platform's limits included."""

ARCHIVED = 50083

_REASONS = {
    10003: "gone",  # unknown channel
    10004: "gone",  # unknown server
    10008: "gone",  # unknown message
    10013: "gone",  # unknown person
    10015: "gone",  # unknown webhook: an interaction whose token is dead
    10062: "gone",  # unknown interaction
    50027: "gone",  # dead interaction token
    50001: "no_right",
    50007: "no_right",  # takes no private messages
    50013: "no_right",
    160002: "no_right",  # may not read what it replies to
    40005: "too_large",
    30046: "old_edit",
    40058: "closed",  # a forum post waits for its author's first message
    ARCHIVED: "closed",
}


def chat_error(error: Exception) -> ChatError:
    """Return what is told of a failed call; "flood" is trouble that passes."""
    if isinstance(error, discord.HTTPException):
        return ChatError(_reason(error), f"{error.status}/{error.code}")
    return ChatError("flood", type(error).__name__)


@contextmanager
def refusals() -> Iterator[None]:
    """Let whatever a call of discord.py fails with come out as a `ChatError`."""
    try:
        yield
    except (
        discord.HTTPException,
        discord.RateLimited,
        discord.DiscordServerError,
        aiohttp.ClientError,
        TimeoutError,
        OSError,
    ) as error:
        raise chat_error(error) from error


def is_archived(error: ChatError) -> bool:
    """Tell whether it was refused because the thread is archived or locked."""
    cause = error.__cause__
    return isinstance(cause, discord.HTTPException) and cause.code == ARCHIVED


def is_broken_off(error: ChatError) -> bool:
    """Tell whether the connection broke: nobody knows whether the call took effect."""
    return isinstance(error.__cause__, aiohttp.ClientError | OSError) and not isinstance(
        error.__cause__, TimeoutError
    )


def limited() -> asyncio.Timeout:
    """Return the bound on one call."""
    return asyncio.timeout(CALL_S)


def _reason(error: discord.HTTPException) -> str:
    if error.code in _REASONS:
        return _REASONS[error.code]
    if error.status == 413:
        return "too_large"
    if error.status == 429 or error.status >= 500:
        return "flood"
    if error.status == 404:
        return "gone"
    return "no_right" if error.status == 403 else "refused"
