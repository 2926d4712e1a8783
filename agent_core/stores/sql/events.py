"""Events of conversations in SQL."""

from dataclasses import replace

from agent_core.conversation.events import StoredEvent
from agent_core.stores.sql.database import Database, Durability, SqlRow, SqlValue, Tx

KEPT = 2_000
"""Events of one conversation; older ones go."""

_PLATFORM = "http"
_EVENTS = "SELECT seq, name, body, turn, message FROM turn_event"
_LAST = "SELECT coalesce(max(seq), 0) FROM turn_event WHERE conversation = :conversation"


class SqlEventStore:
    """An `EventStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_event(
        self, conversation: str, name: str, body: str, *, turn: str = "", message: str = ""
    ) -> StoredEvent:
        event = StoredEvent(seq=0, name=name, body=body, turn=turn, message=message)
        # A loss of power may cost a reconnecting listener a step, never an answer: that is stored elsewhere.
        return await self._database.write(lambda tx: _add(tx, conversation, event), Durability.NORMAL)

    async def turn_of(self, message: str) -> str:
        found = await self._database.read(
            lambda tx: tx.row(
                "SELECT coalesce(turn, '') FROM inbox WHERE platform = :platform AND update_id = :message",
                {"platform": _PLATFORM, "message": message},
            )
        )
        return str(found[0]) if found else ""

    async def events(self, conversation: str, *, after: int = 0) -> tuple[StoredEvent, ...]:
        return await self._select(
            "conversation = :conversation AND seq > :after", {"conversation": conversation, "after": after}
        )

    async def events_of(self, turn: str, *, after: int = 0) -> tuple[StoredEvent, ...]:
        return await self._select(
            "turn = :turn AND turn <> '' AND seq > :after", {"turn": turn, "after": after}
        )

    async def last_event(self, conversation: str) -> int:
        return await self._database.read(lambda tx: _last(tx, conversation))

    async def _select(self, where: str, params: dict[str, SqlValue]) -> tuple[StoredEvent, ...]:
        found = await self._database.read(lambda tx: tx.rows(f"{_EVENTS} WHERE {where} ORDER BY seq", params))
        return tuple(map(_event, found))


def _add(tx: Tx, conversation: str, event: StoredEvent) -> StoredEvent:
    seq = _last(tx, conversation) + 1
    tx.run(
        "INSERT INTO turn_event (conversation, seq, turn, message, name, body)"
        " VALUES (:conversation, :seq, :turn, :message, :name, :body)",
        {
            "conversation": conversation,
            "seq": seq,
            "turn": event.turn,
            "message": event.message,
            "name": event.name,
            "body": event.body,
        },
    )
    tx.run(
        "DELETE FROM turn_event WHERE conversation = :conversation AND seq <= :old",
        {"conversation": conversation, "old": seq - KEPT},
    )
    return replace(event, seq=seq)


def _last(tx: Tx, conversation: str) -> int:
    found = tx.row(_LAST, {"conversation": conversation})
    return int(found[0]) if found else 0


def _event(found: SqlRow) -> StoredEvent:
    seq, name, body, turn, message = found
    return StoredEvent(seq=seq, name=name, body=body, turn=turn, message=message)
