"""The tools that look things up in the canon."""

from typing import Literal, TypedDict, TypeVar

from pydantic import Field

from agent_core.lore import query, search
from agent_core.lore.answers import (
    ChapterScenes,
    Contents,
    EntryList,
    EntryState,
    History,
    LooseEnds,
    SearchResult,
    Timeline,
    Why,
)
from agent_core.lore.canon import Canon
from agent_core.lore.model import EntityType, When
from agent_core.lore.record_time import known_from_text
from agent_core.tools.names import person_ids, with_names
from agent_core.tools.spec import Args, Family, NoArgs, Read, Risk, Tool, ToolContext

A = TypeVar("A", bound=Args)

PAGE_SHARE = 0.8  # of a result's characters; the rest is for labels and JSON
POSITION = "a place in the story as people write it: 7, 7.3, b2:7.3, a title, here, start, or a node's id"


class Where(TypedDict):
    """What short positions are read against."""

    here: str | None
    book: str | None


class SearchArgs(Args):
    """Arguments of search_lore."""

    query: str = Field(description="a name, an alias or words to look for")
    type: EntityType | None = Field(None, description="only entries of this kind")


class StateArgs(Args):
    """Arguments of get_entity_state."""

    entity_id: str = Field(description="the entry's id or its exact name")
    as_of: str | None = Field(None, description=f"the story position to answer for; {POSITION}")
    when: When = Field(When.END, description="before the scene begins (start) or after it has ended (end)")
    known_at: str | None = Field(
        None, description='as the notes stood then: an ISO date, "yesterday", or an edit number'
    )
    as_reader: str | None = Field(None, description=f"as a reader who has finished this; {POSITION}")


class ChapterArgs(Args):
    """Arguments of fetch_chapter_scenes."""

    chapter_id: str = Field(description=f"the chapter; {POSITION}")
    offset: int = Field(0, ge=0, description="go on at this character of a long chapter")


class ContentsArgs(Args):
    """Arguments of list_chapters."""

    book: str | None = Field(None, description="only this book: its number, title or id")


class EntriesArgs(Args):
    """Arguments of list_entries."""

    type: EntityType | None = Field(None, description="only entries of this kind")
    offset: int = Field(0, ge=0, description="go on behind so many entries of a long list")


class TimelineArgs(Args):
    """Arguments of get_timeline."""

    entity_id: str | None = Field(None, description="only this entry: its id or exact name")
    from_: str | None = Field(None, alias="from", description=f"begin here; {POSITION}")
    to: str | None = Field(None, description=f"end here; {POSITION}")
    order: Literal["story", "reading"] = Field("story", description="the order of events or of telling")


class HistoryArgs(Args):
    """Arguments of get_history."""

    entity_id: str | None = Field(None, description="only edits of this entry: its id or exact name")
    key: str | None = Field(None, description="only edits of this detail")
    since: str | None = Field(None, description="after this date or edit number")
    until: str | None = Field(None, description="up to this date or edit number")
    by: str | None = Field(None, description="only edits proposed or approved by this person")


class WhyArgs(Args):
    """Arguments of why."""

    entity_id: str = Field(description="the entry's id or its exact name")
    key: str = Field(description="the detail to explain")
    as_of: str | None = Field(None, description=f"the story position to answer for; {POSITION}")


def canon_of(context: ToolContext) -> Canon:
    """Return the canon of the thread; the pipeline has refused unlinked threads before."""
    assert context.canon is not None  # noqa: S101  see Tool.needs_series
    return context.canon


async def known_at(context: ToolContext, text: str | None) -> int | None:
    """Return the edit number that a typed record time means in the thread's time zone, None for now."""
    if text is None:
        return None
    asker = context.asker
    zone, now = asker.conversation.time_zone, context.clock.now()
    return await known_from_text(text, now, zone, canon_of(context), bound=asker.bound)


def where(context: ToolContext) -> Where:
    """Return the position and book of the thread, against which short positions are read."""
    conversation = context.asker.conversation
    return Where(here=conversation.position, book=conversation.book)


async def _search(context: ToolContext, args: SearchArgs) -> SearchResult:
    return await search.search(canon_of(context), args.query, type=args.type, bound=context.asker.bound)


async def _state(context: ToolContext, args: StateArgs) -> EntryState:
    state = await query.entry_state(
        canon_of(context),
        args.entity_id,
        position=args.as_of,
        when=args.when,
        known=await known_at(context, args.known_at),
        bound=context.asker.bound,
        as_reader=args.as_reader,
        **where(context),
    )
    return await with_names(context, state)


