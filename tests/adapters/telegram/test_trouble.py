"""Nothing that goes wrong with one update, or with the disk, ends the bot on Telegram."""

import asyncio
import json
import logging
from dataclasses import dataclass, field

import pytest

from adapters.telegram.missed import Missed
from adapters.telegram.place import Place
from agent_core.conversation.store import ChatStore
from agent_core.errors import StoreFailure
from tests.adapters.telegram.hall import Hall, hastily
from tests.emulators.telegram import Telegram

BROKEN = {"message": {"message_id": "no number", "date": "never"}}


@dataclass
class FullDisk:
    """A store of which some calls fail a number of times, as on a disk that is full for a while."""

    inner: ChatStore
    fails: dict[str, int] = field(default_factory=dict)

    def __getattr__(self, name: str) -> object:
        if self.fails.get(name, 0) > 0:
            return self._fail(name)
        return getattr(self.inner, name)

    def _fail(self, name: str) -> object:
        async def failing(*_: object) -> None:
            self.fails[name] -= 1
            raise StoreFailure(cause="full")

        return failing


async def test_update_that_cannot_be_read_is_dropped_and_the_next_is_answered(
    closed_hall: Hall, telegram: Telegram, caplog: pytest.LogCaptureFixture
) -> None:
    hall = closed_hall
    async with hall.serving():
        telegram.world.feed.add("message", BROKEN["message"])
        assert (await hall.ask("/lore Mara")).text.startswith("Mara")
        noted = await telegram.until(lambda: "update failed" in caplog.text)
    assert noted
    assert "no number" not in (await hall.house.app.core.chat.noted("telegram", "intake") or "")


async def test_start_after_a_crash_survives_an_update_that_cannot_be_read(
    closed_hall: Hall, telegram: Telegram
) -> None:
    hall = closed_hall
    left = json.dumps({"7": {"update_id": 7, **BROKEN}, "8": None})
    await hall.house.app.core.chat.note("telegram", "intake", left)
    async with hall.serving():
        assert (await hall.ask("/lore Mara")).text.startswith("Mara")
    await hall.house.app.core.chat.note("telegram", "intake", "{cut")
    async with hall.serving():
        assert (await hall.ask("/lore Mara")).text.startswith("Mara")


async def test_disk_that_is_full_at_the_start_ends_nothing(
    closed_hall: Hall, telegram: Telegram, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    disk = FullDisk(closed_hall.house.app.core.chat, {"noted": 3, "note": 2})
    closed_hall.disk = disk  # type: ignore[assignment]  # all calls go through to a real store
    async with closed_hall.serving():
        assert (await closed_hall.ask("/lore Mara")).text.startswith("Mara")
    assert disk.fails["noted"] == 0
    assert "failed at the start" in caplog.text


async def test_webhook_refuses_what_is_no_update(closed_hall: Hall, telegram: Telegram) -> None:
    hall = closed_hall
    async with hall.serving(webhook_url="http://127.0.0.1:1/telegram", webhook_secret="s3cret"):
        await telegram.until(lambda: telegram.calls("setWebhook"))
        for body in (b"{", b"\xff\xfe\xfd", b"[" * 100_000, b'{"a":' * 100_000):
            assert not await hall.client.take_update(body, "s3cret")
        assert await hall.client.take_update(json.dumps({"update_id": 9, **BROKEN}).encode(), "s3cret")


async def test_what_was_missed_ends_nothing_where_it_cannot_be_told(caplog: pytest.LogCaptureFixture) -> None:
    told: list[Place] = []

    async def tell(place: Place, text: str) -> None:
        told.append(place)
        raise StoreFailure(cause="full")

    async with asyncio.TaskGroup() as tasks:
        missed = Missed(tasks=tasks, pause=hastily, tell=tell, is_coming=lambda _: False)
        missed.note(Place(1), "who is Tom?", "en")
        missed.note(Place(2), "who is Mara?", "en")
    assert told == [Place(1), Place(2)]
    assert "not told what was missed" in caplog.text
