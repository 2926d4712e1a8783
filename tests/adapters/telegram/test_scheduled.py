"""Scheduled tasks on Telegram: posted in their topic, and nowhere once that is gone."""

from datetime import timedelta

import pytest

from agent_core.people.model import SeriesRole
from agent_core.schedule.model import Pause, RunStatus, TaskStatus
from tests.adapters.telegram.hall import Hall
from tests.emulators.model_endpoint import Call
from tests.scheduling import runs_of, tasks_of, tick

SCARF = Call("record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "lost"}, "chapterId": "2.1"})


async def kept(hall: Hall) -> None:
    """Wait until the bot keeps its places, as it does while it serves."""
    await hall.telegram.until(lambda: "telegram" in hall.house.app.outlets)


async def test_task_of_a_private_chat_is_answered_there(hall: Hall) -> None:
    await kept(hall)
    planned = await hall.ask("/schedule add every day 18:00: Who is Mara?")
    hall.house.endpoint.reply("A captain with **green** eyes.")
    hall.house.clock.advance(hours=6)

    await tick(hall.house.app)

    assert "every day at 18:00" in planned.text
    heading = await hall.telegram.shown(hall.private, "Task no. 1, every day at 18:00")
    answer = await hall.telegram.shown(hall.private, "A captain with green eyes.")
    assert "Who is Mara?" in heading.text
    assert answer.marked("bold") == ["green"]
    [task] = await tasks_of(
        hall.house.app, (await hall.asker(hall.ana, str(hall.private.id))).conversation.id
    )
    assert [run.status for run in await runs_of(hall.house.app, task)] == [RunStatus.DONE]


async def test_task_of_a_topic_asks_there_for_what_it_would_write(hall: Hall) -> None:
    await kept(hall)
    await hall.join(hall.ana, SeriesRole.OWNER)
    chat = hall.telegram.forum("Writers", hall.ana)
    topic = hall.telegram.topic(chat, "Scarves", hall.ana)
    await hall.admit(chat)
    place = await hall.link(chat, topic)
    asked = hall.telegram.say(hall.ana, chat, "/schedule add every day 18:00: Note the scarf.", topic=topic)
    await hall.telegram.answer(asked)
    hall.house.endpoint.reply(SCARF)
    hall.house.clock.advance(hours=6)

    await tick(hall.house.app)

    await hall.telegram.shown(chat, "Proposal", topic)
    assert "scarf" not in await hall.house.state("Mara")
    [task] = await tasks_of(hall.house.app, place.id)
    assert [run.status for run in await runs_of(hall.house.app, task)] == [RunStatus.WAITING]


async def test_task_of_a_deleted_topic_is_shown_nowhere_and_paused(hall: Hall) -> None:
    """C10: no blind fall back to General, one try at most, and nothing is spent."""
    await kept(hall)
    chat = hall.telegram.forum("Writers", hall.ana)
    topic = hall.telegram.topic(chat, "Secrets", hall.ana)
    await hall.admit(chat)
    place = await hall.link(chat, topic)
    asked = hall.telegram.say(hall.ana, chat, "/schedule add every day 18:00: Tell a secret.", topic=topic)
    await hall.telegram.answer(asked)
    hall.telegram.delete_topic(topic)
    before = len(hall.telegram.sent(chat))

    for _ in range(2):
        hall.house.clock.advance(hours=24)
        await tick(hall.house.app)

    [task] = await tasks_of(hall.house.app, place.id)
    assert (task.status, task.paused_for) == (TaskStatus.PAUSED, Pause.GONE)
    assert hall.house.endpoint.requests == []
    assert all("secret" not in one.text for one in hall.telegram.sent(chat)[before:])


@pytest.mark.parametrize("announced", [True, False])
async def test_task_moves_with_a_group_that_becomes_a_supergroup(hall: Hall, *, announced: bool) -> None:
    """C11: schedules are not left behind with the old id, whether the bot was told of the new one or not."""
    await kept(hall)
    group = hall.telegram.group("Writers", hall.ana)
    await hall.admit(group)
    place = await hall.link(group)
    await hall.telegram.answer(
        hall.telegram.say(hall.ana, group, "/schedule add every day 18:00: /lore Mara")
    )
    grown = hall.telegram.migrate(group, announced=announced)
    await hall.admit(grown)
    hall.house.clock.advance(hours=6)

    await tick(hall.house.app)

    await hall.telegram.shown(grown, "Task no. 1")
    answer = await hall.telegram.shown(grown, "eyes")
    assert "green" in answer.text
    [task] = await tasks_of(hall.house.app, place.id)
    assert task.next_due == hall.house.clock.now() + timedelta(hours=24)
