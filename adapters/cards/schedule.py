"""The card of what is done at set times, and what a card says of a task."""

from datetime import datetime
from zoneinfo import ZoneInfo

from adapters.cards.card import Card, Field, Line, Style, View
from adapters.cards.values import head_text
from agent_core.lore.answers import CardLine
from agent_core.schedule.rule import Once, stored_rule
from agent_core.schedule.saying import moment_text, rule_text, runs_text
from agent_core.texts import say
from agent_core.tools.schedule_list import RunItem, TaskItem, TaskList

MAX_TITLE = 200


def tasks_card(tasks: TaskList, view: View) -> Card:
    """Return the card of the tasks of a place and one's own elsewhere."""
    language = view.language
    footer = (say(language, "schedule.footer", zone=tasks.zone),) if tasks.tasks else ()
    return Card(
        title=say(language, "schedule.title"),
        head=head_text(view),
        lines=() if tasks.tasks else (Line(text=say(language, "schedule.empty")),),
        fields=tuple(_task(task, tasks.zone, language) for task in tasks.tasks),
        footer=footer,
    )


def schedule_sentence(card: CardLine, language: str) -> str:
    """Return what would become of a task, with its times explained back and its next runs."""
    facts = card.facts
    zone = ZoneInfo(str(facts["zone"]))
    rule = stored_rule(str(facts["rule"]))
    coming = [datetime.fromisoformat(run) for run in str(facts["next"]).split()]
    times = runs_text(coming, zone, language) if coming else ""
    runs = int(facts.get("runs", 0))
    return say(
        language,
        f"proposal.{card.kind}",
        number=facts["number"],
        when=rule_text(rule, zone, language),
        next=zone.key if coming and isinstance(rule, Once) else times,
        runs=say(language, "proposal.schedule_runs", n=runs) if runs else "",
        name=facts.get("name", ""),
    )


def _task(task: TaskItem, zone_here: str, language: str) -> Field:
    zone = ZoneInfo(task.zone)
    once = isinstance(stored_rule(task.rule), Once)
    coming = "" if once else "; ".join(_moment(run, zone, language) for run in task.next)
    about = [say(language, "schedule.by", name=task.by)]
    if not task.here:
        about.append(say(language, "schedule.elsewhere"))
    if task.status == "paused":
        about.append(say(language, "schedule.paused", reason=task.paused_for))
    elif task.status == "over":
        about.append(say(language, "schedule.over"))
    other_zone = task.zone if task.zone != zone_here else ""
    what = "schedule.asks" if task.prompt else "schedule.calls"
    lines = [
        Line(text=say(language, "schedule.item", when=task.when, zone=other_zone, next=coming)),
        Line(text=say(language, what, what=(task.prompt or task.tool)[:MAX_TITLE])),
        Line(text=" · ".join(about), style=Style.NOTE),
        *(Line(text=_run(run, zone, language), style=Style.NOTE, depth=1) for run in task.runs),
    ]
    return Field(title=str(task.number), lines=tuple(lines))


def _run(run: RunItem, zone: ZoneInfo, language: str) -> str:
    late = say(language, "schedule.late") if run.late else ""
    return say(
        language, "schedule.run", moment=_moment(run.due, zone, language), status=run.status, late=late
    )


def _moment(stamp: str, zone: ZoneInfo, language: str) -> str:
    return moment_text(datetime.fromisoformat(stamp), zone, language)
