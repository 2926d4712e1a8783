"""What every store of a conversation's events does."""

from agent_core.stores.sql.database import Database
from agent_core.stores.sql.events import KEPT, SqlEventStore
from agent_core.stores.sql.turn import SqlTurnStore
from agent_core.turn.model import Incoming, Turn, TurnStatus
from tests.clock import NOON


async def test_events_are_numbered_in_each_conversation(database: Database) -> None:
    store = SqlEventStore(database)

    numbers = [(await store.add_event(place, "thought", "{}")).seq for place in ("a", "b", "a", "a", "b")]

    assert numbers == [1, 1, 2, 3, 2]
    assert await store.last_event("a") == 3
    assert await store.last_event("nowhere") == 0


async def test_events_after_a_number_come_in_order(database: Database) -> None:
    store = SqlEventStore(database)
    for body in ("1", "2", "3"):
        await store.add_event("a", "tool", body)

    assert [event.body for event in await store.events("a", after=1)] == ["2", "3"]


async def test_turn_is_found_by_the_delivery_that_began_it(database: Database) -> None:
    store, turns = SqlEventStore(database), SqlTurnStore(database)
    turn = Turn(
        id="t", conversation="a", requester="ann", started=NOON, status=TurnStatus.QUEUED, bound="author",
        language="en", text="Who?",
    )  # fmt: skip
    incoming = Incoming(
        platform="http", update="m", message="m", person="ann", conversation="a", text="Who?", at=NOON
    )
    await turns.receive(incoming, turn)

    await store.add_event("a", "thought", "{}", turn=await store.turn_of("m"))
    await store.add_event("a", "done", "{}", turn="t")
    await store.add_event("a", "question", "{}", turn=await store.turn_of("other"))

    assert [event.name for event in await store.events_of("t")] == ["thought", "done"]
    assert await store.events_of("") == ()


async def test_only_the_newest_events_are_kept(database: Database) -> None:
    store = SqlEventStore(database)
    for _ in range(KEPT + 2):
        await store.add_event("a", "tool", "{}")

    kept = await store.events("a")

    assert (len(kept), kept[0].seq, kept[-1].seq) == (KEPT, 3, KEPT + 2)
