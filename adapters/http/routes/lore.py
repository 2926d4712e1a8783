"""What the canon answers: each is one look-up through the pipeline, with the card that says it in words."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeVar

from fastapi import APIRouter, Path, Query

from adapters.cards import answer_card
from adapters.http import places
from adapters.http.dependencies import AtDesk, Called, Hosted, Text
from adapters.http.host import Host
from adapters.http.routes import examples
from adapters.http.shapes import Shown
from agent_core.lore.answers import (
    Answer,
    ChapterScenes,
    Contents,
    EntryState,
    History,
    LooseEnds,
    SearchResult,
    Timeline,
    Why,
)
from agent_core.lore.model import EntityType, When
from agent_core.messages import Json
from agent_core.tools.cost import Costs
from agent_core.tools.members import MemberList
from agent_core.tools.schedule_list import TaskList
from agent_core.tools.spec import Asker

A = TypeVar("A", bound=Answer)

router = APIRouter(tags=["lore"])

EntryId = Annotated[str, Path(description="an entry's id or exact name", max_length=300)]
Position = Annotated[
    str | None, Query(max_length=300, description="a place in the story: 7, 7.3, b2:7.3, a title, an id")
]
Known = Annotated[
    str | None,
    Query(max_length=100, description="as the notes stood then: a date, yesterday, or an edit number"),
]


@router.get("/api/series/{seriesId}/books", responses=examples.answer("contents"))
async def books(host: Hosted, asker: AtDesk) -> Shown[Contents]:
    """Return the outline: books, chapters and scenes in reading order."""
    return await _shown(host, asker, Contents, "list_chapters", {})


@router.get("/api/books/{bookId}/chapters", responses=examples.answer("contents"))
async def chapters(
    host: Hosted, caller: Called, book: Annotated[str, Path(alias="bookId", max_length=100)]
) -> Shown[Contents]:
    """Return the outline of one book."""
    canon, found = await places.with_book(host, caller, book)
    asker = await places.desk(host, caller, canon.series.id)
    return await _shown(host, asker, Contents, "list_chapters", {"book": found})


@router.get("/api/series/{seriesId}/chapters/{chapter}/scenes", responses=examples.answer("scenes"))
async def scenes(
    host: Hosted,
    asker: AtDesk,
    chapter: Annotated[str, Path(description="a chapter or scene: 7, 7.3, an id", max_length=300)],
    offset: Annotated[int, Query(ge=0)] = 0,
) -> Shown[ChapterScenes]:
    """Return the scenes of a chapter with their text; a long one goes on at `nextOffset`."""
    given: dict[str, Json] = {"chapterId": chapter, "offset": offset}
    return await _shown(host, asker, ChapterScenes, "fetch_chapter_scenes", given)


@router.get("/api/series/{seriesId}/search", responses=examples.answer("search"))
async def search(
    host: Hosted,
    asker: AtDesk,
    query: Annotated[str, Query(alias="q", min_length=1, max_length=500)],
    kind: Annotated[EntityType | None, Query(alias="type")] = None,
) -> Shown[SearchResult]:
    """Find entries and passages by name, alias or words."""
    return await _shown(host, asker, SearchResult, "search_lore", {"query": query, "type": kind})


@router.get("/api/series/{seriesId}/entries/{entry}", responses=examples.answer("state"))
@router.get("/api/series/{seriesId}/entries/{entry}/state", responses=examples.answer("state"))
async def state(
    host: Hosted,
    asker: AtDesk,
    entry: EntryId,
    at: Position = None,
    when: When = When.END,
    known: Known = None,
    as_reader: Annotated[str | None, Query(alias="asReader", max_length=300)] = None,
) -> Shown[EntryState]:
    """Return what is true of an entry at a place in the story, as the notes stood then, to a reader."""
    given = {"entityId": entry, "asOf": at, "when": when.value, "knownAt": known, "asReader": as_reader}
    return await _shown(host, asker, EntryState, "get_entity_state", given)


@router.get("/api/series/{seriesId}/entries/{entry}/why", responses=examples.answer("why"))
async def why(
    host: Hosted,
    asker: AtDesk,
    entry: EntryId,
    key: Annotated[str, Query(min_length=1, max_length=300)],
    at: Position = None,
) -> Shown[Why]:
    """Explain one detail of an entry: the chain of facts behind it, with quotes."""
    return await _shown(host, asker, Why, "why", {"entityId": entry, "key": key, "asOf": at})


@router.get("/api/series/{seriesId}/timeline", responses=examples.answer("timeline"))
async def timeline(
    host: Hosted,
    asker: AtDesk,
    entry: Text = None,
    start: Annotated[str | None, Query(alias="from", max_length=300)] = None,
    to: Position = None,
    order: Literal["story", "reading"] = "story",
) -> Shown[Timeline]:
    """Return what begins and ends to be true, of one entry or of all."""
    given = {"entityId": entry, "from": start, "to": to, "order": order}
    return await _shown(host, asker, Timeline, "get_timeline", given)


@router.get("/api/series/{seriesId}/history", responses=examples.answer("history"))
async def history(
    host: Hosted,
    asker: AtDesk,
    entry: Text = None,
    key: Text = None,
    since: Known = None,
    until: Known = None,
    by: Text = None,
) -> Shown[History]:
    """Return the edits, newest first; readers see none."""
    given = {"entityId": entry, "key": key, "since": since, "until": until, "by": by}
    return await _shown(host, asker, History, "get_history", given)


@router.get("/api/series/{seriesId}/loose-ends", responses=examples.answer("loose_ends"))
async def loose_ends(host: Hosted, asker: AtDesk) -> Shown[LooseEnds]:
    """Return facts that lost their scene or are not placed yet, and flashbacks without a date."""
    return await _shown(host, asker, LooseEnds, "list_loose_ends", {})


@router.get("/api/series/{seriesId}/members", responses=examples.answer("members"))
async def members(host: Hosted, asker: AtDesk) -> Shown[MemberList]:
    """Return who belongs to the series, and how far readers have read."""
    return await _shown(host, asker, MemberList, "list_members", {})


@router.get("/api/series/{seriesId}/tasks", responses=examples.answer("tasks"))
async def tasks(host: Hosted, asker: AtDesk) -> Shown[TaskList]:
    """Return what is done at set times here, and one's own tasks elsewhere."""
    return await _shown(host, asker, TaskList, "list_scheduled_tasks", {})


@router.get("/api/cost", responses=examples.answer("cost"))
async def cost(host: Hosted, caller: Called) -> Shown[Costs]:
    """Return what the caller's day and month have used and cost; for operators the month of all."""
    return await _shown(host, await places.lobby(host, caller), Costs, "get_cost", {})


async def _shown(
    host: Host, asker: Asker, kind: type[A], tool: str, arguments: Mapping[str, Json]
) -> Shown[A]:
    given = {name: value for name, value in arguments.items() if value is not None}
    found = await host.core.lookup(tool, given, asker)
    assert isinstance(found, kind)  # noqa: S101  each tool has one kind of answer
    card = answer_card(found, await host.view(asker), name=_name(found))
    return Shown(answer=found, card=card)


def _name(answer: Answer) -> str:
    """Return the name that heads the card of an answer about one entry, "" for one about all."""
    if not isinstance(answer, Timeline | History):
        return ""
    lines = (
        answer.items
        if isinstance(answer, Timeline)
        else [line for item in answer.items for line in item.lines]
    )
    names = {line.entry.name for line in lines if line.entry is not None}
    return names.pop() if len(names) == 1 else ""
