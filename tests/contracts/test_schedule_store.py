"""Every `ScheduleStore` keeps tasks, and lets a due time have one run, whoever asks."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from agent_core.conversation.model import Conversation
from agent_core.people.model import Identity
from agent_core.schedule.model import KEPT_RUNS, Pause, Run, RunStatus, Task, TaskStatus
from agent_core.schedule.rule import Cron
from tests.clock import NOON
from tests.contracts.conftest import Installation, Stores

HERE = frozenset({"paper"})
HOUR = timedelta(hours=1)
TASK = Task(
    id="t1",
    conversation="c1",
    creator="ann-id",
    language="de",
    created=NOON,
    rule=Cron("0 13 * * *"),
    zone="Europe/Berlin",
    tool="search_lore",
    arguments={"query": "heron", "n": 3},
    next_due=NOON + HOUR,
    number=1,
)
RUN = Run(id="r1", task="t1", due=NOON + HOUR, begins=NOON + HOUR)


@pytest.fixture
async def kept(stores: Stores) -> Stores:
    place = Conversation(id="c1", platform="paper", place="club", private=False)
    await stores.conversations.conversation_at(place)
    await stores.conversations.conversation_at(replace(place, id="c2", place="yard"))
    await stores.people.person_for(Identity("paper", "ann"), "Ann", new_id="ann-id", operator=False)
    await stores.people.person_for(Identity("paper", "ben"), "Ben", new_id="ben-id", operator=False)
    await stores.schedule.add_task(TASK, 20)
    return stores


async def test_task_outlives_a_restart_as_it_was(kept: Stores, installation: Installation) -> None:
    again = (await installation.start()).schedule

    assert await again.task("t1") == TASK
    assert await again.task("t2") is None


async def test_tasks_are_numbered_and_found_by_place_and_creator(kept: Stores) -> None:
    await kept.schedule.add_task(replace(TASK, id="t2", conversation="c2"), 20)
    await kept.schedule.add_task(replace(TASK, id="t3", conversation="c2", creator="ben-id"), 20)

    of_ann = await kept.schedule.tasks(conversation="c1", creator="ann-id")
    of_ben = await kept.schedule.tasks(conversation="c1", creator="ben-id")

    assert [(task.id, task.number) for task in of_ann] == [("t1", 1), ("t2", 2)]
    assert [task.id for task in of_ben] == ["t1", "t3"]


async def test_person_has_no_more_tasks_than_allowed_not_counting_those_that_are_over(kept: Stores) -> None:
    second = replace(TASK, id="t2")

    assert await kept.schedule.add_task(second, 1) is None
    await kept.schedule.save_task(replace(TASK, status=TaskStatus.OVER, next_due=None))
    assert await kept.schedule.add_task(second, 1) == replace(second, number=2)
    assert await kept.schedule.add_task(second, 1) == replace(second, number=2)


async def test_tasks_are_due_in_places_of_the_platforms_asked_for_alone(kept: Stores) -> None:
    assert await kept.schedule.due_tasks(NOON, HERE) == ()
    assert await kept.schedule.due_tasks(NOON + HOUR, HERE) == (TASK,)
    assert await kept.schedule.due_tasks(NOON + HOUR, {"http"}) == ()
    assert await kept.schedule.next_due(HERE) == NOON + HOUR
    assert await kept.schedule.next_due({"http"}) is None


async def test_paused_task_is_not_due_and_says_why(kept: Stores) -> None:
    paused = replace(TASK, status=TaskStatus.PAUSED, paused_for=Pause.LEFT, failures=2)
    await kept.schedule.save_task(paused)

    assert await kept.schedule.due_tasks(NOON + HOUR, HERE) == ()
    assert await kept.schedule.task("t1") == paused
    assert await kept.schedule.next_due(HERE) is None


async def test_due_time_has_one_run_though_many_ask_at_once(kept: Stores) -> None:
    after = replace(TASK, next_due=NOON + 2 * HOUR)

    stored = await asyncio.gather(
        *(kept.schedule.enqueue(replace(RUN, id=f"r{n}"), then=after) for n in range(8))
    )

    assert sum(stored) == 1
    assert await kept.schedule.count_runs("t1") == 1
    assert await kept.schedule.task("t1") == after


async def test_time_that_is_left_out_undoes_no_pause_of_meanwhile(kept: Stores) -> None:
    after = replace(TASK, next_due=NOON + 2 * HOUR)
    await kept.schedule.save_task(replace(TASK, status=TaskStatus.PAUSED, paused_for=Pause.ASKED))
    await kept.schedule.pass_over(NOON + HOUR, then=after)
    rests = await kept.schedule.task("t1")

    await kept.schedule.save_task(TASK)
    await kept.schedule.pass_over(NOON, then=replace(after, next_due=NOON + 3 * HOUR))
    await kept.schedule.pass_over(NOON + HOUR, then=after)

    assert rests is not None
    assert (rests.status, rests.paused_for) == (TaskStatus.PAUSED, Pause.ASKED)
    assert await kept.schedule.task("t1") == after


async def test_run_by_hand_never_doubles_one_at_the_same_time(kept: Stores) -> None:
    assert await kept.schedule.enqueue(replace(RUN, by_hand=True))
    assert not await kept.schedule.enqueue(replace(RUN, id="r2", by_hand=True))
    assert not await kept.schedule.enqueue(
        replace(RUN, id="r3"), then=replace(TASK, next_due=NOON + 2 * HOUR)
    )

    task = await kept.schedule.task("t1")
    assert task is not None
    assert task.next_due == NOON + 2 * HOUR


async def test_run_is_given_to_one_holder_until_the_lease_ends(kept: Stores) -> None:
    now = NOON + HOUR
    await kept.schedule.enqueue(RUN)

    [given] = await kept.schedule.claim(now, "one", now + HOUR, HERE)
    others = await kept.schedule.claim(now, "two", now + HOUR, HERE)
    await kept.schedule.renew(["r1"], "one", now + 2 * HOUR)
    await kept.schedule.renew(["r1"], "two", now)
    still = await kept.schedule.claim(now + HOUR, "two", now + 3 * HOUR, HERE)
    [again] = await kept.schedule.claim(now + 2 * HOUR, "two", now + 3 * HOUR, HERE)

    assert await kept.schedule.holders() == ("two",)
    assert (given.status, given.holder, given.tries) == (RunStatus.RUNNING, "one", 1)
    assert others == still == ()
    assert (again.id, again.holder, again.tries) == ("r1", "two", 2)


async def test_what_a_holder_that_is_gone_had_is_free_at_once(kept: Stores) -> None:
    now = NOON + HOUR
    await kept.schedule.enqueue(RUN)
    await kept.schedule.claim(now, "one", now + HOUR, HERE)

    await kept.schedule.release("one", now)

    [again] = await kept.schedule.claim(now, "two", now + HOUR, HERE)
    assert (again.id, again.holder) == ("r1", "two")


async def test_run_waits_for_its_beginning_and_for_others_of_its_task(kept: Stores) -> None:
    now = NOON + HOUR
    await kept.schedule.enqueue(RUN)
    await kept.schedule.enqueue(replace(RUN, id="r2", due=now + HOUR, begins=now))
    await kept.schedule.enqueue(replace(RUN, id="r3", due=now - HOUR, begins=now + 2 * HOUR))

    first = await kept.schedule.claim(now, "one", now + 3 * HOUR, HERE)
    second = await kept.schedule.claim(now, "two", now + 3 * HOUR, HERE)
    await kept.schedule.end_run(replace(first[0], status=RunStatus.DONE, ended=now))
    third = await kept.schedule.claim(now, "two", now + 3 * HOUR, HERE)

    assert [run.id for run in first] == ["r1"]
    assert second == ()
    assert [run.id for run in third] == ["r2"]
    assert await kept.schedule.next_due(HERE) == NOON + HOUR  # the task itself, not the run that waits


async def test_end_is_stored_for_the_holder_alone(kept: Stores) -> None:
    now = NOON + HOUR
    await kept.schedule.enqueue(replace(RUN, late=True, missed=4))
    [mine] = await kept.schedule.claim(now, "one", now + HOUR, HERE)
    await kept.schedule.claim(now + HOUR, "two", now + 2 * HOUR, HERE)
    ended = replace(
        mine, status=RunStatus.FAILED, ended=now, turn="turn-1", batch="batch-1", error="error.budget"
    )

    assert not await kept.schedule.end_run(ended)
    assert await kept.schedule.end_run(replace(ended, holder="two"))
    [stored] = await kept.schedule.runs("t1", 5)
    assert stored == replace(ended, holder="two", lease=None, tries=2)


async def test_task_that_fails_again_and_again_is_paused_once(kept: Stores) -> None:
    note = kept.schedule.note_outcome

    first = [await note("t1", failed=True, most=3) for _ in range(2)]
    await note("t1", failed=False, most=3)
    then = [await note("t1", failed=True, most=3) for _ in range(4)]

    task = await kept.schedule.task("t1")
    assert task is not None
    assert first == [False, False]
    assert then == [False, False, True, False]
    assert (task.status, task.paused_for, task.failures) == (TaskStatus.PAUSED, Pause.FAILING, 4)


async def test_history_is_bounded_and_keeps_the_newest(kept: Stores) -> None:
    for number in range(KEPT_RUNS + 5):
        due = NOON + number * HOUR
        await kept.schedule.enqueue(replace(RUN, id=f"r{number}", due=due, begins=NOON))
        [run] = await kept.schedule.claim(due, "one", due + HOUR, HERE)
        await kept.schedule.end_run(replace(run, status=RunStatus.DONE, ended=due))

    assert await kept.schedule.count_runs("t1") <= KEPT_RUNS
    assert [run.id for run in await kept.schedule.runs("t1", 2)] == ["r54", "r53"]


async def test_deleted_task_is_gone_with_its_runs(kept: Stores) -> None:
    await kept.schedule.enqueue(RUN)
    [run] = await kept.schedule.claim(NOON + HOUR, "one", NOON + 2 * HOUR, HERE)
    await kept.schedule.delete_task("t1")

    assert await kept.schedule.task("t1") is None
    assert await kept.schedule.count_runs("t1") == 0
    assert not await kept.schedule.end_run(replace(run, status=RunStatus.DONE, ended=NOON))
