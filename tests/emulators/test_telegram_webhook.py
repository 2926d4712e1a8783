"""The Telegram emulator: delivery to a webhook, and a bot in a process of its own."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiohttp import web
from telegram import Update
from telegram.error import BadRequest, Conflict
from telegram.ext import ContextTypes

from tests.emulators.telegram import Telegram
from tests.emulators.telegram.clients import application_of, bot_of

_SECRET = "open-sesame"
_BOT = """
import os
from telegram.ext import ApplicationBuilder, MessageHandler, filters

async def answer(update, context):
    await update.message.reply_text("You said: " + update.message.text)

builder = ApplicationBuilder().token(os.environ["LOREKEEPER_TELEGRAM_TOKEN"])
builder.base_url(os.environ["LOREKEEPER_TELEGRAM_API_BASE"])
application = builder.base_file_url(os.environ["LOREKEEPER_TELEGRAM_FILE_BASE"]).build()
application.add_handler(MessageHandler(filters.TEXT, answer))
application.run_polling()
"""


@pytest.fixture
async def telegram() -> AsyncIterator[Telegram]:
    async with Telegram() as opened:
        yield opened


@dataclass
class Door:
    """An HTTP app that takes updates, refusing the first few."""

    refusals: int = 0
    updates: asyncio.Queue[Update] = field(default_factory=asyncio.Queue)
    secrets: list[str | None] = field(default_factory=list)
    content_types: list[str | None] = field(default_factory=list)

    async def take(self, request: web.Request) -> web.Response:
        self.secrets.append(request.headers.get("X-Telegram-Bot-Api-Secret-Token"))
        self.content_types.append(request.headers.get("Content-Type"))
        if self.refusals:
            self.refusals -= 1
            return web.Response(status=503)
        update = Update.de_json(json.loads(await request.read()))
        await self.updates.put(update)
        return web.Response()


@asynccontextmanager
async def open_door(door: Door) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_post("/telegram", door.take)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/telegram"
    finally:
        await runner.cleanup()


async def test_webhook_gets_updates_in_order_with_the_secret(telegram: Telegram) -> None:
    anna = telegram.user("Anna")
    chat = telegram.private(anna)
    door = Door(refusals=2)

    async with open_door(door) as url, bot_of(telegram) as bot:
        await bot.set_webhook(url, secret_token=_SECRET, allowed_updates=["message"], max_connections=4)
        telegram.say(anna, chat, "one")
        telegram.say(anna, chat, "two")
        async with asyncio.timeout(5):
            texts = [(await door.updates.get()).message for _ in range(2)]
        await telegram.caught_up()
        info = await bot.get_webhook_info()

    assert [message.text for message in texts if message] == ["one", "two"]
    assert door.secrets == [_SECRET] * 4, "two refusals, then both updates"
    assert set(door.content_types) == {"application/json"}
    assert (info.url, info.pending_update_count, info.allowed_updates) == (url, 0, ("message",))
    assert info.last_error_message == "Wrong response from the webhook: 503 Service Unavailable"


async def test_application_answers_what_a_webhook_brings(telegram: Telegram) -> None:
    anna = telegram.user("Anna")
    chat = telegram.private(anna)
    door = Door()

    async def answer(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        await context.bot.send_message(
            chat.id, f"You said: {update.message.text if update.message else None}"
        )

    application = application_of(telegram, answer)
    async with open_door(door) as url, application:
        await application.start()
        await application.bot.set_webhook(url)
        telegram.say(anna, chat, "hello")
        async with asyncio.timeout(5):
            await application.update_queue.put(await door.updates.get())
        await telegram.shown(chat, "You said: hello")
        await application.bot.delete_webhook()
        await application.stop()

    assert door.secrets == [None]


async def test_polling_and_webhook_exclude_each_other(telegram: Telegram) -> None:
    telegram.expects("can't use getUpdates method while webhook is active")
    anna = telegram.user("Anna")

    async with bot_of(telegram) as bot:
        await bot.set_webhook("http://127.0.0.1:9/nobody")
        telegram.say(anna, telegram.private(anna), "old")
        with pytest.raises(Conflict):
            await bot.get_updates()
        await bot.delete_webhook(drop_pending_updates=True)
        assert await bot.get_updates() == ()


async def test_secret_of_odd_characters_and_plain_http_are_refused(telegram: Telegram) -> None:
    telegram.expects("secret token contains unallowed characters")
    telegram.expects("An HTTPS URL must be provided for webhook")

    async with bot_of(telegram) as bot:
        with pytest.raises(BadRequest):
            await bot.set_webhook("https://bot.example.org", secret_token="open sesame")
        with pytest.raises(BadRequest):
            await bot.set_webhook("http://bot.example.org")


async def test_bot_in_a_process_of_its_own_answers_and_stops(telegram: Telegram) -> None:
    anna = telegram.user("Anna")
    environment = {**os.environ, **telegram.environment}
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", _BOT, env=environment)

    try:
        asked = telegram.say(anna, telegram.private(anna), "hello")
        await telegram.until(lambda: telegram.sent(asked.chat), within_s=20)
        await telegram.caught_up()
    finally:
        process.terminate()
        async with asyncio.timeout(20):
            await process.wait()

    assert telegram.texts(asked.chat) == ["You said: hello"]
    assert process.returncode == 0
