"""The tools that say where a thread stands and how far someone has read."""

import json
from dataclasses import replace
from functools import partial
from typing import Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from agent_core.conversation.model import Audience, Conversation
from agent_core.errors import LoreRefusal, NotPermitted, UnknownPosition
from agent_core.lore.answers import CardLine, Place
from agent_core.lore.canon import Canon
from agent_core.lore.conflict import keys_of
from agent_core.lore.edits import append_book
from agent_core.lore.fold import name_key
from agent_core.lore.lens import Lens
from agent_core.lore.model import Author, Bound, ChangeDraft, Series, UpTo
from agent_core.lore.outline import Outline
from agent_core.lore.titles import titled
from agent_core.people.model import WRITERS, Membership, Progress, SeriesRole
from agent_core.tools.basis import Based, basis_of
from agent_core.tools.lore_read import POSITION, canon_of, where
from agent_core.tools.spec import Args, Asker, Family, Proposal, Risk, Tool, ToolContext


class LinkArgs(Based):
    """Arguments of link_thread."""

    series: str = Field(description="the series' name; a new one is begun if you have none of that name")
    book: str | None = Field(None, description="the book: its number, title or id; a new title begins a book")
    chapter: str | None = Field(None, description=f"a chapter, where the thread is about one; {POSITION}")
    audience: str | None = Field(
        None, description='"team", or the place up to which readers who are here have read'
    )
    default_role: Literal[SeriesRole.NONE, SeriesRole.READER, SeriesRole.EDITOR] | None = Field(
        None, description="role here of people who have none of their own: none, reader, editor (co-author)"
    )
    new_series_id: SkipJsonSchema[str | None] = None
    new_book_id: SkipJsonSchema[str | None] = None


class PositionArgs(Args):
    """Arguments of set_position."""

    position: str = Field(description=f"where the thread stands now; {POSITION}")


class ProgressArgs(Args):
    """Arguments of set_progress."""

    finished: str = Field(description='the last place you have finished reading, or "nothing"')


async def _link(context: ToolContext, args: LinkArgs) -> Proposal:
    _check_may_move(context.asker)
    series = await _own_series(context, args.series)
    canon = await context.open_canon(series) if series else None
    book = _find_book(canon, args.book)
    args = _as_kept(args, series_is_new=series is None, book_is_new=book is None)
    chapter = _find(canon, args.chapter, book) if args.chapter else None
    audience, up_to = _audience(canon, args.audience, book)
    default_role = await _default_role(context, series, args.default_role)
    arguments = args.model_copy(
        update={
            "new_series_id": None if series else args.new_series_id or context.new_id(),
            "new_book_id": None if book or not args.book else args.new_book_id or context.new_id(),
        }
    )
    linked = partial(
        replace,
        series=series.id if series else arguments.new_series_id,
        book=book or arguments.new_book_id,
        chapter=chapter,
        audience=audience,
        audience_up_to=up_to,
        default_role=default_role.value,
        position=None,
    )

    async def effect() -> str:
        await _begin(context, arguments, series)
        await context.conversations.alter(context.asker.conversation.id, linked)
        return json.dumps({"status": "done", "linked": args.series}, ensure_ascii=False)

    card = CardLine(
        kind="link",
        title=args.series,
        facts={
            "series_is_new": int(series is None),
            "book": args.book or "",
            "people": "" if default_role is SeriesRole.NONE else default_role.value,
        },
        at=Lens(canon, Author()).place(chapter or book) if canon and (chapter or book) else None,
    )
    asked_in = context.asker.conversation
    here = await context.conversations.conversation(asked_in.id) or asked_in  # as stored
    basis = basis_of(card, _about(here), _about(linked(here)))
    arguments = arguments.model_copy(update={"basis": basis})
    return Proposal(
        arguments=arguments.model_dump(mode="json", by_alias=True),
        card=card,
        effect=effect,
        overwrites=context.asker.conversation.series not in {None, series and series.id},
    )


def _as_kept(args: LinkArgs, *, series_is_new: bool, book_is_new: bool) -> LinkArgs:
    """Return the arguments with the names of what is new as they are kept.

    Raises:
        LoreRefusal: reason "no_name" or "title_too_long".
    """
    series = titled(args.series) if series_is_new else args.series
    book = titled(args.book) if args.book and book_is_new else args.book
    if not series or (args.book and not book):
        raise LoreRefusal(reason="no_name")
    return args.model_copy(update={"series": series, "book": book})


def _about(place: Conversation) -> str:
    """Return what a place is about and for whom, as text."""
    readers = (place.audience, place.audience_up_to, place.default_role)
    return repr((place.series, place.book, place.chapter, readers))


def _check_may_move(asker: Asker) -> None:
    """Pass if this place is nobody's yet, the asker's own, or they write in the series it is linked to.

    Raises:
        NotPermitted: reason "role".
    """
    role = asker.membership.role if asker.membership else SeriesRole.NONE
    if asker.conversation.series is not None and not asker.conversation.private and role not in WRITERS:
        raise NotPermitted(reason="role")


async def _default_role(context: ToolContext, series: Series | None, wanted: SeriesRole | None) -> SeriesRole:
    """Return the role of people here without one of their own: as wanted, else as before in this series.

    Raises:
        NotPermitted: reason "role"; only a lead may make everybody here a co-author.
    """
    place, person = context.asker.conversation, context.asker.person.id
    before = SeriesRole(place.default_role) if series and place.series == series.id else SeriesRole.NONE
    role = before if wanted is None else wanted
    if role is SeriesRole.EDITOR and role is not before and series is not None:
        membership = await context.people.membership(person, series.id)
        if membership is None or membership.role is not SeriesRole.OWNER:
            raise NotPermitted(reason="role")
    return role


