"""The tools that let something be done at set times. The ticker does it; here it is only planned."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from pydantic import Field, ValidationError
from pydantic.json_schema import SkipJsonSchema

from agent_core.conversation.model import Conversation
from agent_core.errors import ScheduleRefusal, UnknownTool
from agent_core.lore.answers import CardLine
from agent_core.messages import Json
from agent_core.schedule.model import Pause, Task
from agent_core.schedule.rule import next_run, rule_from_text, rule_to_text
from agent_core.schedule.saying import rule_text
from agent_core.schedule.schedule import sound_zone, zone_of
from agent_core.tools.basis import Based, basis_of
from agent_core.tools.lore_write import Patch
from agent_core.tools.misfit import misfit
from agent_core.tools.schedule_list import (
    LIST_SCHEDULED_TASKS,
    UTC,
    called,
    check_may,
    locals_of,
    sound,
    touched,
)
from agent_core.tools.spec import (
    AnyTool,
    Family,
    Proposal,
    Risk,
    Tool,
    ToolContext,
)

Kind = Literal["schedule_new", "schedule_delete", "schedule_run", "schedule_pause", "schedule_resume"]

HERE = "here"
MAX_PROMPT = 4_000
SHOWN_RUNS = 3


class CreateArgs(Based):
    """Arguments of create_scheduled_task. The last ones are fixed when it is proposed."""

    when: str = Field(
        max_length=200,
        description="when, in words or as a cron line of five fields (0 is Sunday): every Friday 18:00, "
        "weekdays 8:00, in 2 hours, tomorrow 9:00, every 3 days at 8:00, monthly on the 31st, last day of "
        "the month",
    )
    prompt: str = Field(
        "", max_length=MAX_PROMPT, description="what you will be asked each time; either this or a tool"
    )
    tool: str = Field("", description="the tool that is called each time instead, without a model")
    arguments: Patch = Field(default_factory=dict, description="the arguments of that tool")
    label: str = Field("", max_length=200, description="a few words for people that say what it does")
    thread: str = Field(HERE, description='where the result is posted: "here", or the key of another thread')
    time_zone: str | None = Field(None, description="such as Europe/Berlin; that of the thread if left out")
    rule: SkipJsonSchema[str | None] = None
    new_task_id: SkipJsonSchema[str | None] = None


class TaskArgs(Based):
    """The task that is meant."""

    task: str = Field(description="the task's number")


class RunArgs(TaskArgs):
    """Arguments of run_scheduled_task."""

    new_run_id: SkipJsonSchema[str | None] = None


class PauseArgs(TaskArgs):
    """Arguments of pause_scheduled_task."""

    paused: bool = Field(True, description="false goes on with it")


async def _create(context: ToolContext, args: CreateArgs) -> Proposal:
    check_may(context.asker)
    schedule = context.services.schedule
    _check_work(args)
    place = await _place(context, args.thread)
    zone = await zone_of(args.time_zone or place.time_zone)
    rule = rule_from_text(args.rule) if args.rule else await schedule.read(args.when, zone)
    if next_run(rule, zone, context.clock.now()) is None:
        raise ScheduleRefusal(reason="past", text=args.when)
    await schedule.check_room(context.asker.person.id)
    task = Task(
        id=args.new_task_id or context.new_id(),
        conversation=place.id,
        series=place.series,
        creator=context.asker.person.id,
        language=context.asker.language,
        created=context.clock.now(),
        rule=rule,
        zone=zone.key,
        label=args.label.strip(),
        prompt=args.prompt.strip(),
        tool=args.tool,
        arguments=args.arguments,
    )

    async def effect() -> str:
        added = await schedule.add(task)
        return _done(added, zone, context, coming=schedule.coming(rule, zone))

    fixed = {"new_task_id": task.id, "rule": rule_to_text(rule), "time_zone": zone.key, "basis": _basis(task)}
    resolved = args.model_copy(update=fixed).model_dump(mode="json", by_alias=True)
    card = _card("schedule_new", task, schedule.coming(rule, zone))
    return Proposal(arguments=resolved, card=card, effect=effect)


async def _delete(context: ToolContext, args: TaskArgs) -> Proposal:
    task = await touched(context, args.task)
    schedule = context.services.schedule
    runs = await schedule.store.count_runs(task.id)

    async def effect() -> str:
        await schedule.store.delete_task(task.id)
        return json.dumps({"status": "done", "deleted": task.number})

    card = _card("schedule_delete", task, runs=runs, zone=(await sound_zone(task) or UTC).key)
    return Proposal(arguments={"task": task.id, "basis": _basis(task)}, card=card, effect=effect)


async def _run(context: ToolContext, args: RunArgs) -> Proposal:
    task = await touched(context, args.task)
    zone = await sound(task)
    schedule, run_id = context.services.schedule, args.new_run_id or context.new_id()
    creator = await context.people.person(task.creator)

    async def effect() -> str:
        await schedule.run_now(task, run_id)
        return json.dumps({"status": "done", "queued": task.number})

    card = _card("schedule_run", task, name=creator.name if creator else "?", zone=zone.key)
    arguments = {"task": task.id, "newRunId": run_id, "basis": _basis(task)}
    return Proposal(arguments=arguments, card=card, effect=effect)


async def _pause(context: ToolContext, args: PauseArgs) -> Proposal:
    task = await touched(context, args.task)
    zone = await sound_zone(task) or UTC if args.paused else await sound(task)
    schedule = context.services.schedule
    if not args.paused and next_run(task.rule, zone, context.clock.now()) is None:
        raise ScheduleRefusal(reason="over", text=str(task.number))

    async def effect() -> str:
        if args.paused:
            await schedule.pause(task, Pause.ASKED)
            return json.dumps({"status": "done", "paused": task.number})
        return _done(await schedule.resume(task), zone, context, coming=schedule.coming(task.rule, zone))

    coming = () if args.paused else schedule.coming(task.rule, zone)
    card = _card("schedule_pause" if args.paused else "schedule_resume", task, coming, zone=zone.key)
    arguments: Mapping[str, Json] = {"task": task.id, "paused": args.paused, "basis": _basis(task)}
    return Proposal(arguments=arguments, card=card, effect=effect)


def _check_work(args: CreateArgs) -> None:
    """Pass if there is either a prompt, or a call that its tool takes.

    Raises:
        ScheduleRefusal: reason "one_of" or "tool".
        UnknownTool: there is none of that name.
        InvalidArguments: what the tool does not take.
    """
    if bool(args.prompt.strip()) == bool(args.tool):
        raise ScheduleRefusal(reason="one_of")
    if not args.tool:
        return
    tool = _known().get(args.tool)
    if tool is None:
        raise UnknownTool(tool=args.tool, nearest=())
    if not tool.for_models or tool.family is Family.SCHEDULE:
        raise ScheduleRefusal(reason="tool", text=args.tool)
    try:
        tool.args.model_validate(args.arguments)
    except ValidationError as error:
        raise misfit(args.tool, error) from error


def _known() -> dict[str, AnyTool]:
    """Return all tools by name; at set times those of models may be called, but for these here."""
    from agent_core.tools.catalogue import TOOLS  # noqa: PLC0415  the catalogue names this module's tools

    return {tool.name: tool for tool in TOOLS}


async def _place(context: ToolContext, thread: str) -> Conversation:
    """Return where a task belongs: here, or a thread of the same series that others read along.

    Raises:
        ScheduleRefusal: reason "thread".
    """
    here = context.asker.conversation
    if thread.strip().lower() in {HERE, "", here.id, here.place}:
        return here
    key = thread.strip().strip("<#>")
    place = await context.conversations.conversation_in(here.platform, key)
    place = place or await context.conversations.conversation(key)
    if place is None or place.series is None or place.series != here.series or place.private:
        raise ScheduleRefusal(reason="thread", text=thread)
    return place


def _card(kind: Kind, task: Task, coming: Sequence[datetime] = (), **facts: str | int) -> CardLine:
    about: dict[str, str | int] = {
        "number": task.number,
        "rule": rule_to_text(task.rule),
        "zone": task.zone,
        "next": " ".join(run.isoformat() for run in coming),
    }
    return CardLine(
        kind=kind, title=task.title, after_text=task.prompt or called(task), facts={**about, **facts}
    )


def _basis(task: Task) -> str:
    """Return the digest of what a task does, where and for whom; its runs go on while a card waits."""
    about = (task.conversation, task.series, task.creator, task.zone, task.label, task.prompt, task.tool)
    arguments = json.dumps(dict(task.arguments), sort_keys=True)
    return basis_of(rule_to_text(task.rule), arguments, repr((*about, task.status, task.paused_for)))


def _done(task: Task, zone: ZoneInfo, context: ToolContext, *, coming: Sequence[datetime]) -> str:
    result = {
        "status": "done",
        "task": task.number,
        "means": rule_text(task.rule, zone, context.asker.language),
        "next": list(locals_of(coming, zone)),
        "zone": task.zone,
    }
    return json.dumps(result, ensure_ascii=False)


CREATE_SCHEDULED_TASK = Tool(
    name="create_scheduled_task",
    family=Family.SCHEDULE,
    risk=Risk.WRITE,
    args=CreateArgs,
    propose=_create,
    description="Let a question be asked or a tool be called at set times; its writes still ask each time.",
    needs_series=False,
)
DELETE_SCHEDULED_TASK = Tool(
    name="delete_scheduled_task",
    family=Family.SCHEDULE,
    risk=Risk.DANGEROUS,
    args=TaskArgs,
    propose=_delete,
    description="Delete a task at set times with the history of its runs.",
    needs_series=False,
)
RUN_SCHEDULED_TASK = Tool(
    name="run_scheduled_task",
    family=Family.SCHEDULE,
    risk=Risk.WRITE,
    args=RunArgs,
    propose=_run,
    description="Run a task at set times once more, now, with the rights of whoever set it up.",
    needs_series=False,
)
PAUSE_SCHEDULED_TASK = Tool(
    name="pause_scheduled_task",
    family=Family.SCHEDULE,
    risk=Risk.WRITE,
    args=PauseArgs,
    propose=_pause,
    description="Let a task at set times rest, or go on with one that rests.",
    needs_series=False,
)

SCHEDULES = (
    LIST_SCHEDULED_TASKS,
    CREATE_SCHEDULED_TASK,
    DELETE_SCHEDULED_TASK,
    RUN_SCHEDULED_TASK,
    PAUSE_SCHEDULED_TASK,
)
