"""The two endpoints at which the agent is asked, and what happens to its cards."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header
from starlette.responses import Response

from adapters.http import asking, places
from adapters.http.channel import Channel, Listener
from adapters.http.dependencies import Called, Hosted
from adapters.http.host import Caller, Host
from adapters.http.problems import not_found
from adapters.http.routes import examples
from adapters.http.shapes import (
    AgentQuestion,
    AnswerIn,
    BatchIn,
    BatchOut,
    Cancelled,
    ConversationIn,
    Decided,
    LinesIn,
    Question,
    Reply,
)
from adapters.http.show import batch_out, reply_out, shower
from adapters.http.sight import seen_batch
from adapters.http.stream import EventStream
from agent_core.errors import BatchClosed
from agent_core.pipeline.confirmations import Decision
from agent_core.pipeline.model import Batch
from agent_core.tools.spec import Asker

router = APIRouter(tags=["talk"])
taking = partial(router.api_route, methods=["POST"])

Accept = Annotated[str, Header(description="text/event-stream streams what follows")]
EVENTS = "text/event-stream"


@taking("/api/agent/chat", responses=examples.answer("reply"), openapi_extra=examples.body("chat"))
async def chat(question: Question, host: Hosted, caller: Called) -> Reply:
    """Ask the agent and wait for its answer.

    Without `conversationId` a new conversation is begun, and earlier messages of the body are quoted text
    without authority; with one only the last message is taken.
    """
    asker = await _asker(host, caller, question)
    run = await asking.ask(host, asker, asking.asking_of(question, caller))
    answered = await run.ended()
    return await reply_out(host, run.teller.told, answered.turn, asker)


@taking(
    "/api/bookslm/agent",
    response_class=EventStream,
    status_code=200,
    responses=examples.events("agent"),
    openapi_extra=examples.body("agent"),
)
async def agent(question: AgentQuestion, host: Hosted, caller: Called) -> Response:
    """Ask the agent; its steps and its answer come as Server-Sent Events.

    The turn goes on when the client goes away: `GET /api/conversations/{id}/events` catches up.
    """
    asker = await _asker(host, caller, question)
    listener = Listener()
    asked = asking.asking_of(question, caller, deep=question.deep_research, mode=question.mode)
    run = await asking.ask(host, asker, asked, listener)
    return _stream(host, caller, asker, run.teller.channel, listener)


@taking(
    "/api/bookslm/agent/confirm",
    responses=examples.decision("decided"),
    openapi_extra=examples.body("confirm"),
)
async def confirm(which: LinesIn, host: Hosted, caller: Called, accept: Accept = "") -> Decided:
    """Approve these lines of a batch and decline the others; the turn that waited goes on."""
    batch, asker = await seen_batch(host, caller, which.batch_id)
    lines = {call.id: call.ordinal for call in batch.calls}
    if not set(which.call_ids) <= lines.keys():
        raise not_found()
    chosen = frozenset(lines[call] for call in which.call_ids)
    decision = Decision(approve=True, chosen=chosen, digest=which.digest)
    return await _decided(host, caller, asker, batch, decision, accept)


@taking(
    "/api/bookslm/agent/confirm_all",
    responses=examples.decision("decided"),
    openapi_extra=examples.body("confirm_all"),
)
async def confirm_all(which: BatchIn, host: Hosted, caller: Called, accept: Accept = "") -> Decided:
    """Approve a batch as it is selected on its card; the turn that waited goes on."""
    batch, asker = await seen_batch(host, caller, which.batch_id)
    decision = Decision(approve=True, digest=which.digest)
    return await _decided(host, caller, asker, batch, decision, accept)


@taking(
    "/api/bookslm/agent/decline",
    responses=examples.decision("declined"),
    openapi_extra=examples.body("confirm_all"),
)
async def decline(which: BatchIn, host: Hosted, caller: Called, accept: Accept = "") -> Decided:
    """Discard a batch; the turn that waited goes on."""
    batch, asker = await seen_batch(host, caller, which.batch_id)
    decision = Decision(approve=False, digest=which.digest)
    return await _decided(host, caller, asker, batch, decision, accept)


@taking(
    "/api/bookslm/agent/answer", responses=examples.answer("batch"), openapi_extra=examples.body("answer")
)
async def answer(given: AnswerIn, host: Hosted, caller: Called) -> BatchOut:
    """Answer a question on a card, such as from which scene on; all its lines are planned anew."""
    batch, asker = await seen_batch(host, caller, given.batch_id)
    revised = await host.core.answer_question(batch.id, given.line, given.name, given.value, asker)
    await asking.tell_card(host, revised)
    return await batch_out(host, revised, asker)


@taking(
    "/api/bookslm/agent/take_back",
    responses=examples.answer("batch"),
    openapi_extra=examples.body("confirm_all"),
)
async def take_back(which: BatchIn, host: Hosted, caller: Called) -> BatchOut:
    """Take back the edit that a batch has made; nothing is deleted by it."""
    batch, asker = await seen_batch(host, caller, which.batch_id)
    if batch.edit is None:
        raise BatchClosed(reason=batch.status.value)
    undone = await asking.propose(host, asker, "undo", {"change": batch.edit}, at_once=True)
    return await batch_out(host, undone, asker)


@taking(
    "/api/bookslm/agent/cancel",
    responses=examples.answer("cancelled"),
    openapi_extra=examples.body("conversation"),
)
async def cancel(which: ConversationIn, host: Hosted, caller: Called) -> Cancelled:
    """Stop the turn that runs in a conversation; what is open stays as it is."""
    asker = await places.own(host, caller, which.conversation_id)
    return Cancelled(cancelled=await host.core.cancel(asker.conversation.id))


async def _asker(host: Host, caller: Caller, question: Question) -> Asker:
    if question.conversation_id is not None:
        return await places.own(host, caller, question.conversation_id)
    if question.book_id is None:
        return await places.fresh(host, caller, None, None)
    canon, book = await places.with_book(host, caller, question.book_id)
    return await places.fresh(host, caller, canon.series.id, book)


async def _decided(
    host: Host, caller: Caller, asker: Asker, batch: Batch, decision: Decision, accept: str
) -> Decided:
    if accept.startswith(EVENTS):
        listener = Listener()
        streamed = await asking.decide(host, asker, batch, decision, listener)
        channel = streamed.teller.channel
        return _stream(host, caller, asker, channel, listener)  # type: ignore[return-value]  # sent as it is
    run = await asking.decide(host, asker, batch, decision)
    decided = await run.ended()
    turn = await host.core.runtime.turns.turn(batch.turn) if batch.turn else None
    reply = await reply_out(host, run.teller.told, turn, asker)
    return Decided(**dict(reply), batch=await batch_out(host, decided, asker))


def _stream(host: Host, caller: Caller, asker: Asker, channel: Channel, listener: Listener) -> EventStream:
    return EventStream(host.works.attached(channel, listener), shower(host, caller, asker))
