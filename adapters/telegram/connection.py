"""The way to Telegram: a client that trusts the right certificates, opened in any weather."""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import httpx
from telegram import Bot
from telegram.error import BadRequest, Conflict, InvalidToken, NetworkError, RetryAfter, TelegramError
from telegram.request import HTTPXRequest

from adapters.chat.room import ChatError
from adapters.telegram.hearing import Transcriber
from adapters.telegram.line import Pause, wait_of

T = TypeVar("T")

POLL_S = 30
_API_BASE = "https://api.telegram.org/bot"
_FILE_BASE = "https://api.telegram.org/file/bot"
_CONNECTIONS = 64
_BACKOFF_S = (1.0, 2.0, 5.0, 10.0, 30.0)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramConfig:
    """What the operator sets. The bases are followed by the token; "" are Telegram's own."""

    token: str
    api_base: str = ""
    file_base: str = ""
    webhook_url: str = ""
    webhook_secret: str = ""
    transcriber: Transcriber | None = None


async def examine(config: TelegramConfig) -> tuple[str, bool]:
    """Return the bot's user name, and whether it reads everything in groups (privacy mode is off).

    Raises:
        ChatError: reason "token" or "unreachable".
    """
    bot = await _bot(config)
    try:
        async with bot:
            return bot.username, bool(bot.bot.can_read_all_group_messages)
    except InvalidToken as error:
        raise ChatError("token") from error
    except TelegramError as error:
        raise ChatError("unreachable", error.message) from error


@asynccontextmanager
async def opened(config: TelegramConfig, pause: Pause) -> AsyncIterator[Bot]:
    """Give a client of Telegram as soon as Telegram knows it.

    Raises:
        ChatError: reason "token".
    """
    bot = await _bot(config)
    try:
        await patiently(bot.initialize, pause)
        yield bot
    finally:
        await bot.shutdown()


async def patiently(work: Callable[[], Awaitable[T]], pause: Pause) -> T:
    """Return what the work returns, tried again until Telegram is there.

    Raises:
        ChatError: reason "token".
    """
    tries = 0
    while True:
        wait_s = _BACKOFF_S[min(tries, len(_BACKOFF_S) - 1)]
        tries += 1
        try:
            return await work()
        except InvalidToken as error:
            raise ChatError("token") from error
        except BadRequest:  # a NetworkError by its class only
            raise
        except RetryAfter as error:
            wait_s = wait_of(error)
        except Conflict:
            logger.warning("another process reads this bot's updates", extra={"again_in_s": wait_s})
        except NetworkError as error:
            logger.info("Telegram is out of reach", extra={"again_in_s": wait_s, "reason": error.message})
        except TelegramError as error:  # an answer that is none, as from a proxy
            logger.warning("answer not understood", extra={"again_in_s": wait_s, "reason": error.message})
        await pause(wait_s)


@cache
def _trust() -> ssl.SSLContext:
    """Return the certificates that are trusted; reading them takes a fifth of a second."""
    return httpx.create_ssl_context()


async def _bot(config: TelegramConfig) -> Bot:
    trust = {"verify": await asyncio.to_thread(_trust)}
    return Bot(
        config.token,
        base_url=config.api_base or _API_BASE,
        base_file_url=config.file_base or _FILE_BASE,
        request=HTTPXRequest(connection_pool_size=_CONNECTIONS, pool_timeout=30, httpx_kwargs=trust),
        get_updates_request=HTTPXRequest(
            connection_pool_size=1, read_timeout=POLL_S + 10, httpx_kwargs=trust
        ),
    )
