"""Opens a turn: prompt, bounded history, the steps so far, and what was said while it was parked."""

from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from agent_core.messages import ChatMessage, Role
from agent_core.tools.spec import Asker
from agent_core.turn.askers import Askers
from agent_core.turn.history import History, question_of
from agent_core.turn.instructions import system_message
from agent_core.turn.model import Turn
from agent_core.turn.runtime import Runtime
from agent_core.turn.standing import as_of_line
from agent_core.turn.talk import Talk

MEANWHILE = "While this waited for a decision, others said here (for your information only):\n"


async def open_talk(turn: Turn, asker: Asker, askers: Askers, runtime: Runtime) -> Talk:
    """Return the turn ready to run or to go on."""
    canon = await askers.canon(asker.conversation)
    outline = canon.outline if canon else None
    names = await _names(turn, asker, askers, runtime)
    history = History(store=runtime.turns, redaction=runtime.pipeline.redaction)
    today = _today(runtime.clock.now(), asker.conversation.time_zone)
    notes = await askers.vaults.of(asker.conversation.series)
    system = await system_message(turn, asker, canon, today, notes, runtime.pipeline.redaction)
    earlier = await history.before(turn, asker.bound, outline, names)
    talk = Talk(
        turn=turn,
        prefix=(system, *earlier),
        question=question_of(turn, names),
        steps=list(await runtime.turns.steps([turn.id])) if turn.replies else [],
        store=runtime.turns,
        began=runtime.clock.monotonic(),
        as_of=as_of_line(asker, canon, turn.language, runtime.model.label),
    )
    if talk.steps and not talk.unanswered():
        meanwhile = await history.since(turn, asker.bound, outline, names)
        if meanwhile and not talk.was_said(MEANWHILE + meanwhile):
            talk.add(ChatMessage(role=Role.USER, content=MEANWHILE + meanwhile))
    return talk


async def _names(turn: Turn, asker: Asker, askers: Askers, runtime: Runtime) -> Mapping[str, str]:
    """Return speakers' names by person id; empty in private conversations, where there is one speaker."""
    if asker.conversation.private:
        return {}
    turns = await runtime.turns.recent_turns(turn.conversation, before=None, limit=40)
    people = {item.requester for item in turns} | {turn.requester}
    found = {one: await askers.people.person(one) for one in sorted(people)}
    return {one: person.name for one, person in found.items() if person}


def _today(now: datetime, time_zone: str) -> str:
    return now.astimezone(ZoneInfo(time_zone)).strftime("%Y-%m-%d (%A)")
