"""Conversations and their turns, to read and to listen to."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header, Query
from starlette.responses import Response

from adapters.families import switched
from adapters.http import places
from adapters.http.asking import hand_over
from adapters.http.channel import Listener, Teller
from adapters.http.dependencies import Called, Hosted
from adapters.http.host import Caller, Host
from adapters.http.problems import Problem, not_found
from adapters.http.routes import examples
from adapters.http.shapes import BatchOut, ConversationOut, FamilyIn, TurnOut
from adapters.http.show import batch_out, shower, turn_out
from adapters.http.sight import may_see_made_under, seen_batch, seen_turn
from adapters.http.stream import EventStream
from agent_core.events import ignore
from agent_core.lore.lens import Lens
from agent_core.tools.spec import Asker, Family
from agent_core.turn.model import TurnStatus

router = APIRouter(tags=["conversations"])
taking = partial(router.api_route, methods=["POST"])

TURNS = 30
_UNDER_WAY = frozenset({TurnStatus.QUEUED, TurnStatus.RUNNING})
MAX_NUMBER = 2**53
LastEventId = Annotated[int | None, Header(ge=0, le=MAX_NUMBER, description="go on after this event")]
After = Annotated[
    int | None,
    Query(ge=0, le=MAX_NUMBER, description="as Last-Event-ID, for clients that can't set headers"),
]


@router.get("/api/conversations/{conversation}", responses=examples.answer("conversation"))
async def conversation(
    conversation: str,
    host: Hosted,
    caller: Called,
    limit: Annotated[int, Query(ge=1, le=100)] = TURNS,
    before: Annotated[str | None, Query(max_length=100, description="turns before this one")] = None,
) -> ConversationOut:
    """Return a conversation with its newest turns and open cards."""
    asker = await places.own(host, caller, conversation)
    if before is not None and (await seen_turn(host, caller, before))[0].conversation != conversation:
        raise not_found()
    last = await host.app.events.last_event(conversation)
    return await _conversation(host, caller, asker, last, limit, before)


@taking("/api/conversations", responses=examples.answer("conversation", 201), status_code=201)
async def begin(
    host: Hosted,
    caller: Called,
    book: Annotated[str | None, Query(alias="bookId", description="the book that it is about")] = None,
) -> ConversationOut:
    """Begin a conversation of its own."""
    if book is None:
        asker = await places.fresh(host, caller, None, None)
    else:
        canon, found = await places.with_book(host, caller, book)
        asker = await places.fresh(host, caller, canon.series.id, found)
    return await _conversation(host, caller, asker, 0, 1)


@taking("/api/conversations/{conversation}/fresh", responses=examples.answer("conversation"))
async def start_afresh(conversation: str, host: Hosted, caller: Called) -> ConversationOut:
    """Forget the history for later turns, stop what runs, close your open cards. The notes stay."""
    asker = await places.own(host, caller, conversation)
    await host.core.cancel(conversation)
    await host.core.start_afresh(asker, ignore)
    with host.works.held(conversation) as channel:
        happening = await channel.publish("fresh", {})
    return await _conversation(host, caller, asker, happening.seq, 1)


@taking(
    "/api/conversations/{conversation}/families",
    responses=examples.answer("conversation"),
    openapi_extra=examples.body("family"),
)
async def switch_family(conversation: str, wanted: FamilyIn, host: Hosted, caller: Called) -> ConversationOut:
    """Switch a family of tools (web, documents, sheets, forge, schedule, notify) on or off for the agent."""
    asker = await places.own(host, caller, conversation)
    family = Family(wanted.family)
    await host.core.askers.conversations.alter(
        asker.conversation.id, lambda place: switched(place, family, on=wanted.on)
    )
    last = await host.app.events.last_event(conversation)
    return await _conversation(host, caller, await places.own(host, caller, conversation), last, 1)


@router.get(
    "/api/conversations/{conversation}/events",
    response_class=EventStream,
    status_code=200,
    responses=examples.events("conversation"),
)
async def events(
    conversation: str,
    host: Hosted,
    caller: Called,
    last_event_id: LastEventId = None,
    after: After = None,
) -> Response:
    """Listen to all that happens in a conversation: questions, steps, text, answers, cards.

    From the event given on, else from now. It lasts until the client or the server goes away.
    """
    asker = await places.own(host, caller, conversation)
    start = last_event_id if last_event_id is not None else after
    return await _listen(host, caller, asker, start, Listener())


@router.get("/api/turns/{turn}", responses=examples.answer("turn"))
async def turn(turn: str, host: Hosted, caller: Called) -> TurnOut:
    """Return a turn with how its answer was found."""
    found, asker = await seen_turn(host, caller, turn)
    return await turn_out(host, found, asker)


@router.get(
    "/api/turns/{turn}/events",
    response_class=EventStream,
    status_code=200,
    responses=examples.events("agent"),
)
async def turn_events(
    turn: str, host: Hosted, caller: Called, last_event_id: LastEventId = None, after: After = None
) -> Response:
    """Listen to one turn, from its beginning or from the event given on; ends when it is over or parked."""
    _, asker = await seen_turn(host, caller, turn)
    start = last_event_id if last_event_id is not None else after or 0
    listener = Listener(wanted=lambda happening: happening.turn == turn, ends_with="done")
    return await _listen(host, caller, asker, start, listener, turn)


@router.get("/api/batches/{batch}", responses=examples.answer("batch"))
async def batch(batch: str, host: Hosted, caller: Called) -> BatchOut:
    """Return a proposal as it is now."""
    found, asker = await seen_batch(host, caller, batch)
    return await batch_out(host, found, asker)


async def _listen(
    host: Host, caller: Caller, asker: Asker, start: int | None, listener: Listener, turn: str = ""
) -> EventStream:
    place = asker.conversation.id
    with host.works.held(place) as channel:
        channel.asked.update(batch.id for batch in await host.core.open_batches(place))
        await channel.join(listener, after=start, turn=turn)
        await hand_over(host, Teller(channel=channel, message=""))
        if turn:
            found = await host.core.runtime.turns.turn(turn)
            if found is None or found.status not in _UNDER_WAY:
                listener.close()
        return EventStream(host.works.attached(channel, listener), shower(host, caller, asker))


async def _conversation(
    host: Host, caller: Caller, asker: Asker, last: int, limit: int, before: str | None = None
) -> ConversationOut:
    place, view = asker.conversation, await host.view(asker)
    canon = await host.core.askers.canon(place)
    turns = await host.core.runtime.turns.recent_turns(place.id, before=before, limit=limit)
    seen = [one for one in turns if await may_see_made_under(host, asker, one.bound)]
    cards = [await _card(host, caller, one.id) for one in await host.core.open_batches(place.id)]
    return ConversationOut(
        id=place.id,
        series_id=place.series,
        series=view.series,
        book_id=place.book,
        book=view.book,
        position=Lens(canon, asker.bound).place(place.position) if canon else None,
        bounded=view.bounded,
        finished=view.finished,
        families=place.families,
        last_event=last,
        turns=tuple([await turn_out(host, one, asker) for one in seen]),
        open=tuple(card for card in cards if card is not None),
    )


async def _card(host: Host, caller: Caller, batch_id: str) -> BatchOut | None:
    try:
        return await batch_out(host, *await seen_batch(host, caller, batch_id))
    except Problem:
        return None
