"""Scheduled tasks over the API: made, listed, and heard by those who listen."""

import asyncio

from agent_core.schedule.model import RunStatus, Task
from tests.adapters.http.conftest import Desk
from tests.adapters.http.events import listening
from tests.emulators.model_endpoint import Call
from tests.scheduling import runs_of, tick

SCARF = Call("record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "lost"}, "chapterId": "2.1"})


async def test_task_is_made_listed_paused_and_asks_before_it_is_deleted(desk: Desk) -> None:
    made = await desk.post(desk.at("/tasks"), {"when": "every Friday 18:00", "prompt": "What is new?"})
    listed = (await desk.get(desk.at("/tasks")))["answer"]
    await desk.post(desk.at("/tasks/pause"), {"task": "1"})
    paused = (await desk.get(desk.at("/tasks")))["answer"]
    asked = await desk.post(desk.at("/tasks/delete"), {"task": "1"})

    assert made["status"] == "approved"
    [task] = listed["tasks"]
    assert (task["number"], task["when"], task["zone"]) == (1, "every Friday at 18:00", "UTC")
    assert task["next"] == ["2026-05-01T18:00+00:00", "2026-05-08T18:00+00:00", "2026-05-15T18:00+00:00"]
    assert [one["status"] for one in paused["tasks"]] == ["paused"]
    assert asked["status"] == "open"


async def test_run_is_heard_by_who_listens_and_found_by_who_comes_later(wire: Desk) -> None:
    await wire.post(wire.at("/tasks"), {"when": "every day 18:00", "prompt": "Note the scarf."})
    [conversation] = {task.conversation for task in await _tasks(wire)}
    wire.house.endpoint.reply("I would note that:", SCARF)
    wire.house.clock.advance(hours=6)

    async with listening(wire.client, f"/api/conversations/{conversation}/events?after=1") as ear:
        ticking = asyncio.create_task(tick(wire.house.app))
        head = await ear.until("notice")
        asked = await ear.until("confirmation", state="asked")
        done = await ear.until("done")
        await ticking

    assert "Task no. 1, every day at 18:00" in head.data["text"]
    assert done.data["status"] == "parked"
    shown = await wire.get(f"/api/conversations/{conversation}")
    assert [one["batchId"] for one in shown["open"]] == [asked.data["batchId"]]
    [task] = await _tasks(wire)
    assert [run.status for run in await runs_of(wire.house.app, task)] == [RunStatus.WAITING]


async def test_task_that_needs_no_model_is_a_turn_of_the_conversation(wire: Desk) -> None:
    call = {"tool": "get_entity_state", "arguments": {"entityId": "Mara"}}
    await wire.post(wire.at("/tasks"), {"when": "every day 18:00", **call})
    [task] = await _tasks(wire)
    wire.house.clock.advance(hours=6)
    await tick(wire.house.app)

    shown = await wire.get(f"/api/conversations/{task.conversation}")

    assert "green" in shown["turns"][-1]["answer"]
    assert await wire.house.core.owed(task.conversation) == ()


async def _tasks(desk: Desk) -> tuple[Task, ...]:
    asker = await desk.house.asker("local")
    store = desk.house.app.schedule.store
    return await store.tasks(conversation="", creator=asker.person.id)
