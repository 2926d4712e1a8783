"""Which batches and turns a caller may see: the core hands any to anybody, so this is asked before."""

from dataclasses import replace

from adapters.http.host import Caller, Host
from adapters.http.places import own
from adapters.http.problems import Problem, not_found
from agent_core.people.model import WRITERS
from agent_core.pipeline.model import Batch
from agent_core.pipeline.permissions import role_of, within
from agent_core.tools.spec import Asker
from agent_core.turn.model import Turn


async def seen_batch(host: Host, caller: Caller, batch_id: str) -> tuple[Batch, Asker]:
    """Return a batch and the caller as they stand in its place.

    One's own are seen while one may see as much as when they were made; a series' other ones, from places
    that are nobody's alone, by those who write in it.

    Raises:
        Problem: 404, whatever the reason.
    """
    batch = await host.core.batch(batch_id)
    if batch is None:
        raise not_found()
    asker = await _in_place(host, caller, batch)
    if asker is None or not await _may_see(host, asker, batch):
        raise not_found()
    return batch, asker


async def open_proposals(host: Host, caller: Caller, series: str) -> tuple[Batch, ...]:
    """Return the open batches of a series that the caller may see, oldest first."""
    found: list[Batch] = []
    for batch in await host.core.runtime.batches.open_batches():
        if batch.series != series or batch.expires <= host.core.runtime.clock.now():
            continue
        try:
            found.append((await seen_batch(host, caller, batch.id))[0])
        except Problem:
            continue
    return tuple(found)


async def seen_turn(host: Host, caller: Caller, turn_id: str) -> tuple[Turn, Asker]:
    """Return a turn of a conversation of the caller's, and the caller in it.

    Raises:
        Problem: 404, whatever the reason.
    """
    turn = await host.core.runtime.turns.turn(turn_id)
    if turn is None:
        raise not_found()
    asker = await own(host, caller, turn.conversation)
    if not await may_see_made_under(host, asker, turn.bound):
        raise not_found()
    return turn, asker


async def may_see_made_under(host: Host, asker: Asker, bound: str) -> bool:
    """Return whether what was made under a stored bound may be shown to the asker now."""
    canon = await host.core.askers.canon(asker.conversation)
    return canon is None or within(bound, asker.bound, canon.outline)


async def _in_place(host: Host, caller: Caller, batch: Batch) -> Asker | None:
    """Return the caller in the batch's place and series, with no role that only those there have."""
    askers = host.core.askers
    place = await askers.conversations.conversation(batch.conversation)
    if place is None or (place.private and batch.requester not in await _known_as(host, caller)):
        return None
    place = replace(place, default_role="none")
    if batch.series not in {None, place.series}:
        place = replace(place, series=batch.series, book=None, chapter=None, position=None)
    return await host.asker(caller, place)


async def _may_see(host: Host, asker: Asker, batch: Batch) -> bool:
    is_own = batch.requester in await host.core.askers.people.known_as(asker.person.id)
    if batch.series is None:
        return is_own
    if not is_own and role_of(asker.membership) not in WRITERS:
        return False
    return await may_see_made_under(host, asker, batch.bound)


async def _known_as(host: Host, caller: Caller) -> frozenset[str]:
    return await host.core.askers.people.known_as(caller.person.id)
