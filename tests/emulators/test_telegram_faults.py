"""The Telegram emulator: what goes wrong on purpose, and what fails a test."""

import asyncio
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from telegram import Bot, Update
from telegram.error import BadRequest, Conflict, EndPointNotFound, NetworkError, RetryAfter
from telegram.ext import ContextTypes

from tests.clock import FakeClock
from tests.emulators.telegram import DOWNLOAD, Broken, Flood, Line, Refuse, Telegram
from tests.emulators.telegram.clients import Heard, bot_of, running


@pytest.fixture
async def telegram() -> AsyncIterator[Telegram]:
    async with Telegram() as opened:
        yield opened


async def test_refused_call_fails_the_test_even_if_the_bot_swallows_it() -> None:
    telegram = Telegram()
    async with telegram, bot_of(telegram) as bot:
        with pytest.raises(BadRequest, match="essage is too long"):
            await bot.send_message(telegram.private(telegram.user("Anna")).id, "🐉" * 2049)
        assert len(telegram.violations) == 1
        telegram.expects("message is too long")
        assert telegram.violations == []


async def test_blank_text_counts_as_empty() -> None:
    with pytest.raises(AssertionError, match="message text is empty"):
        await _send_blank()


async def _send_blank() -> None:
    async with Telegram() as telegram, bot_of(telegram) as bot:
        with pytest.raises(BadRequest, match="essage text is empty"):
            await bot.send_message(telegram.private(telegram.user("Anna")).id, " \u200b\ufeff ")


async def test_expected_refusal_must_come() -> None:
    with pytest.raises(AssertionError, match="never came"):
        async with Telegram() as telegram:
            telegram.expects("message is too long")


async def test_planned_fault_must_happen() -> None:
    with pytest.raises(AssertionError, match="never happened"):
        async with Telegram() as telegram:
            telegram.fault("sendMessage", Broken())


async def test_flood_wait_binds_one_chat_until_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """C32."""
    monkeypatch.setenv("PTB_TIMEDELTA", "1")  # or PTB warns of how RetryAfter will change
    clock = FakeClock()
    async with Telegram(clock=clock) as telegram, bot_of(telegram) as bot:
        chat, other = (telegram.private(telegram.user(name)) for name in ("Anna", "Ben"))
        sent = await bot.send_message(chat.id, "Looking ...")
        telegram.fault("editMessageText", Flood(35), chat=chat)
        with pytest.raises(RetryAfter) as first:
            await sent.edit_text("Mara")
        await bot.send_message(other.id, "not slowed down")
        await bot.send_chat_action(chat.id, "typing")
        clock.advance(seconds=10)
        telegram.expects("retry after 25")
        with pytest.raises(RetryAfter):
            await bot.send_message(chat.id, "too early")
        clock.advance(seconds=26)
        await sent.edit_text("Mara has grey eyes.")

    assert first.value.retry_after == timedelta(seconds=35)
    assert telegram.texts(chat) == ["Mara has grey eyes."]


@pytest.mark.parametrize(
    ("fault", "effect"),
    [
        (Broken(), []),
        (Broken(500), []),
        (Broken(502, is_page=True), []),
        (Line.DROP_BEFORE, []),
        (Line.DROP_AFTER, ["hello"]),
    ],
)
async def test_broken_server_and_line_are_network_errors(
    telegram: Telegram, fault: Broken | Line, effect: list[str]
) -> None:
    chat = telegram.private(telegram.user("Anna"))
    telegram.fault("sendMessage", fault)

    async with bot_of(telegram) as bot:
        with pytest.raises(NetworkError) as raised:
            await bot.send_message(chat.id, "hello")
        assert not isinstance(raised.value, BadRequest)
        assert telegram.texts(chat) == effect
        await bot.send_message(chat.id, "again")

    assert telegram.texts(chat) == [*effect, "again"]


async def test_any_refusal_can_be_given(telegram: Telegram) -> None:
    """C06."""
    chat = telegram.private(telegram.user("Anna"))
    telegram.fault("sendMessage", Refuse("Bad Request: can't parse entities: byte 7"), times=2)

    async with bot_of(telegram) as bot:
        for _ in range(2):
            with pytest.raises(BadRequest, match="an't parse entities"):
                await bot.send_message(chat.id, "hello")
        await bot.send_message(chat.id, "hello")

    assert telegram.texts(chat) == ["hello"]


async def test_held_download_does_not_hold_other_calls(telegram: Telegram) -> None:
    """C50."""
    anna = telegram.user("Anna")
    chat = telegram.private(anna)
    message = telegram.send_document(anna, chat, "map.png", b"x" * 1000)
    assert message.file is not None
    telegram.fault(DOWNLOAD, Line.HOLD)

    async with bot_of(telegram) as bot, asyncio.TaskGroup() as group:
        file = await bot.get_file(message.file.id)
        fetched = group.create_task(file.download_as_bytearray())
        await telegram.held()
        await bot.send_message(chat.id, "meanwhile")
        telegram.release()

    assert fetched.result() == b"x" * 1000
    assert telegram.texts(chat) == ["meanwhile"]


