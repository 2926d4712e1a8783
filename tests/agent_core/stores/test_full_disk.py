"""What every writing verb of the SQL stores says when the disk is full: nothing was written, and why."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from agent_core.conversation.model import Conversation
from agent_core.errors import StoreCause, StoreFailure
from agent_core.lore.model import Series
from agent_core.messages import ChatMessage, Role
from agent_core.people.model import Identity, Membership, Progress, SeriesRole
from agent_core.pipeline.model import AuditRow
from agent_core.stores.sql.conversation import SqlConversationStore
from agent_core.stores.sql.database import Database, Durability, Tx
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.people import SqlPeopleStore
from agent_core.stores.sql.pipeline import SqlPipelineStore
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.stores.sql.sqlite import SqliteDatabase
from agent_core.stores.sql.turn import SqlTurnStore
from agent_core.turn.model import Incoming, Owed, Step, Turn, TurnStatus
from tests.clock import NOON
from tests.contracts.lore_rows import draft, fact

LONG = "x" * 200_000
MARA = Identity("http", "1")
PLACE = Conversation(id="c2", platform="http", place=LONG, private=True)
TURN = Turn(
    id="t1", conversation="c1", requester="p1", started=NOON, status=TurnStatus.DONE, bound="author",
    language="en", text=LONG,
)  # fmt: skip
INCOMING = Incoming(
    platform="http", update="u1", message="m1", person="p1", conversation="c1", text=LONG, at=NOON
)
STEP = Step(turn="t1", seq=0, message=ChatMessage(role=Role.USER, content=LONG))
OWED = Owed(id="o1", conversation="c1", turn="t1", text=LONG)
AUDIT = AuditRow(id="a1", at=NOON, call_id="k1", conversation="c1", requester="p1", tool="undo", error=LONG)

WRITES: dict[str, Callable[[Database], Awaitable[object]]] = {
    "add_series": lambda d: SqlSeriesStore(d).add_series(Series(id="kansas", name=LONG, owner="p1")),
    "append": lambda d: SqlLoreStore(d).append(draft(fact("mara", eyes=LONG)), "token", NOON),
    "person_for": lambda d: SqlPeopleStore(d).person_for(MARA, LONG, new_id="p2", operator=True),
    "set_membership": lambda d: SqlPeopleStore(d).set_membership(
        Membership(person="p1", series=LONG, role=SeriesRole.OWNER)
    ),
    "set_progress": lambda d: SqlPeopleStore(d).set_progress(Progress(person="p1", series=LONG)),
    "conversation_at": lambda d: SqlConversationStore(d).conversation_at(PLACE),
    "receive": lambda d: SqlTurnStore(d).receive(INCOMING, TURN),
    "save": lambda d: SqlTurnStore(d).save(TURN, [STEP]),
    "finish": lambda d: SqlTurnStore(d).finish(TURN, [STEP], OWED),
    "owe": lambda d: SqlTurnStore(d).owe(OWED),
    "take_order": lambda d: SqlTurnStore(d).take_order("c1", LONG, now=NOON, until=NOON + timedelta(1)),
    "clear_history": lambda d: SqlTurnStore(d).clear_history(LONG, NOON),
    "audit": lambda d: SqlPipelineStore(d).audit([AUDIT], durable=True),
    "count_hit": lambda d: SqlPipelineStore(d).count_hit("p1", LONG, window=NOON),
}


def counts(tx: Tx) -> dict[str, object]:
    """Return how many rows each table holds."""
    tables = tx.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'search%'")
    return {name: tx.row(f"SELECT count(*) FROM {name}") for (name,) in tables}  # noqa: S608 - our tables


@pytest.mark.parametrize("verb", WRITES)
async def test_full_disk_is_said_and_nothing_is_written(database: SqliteDatabase, verb: str) -> None:
    """A22: an audit row that can't be written is no silent gap."""
    await SqlSeriesStore(database).add_series(Series(id="oz", name="oz", owner="p1"))
    await SqlPeopleStore(database).person_for(Identity("http", "0"), "Tom", new_id="p1", operator=False)
    await database.write(lambda tx: tx.run("PRAGMA max_page_count = 1"), Durability.NORMAL)
    before = await database.read(counts)

    with pytest.raises(StoreFailure) as failure:
        await WRITES[verb](database)

    assert failure.value.facts["reason"] is StoreCause.FULL
    assert await database.read(counts) == before
