"""What goes wrong between a process and its Postgres server: nothing is lost or doubled, and it is said."""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent_core.clock import new_id
from agent_core.errors import BatchClosed, StoreCause, StoreFailure
from agent_core.stores.sql.database import Database, Durability, Tx
from tests.agent_core.stores.processes import run_python, waiting_python
from tests.clock import FakeClock
from tests.emulators.model_endpoint import Call, ModelEndpoint
from tests.house import open_house
from tests.postgres.relay import Loss, relayed
from tests.postgres_server import PostgresServer, fresh_schema

pytestmark = pytest.mark.postgres

COUNT_UP = """
    import asyncio, sys
    from agent_core.stores.sql.database import Durability
    from agent_core.stores.sql.postgres.database import open_database
    from agent_core.stores.sql.postgres.session import Server

    def add_one(tx):
        (value,) = tx.row("SELECT value FROM chat_note WHERE key = 'n'")
        tx.run("UPDATE chat_note SET value = :value WHERE key = 'n'", {"value": str(int(value) + 1)})

    async def main():
        async with open_database(Server(sys.argv[1])) as database:
            for _ in range(50):
                await database.write(add_one, Durability.NORMAL)

    asyncio.run(main())
    print("done")
"""
HOLD_WRITER_LOCK = """
    import sys
    from agent_core.stores.sql.postgres.locks import WRITER_LOCK
    from agent_core.stores.sql.postgres.session import Server
    connection = Server(sys.argv[1]).connect()
    connection.execute(f"BEGIN; SELECT {WRITER_LOCK}".encode())
    print("locked", flush=True)
    sys.stdin.read()
"""

WRITE_AND_WAIT = """
    import asyncio, sys
    from agent_core.stores.sql.database import Durability
    from agent_core.stores.sql.postgres.database import open_database
    from agent_core.stores.sql.postgres.session import Server

    def write(tx):
        tx.run("INSERT INTO chat_note (platform, key, value) VALUES ('p', 'half', '0')")
        print("inside", flush=True)
        sys.stdin.read()

    async def main():
        async with open_database(Server(sys.argv[1])) as database:
            await database.write(write, Durability.FULL)

    asyncio.run(main())
"""


def add_note(key: str, value: str = "0") -> Callable[[Tx], int]:
    """Return the work that stores a note under a new key."""
    return lambda tx: tx.run(
        "INSERT INTO chat_note (platform, key, value) VALUES ('p', :key, :value)",
        {"key": key, "value": value},
    )


def notes(tx: Tx) -> list[tuple[str, str]]:
    return [(key, value) for key, value in tx.rows("SELECT key, value FROM chat_note ORDER BY key")]


@asynccontextmanager
async def opened(
    url: str, *, patience_s: float = 10.0, lock_timeout_s: float = 5.0, silence_s: float = 75.0
) -> AsyncIterator[Database]:
    from agent_core.stores.sql.postgres.database import open_database
    from agent_core.stores.sql.postgres.session import Server

    async with open_database(Server(url, lock_timeout_s, patience_s, silence_s)) as database:
        yield database


async def reason_of(work: Awaitable[object]) -> object:
    with pytest.raises(StoreFailure) as failure:
        await work
    return failure.value.facts["reason"]


class Gate:
    """Work that stores a note, then waits in the database's thread until it is let go."""

    def __init__(self, key: str) -> None:
        self.entered = asyncio.Event()
        self.let_go = threading.Event()
        self.runs = 0
        self._key = key
        self._loop = asyncio.get_running_loop()

    def __call__(self, tx: Tx) -> None:
        self.runs += 1
        add_note(self._key)(tx)
        self._loop.call_soon_threadsafe(self.entered.set)
        assert self.let_go.wait(30)
        add_note(f"{self._key} again")(tx)


async def test_failed_work_leaves_nothing_behind(database: Database) -> None:
    def fail(tx: Tx) -> None:
        add_note("half")(tx)
        raise LookupError("in the middle")

    with pytest.raises(LookupError):
        await database.write(fail, Durability.NORMAL)
    await database.write(add_note("whole"), Durability.NORMAL)

    assert await database.read(notes) == [("whole", "0")]


async def test_cancelled_write_is_whole_and_ends_before_its_caller(database: Database) -> None:
    gate = Gate("cancelled")
    writing = asyncio.create_task(database.write(gate, Durability.FULL))
    await gate.entered.wait()

    for _ in range(3):
        writing.cancel()
        await asyncio.sleep(0)
    assert not writing.done()
    assert await database.read(notes) == []

    gate.let_go.set()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert len(await database.read(notes)) == 2


