"""The tool that lists what is done at set times, and who may look at that and touch it."""

import json
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from agent_core.conversation.model import Conversation
from agent_core.errors import NotPermitted, ScheduleRefusal
from agent_core.lore.answers import Answer
from agent_core.lore.model import Author
from agent_core.people.model import WRITERS
from agent_core.schedule.model import Run, Task, TaskStatus
from agent_core.schedule.rule import rule_to_text
from agent_core.schedule.saying import rule_text
from agent_core.schedule.schedule import sound_zone
from agent_core.tools.spec import Asker, Family, NoArgs, Risk, Tool, ToolContext, is_lead

SHOWN_RUNS = 3
UTC = ZoneInfo("UTC")
"""Shows the times of a task whose own zone can't be read any more."""


class RunItem(Answer):
    """A run as the list shows it: when it was due, as the clock of the task shows it."""

    due: str
    status: str
    late: bool = False


class TaskItem(Answer):
    """A task as the list shows it; `next` are ISO times of its own zone, `runs` the newest runs."""

    number: int
    prompt: str = ""
    tool: str = ""
    when: str
    rule: str
    zone: str
    status: str
    paused_for: str = ""
    next: tuple[str, ...] = ()
    by: str
    here: bool = True
    runs: tuple[RunItem, ...] = ()


class TaskList(Answer):
    """The tasks of this thread, and one's own elsewhere as `tasks_here` says; `zone` is of the thread."""

    tasks: tuple[TaskItem, ...]
    zone: str


def check_may(asker: Asker) -> None:
    """Pass if the asker writes in the series of this place, and sees all of it here.

    Raises:
        NotPermitted: reason "role" or "place".
    """
    if asker.conversation.series is None:
        return
    if asker.membership is None or asker.membership.role not in WRITERS:
        raise NotPermitted(reason="role")
    if not isinstance(asker.bound, Author):
        raise NotPermitted(reason="place")


async def tasks_here(context: ToolContext) -> Sequence[Task]:
    """Return the tasks of this place and the asker's own elsewhere, as far as all here may read them.

    In private these are all of theirs, elsewhere those of the same series in places that are not private.
    """
    here, store = context.asker.conversation, context.services.schedule.store
    tasks = await store.tasks(conversation=here.id, creator=context.asker.person.id)
    if here.private:
        return tasks
    return [task for task in tasks if task.conversation == here.id or await _is_open_to(here, task, context)]


async def sound(task: Task) -> ZoneInfo:
    """Return the zone of a task.

    Raises:
        ScheduleRefusal: reason "broken"; its rule or its zone can't be read any more.
    """
    zone = await sound_zone(task)
    if zone is None:
        raise ScheduleRefusal(reason="broken", text=str(task.number))
    return zone


async def touched(context: ToolContext, text: str) -> Task:
    """Return the task that is meant: one's own, or as a lead or an operator one of this place.

    Raises:
        ScheduleRefusal: reason "unknown".
        NotPermitted: reason "role".
    """
    check_may(context.asker)
    tasks = await tasks_here(context)
    number = text.strip().lstrip("#")
    found = next((task for task in tasks if number in {task.id, str(task.number)}), None)
    if found is None:
        known = tuple(str(task.number) for task in tasks)
        raise ScheduleRefusal(reason="unknown", text=text, tasks=known)
    person = context.asker.person
    if found.creator != person.id and not is_lead(context.asker) and not person.operator:
        raise NotPermitted(reason="role")
    return found


def called(task: Task) -> str:
    """Return what a task does instead of asking: in words where it was said, else its call."""
    shown = json.dumps(dict(task.arguments), ensure_ascii=False) if task.arguments else ""
    return task.label or f"{task.tool} {shown}".strip()


def locals_of(runs: Sequence[datetime], zone: ZoneInfo) -> tuple[str, ...]:
    """Return instants as ISO times of a zone."""
    return tuple(run.astimezone(zone).isoformat(timespec="minutes") for run in runs)


async def _list(context: ToolContext, args: NoArgs) -> TaskList:
    check_may(context.asker)
    place = context.asker.conversation
    items = [await _item(task, context) for task in await tasks_here(context)]
    return TaskList(tasks=tuple(items), zone=place.time_zone)


async def _is_open_to(here: Conversation, task: Task, context: ToolContext) -> bool:
    """Return whether a task elsewhere may be read here: it is of the series of this place, not private."""
    if here.series is None or task.series != here.series:
        return False
    place = await context.conversations.conversation(task.conversation)
    return place is not None and place.series == here.series and not place.private


async def _item(task: Task, context: ToolContext) -> TaskItem:
    sound, schedule = await sound_zone(task), context.services.schedule
    zone = sound or UTC
    creator = await context.people.person(task.creator)
    coming = schedule.coming(task.rule, zone) if sound and task.status is TaskStatus.ACTIVE else ()
    return TaskItem(
        number=task.number,
        prompt=task.prompt,
        tool=called(task),
        when=rule_text(task.rule, zone, context.asker.language),
        rule=rule_to_text(task.rule),
        zone=zone.key,
        status=task.status.value,
        paused_for=task.paused_for.value if task.paused_for else "",
        next=locals_of(coming, zone),
        by=creator.name if creator else "?",
        here=task.conversation == context.asker.conversation.id,
        runs=tuple(_run_item(run, zone) for run in await schedule.store.runs(task.id, SHOWN_RUNS)),
    )


def _run_item(run: Run, zone: ZoneInfo) -> RunItem:
    return RunItem(due=locals_of([run.due], zone)[0], status=run.status.value, late=run.late)


LIST_SCHEDULED_TASKS = Tool(
    name="list_scheduled_tasks",
    family=Family.SCHEDULE,
    risk=Risk.READ,
    args=NoArgs,
    read=_list,
    description="List what is done at set times here, with the next runs and how the last ones ended.",
    needs_series=False,
)
