"""Conversations in SQL."""

from collections.abc import Callable, Mapping

from agent_core.conversation.model import Audience, Conversation
from agent_core.stores.sql.database import Database, Durability, SqlRow, SqlValue, Tx
from agent_core.stores.sql.json_text import from_text, to_text

_CONVERSATIONS = """
    SELECT id, platform, place, private, series, book, chapter, audience, audience_up_to, default_role,
        position, language, time_zone, families
    FROM conversation
"""


class SqlConversationStore:
    """A `ConversationStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def conversation_at(self, new: Conversation) -> Conversation:
        known = await self._database.read(lambda tx: _at(tx, new.platform, new.place))
        if known is not None:
            return known
        return await self._database.write(lambda tx: _add(tx, new), Durability.FULL)

    async def conversation_in(self, platform: str, place: str) -> Conversation | None:
        return await self._database.read(lambda tx: _at(tx, platform, place))

    async def conversation(self, conversation: str) -> Conversation | None:
        def read(tx: Tx) -> Conversation | None:
            found = tx.row(f"{_CONVERSATIONS} WHERE id = :id", {"id": conversation})
            return _conversation(found) if found else None

        return await self._database.read(read)

    async def save_conversation(self, conversation: Conversation) -> None:
        await self._database.write(lambda tx: _save(tx, conversation), Durability.FULL)

    async def alter(self, conversation: str, change: Callable[[Conversation], Conversation]) -> None:
        def work(tx: Tx) -> None:
            for found in read_conversations(tx, "id = :id", {"id": conversation}):
                _save(tx, change(found))

        await self._database.write(work, Durability.FULL)


def read_conversations(tx: Tx, where: str, params: Mapping[str, SqlValue]) -> tuple[Conversation, ...]:
    """Return the conversations that a condition names."""
    return tuple(map(_conversation, tx.rows(f"{_CONVERSATIONS} WHERE {where}", dict(params))))


def _at(tx: Tx, platform: str, place: str) -> Conversation | None:
    found = tx.row(
        f"{_CONVERSATIONS} WHERE platform = :platform AND place = :place",
        {"platform": platform, "place": place},
    )
    return _conversation(found) if found else None


def _add(tx: Tx, new: Conversation) -> Conversation:
    known = _at(tx, new.platform, new.place)
    if known is not None:
        return known
    tx.run(
        "INSERT INTO conversation (id, platform, place, private, series, book, chapter, audience,"
        " audience_up_to, default_role, position, language, time_zone, families)"
        " VALUES (:id, :platform, :place, :private, :series, :book, :chapter, :audience,"
        " :audience_up_to, :default_role, :position, :language, :time_zone, :families)",
        _params(new),
    )
    return new


def _save(tx: Tx, conversation: Conversation) -> None:
    tx.run(
        "UPDATE conversation SET platform = :platform, place = :place, private = :private, series = :series,"
        " book = :book, chapter = :chapter, audience = :audience, audience_up_to = :audience_up_to,"
        " default_role = :default_role, position = :position, language = :language,"
        " time_zone = :time_zone, families = :families WHERE id = :id",
        _params(conversation),
    )


def _params(conversation: Conversation) -> dict[str, SqlValue]:
    return {
        "id": conversation.id,
        "platform": conversation.platform,
        "place": conversation.place,
        "private": int(conversation.private),
        "series": conversation.series,
        "book": conversation.book,
        "chapter": conversation.chapter,
        "audience": conversation.audience,
        "audience_up_to": conversation.audience_up_to,
        "default_role": conversation.default_role,
        "position": conversation.position,
        "language": conversation.language,
        "time_zone": conversation.time_zone,
        "families": to_text(conversation.families),
    }


def _conversation(found: SqlRow) -> Conversation:
    (
        id_, platform, place, private, series, book, chapter, audience, audience_up_to, default_role,
        position, language, time_zone, families,
    ) = found  # fmt: skip
    return Conversation(
        id=id_,
        platform=platform,
        place=place,
        private=bool(private),
        series=series,
        book=book,
        chapter=chapter,
        audience=Audience(audience),
        audience_up_to=audience_up_to,
        default_role=default_role,
        position=position,
        language=language,
        time_zone=time_zone,
        families=tuple(from_text(families)),
    )
