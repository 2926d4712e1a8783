"""Turns, their steps and order, and what is owed to people, in SQL."""

from collections.abc import Sequence
from datetime import datetime

from agent_core.clock import to_stamp
from agent_core.stores.sql.database import Database, Durability, SqlValue, Tx, in_chunks, one_of
from agent_core.stores.sql.outbox import add_owed, note_delivery, read_undelivered
from agent_core.stores.sql.turn_rows import STEPS, TURNS, save_steps, save_turn, step_from, turn_from
from agent_core.turn.model import OVER, Incoming, Owed, Step, Turn, TurnStatus

_WAITS = "status IN ('queued', 'running')"
_THIS_TURN = "(SELECT started, ord FROM turn WHERE id = :turn)"
_SAID = "SELECT body FROM inbox WHERE conversation = :conversation"
_BACK = {"this": 0, "last": 1}
_IS_HISTORY = """
    conversation = :conversation
    AND started >= coalesce((SELECT at FROM history_start WHERE conversation = :conversation), '')
"""


class SqlTurnStore:
    """A `TurnStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def receive(self, incoming: Incoming, turn: Turn | None) -> bool:
        return await self._database.write(lambda tx: _receive(tx, incoming, turn), Durability.FULL)

    async def said(self, conversation: str, person: str, message: str) -> str | None:
        by = "person = :person" if message in _BACK else "message = :message"
        found = await self._database.read(
            lambda tx: tx.row(
                f"{_SAID} AND {by} ORDER BY ord DESC LIMIT 1 OFFSET :back",
                {
                    "conversation": conversation,
                    "person": person,
                    "message": message,
                    "back": _BACK.get(message, 0),
                },
            )
        )
        return found[0] if found else None

    async def turn(self, turn: str) -> Turn | None:
        found = await self._turns(f"{TURNS} WHERE id = :turn", {"turn": turn})
        return found[0] if found else None

    async def unfinished(self) -> tuple[Turn, ...]:
        return await self._turns(f"{TURNS} WHERE {_WAITS} ORDER BY started, ord", {})

    async def recent_turns(self, conversation: str, *, before: str | None, limit: int) -> tuple[Turn, ...]:
        sql = f"{TURNS} WHERE {_IS_HISTORY}"
        if before is not None:
            sql += f" AND (started, ord) < {_THIS_TURN}"
        found = await self._turns(
            f"{sql} ORDER BY started DESC, ord DESC LIMIT :limit",
            {"conversation": conversation, "turn": before, "limit": limit},
        )
        return found[::-1]

    async def turns_since(self, conversation: str, turn: str) -> tuple[Turn, ...]:
        return await self._turns(
            f"{TURNS} WHERE {_IS_HISTORY} AND (started, ord) > {_THIS_TURN} ORDER BY started, ord",
            {"conversation": conversation, "turn": turn},
        )

    async def steps(self, turns: Sequence[str]) -> tuple[Step, ...]:
        return await self._database.read(lambda tx: _steps(tx, turns))

    async def save(self, turn: Turn, steps: Sequence[Step] = ()) -> None:
        def write(tx: Tx) -> None:
            save_turn(tx, turn)
            save_steps(tx, steps)

        rests = turn.status is TurnStatus.PARKED or turn.status in OVER
        await self._database.write(write, Durability.FULL if rests else Durability.NORMAL)

    async def finish(self, turn: Turn, steps: Sequence[Step], owed: Owed) -> None:
        def write(tx: Tx) -> None:
            save_turn(tx, turn)
            save_steps(tx, steps)
            add_owed(tx, owed)

        await self._database.write(write, Durability.FULL)

    async def replace_result(self, turn: str, call_id: str, content: str, outcome: str) -> None:
        def write(tx: Tx) -> None:
            tx.run(
                "UPDATE turn_step SET content = :content, outcome = :outcome, pending = 0"
                " WHERE turn = :turn AND call_id = :call_id AND pending = 1",
                {"turn": turn, "call_id": call_id, "content": content, "outcome": outcome},
            )

        await self._database.write(write, Durability.FULL)

    async def take_order(self, conversation: str, holder: str, *, now: datetime, until: datetime) -> bool:
        def write(tx: Tx) -> bool:
            changed = tx.run(
                "INSERT INTO turn_order (conversation, holder, expires)"
                " VALUES (:conversation, :holder, :until) ON CONFLICT (conversation) DO UPDATE"
                " SET holder = excluded.holder, expires = excluded.expires"
                " WHERE turn_order.holder = excluded.holder OR turn_order.expires <= :now",
                {
                    "conversation": conversation,
                    "holder": holder,
                    "now": to_stamp(now),
                    "until": to_stamp(until),
                },
            )
            return changed > 0

        return await self._database.write(write, Durability.NORMAL)

    async def order_holder(self, conversation: str) -> str | None:
        found = await self._database.read(
            lambda tx: tx.row(
                "SELECT holder FROM turn_order WHERE conversation = :conversation",
                {"conversation": conversation},
            )
        )
        return found[0] if found else None

    async def free_order(self, conversation: str, holder: str) -> None:
        def write(tx: Tx) -> None:
            tx.run(
                "DELETE FROM turn_order WHERE conversation = :conversation AND holder = :holder",
                {"conversation": conversation, "holder": holder},
            )

        await self._database.write(write, Durability.NORMAL)

    async def owe(self, owed: Owed) -> None:
        await self._database.write(lambda tx: add_owed(tx, owed), Durability.FULL)

    async def delivered(self, owed: str) -> None:
        await self._database.write(lambda tx: note_delivery(tx, owed), Durability.NORMAL)

    async def undelivered(self, conversation: str | None = None) -> tuple[Owed, ...]:
        return await self._database.read(lambda tx: read_undelivered(tx, conversation))

    async def clear_history(self, conversation: str, at: datetime) -> None:
        def write(tx: Tx) -> None:
            tx.run(
                "INSERT INTO history_start (conversation, at) VALUES (:conversation, :at)"
                " ON CONFLICT (conversation) DO UPDATE SET at = excluded.at",
                {"conversation": conversation, "at": to_stamp(at)},
            )

        await self._database.write(write, Durability.FULL)

    async def _turns(self, sql: str, params: dict[str, SqlValue]) -> tuple[Turn, ...]:
        return await self._database.read(lambda tx: tuple(map(turn_from, tx.rows(sql, params))))


def _receive(tx: Tx, incoming: Incoming, turn: Turn | None) -> bool:
    new = tx.run(
        "INSERT INTO inbox (platform, update_id, message, person, conversation, body, context, at, turn)"
        " VALUES (:platform, :update_id, :message, :person, :conversation, :body, :context, :at, :turn)"
        " ON CONFLICT (platform, update_id) DO NOTHING",
        {
            "platform": incoming.platform,
            "update_id": incoming.update,
            "message": incoming.message,
            "person": incoming.person,
            "conversation": incoming.conversation,
            "body": incoming.text,
            "context": incoming.context,
            "at": to_stamp(incoming.at),
            "turn": turn.id if turn else None,
        },
    )
    if not new:
        return False
    if turn is not None:
        save_turn(tx, turn)
    return True


def _steps(tx: Tx, turns: Sequence[str]) -> tuple[Step, ...]:
    found: list[Step] = []
    for chunk in in_chunks(turns):
        names, params = one_of("turn", chunk)
        found += map(step_from, tx.rows(f"{STEPS} WHERE turn IN {names}", params))
    place = {turn: i for i, turn in enumerate(turns)}
    return tuple(sorted(found, key=lambda step: (place[step.turn], step.seq)))
