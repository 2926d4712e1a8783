"""Final texts that places are owed: pending, delivered."""

from agent_core.stores.sql.database import Tx
from agent_core.turn.model import Owed


def add_owed(tx: Tx, owed: Owed) -> None:
    """Store what is owed; the same id again changes nothing."""
    tx.run(
        "INSERT INTO outbox (id, conversation, turn, body, may_repeat, status)"
        " VALUES (:id, :conversation, :turn, :body, :may_repeat, 'pending') ON CONFLICT (id) DO NOTHING",
        {
            "id": owed.id,
            "conversation": owed.conversation,
            "turn": owed.turn,
            "body": owed.text,
            "may_repeat": int(owed.repeat),
        },
    )


def note_delivery(tx: Tx, owed: str) -> None:
    """Note that the text has arrived."""
    tx.run("UPDATE outbox SET status = 'delivered' WHERE id = :id", {"id": owed})


def read_undelivered(tx: Tx, conversation: str | None) -> tuple[Owed, ...]:
    """Return what has not arrived, oldest first, of one conversation or all."""
    found = tx.rows(
        "SELECT id, conversation, turn, body, may_repeat FROM outbox"
        " WHERE status IN ('pending', 'attempting') ORDER BY ord",
    )
    return tuple(
        Owed(id=id_, conversation=place, turn=turn, text=body, repeat=bool(may_repeat))
        for id_, place, turn, body, may_repeat in found
        if conversation in {None, place}
    )
