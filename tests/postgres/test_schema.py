"""The schema on Postgres: the migrations of SQLite by rule, refusals, and who serves it."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from agent_core.errors import StoreFailure
from agent_core.stores.sql.migrate import Migration, load_migrations
from agent_core.stores.sql.sqlite import open_database as open_file
from tests.agent_core.stores.processes import waiting_python
from tests.postgres_server import PostgresServer, fresh_schema

pytestmark = pytest.mark.postgres

STEPS = load_migrations()
Columns = dict[str, set[str]]

OF_POSTGRES = {("write_mark", None), ("conversation", "rowid")}
"""What SQLite has of itself."""

SERVE = """
    import sys
    from agent_core.stores.sql.postgres.locks import serving
    from agent_core.stores.sql.postgres.session import Server
    with serving(Server(sys.argv[1]), "2026-05-01 09:30"):
        print("serving", flush=True)
        sys.stdin.read()
"""


def on_server(url: str, work: Callable[..., object], *given: object, **named: object) -> object:
    """Return what a function gives for the server of this URL."""
    from agent_core.stores.sql.postgres.session import Server

    return work(Server(url), *given, **named)


def query(url: str, sql: str) -> list[tuple[object, ...]]:
    import psycopg

    with psycopg.connect(url) as connection:
        cursor = connection.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []


def bring_up(url: str, steps: Sequence[Migration]) -> None:
    from agent_core.stores.sql.postgres.migrate import migrate

    on_server(url, migrate, steps)


def refusal(work: Callable[[], object]) -> StoreFailure:
    with pytest.raises(StoreFailure) as failure:
        work()
    return failure.value


async def columns_of_sqlite(path: Path) -> Columns:
    async with open_file(path):
        pass
    with closing(sqlite3.connect(path)) as connection:
        tables = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not name.startswith("sqlite_") and "_term_" not in name and "_part_" not in name
        ]
        return {
            table: {row[1] for row in connection.execute(f"PRAGMA table_info({table})")} - {"rowid"}
            for table in tables
        }


async def test_both_databases_end_with_the_same_tables_and_columns(postgres_url: str, tmp_path: Path) -> None:
    await asyncio.to_thread(bring_up, postgres_url, STEPS)
    ours: Columns = {}
    for table, column in query(
        postgres_url,
        "SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = current_schema()",
    ):
        if (table, None) not in OF_POSTGRES and column != "rowid":
            ours.setdefault(str(table), set()).add(str(column))

    assert ours == await columns_of_sqlite(tmp_path / "lore.db")


def test_both_databases_count_the_same_versions(postgres_url: str) -> None:
    bring_up(postgres_url, STEPS)

    assert query(postgres_url, "SELECT version, name FROM schema_version ORDER BY version") == [
        (step.number, step.name) for step in STEPS
    ]


def test_old_schema_is_brought_up_with_what_stands_in_it(postgres_url: str) -> None:
    bring_up(postgres_url, STEPS[:4])
    query(postgres_url, "INSERT INTO person (id, name, operator) VALUES ('ann', 'Ann', 1)")

    bring_up(postgres_url, STEPS)
    bring_up(postgres_url, STEPS)

    assert query(postgres_url, "SELECT id, operator FROM person") == [("ann", 1)]


def test_step_that_fails_leaves_the_schema_as_it_was(postgres_url: str) -> None:
    bring_up(postgres_url, STEPS)
    broken = Migration(99, "broken", "", "CREATE TABLE half (id TEXT);\nSELECT nonsense;\n")

    refusal(lambda: bring_up(postgres_url, [*STEPS, broken]))

    assert query(postgres_url, "SELECT to_regclass('half')") == [(None,)]


def test_newer_schema_is_refused(postgres_url: str) -> None:
    bring_up(postgres_url, STEPS)

    failure = refusal(lambda: bring_up(postgres_url, STEPS[:-1]))

    assert failure.facts["reason"] == "newer"


def test_tables_of_another_program_are_left_alone(postgres_url: str) -> None:
    query(postgres_url, "CREATE TABLE person (id TEXT)")

    failure = refusal(lambda: bring_up(postgres_url, STEPS))

    assert failure.facts["reason"] == "damaged"
    assert query(postgres_url, "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()") == [(1,)]


def test_user_without_rights_on_a_table_is_told_which(postgres_url: str) -> None:
    bring_up(postgres_url, STEPS)
    query(postgres_url, "REVOKE INSERT ON audit, batch FROM current_user")

    failure = refusal(lambda: bring_up(postgres_url, STEPS))

    assert failure.facts == {"reason": "no_rights", "tables": ("audit", "batch")}


async def test_second_server_is_refused_until_the_first_is_gone(postgres_url: str) -> None:
    from agent_core.stores.sql.postgres.locks import serving

    def serve() -> None:
        with on_server(postgres_url, serving, "now"):  # type: ignore[attr-defined]  # a context manager
            pass

    async with waiting_python(SERVE, postgres_url) as other:
        failure = await asyncio.to_thread(refusal, serve)
        assert failure.facts == {"reason": "served", "pid": other.pid, "since": "2026-05-01 09:30"}
        other.kill()
        await other.wait()
    await asyncio.to_thread(serve)


async def test_process_that_serves_does_so_again_after_a_restart_of_the_server(
    own_server: PostgresServer,
) -> None:
    from agent_core.stores.sql.postgres.locks import serving
    from agent_core.stores.sql.postgres.session import Server

    def is_served(url: str) -> bool:
        try:
            with serving(Server(url), "late"):
                return False
        except StoreFailure as failure:
            return failure.facts["reason"] == "served"

    def stay_served(url: str) -> None:
        with serving(Server(url), "early", look_s=0.05):
            assert is_served(url)
            own_server.stop()
            own_server.start()
            while not is_served(url):
                pass
        assert not is_served(url)

    with fresh_schema(own_server.url()) as url:
        async with asyncio.timeout(20):
            await asyncio.to_thread(stay_served, url)


async def test_schema_that_is_served_is_not_migrated(postgres_url: str) -> None:
    await asyncio.to_thread(bring_up, postgres_url, STEPS[:-1])

    async with waiting_python(SERVE, postgres_url):
        failure = await asyncio.to_thread(refusal, lambda: bring_up(postgres_url, STEPS))

    assert failure.facts["reason"] == "served_older"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("SELECT :a, :b_2 WHERE x = :a", "SELECT %(a)s, %(b_2)s WHERE x = %(a)s"),
        ("SELECT ':a', \":a\", a::text, 5 % 2 -- :a", "SELECT ':a', \":a\", a::text, 5 %% 2 -- :a"),
        ("SELECT 'it''s :a' || :a", "SELECT 'it''s :a' || %(a)s"),
    ],
)
def test_parameters_are_written_in_the_style_of_the_driver(ours: str, theirs: str) -> None:
    from agent_core.stores.sql.postgres.statements import in_their_style

    assert in_their_style(ours) == theirs.encode()
