"""Starts turns and decisions as work that runs on, and tells everybody who listens."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass

from adapters.http.channel import Channel, Listener, Teller
from adapters.http.host import PLATFORM, Caller, Host
from adapters.http.shapes import Question
from adapters.http.work import Run
from agent_core.errors import StoreFailure
from agent_core.events import Attachment, Emit
from agent_core.messages import Json
from agent_core.pipeline.confirmations import Decision
from agent_core.pipeline.model import Batch, BatchStatus
from agent_core.texts import say
from agent_core.tools.spec import Asker
from agent_core.turn.calls import attachment
from agent_core.turn.model import Incoming, Turn

MAX_QUOTED = 60_000
WATCH_S = 1.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """How a turn ended or was parked; None where the message was no question."""

    turn: Turn | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question on its way: how it is to be answered."""

    text: str
    replies: int
    deep: bool = False
    mode: str = "general"


def question_text(question: Question, language: str) -> str:
    """Return what is asked. Earlier messages, unless a conversation of ours has them, are quoted below it."""
    *earlier, last = question.messages
    if question.conversation_id is not None or not earlier:
        return last.content
    quoted = "\n>\n".join(f"> {one.role}: {_quoted(one.content)}" for one in earlier)
    return f"{last.content}\n\n{say(language, 'http.quoted')}\n\n{quoted[-MAX_QUOTED:]}"


async def ask(host: Host, asker: Asker, asking: Asking, listener: Listener | None = None) -> Run[Answered]:
    """Return the work on a question that somebody asked, which is under way."""
    runtime = host.core.runtime
    incoming = Incoming(
        platform=PLATFORM,
        update=(fresh := runtime.new_id()),
        message=fresh,
        person=asker.person.id,
        conversation=asker.conversation.id,
        text=asking.text,
        at=runtime.clock.now(),
    )
    await host.note_place(asker)

    async def work(emit: Emit) -> Answered:
        turn = await host.core.handle(
            incoming, asker, emit, deep=asking.deep, mode=asking.mode, max_replies=asking.replies
        )
        await hand_over(host, teller)
        return Answered(turn=turn)

    shown = runtime.pipeline.redaction.own(asking.text)
    question: dict[str, Json] = {"text": shown, "by": asker.person.name, "at": incoming.at.isoformat()}
    with host.works.held(asker.conversation.id) as channel:
        teller = Teller(channel=channel, message=fresh)
        await _join(teller, listener)
        await teller.tell("question", question)
        return host.works.start(teller, work, asker.language, listener, fails_for_all=True)


async def decide(
    host: Host, asker: Asker, batch: Batch, decision: Decision, listener: Listener | None = None
) -> Run[Batch]:
    """Return the work on a decision, which is under way: what was approved runs, then its turn goes on."""

    async def tell_decided() -> None:
        now = await host.core.batch(batch.id)
        if now is not None and now.status is not BatchStatus.OPEN:
            await teller.tell("confirmation", {"state": "decided", "batchId": batch.id})

    async def work(emit: Emit) -> Batch:
        decided = await host.core.decide(batch.id, decision, asker, emit)
        if teller.before_first is not None:
            await tell_decided()
        await hand_over(host, teller)
        return decided

    with host.works.held(batch.conversation) as channel:
        teller = Teller(channel=channel, message=host.core.runtime.new_id(), turn=batch.turn or "")
        teller.before_first = tell_decided
        await _join(teller, listener)
        return host.works.start(teller, work, asker.language, listener)


async def propose(
    host: Host, asker: Asker, tool: str, arguments: Mapping[str, Json], *, at_once: bool
) -> Batch:
    """Return what became of a typed command: done, or open with a card; all who listen see it.

    Raises:
        LoreKeeperError: refused; nothing has changed.
    """
    batch = await host.core.propose([(tool, arguments)], asker, complete=at_once)
    await tell_card(host, batch)
    with host.works.held(batch.conversation) as channel:
        await hand_over(host, Teller(channel=channel, message=""))
    return batch


async def tell_card(host: Host, batch: Batch) -> None:
    """Tell those who listen where a batch was proposed how it stands."""
    state = "asked" if batch.status is BatchStatus.OPEN else "decided"
    with host.works.held(batch.conversation) as channel:
        teller = Teller(channel=channel, message="", turn=batch.turn or "")
        await teller.tell("confirmation", {"state": state, "batchId": batch.id})


async def watch_cards(host: Host) -> None:
    """Tell listeners, until cancelled, of waiting cards that were decided elsewhere: in a chat, say."""
    while True:
        await asyncio.sleep(WATCH_S)
        for channel in tuple(host.works.channels.values()):
            try:
                await _tell_decided(host, channel)
            except Exception:  # the border of background work: the next look may find the store well again
                logger.exception("cards not watched", extra={"conversation": channel.conversation})


async def _tell_decided(host: Host, channel: Channel) -> None:
    for batch_id in tuple(channel.asked) if channel.listeners else ():
        batch = await host.core.batch(batch_id)
        if batch is not None and batch.status is not BatchStatus.OPEN and batch_id in channel.asked:
            await tell_card(host, batch)


async def hand_over(host: Host, teller: Teller) -> None:
    """Note that the answers this conversation was owed have arrived, and tell the notices to an operator.

    Other places get theirs from their own surface. What can't be noted now is noted another time.
    """
    place = teller.channel.conversation
    try:
        where = await host.core.askers.conversations.conversation(place)
        if where is None or where.platform != PLATFORM:
            return
        for owed in await host.core.owed(place):
            if not owed.turn:
                await teller.tell("notice", {"text": owed.text})
            await host.core.delivered(owed.id)
        await _hand_over_files(host, teller)
    except StoreFailure:
        logger.exception("delivery not noted", extra={"conversation": place})


async def _hand_over_files(host: Host, teller: Teller) -> None:
    """Tell of the files that were made here and are told of nowhere yet: they can be fetched now."""
    files = host.core.askers.files.store
    told = {event.file_id for event in teller.told if isinstance(event, Attachment)}
    for file in await files.due_files(teller.channel.conversation):
        if file.id not in told:
            await teller(attachment(file))
        await files.file_arrived(file.id)


async def _join(teller: Teller, listener: Listener | None) -> None:
    """Let somebody listen to this piece of work alone."""
    if listener is not None:
        listener.wanted = lambda happening: happening.message == teller.message
        await teller.channel.join(listener)


def _quoted(text: str) -> str:
    return "\n> ".join(text.splitlines())


def asking_of(question: Question, caller: Caller, *, deep: bool = False, mode: str = "general") -> Asking:
    """Return a question as it is to be answered."""
    text = question_text(question, caller.language)
    return Asking(text=text, replies=question.max_iterations, deep=deep, mode=mode)
