"""Our copy of the log in the database's own tables: changes go in as they are, one after the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent_core.lore.fold import name_key
from agent_core.lore.model import Head, Series
from agent_core.stores.sql.changes import FullChange, put_changes, read_head
from agent_core.stores.sql.database import Database, Durability, Params, Tx


async def put_copy(database: Database, series: str, changes: Sequence[FullChange]) -> None:
    """Add those of the changes that are not there yet; another process may have been quicker."""
    if not changes:
        return

    def put(tx: Tx) -> None:
        head = read_head(tx, series)
        fresh = [full for full in changes if full.change.number > head.number]
        for full in fresh:
            head = put_changes(tx, head, [full])

    await database.write(put, Durability.NORMAL)


async def put_series(database: Database, found: Sequence[Series]) -> None:
    """Add the series that are not there, and call those that are by the name they have in Directus."""

    def put(tx: Tx) -> None:
        for one in found:
            values: Params = {"id": one.id, "name": one.name, "key": name_key(one.name), "owner": one.owner}
            if tx.row(f"SELECT id FROM series WHERE {_SAME_NAME}", values) is not None:  # noqa: S608 - ours
                continue
            if tx.row("SELECT id FROM series WHERE id = :id", {"id": one.id}) is None:
                tx.run(
                    "INSERT INTO series (id, name, name_key, owner) VALUES (:id, :name, :key, :owner)", values
                )
            else:
                named = {"id": one.id, "name": one.name, "key": name_key(one.name)}
                tx.run("UPDATE series SET name = :name, name_key = :key WHERE id = :id", named)

    await database.write(put, Durability.NORMAL)


@dataclass(frozen=True, slots=True)
class Copied:
    """What the copy has of a series: its head, and the token that made its newest edit, None without one."""

    name: str | None
    head: Head
    token: str | None


async def copied(database: Database, series: str) -> Copied:
    """Return how far the copy of a series goes; its name is None where it is not there."""

    def read(tx: Tx) -> Copied:
        named = tx.row("SELECT name FROM series WHERE id = :series", {"series": series})
        last = tx.row(
            "SELECT number, frame, token FROM change WHERE series = :series ORDER BY number DESC LIMIT 1",
            {"series": series},
        )
        name = named[0] if named else None
        return Copied(name, Head(last[0], last[1]), last[2]) if last else Copied(name, Head(), None)

    return await database.read(read)


async def tokens(database: Database, series: str, after: int, up_to: int) -> Mapping[int, str]:
    """Return the tokens of changes in the copy, by number."""
    found = await database.read(
        lambda tx: tx.rows(
            "SELECT number, token FROM change WHERE series = :series"
            " AND number > :after AND number <= :up_to",
            {"series": series, "after": after, "up_to": up_to},
        )
    )
    return dict(found)


_INSERT = "INSERT INTO series (id, name, name_key, owner) VALUES (:id, :name, :key, :owner)"
_SAME_NAME = "name_key = :key AND owner = :owner AND id <> :id"