async def _own_series(context: ToolContext, name: str) -> Series | None:
    """Return the series of this name in which the person writes; others answer like missing ones."""
    for series in await context.series.series_by_name(name):
        membership = await context.people.membership(context.asker.person.id, series.id)
        if membership and membership.role in WRITERS:
            return series
    return None


def _find_book(canon: Canon | None, text: str | None) -> str | None:
    """Return the book meant; without a text the only one there is; None where it would be new."""
    if canon is None:
        return None
    books = canon.outline.books()
    if text is None:
        return books[0].id if len(books) == 1 else None
    number = text.removeprefix("b")
    for place, book in enumerate(books, start=1):
        if text == book.id or name_key(text) == name_key(book.title) or number == str(place):
            return book.id
    return None


def _find(canon: Canon | None, text: str, book: str | None) -> str:
    if canon is None:
        raise UnknownPosition(position=text)
    return canon.outline.find(text, book=book, here=None, bound=Author())


def _audience(canon: Canon | None, text: str | None, book: str | None) -> tuple[Audience, str | None]:
    if text is None or text.strip().lower() == "team":
        return Audience.TEAM, None
    if text.strip().lower() in {"readers", "start", "nothing"}:
        return Audience.READERS, None
    found = _find(canon, text, book)
    return Audience.READERS, canon.outline.finished(found) if canon else None


async def _begin(context: ToolContext, args: LinkArgs, series: Series | None) -> None:
    """Begin a new series and a new book where they are new.

    Raises:
        NotPermitted: reason "role"; the id that is to be new is that of a series.
    """
    person = context.asker.person.id
    if series is None:
        assert args.new_series_id is not None  # noqa: S101  fixed at the proposal
        series = Series(id=args.new_series_id, name=args.series.strip(), owner=person)
        if await context.series.series(series.id) is not None:
            raise NotPermitted(reason="role")
        # The lead first: a series that a crash leaves without one could neither be linked nor begun anew.
        lead = Membership(person=person, series=series.id, role=SeriesRole.OWNER)
        await context.people.set_membership(lead)
        await context.series.add_series(series)
    if args.new_book_id is not None and args.book is not None:
        canon = await context.open_canon(series)
        row = append_book(canon.outline, args.new_book_id, title=args.book)
        draft = ChangeDraft(
            series=series.id,
            rows=(row,),
            since=canon.head,
            keys=keys_of([row]),
            proposed_by=person,
            approved_by=person,
            source=context.asker.conversation.id,
            summary="link_thread",
        )
        await canon.store.append(draft, args.new_book_id, context.clock.now())


async def _set_position(context: ToolContext, args: PositionArgs) -> Proposal:
    canon = canon_of(context)
    node = canon.outline.find(args.position, bound=context.asker.bound, **where(context))
    placed = partial(replace, position=node, book=canon.outline.book_of(node))

    async def effect() -> str:
        await context.conversations.alter(context.asker.conversation.id, placed)
        return json.dumps({"status": "done", "position": canon.outline.label(node)})

    card = CardLine(kind="position", at=Lens(canon, context.asker.bound).place(node))
    return Proposal(arguments={"position": node}, card=card, effect=effect, unasked=True)


async def _set_progress(context: ToolContext, args: ProgressArgs) -> Proposal:
    canon, person = canon_of(context), context.asker.person.id
    stored = await context.people.progress(person, canon.series.id)
    progress = stored or Progress(person=person, series=canon.series.id)
    outline = _untitled_beyond(context.asker.bound, canon.outline)
    nothing = args.finished.strip().lower() in {"nothing", "start"}
    finished = None if nothing else _finished(context, args.finished, progress, outline)

    async def effect() -> str:
        await context.people.set_progress(replace(progress, finished=finished))
        return json.dumps({"status": "done"})

    card = CardLine(kind="progress", at=_place(outline, finished) if finished else None)
    return Proposal(arguments={"finished": finished or "nothing"}, card=card, effect=effect, unasked=True)


def _untitled_beyond(bound: Bound, outline: Outline) -> Outline:
    """Return the outline without titles of what is not read yet: one says by number how far one has come."""
    return Outline(
        node if outline.sees(bound, node.id) else replace(node, title="") for node in outline.nodes.values()
    )


def _finished(context: ToolContext, text: str, progress: Progress, outline: Outline) -> str:
    ceiling: Bound = UpTo(progress.ceiling) if progress.ceiling else Author()
    node = outline.finished(outline.find(text, bound=ceiling, **where(context)))
    return node if progress.ceiling is None or outline.sees(ceiling, node) else progress.ceiling


def _place(outline: Outline, node: str) -> Place:
    shown = outline.nodes[node]
    return Place(id=node, label=outline.label(node), title=shown.title, kind=shown.kind)


LINK_THREAD = Tool(
    name="link_thread",
    family=Family.PLACE,
    risk=Risk.WRITE,
    args=LinkArgs,
    propose=_link,
    description="Link this thread to a book of a series.",
    needs_series=False,
    for_models=False,
)
SET_POSITION = Tool(
    name="set_position",
    family=Family.PLACE,
    risk=Risk.WRITE,
    args=PositionArgs,
    propose=_set_position,
    description="Set where this thread stands in its book.",
    for_models=False,
)
SET_PROGRESS = Tool(
    name="set_progress",
    family=Family.PLACE,
    risk=Risk.WRITE,
    args=ProgressArgs,
    propose=_set_progress,
    description="Note how far you have finished reading; answers to you go no further.",
    for_models=False,
    for_readers=True,
)
PLACES = (LINK_THREAD, SET_POSITION, SET_PROGRESS)
