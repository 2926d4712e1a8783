"""Record times as people write them."""

from datetime import UTC, datetime, timedelta

import pytest

from agent_core.errors import LoreRefusal, UnknownChange
from agent_core.lore.model import UpTo
from agent_core.lore.query import known_from_text
from agent_core.lore.record_time import READER_FORMS
from tests.agent_core.lore.desk import Desk
from tests.clock import NOON

DAYS = ("2025-05-20", "2025-11-01", "2026-04-29", "2026-04-30", "2026-05-01")


@pytest.fixture
async def dated(empty_desk: Desk) -> Desk:
    """Edits no. 1 to 5 at noon of five days; now is 1 May 2026."""
    desk = empty_desk
    for number, day in enumerate(DAYS):
        noon = datetime.fromisoformat(f"{day}T12:00:00+00:00")
        desk.clock.advance(seconds=(noon - desk.clock.now()).total_seconds() - 60)
        await desk.known_from_start(f"Entry {number}")
    return desk


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("now", 5), ("", 5), ("jetzt", 5), ("today", 5), ("heute", 5), ("aujourd’hui", 5),
        ("yesterday", 4), ("Gestern", 4), ("hier", 4),
        ("2026-04-29", 3), ("29.4.2026", 3), ("29.04.", 3), ("29 April", 3), ("29. April 2026", 3),
        ("April 29th, 2026", 3), ("29 avril", 3), ("1er mai", 5), ("2026-04-29T11:00", 2),
        ("2026-04-29T13:30:00+02:00", 2), ("2026-04-29T12:00:00Z", 3),
        ("1 November", 2), ("1 Nov", 2), ("1 novembre 2025", 2), ("31 October", 1), ("2020-01-01", 0),
        ("last May", 1), ("letzten Mai", 1), ("mai dernier", 1), ("May 2025", 1), ("May", 5),
        ("last November", 2), ("novembre dernier", 2), ("December", 2), ("30 Dezember", 2),
        ("edit 3", 3), ("edit no. 3", 3), ("#3", 3), ("3", 3), ("Bearbeitung Nr. 3", 3),
        ("modification nº 3", 3),
        ("2099-01-01", 5),
    ],
)  # fmt: skip
async def test_written_record_time_is_the_newest_edit_of_then(dated: Desk, text: str, number: int) -> None:
    canon = await dated.canon()
    assert await known_from_text(text, NOON, "UTC", canon) == number


async def test_day_ends_in_the_time_zone_of_the_thread(dated: Desk) -> None:
    """A60."""
    canon = await dated.canon()
    dated.clock.advance(hours=12, minutes=30)
    await dated.known_from_start("Late")
    late = datetime(2026, 5, 2, 8, tzinfo=UTC)
    canon = await dated.canon()
    assert await known_from_text("1 May", late, "UTC", canon) == 5
    assert await known_from_text("1 May", late, "America/New_York", canon) == 6
    assert await known_from_text("yesterday", late - timedelta(hours=6), "America/New_York", canon) == 4


@pytest.mark.parametrize(
    "text", ["soon", "31 February", "32.1.2026", "45 Smarch", "last Smarch", "1.13.2026", "9999-12-31"]
)
async def test_other_words_are_refused_with_the_forms_that_work(dated: Desk, text: str) -> None:
    with pytest.raises(LoreRefusal) as refused:
        await known_from_text(text, NOON, "UTC", await dated.canon())
    assert refused.value.facts["reason"] == "record_time"
    assert "1 November" in refused.value.for_model()


@pytest.mark.parametrize("text", ["edit 6", "#0", "999999999"])
async def test_edit_that_is_not_there_is_refused(dated: Desk, text: str) -> None:
    with pytest.raises(UnknownChange) as refused:
        await known_from_text(text, NOON, "UTC", await dated.canon())
    assert refused.value.facts["last"] == 5


@pytest.mark.parametrize("text", ["edit 3", "#99", "3", "soon"])
async def test_readers_are_told_nothing_of_edit_numbers(dated: Desk, text: str) -> None:
    canon = await dated.canon()
    with pytest.raises(LoreRefusal) as refused:
        await known_from_text(text, NOON, "UTC", canon, bound=UpTo("any"))
    assert refused.value.facts == {"reason": "record_time", "text": text, "forms": READER_FORMS}
    assert await known_from_text("yesterday", NOON, "UTC", canon, bound=UpTo("any")) == 4
