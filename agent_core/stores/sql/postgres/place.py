"""Notes on a Postgres server, as the application begins with them."""

from contextlib import AbstractAsyncContextManager, AbstractContextManager, closing
from dataclasses import dataclass

import psycopg

from agent_core.stores.sql.commits import AfterCommit
from agent_core.stores.sql.migrate import Migrated, load_migrations
from agent_core.stores.sql.postgres.database import PostgresDatabase, open_database
from agent_core.stores.sql.postgres.failures import store_failure
from agent_core.stores.sql.postgres.locks import serving
from agent_core.stores.sql.postgres.migrate import migrate
from agent_core.stores.sql.postgres.session import Server


@dataclass(frozen=True, slots=True)
class PostgresPlace:
    """The schema that a URL leads to. Everything raises `StoreFailure` as the functions it calls."""

    server: Server

    @classmethod
    def at(cls, url: str) -> "PostgresPlace":
        """Return the place at a URL, which may hold a password."""
        return cls(Server(url))

    def described(self) -> str:
        """Return where this is and what serves it, without a password; blocks."""
        try:
            with closing(self.server.connect()) as connection:
                (version,) = connection.execute("SHOW server_version").fetchone() or ("",)
                where = f"{connection.info.host}:{connection.info.port}/{connection.info.dbname}"
        except psycopg.Error as error:
            raise store_failure(error) from error
        return f"postgresql://{where} · PostgreSQL {version}"

    def open(self, after_commit: AfterCommit | None) -> AbstractAsyncContextManager[PostgresDatabase]:
        """Give the database, migrated."""
        return open_database(self.server, after_commit=after_commit)

    def migrate(self, *, served_here: bool = False) -> Migrated:
        """Bring the schema up to date; blocks."""
        return migrate(self.server, load_migrations(), served_here=served_here)

    def serving(self, since: str) -> AbstractContextManager[None]:
        """Hold the schema as the one process that serves it; blocks."""
        return serving(self.server, since)
