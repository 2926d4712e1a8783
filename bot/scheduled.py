"""One run of a scheduled task: checked, carried out by the core, shown in its place, settled."""

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from uuid import UUID, uuid5

from adapters.cards.plain import answer_markdown
from adapters.chat.board import is_for_all
from adapters.chat.doors import is_let_in
from adapters.scheduled import Outlets, Posting, Reach, Work
from adapters.surface import error_text
from adapters.view import view_of
from agent_core.core import Core
from agent_core.errors import LoreKeeperError, NeedsYes, StoreFailure
from agent_core.events import ConfirmationAsked, Done, Emit, Message, ignore
from agent_core.messages import ChatMessage, Role
from agent_core.people.model import SeriesRole
from agent_core.pipeline.permissions import bound_to_text, role_of
from agent_core.pipeline.result import neutralise, status_text
from agent_core.schedule.model import Pause, Run, RunStatus, Task, TaskStatus
from agent_core.schedule.saying import rule_text
from agent_core.schedule.schedule import Schedule, sound_zone, zone_of
from agent_core.texts import say
from agent_core.tools.spec import Asker
from agent_core.turn.model import Incoming, Step, Turn, TurnStatus, owed_answer
from bot.scheduled_telling import Telling, notice_of

PLATFORM = "schedule"
MOST_TRIES = 5
"""A run that was broken off so often is not tried again."""
POSTED = "its result was posted here"
"""Stands in the model's history for what came from outside: there it would read as words of its own."""
_BATCHES = UUID("5d0b6c6e-2f0e-4d65-8f5f-5ac3a1b1a5a1")  # makes the id of a run's batch: never two
_ENDS: Mapping[TurnStatus, RunStatus] = MappingProxyType({
    TurnStatus.DONE: RunStatus.DONE,
    TurnStatus.PARKED: RunStatus.WAITING,
    TurnStatus.FAILED: RunStatus.FAILED,
    TurnStatus.CANCELLED: RunStatus.SKIPPED,
})  # fmt: skip

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ScheduledRuns:
    """Carries out runs that this process has claimed: each leads to a turn under its own id, or to a card."""

    core: Core
    schedule: Schedule
    outlets: Outlets

    @property
    def _telling(self) -> Telling:
        return Telling(self.core, self.schedule, self.outlets)

    async def carry_out(self, run: Run) -> None:
        """Carry a run out and store how it ended; one that a crash broke off is gone on with, never doubled.

        Raises:
            StoreFailure: it stays claimed, and is taken up again when its lease has ended.
        """
        task = await self.schedule.store.task(run.task)
        if task is None:
            return
        asker = await self.core.askers.again(task.creator, task.conversation, task.language)
        rests = task.status is TaskStatus.PAUSED and not run.by_hand
        reason = None if rests else await self._stop(task, asker)
        if asker is None or reason is not None:
            await self._stopped(run, task, asker, reason or Pause.GONE)
            return
        ended = await self._settled(run, task) if run.tries > 1 else None
        if ended is None and rests:  # it was paused while this run waited for its turn
            reason = task.paused_for or Pause.ASKED
            await self._stored(replace(run, status=RunStatus.SKIPPED, error=reason.value))
            return
        if ended is None:
            ended = await self._done(run, task, asker)
        if ended.status is not RunStatus.RUNNING:
            await self._end(ended, task, asker)

    async def broke(self, run: Run) -> float:
        """Store that a run went wrong by a fault of ours, and say so; return 0."""
        task = await self.schedule.store.task(run.task)
        if task is not None:
            reason = say(task.language, "error.internal")
            await self._telling.tell_failed(run, task, reason)
            await self._stored(replace(run, status=RunStatus.FAILED, error="error.internal"))
            await self.schedule.store.note_outcome(task.id, failed=True, most=self.schedule.limits.failures)
        return 0.0

    async def _done(self, run: Run, task: Task, asker: Asker) -> Run:
        """Do what the task says; return the run as it ended, still running where the core goes on with it."""
        ended = run

        async def work(emit: Emit) -> None:
            nonlocal ended
            try:
                ended = await self._work(run, task, asker, emit)
            except StoreFailure:
                raise
            except LoreKeeperError as error:
                await self._telling.tell_failed(run, task, error_text(error, task.language))
                ended = replace(run, status=RunStatus.FAILED, error=error.text_key)

        if await self._shown(run, task, asker, work) is Reach.GONE:
            await self._leave(task)
            return replace(run, status=RunStatus.SKIPPED, error=Pause.GONE.value)
        return ended

    async def _shown(self, run: Run, task: Task, asker: Asker, work: Work) -> Reach:
        """Do the work where its place can show it; elsewhere what comes of it is owed to the place."""
        heading = await self._telling.heading(run, task, asker.conversation)
        outlet = self.outlets.get(asker.conversation.platform)
        posting = Posting(asker=asker, turn=run.id, heading=heading)
        reach = await outlet.show(posting, work) if outlet is not None else Reach.AWAY
        if reach is Reach.AWAY:
            await self._telling.owe(run, "heading", heading)
            await work(ignore)
            await self._never_shown(run, asker.conversation.id)
        return reach

    async def _never_shown(self, run: Run, conversation: str, *, was_begun: bool = False) -> None:
        """Owe the answer of a run as one that nobody has seen; `was_begun`: only if that was begun before."""
        waiting, fresh_id = await self.core.owed(conversation), notice_of(run, "answer")
        if was_begun and all(owed.id != fresh_id for owed in waiting):
            return
        for owed in waiting:
            if owed.turn == run.id and owed.repeat:
                await self.core.runtime.turns.owe(replace(owed, id=fresh_id, repeat=False))
                await self.core.delivered(owed.id)

    async def _work(self, run: Run, task: Task, asker: Asker, emit: Emit) -> Run:
        if task.prompt:
            return await self._asked(run, task, asker, emit)
        if self.core.runtime.tools.may_read(task.tool):
            with suppress(NeedsYes):
                return await self._looked_up(run, task, asker, emit)
        writer = await self.core.fuller(asker) or asker
        calls = [(task.tool, task.arguments)]
        batch = await self.core.propose(calls, writer, complete=False, batch_id=_batch_of(run))
        await emit(ConfirmationAsked(batch.id))
        return replace(run, status=RunStatus.WAITING, batch=batch.id)

    async def _asked(self, run: Run, task: Task, asker: Asker, emit: Emit) -> Run:
        """Put the prompt as a message that its creator did not write just now."""
        zone = await zone_of(task.zone)
        when = rule_text(task.rule, zone, task.language)
        incoming = Incoming(
            platform=PLATFORM,
            update=run.id,
            message=run.id,
            person=asker.person.id,
            conversation=asker.conversation.id,
            text=task.prompt,
            at=self.core.runtime.clock.now(),
            context=say(task.language, "schedule.for_model", name=asker.person.name, when=when),
            original=False,
            scheduled=True,
        )
        turn = await self.core.handle(incoming, asker, emit)
        return _as_turn(run, turn or await self.core.runtime.turns.turn(run.id))

    async def _looked_up(self, run: Run, task: Task, asker: Asker, emit: Emit) -> Run:
        """Call a READ tool; what it answers becomes a turn of the conversation that needed no model."""
        answer = await self.core.lookup(task.tool, task.arguments, asker)
        view = view_of(asker, await self.core.askers.canon(asker.conversation))
        title = task.title if is_for_all(asker.conversation) else task.tool
        text = answer_markdown(answer, view, title)
        outside = self.core.runtime.tools.get(task.tool).untrusted
        text = str(neutralise(text)) if outside else text
        turn = Turn(
            id=run.id,
            conversation=asker.conversation.id,
            requester=asker.person.id,
            started=self.core.runtime.clock.now(),
            status=TurnStatus.DONE,
            bound=bound_to_text(asker.bound),
            language=task.language,
            text=title,
            answer=text,
            scheduled=True,
        )
        content = status_text(task.tool, "done", POSTED) if outside else text
        step = Step(turn=run.id, seq=0, message=ChatMessage(role=Role.ASSISTANT, content=content))
        await self.core.runtime.turns.finish(turn, [step], owed_answer(turn))
        await emit(Message(run.id, text))
        await emit(Done(run.id, turn.status.value))
        return _as_turn(run, turn)

    async def _settled(self, run: Run, task: Task) -> Run | None:
        """Return a run that was broken off as it ended or goes on; None where nothing has begun yet."""
        batch = await self.core.batch(_batch_of(run))
        if batch is not None:
            return replace(run, status=RunStatus.WAITING, batch=batch.id)
        turn = await self.core.runtime.turns.turn(run.id)
        if turn is not None and turn.status not in _ENDS:
            await self.core.recover(lambda _: ignore, turn.conversation)
            turn = await self.core.runtime.turns.turn(run.id)
        if turn is not None:
            await self._never_shown(run, turn.conversation, was_begun=True)
            return _as_turn(run, turn)
        if run.tries > MOST_TRIES:
            await self._telling.tell(run, task, "told_unknown")
            return replace(run, status=RunStatus.UNKNOWN)
        return None

    async def _stop(self, task: Task, asker: Asker | None) -> Pause | None:
        """Return why a task may not run any more, None if it may."""
        if asker is None:
            return Pause.GONE
        if await sound_zone(task) is None:
            return Pause.BROKEN
        if asker.conversation.series != task.series:
            return Pause.MOVED
        if task.series is not None and role_of(asker.membership) is SeriesRole.NONE:
            return Pause.LEFT
        return None if await is_let_in(self.core, asker) else Pause.CLOSED

    async def _stopped(self, run: Run, task: Task, asker: Asker | None, reason: Pause) -> None:
        """Pause a task that may not run any more, and say so where it belongs, once."""
        if asker is None or reason is Pause.GONE:
            await self._leave(task)
        else:
            await self.schedule.pause(task, reason)
            await self._telling.tell(run, task, f"told_{reason.value}", name=asker.person.name)
        await self._stored(replace(run, status=RunStatus.SKIPPED, error=reason.value))

    async def _leave(self, task: Task) -> None:
        """Pause a task whose place is gone; where its creator is reached alone they are told, once."""
        await self.schedule.pause(task, Pause.GONE)
        if task.paused_for is not Pause.GONE:
            await self._telling.tell_alone(task, "told_gone")

    async def _end(self, ended: Run, task: Task, asker: Asker) -> None:
        await self._stored(ended)
        most = self.schedule.limits.failures
        failed = ended.status in {RunStatus.FAILED, RunStatus.UNKNOWN}
        if await self.schedule.store.note_outcome(task.id, failed=failed, most=most):
            await self._telling.tell(ended, task, "told_failing", name=asker.person.name, n=most)

    async def _stored(self, ended: Run) -> None:
        await self.schedule.store.end_run(replace(ended, ended=self.core.runtime.clock.now()))


def _as_turn(run: Run, turn: Turn | None) -> Run:
    """Return a run as its turn stands; still running where the turn is under way."""
    if turn is None:
        return run
    return replace(run, status=_ENDS.get(turn.status, RunStatus.RUNNING), turn=turn.id)


def _batch_of(run: Run) -> str:
    return str(uuid5(_BATCHES, run.id))