async def test_reads_of_one_use_case_see_one_moment(database: Database) -> None:
    def read_twice(tx: Tx) -> tuple[object, object]:
        first = notes(tx)
        loop.call_soon_threadsafe(begun.set)
        assert written.wait(10)
        return first, notes(tx)

    loop, begun, written = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
    reading = asyncio.create_task(database.read(read_twice))
    await begun.wait()
    await database.write(add_note("meanwhile"), Durability.FULL)
    written.set()

    assert await reading == ([], [])


async def test_reads_cannot_write(database: Database) -> None:
    assert await reason_of(database.read(add_note("never"))) == StoreCause.READ_ONLY


@pytest.mark.parametrize(("durability", "waits"), [(Durability.FULL, "on"), (Durability.NORMAL, "off")])
async def test_only_full_durability_waits_for_the_disk(
    database: Database, durability: Durability, waits: str
) -> None:
    assert await database.write(lambda tx: tx.row("SHOW synchronous_commit"), durability) == (waits,)


async def test_detail_too_long_for_an_index_is_refused_whole(database: Database) -> None:
    def write(tx: Tx) -> None:
        add_note("before")(tx)
        add_note("".join(map(chr, range(0x4E00, 0x6000))))(tx)

    assert await reason_of(database.write(write, Durability.FULL)) == StoreCause.OTHER
    assert await database.read(notes) == []


async def test_two_processes_that_write_at_once_lose_nothing(postgres_url: str) -> None:
    async with opened(postgres_url) as database:
        await database.write(add_note("n"), Durability.FULL)

        ended = await asyncio.gather(*(run_python(COUNT_UP, postgres_url) for _ in range(2)))

        assert ended == [(0, "done")] * 2
        assert await database.read(notes) == [("n", "100")]


async def test_writer_that_never_ends_is_told_of_in_time(postgres_url: str) -> None:
    async with opened(postgres_url, lock_timeout_s=0.2) as database:
        async with waiting_python(HOLD_WRITER_LOCK, postgres_url):
            assert await reason_of(database.write(add_note("late"), Durability.FULL)) == StoreCause.BUSY
        await database.write(add_note("in time"), Durability.FULL)

        assert await database.read(notes) == [("in time", "0")]


async def test_process_killed_in_the_middle_of_a_write_leaves_nothing(postgres_url: str) -> None:
    async with opened(postgres_url) as database:
        async with waiting_python(WRITE_AND_WAIT, postgres_url) as other:
            other.kill()
            await other.wait()
        await database.write(add_note("whole"), Durability.FULL)

        assert await database.read(notes) == [("whole", "0")]