async def _scenes(context: ToolContext, args: ChapterArgs) -> ChapterScenes:
    return await query.chapter_scenes(
        canon_of(context),
        args.chapter_id,
        args.offset,
        bound=context.asker.bound,
        max_chars=round(context.max_chars * PAGE_SHARE),
        **where(context),
    )


async def _contents(context: ToolContext, args: ContentsArgs) -> Contents:
    here = context.asker.conversation.position
    return await query.contents(
        canon_of(context), args.book, bound=context.asker.bound, here=here, counted=True
    )


async def _entries(context: ToolContext, args: EntriesArgs) -> EntryList:
    return await query.entry_list(
        canon_of(context),
        args.type,
        args.offset,
        bound=context.asker.bound,
        max_chars=round(context.max_chars * PAGE_SHARE),
    )


async def _timeline(context: ToolContext, args: TimelineArgs) -> Timeline:
    return await query.timeline_of(
        canon_of(context),
        args.entity_id,
        from_=args.from_,
        to=args.to,
        order=args.order,
        bound=context.asker.bound,
        **where(context),
    )


async def _history(context: ToolContext, args: HistoryArgs) -> History:
    canon = canon_of(context)
    history = await query.history(
        canon,
        args.entity_id,
        key=args.key,
        since=await known_at(context, args.since) or 0,
        until=await known_at(context, args.until),
        by=await person_ids(context, canon.series.id, args.by) if args.by else None,
        bound=context.asker.bound,
    )
    return await with_names(context, history)


async def _why(context: ToolContext, args: WhyArgs) -> Why:
    why = await query.why(
        canon_of(context),
        args.entity_id,
        args.key,
        position=args.as_of,
        bound=context.asker.bound,
        **where(context),
    )
    return await with_names(context, why)


async def _loose_ends(context: ToolContext, args: NoArgs) -> LooseEnds:
    return await query.loose_ends(canon_of(context), bound=context.asker.bound)


def _look_up(
    name: str, args: type[A], read: Read[A], description: str, *, for_readers: bool = True
) -> Tool[A]:
    return Tool(
        name=name,
        family=Family.LORE,
        risk=Risk.READ,
        args=args,
        read=read,
        description=description,
        for_readers=for_readers,
    )


SEARCH_LORE = _look_up(
    "search_lore",
    SearchArgs,
    _search,
    "Find entries and passages of the canon by name, alias or words; says when a name has no entry yet.",
)
GET_ENTITY_STATE = _look_up(
    "get_entity_state",
    StateArgs,
    _state,
    "Get what is true of one entry at a place in the story, each fact with its scene and edit.",
)
FETCH_CHAPTER_SCENES = _look_up(
    "fetch_chapter_scenes",
    ChapterArgs,
    _scenes,
    "Read the scenes of a chapter in order; a long chapter is cut and says the offset to go on from.",
)
LIST_CHAPTERS = _look_up(
    "list_chapters", ContentsArgs, _contents, "List books, chapters and scenes with their positions."
)
LIST_ENTRIES = _look_up(
    "list_entries",
    EntriesArgs,
    _entries,
    "List the entries by name, all or those of one kind; a long list says the offset to go on from.",
)
GET_TIMELINE = _look_up(
    "get_timeline",
    TimelineArgs,
    _timeline,
    "List what begins and ends to be true, in the order of the story or of reading.",
)
GET_HISTORY = _look_up(
    "get_history",
    HistoryArgs,
    _history,
    "List the edits of the canon, newest first, with what each changed, when and by whom.",
)
WHY = _look_up(
    "why", WhyArgs, _why, "Explain one detail of an entry: the chain of facts behind it, with quotes."
)
LIST_LOOSE_ENDS = _look_up(
    "list_loose_ends",
    NoArgs,
    _loose_ends,
    "List facts that lost their scene, do not fit, or are not placed yet, and flashbacks without a date.",
    for_readers=False,
)

LOOK_UPS = (
    SEARCH_LORE,
    GET_ENTITY_STATE,
    FETCH_CHAPTER_SCENES,
    LIST_CHAPTERS,
    LIST_ENTRIES,
    GET_TIMELINE,
    GET_HISTORY,
    WHY,
    LIST_LOOSE_ENDS,
)
