"""What a scheduled task says of itself: above what came of it, in its place, and to its creator alone."""

from dataclasses import dataclass
from uuid import UUID, uuid5

from adapters.chat.board import is_for_all
from adapters.scheduled import Outlets
from agent_core.conversation.model import Conversation
from agent_core.core import Core
from agent_core.schedule.model import Run, Task
from agent_core.schedule.saying import moment_text, rule_text
from agent_core.schedule.schedule import Schedule, zone_of
from agent_core.texts import Fact, say
from agent_core.turn.model import Owed

MAX_TITLE = 200
_NOTICES = UUID("b9f0a6d2-5a43-4c1c-9f6c-9a2d7f0a3c42")


@dataclass(frozen=True, slots=True)
class Telling:
    """Tells of tasks in their places, without the title among readers and in a place of another series."""

    core: Core
    schedule: Schedule
    outlets: Outlets

    async def heading(self, run: Run, task: Task, place: Conversation) -> str:
        """Return the line above what came of a run: its number and time, and what it does below."""
        zone = await zone_of(task.zone)
        note = ""
        if run.by_hand:
            note = say(task.language, "schedule.head_by_hand")
        elif run.late:
            key = "schedule.head_missed" if run.missed else "schedule.head_late"
            facts: dict[str, Fact] = {"n": run.missed} if run.missed else {}
            note = say(task.language, key, moment=moment_text(run.due, zone, task.language), **facts)
        when = rule_text(task.rule, zone, task.language)
        head = say(task.language, "schedule.head", number=task.number, when=when, note=note)
        return f"{head}\n> {_title(task)}" if is_for_all(place) else head

    async def tell(self, run: Run, task: Task, key: str, **facts: Fact) -> None:
        """Owe the task's place the sentence `key`, once for each run."""
        place = await self.core.askers.conversations.conversation(task.conversation)
        if place is not None:
            title = _title(task) if is_for_all(place) and place.series == task.series else ""
            await self.owe(run, key, _sentence(task, key, title, **facts))

    async def tell_failed(self, run: Run, task: Task, reason: str) -> None:
        """Say that a run failed; why is for the creator alone where readers read along."""
        place = await self.core.askers.conversations.conversation(task.conversation)
        if place is None or is_for_all(place):
            await self.tell(run, task, "told_failed", reason=reason)
            return
        await self.tell(run, task, "told_failed", reason="")
        await self.tell_alone(task, "told_failed", reason=reason)

    async def tell_alone(self, task: Task, key: str, **facts: Fact) -> None:
        """Say the sentence `key` to the creator in private, on the first platform that reaches them."""
        creator = await self.core.askers.people.person(task.creator)
        if creator is None:
            return
        text = _sentence(task, key, _title(task), **facts)
        for outlet in list(self.outlets.values()):
            if await outlet.tell(creator, text, task.language):
                return

    async def owe(self, run: Run, kind: str, text: str) -> None:
        """Owe the run's place a text, once of each kind."""
        task = await self.schedule.store.task(run.task)
        if task is not None:
            notice = notice_of(run, kind)
            owed = Owed(id=notice, conversation=task.conversation, turn="", text=text)
            await self.core.runtime.turns.owe(owed)


def notice_of(run: Run, kind: str) -> str:
    """Return the id of what a run says, of each kind one."""
    return str(uuid5(_NOTICES, f"{run.id}:{kind}"))


def _sentence(task: Task, key: str, title: str, **facts: Fact) -> str:
    return say(task.language, f"schedule.{key}", number=task.number, title=title, **facts)


def _title(task: Task) -> str:
    """Return what a task does, as it stands in words of ours: nobody is pinged by it."""
    return task.title[:MAX_TITLE].replace("@", "@\u2060")