async def test_unconfirmed_updates_come_again_after_a_restart(telegram: Telegram) -> None:
    """C34."""
    anna = telegram.user("Anna")
    said = telegram.say(anna, telegram.private(anna), "Mara has a sword")

    async with bot_of(telegram) as bot:
        first = await bot.get_updates()
        second = await bot.get_updates()
        assert await bot.get_updates(offset=first[-1].update_id + 1, timeout=0) == ()

    assert [update.update_id for update in (*first, *second)] == [said.update_id, said.update_id]


async def test_update_can_be_delivered_twice_to_a_running_bot(telegram: Telegram) -> None:
    """C34."""
    anna = telegram.user("Anna")
    heard = Heard()

    async with running(telegram, heard):
        said = telegram.say(anna, telegram.private(anna), "Mara has a sword")
        await telegram.until(lambda: heard.updates)
        telegram.repeat(said.update_id)
        await telegram.until(lambda: len(heard.updates) == 2)
        telegram.say(anna, telegram.private(anna), "and a shield")
        await telegram.until(lambda: len(heard.updates) == 3)

    assert heard.updates[0].update_id == heard.updates[1].update_id


async def test_late_updates_are_dated_back(telegram: Telegram) -> None:
    """C35."""
    anna = telegram.user("Anna")
    heard = Heard()
    telegram.say(anna, telegram.private(anna), "still there?", ago=timedelta(hours=2))

    async with running(telegram, heard):
        await telegram.until(lambda: heard.updates)

    message = heard.updates[0].message
    assert message is not None
    assert timedelta(hours=1, minutes=59) < datetime.now(UTC) - message.date < timedelta(hours=2, minutes=1)


async def test_bot_goes_on_after_the_network_was_lost(telegram: Telegram) -> None:
    anna = telegram.user("Anna")
    chat = telegram.private(anna)
    failures: list[Exception] = []

    async def answer(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        await context.bot.send_message(
            chat.id, f"You said: {update.message.text if update.message else None}"
        )

    async with running(telegram, answer, error_callback=failures.append) as application:
        await telegram.lose_network()
        with pytest.raises(NetworkError):
            await application.bot.send_message(chat.id, "lost")
        telegram.say(anna, chat, "while you were away")
        await telegram.restore_network()
        await telegram.shown(chat, "while you were away")

    assert failures
    assert telegram.texts(chat) == ["You said: while you were away"]


async def test_second_poller_ends_the_first(telegram: Telegram) -> None:
    telegram.expects("terminated by other getUpdates request")

    async with bot_of(telegram) as one, bot_of(telegram) as two, asyncio.TaskGroup() as group:
        first = group.create_task(_conflict(one))
        await telegram.until(lambda: telegram.is_polled)
        assert await two.get_updates(timeout=0) == ()

    assert "terminated by other getUpdates request" in first.result()


async def _conflict(bot: Bot) -> str:
    with pytest.raises(Conflict) as raised:
        await bot.get_updates(timeout=10)
    return str(raised.value)


async def test_poller_that_hangs_up_is_noticed(telegram: Telegram) -> None:
    async with bot_of(telegram) as bot:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await bot.get_updates(timeout=10)
        await telegram.until(lambda: not telegram.is_polled)
        assert await bot.get_updates(timeout=0) == ()


async def test_unknown_methods_and_parameters_are_violations(telegram: Telegram) -> None:
    telegram.expects("method not found")
    telegram.expects("unknown parameters ['silent']")
    if "LOREKEEPER_TELEGRAM_API" in os.environ:  # the check against the file finds both as well
        telegram.expects("sendMesage is no method of the Bot API")
        telegram.expects("sendMessage has no parameter silent")
    chat = telegram.private(telegram.user("Anna"))

    async with bot_of(telegram) as bot:
        with pytest.raises(EndPointNotFound):
            await bot.do_api_request("sendMesage", {"chat_id": chat.id})
        await bot.send_message(chat.id, "hello", api_kwargs={"silent": True})

    assert telegram.texts(chat) == ["hello"]


async def test_wait_in_vain_says_what_the_bot_did(telegram: Telegram) -> None:
    chat = telegram.private(telegram.user("Anna"))

    async with bot_of(telegram) as bot:
        await bot.send_message(chat.id, "hello")
    with pytest.raises(TimeoutError, match="200 sendMessage"):
        await telegram.until(lambda: False, within_s=0.01)
