"""An unmodified python-telegram-bot as the client of the emulator."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from telegram import Bot, Update
from telegram.ext import Application, ApplicationBuilder, ContextTypes, TypeHandler

from tests.emulators.telegram.telegram import Telegram

Handle = Callable[[Update, ContextTypes.DEFAULT_TYPE], Coroutine[Any, Any, None]]  # as PTB wants it
AnyApplication = Application[Any, Any, Any, Any, Any, Any]  # as PTB leaves its six parameters to inference


@asynccontextmanager
async def bot_of(telegram: Telegram) -> AsyncIterator[Bot]:
    """Give a bot that only calls."""
    bot = Bot(telegram.token, base_url=telegram.base_url, base_file_url=telegram.base_file_url)
    async with bot:
        yield bot


def application_of(telegram: Telegram, handle: Handle) -> AnyApplication:
    """Return a bot that hands every update to `handle`, not yet started."""
    builder = ApplicationBuilder().token(telegram.token)
    application = builder.base_url(telegram.base_url).base_file_url(telegram.base_file_url).build()
    application.add_handler(TypeHandler(Update, handle))
    return application


@asynccontextmanager
async def running(
    telegram: Telegram, handle: Handle, **polling: Any
) -> AsyncIterator[AnyApplication]:  # PTB's
    """Run a bot that polls and hands every update to `handle`."""
    application = application_of(telegram, handle)
    polling.setdefault("allowed_updates", Update.ALL_TYPES)
    assert application.updater is not None
    async with application:
        await application.start()
        await application.updater.start_polling(**polling)
        await telegram.until(lambda: telegram.is_polled)
        try:
            yield application
        finally:
            await application.updater.stop()
            await application.stop()


class Heard:
    """Keeps every update."""

    def __init__(self) -> None:
        self.updates: list[Update] = []

    async def __call__(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        del context
        self.updates.append(update)