async def test_card_decided_in_two_processes_at_once_is_one_edit(
    postgres_url: str, tmp_path: Path, clock: FakeClock
) -> None:
    url = SecretStr(postgres_url)
    async with (
        ModelEndpoint() as endpoint,
        open_house(tmp_path / "one", endpoint, clock, new_id, host="one", database_url=url) as one,
        open_house(tmp_path / "two", endpoint, clock, new_id, host="two", database_url=url) as two,
    ):
        await one.found()
        endpoint.reply(
            Call("record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "lost"}, "chapterId": "2"})
        )
        card = await one.card(await one.say("Mara lost her scarf in chapter 2."))
        endpoint.reply("Saved.")

        ended = await asyncio.gather(one.decide(card.id), two.decide(card.id), return_exceptions=True)

        assert all(isinstance(end, BatchClosed | tuple) for end in ended), ended
        batch = await two.core.batch(card.id)
        assert batch is not None
        assert [line.outcome for line in await two.audited(batch)] == ["done"]
        assert await two.state("Mara", asOf="2.1") == {"eyes": "green", "scarf": "lost"}


async def test_commit_whose_answer_is_lost_is_made_once(postgres_url: str) -> None:
    async with relayed(postgres_url) as relay, opened(relay.url) as database:
        relay.loss = Loss.ANSWER

        await database.write(add_note("once"), Durability.FULL)

        assert relay.losses == 1
        assert await database.read(notes) == [("once", "0")]


async def test_commit_that_the_server_never_heard_is_made_again(postgres_url: str) -> None:
    async with relayed(postgres_url) as relay, opened(relay.url) as database:
        relay.loss = Loss.COMMIT

        await database.write(add_note("once"), Durability.FULL)

        assert relay.losses == 1
        assert await database.read(notes) == [("once", "0")]


async def test_commit_that_cannot_be_looked_up_is_unknown(postgres_url: str) -> None:
    async with relayed(postgres_url) as relay, opened(relay.url, patience_s=0.3) as database:
        relay.loss, relay.refuses_after_loss = Loss.ANSWER, True

        assert await reason_of(database.write(add_note("maybe"), Durability.FULL)) == "unknown"

        relay.refusing = False
        assert await database.read(notes) == [("maybe", "0")]


async def test_server_that_falls_silent_is_left_and_asked_again(postgres_url: str) -> None:
    async with relayed(postgres_url) as relay, opened(relay.url, silence_s=0.5) as database:
        await database.write(add_note("before"), Durability.FULL)
        await database.read(notes)
        relay.silent = True
        reading = asyncio.create_task(database.read(notes))
        await relay.silenced.wait()
        relay.silent = False

        assert await reading == [("before", "0")]


async def test_server_killed_in_the_middle_of_a_write_gets_it_once_when_it_is_back(
    own_server: PostgresServer,
) -> None:
    with fresh_schema(own_server.url()) as url:
        async with opened(url) as database:
            gate = Gate("whole")
            writing = asyncio.create_task(database.write(gate, Durability.FULL))
            await gate.entered.wait()

            await asyncio.to_thread(own_server.stop, signal.SIGQUIT)
            gate.let_go.set()
            await asyncio.to_thread(own_server.start)
            await writing

            assert gate.runs == 2
            assert await database.read(notes) == [("whole", "0"), ("whole again", "0")]


async def test_server_that_stays_away_is_told_of_and_needs_no_restart_of_ours(
    own_server: PostgresServer,
) -> None:
    with fresh_schema(own_server.url()) as url:
        async with opened(url, patience_s=0.3) as database:
            await asyncio.to_thread(own_server.stop)

            assert await reason_of(database.read(notes)) == StoreCause.UNREACHABLE
            assert (
                await reason_of(database.write(add_note("never"), Durability.FULL)) == StoreCause.UNREACHABLE
            )

            await asyncio.to_thread(own_server.start)
            await database.write(add_note("back"), Durability.FULL)
            assert await database.read(notes) == [("back", "0")]


async def test_server_restarted_during_a_turn_costs_nothing(
    own_server: PostgresServer, tmp_path: Path, clock: FakeClock
) -> None:
    with fresh_schema(own_server.url()) as url:
        async with (
            ModelEndpoint() as endpoint,
            open_house(tmp_path, endpoint, clock, new_id, database_url=SecretStr(url)) as house,
        ):
            await house.found()
            asking = Call(
                "record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "lost"}, "chapterId": "2"}
            )
            endpoint.reply(asking)
            card = await house.card(await house.say("Mara lost her scarf in chapter 2."))
            endpoint.reply("Saved.")
            restarting = asyncio.create_task(asyncio.to_thread(_restart, own_server))
            batch, heard = await house.decide(card.id)
            await restarting

            assert batch.edit is not None
            assert heard.answer == "Saved."
            assert await house.state("Mara", asOf="2.1") == {"eyes": "green", "scarf": "lost"}
            assert len(await house.audited(batch)) == 1


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (lambda url: url.replace("a%20password", "another"), "refused_login"),
        (lambda url: url.replace("/postgres?", "/nowhere?"), "no_database"),
        (lambda url: url.replace("127.0.0.1:", "127.0.0.1:1"), StoreCause.UNREACHABLE),
        (lambda url: url.replace("%3D", "=="), StoreCause.UNREACHABLE),
        (lambda url: f"{url}%20-cdefault_transaction_read_only%3Don", None),
    ],
)
async def test_refusals_are_told_apart(
    postgres_url: str, wrong: Callable[[str], str], reason: str | None
) -> None:
    async with opened(postgres_url):
        pass
    if reason is None:
        async with opened(wrong(postgres_url)) as database:
            failing = database.write(add_note("never"), Durability.FULL)
            assert await reason_of(failing) == StoreCause.READ_ONLY
    else:
        assert await reason_of(opened(wrong(postgres_url), patience_s=0.1).__aenter__()) == reason


def _restart(server: PostgresServer) -> None:
    server.stop()
    server.start()
