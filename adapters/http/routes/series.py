"""Who asks, which series they belong to, and what stands in them by name."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query

from adapters.http import asking, places
from adapters.http.dependencies import AtDesk, Called, Hosted
from adapters.http.host import Caller, Host
from adapters.http.problems import Problem
from adapters.http.routes import examples
from adapters.http.shapes import (
    BatchOut,
    BookOut,
    Me,
    PersonOut,
    Proposals,
    SeriesOut,
    Suggestions,
)
from adapters.http.show import batch_out
from adapters.http.sight import open_proposals
from agent_core.errors import LoreKeeperError
from agent_core.lore.answers import EntryList, SearchResult
from agent_core.lore.lens import Lens
from agent_core.lore.model import EntityType
from agent_core.messages import Json
from agent_core.pipeline.permissions import role_of
from agent_core.tools.place import LinkArgs
from agent_core.tools.spec import Asker

router = APIRouter(tags=["series"])
taking = partial(router.api_route, methods=["POST"])

SUGGESTED = 12


@router.get("/api/me", responses=examples.answer("me"))
async def me(host: Hosted, caller: Called) -> Me:
    """Return who asks, and which series they belong to."""
    person = PersonOut(name=caller.person.name, operator=caller.person.operator)
    return Me(
        person=person,
        language=caller.language,
        model=host.app.settings.model,
        series=await _all(host, caller),
    )


@router.get("/api/series", responses=examples.answer("series"))
async def all_series(host: Hosted, caller: Called) -> tuple[SeriesOut, ...]:
    """Return the series that the caller belongs to."""
    return await _all(host, caller)


@taking("/api/series", responses=examples.answer("linked"), openapi_extra=examples.body("link"))
async def begin(link: LinkArgs, host: Hosted, caller: Called) -> BatchOut:
    """Begin a series, or a book in one of yours: a new title begins it. The caller leads a new series."""
    asker = await places.lobby(host, caller)
    given = link.model_dump(mode="json", by_alias=True, exclude_unset=True)
    batch = await asking.propose(host, asker, "link_thread", given, at_once=True)
    return await batch_out(host, batch, asker)


@taking(
    "/api/conversations/{conversation}/link",
    responses=examples.answer("linked"),
    openapi_extra=examples.body("link"),
)
async def link(conversation: str, link: LinkArgs, host: Hosted, caller: Called) -> BatchOut:
    """Link a conversation to a book of a series."""
    asker = await places.own(host, caller, conversation)
    given = link.model_dump(mode="json", by_alias=True, exclude_unset=True)
    batch = await asking.propose(host, asker, "link_thread", given, at_once=True)
    return await batch_out(host, batch, asker)


@router.get("/api/series/{seriesId}/entries", responses=examples.answer("entries"))
async def entries(
    host: Hosted,
    asker: AtDesk,
    kind: Annotated[EntityType | None, Query(alias="type")] = None,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> EntryList:
    """Return the entries by name, or those of one kind; a long list goes on at `nextOffset`."""
    given: dict[str, Json] = {"offset": offset} if kind is None else {"offset": offset, "type": kind.value}
    found = await host.core.lookup("list_entries", given, asker)
    assert isinstance(found, EntryList)  # noqa: S101  that is what the tool answers
    return found


@router.get("/api/series/{seriesId}/suggest", responses=examples.answer("suggestions"))
async def suggest(
    host: Hosted, asker: AtDesk, typed: Annotated[str, Query(alias="q", min_length=1, max_length=100)]
) -> Suggestions:
    """Return names that fit what was typed so far; none where that would take long."""
    found = await host.core.peek("search_lore", {"query": typed}, asker)
    if not isinstance(found, SearchResult):
        return Suggestions(names=())
    return Suggestions(names=tuple(dict.fromkeys(hit.entry.name for hit in found.entries))[:SUGGESTED])


@router.get("/api/series/{seriesId}/proposals", responses=examples.answer("proposals"))
async def proposals(host: Hosted, caller: Called, asker: AtDesk) -> Proposals:
    """Return the open proposals of a series that the caller may see."""
    assert asker.conversation.series is not None  # noqa: S101  a desk is about a series
    found = await open_proposals(host, caller, asker.conversation.series)
    return Proposals(proposals=tuple([await batch_out(host, batch, asker) for batch in found]))


async def _all(host: Host, caller: Caller) -> tuple[SeriesOut, ...]:
    rights = await host.core.askers.people.rights(caller.person.id)
    found: list[SeriesOut] = []
    for membership in rights.memberships:
        try:
            asker = await places.desk(host, caller, membership.series)
            found.append(await _series(host, asker))
        except (Problem, LoreKeeperError):
            continue  # one that is gone hides no other
    return tuple(sorted(found, key=lambda one: (one.name.casefold(), one.id)))


async def _series(host: Host, asker: Asker) -> SeriesOut:
    canon = await host.core.askers.canon(asker.conversation)
    if canon is None:
        raise LoreKeeperError
    lens, view = Lens(canon, asker.bound), await host.view(asker)
    books = (lens.place(node.id) for node in canon.outline.books())
    return SeriesOut(
        id=canon.series.id,
        name=canon.series.name,
        role=role_of(asker.membership).value,
        bounded=view.bounded,
        finished=view.finished,
        books=tuple(BookOut(id=book.id, label=book.label, title=book.title) for book in books if book),
        conversation_id=asker.conversation.id,
    )
