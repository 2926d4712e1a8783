"""The conversations of HTTP: one for each person and series, and as many more as are begun."""

from adapters.http.host import PLATFORM, Caller, Host
from adapters.http.problems import not_found
from agent_core.conversation.model import Conversation
from agent_core.lore.canon import Canon
from agent_core.lore.model import NodeKind
from agent_core.people.model import SeriesRole
from agent_core.tools.spec import Asker


async def desk(host: Host, caller: Caller, series: str) -> Asker:
    """Return the caller at their desk for a series: the conversation that is always there.

    Raises:
        Problem: 404; they don't belong to the series, or there is none.
    """
    membership = await host.core.askers.people.membership(caller.person.id, series)
    if membership is None or membership.role is SeriesRole.NONE:
        raise not_found()
    place = await _at(host, caller, f"{caller.person.id}/series/{series}", series=series)
    return await host.asker(caller, place)


async def lobby(host: Host, caller: Caller) -> Asker:
    """Return the caller where nothing is linked yet."""
    return await host.asker(caller, await _at(host, caller, f"{caller.person.id}/lobby"))


async def fresh(host: Host, caller: Caller, series: str | None, book: str | None) -> Asker:
    """Return the caller in a new conversation about a book, or about nothing yet."""
    key = f"{caller.person.id}/{host.core.runtime.new_id()}"
    return await host.asker(caller, await _at(host, caller, key, series=series, book=book))


async def own(host: Host, caller: Caller, conversation: str) -> Asker:
    """Return the caller in a conversation of theirs.

    Raises:
        Problem: 404; there is none of this id, or it is somebody else's.
    """
    place = await host.core.askers.conversations.conversation(conversation)
    if place is None or place.platform != PLATFORM:
        raise not_found()
    owners = await host.core.askers.people.known_as(caller.person.id)
    if place.place.partition("/")[0] not in owners:
        raise not_found()
    return await host.asker(caller, place)


async def with_book(host: Host, caller: Caller, book: str) -> tuple[Canon, str]:
    """Return the canon that holds a book, and the book's id; only series of the caller are looked through.

    Raises:
        Problem: 404.
    """
    askers = host.core.askers
    rights = await askers.people.rights(caller.person.id)
    for membership in rights.memberships:
        series = await askers.series.series(membership.series)
        if series is None or membership.role is SeriesRole.NONE:
            continue
        canon = await askers.open_canon(series)
        node = canon.outline.nodes.get(book)
        if node is not None and node.kind is NodeKind.BOOK and not canon.outline.is_gone(book):
            return canon, book
    raise not_found()


async def _at(
    host: Host, caller: Caller, key: str, *, series: str | None = None, book: str | None = None
) -> Conversation:
    settings = host.app.settings
    new = Conversation(
        id=host.core.runtime.new_id(),
        platform=PLATFORM,
        place=key,
        private=True,
        series=series,
        book=book,
        language=caller.language,
        time_zone=settings.time_zone.key,
    )
    return await host.core.askers.conversations.conversation_at(new)
