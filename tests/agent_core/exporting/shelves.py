"""Installations for tests of moving series: a database each, filled by hand, and archives taken apart."""

import hashlib
import json
import zipfile
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from pathlib import Path

from agent_core.exporting.archive import MANIFEST
from agent_core.exporting.bring_in import Arrival, bring_in
from agent_core.exporting.write import Exported, write_archive
from agent_core.lore.model import ChangeDraft, Row, Series
from agent_core.people.model import Identity, Membership, Progress, SeriesRole
from agent_core.stores.sql.database import Durability, SqlRow
from agent_core.stores.sql.lore import SqlLoreStore
from agent_core.stores.sql.lore_index import SqlLoreIndex
from agent_core.stores.sql.people import SqlPeopleStore
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.stores.sql.sqlite import SqliteDatabase, open_database
from agent_core.stores.sql.transfer import SqlTransferStore
from tests.clock import NOON

OZ = Series(id="oz", name="Oz", owner="ann")
ANN, TIM, STRANGER = Identity("terminal", "local"), Identity("telegram", "7"), Identity("telegram", "8")


@dataclass
class Shelf:
    """One installation."""

    database: SqliteDatabase
    folder: Path

    @property
    def transfer(self) -> SqlTransferStore:
        return SqlTransferStore(self.database)

    @property
    def lore(self) -> SqlLoreStore:
        return SqlLoreStore(self.database)

    @property
    def index(self) -> SqlLoreIndex:
        return SqlLoreIndex(self.database)

    @property
    def people(self) -> SqlPeopleStore:
        return SqlPeopleStore(self.database)

    @property
    def series(self) -> SqlSeriesStore:
        return SqlSeriesStore(self.database)

    async def fill(self, changes: Iterable[Sequence[Row]], series: Series = OZ) -> None:
        """Add a series where it is missing, and changes a minute apart."""
        if await self.series.series(series.id) is None:
            await self.series.add_series(series)
        first = (await self.lore.head(series.id)).number
        for number, rows in enumerate(changes, first + 1):
            draft = ChangeDraft(
                series=series.id,
                rows=tuple(rows),
                since=number - 1,
                keys=frozenset({f"key/{number}", "node/b0"}),
                proposed_by="ann",
                approved_by="tim",
                source=f"conversation {number}",
                summary="a summary",
            )
            await self.lore.append(draft, f"token {number}", NOON + timedelta(minutes=number))

    async def seat(self) -> None:
        """Let Ann lead Oz from the terminal, and Tim read it from a chat."""
        for identity, name in ((ANN, "Ann"), (TIM, "Tim"), (STRANGER, "Stranger")):
            await self.people.person_for(identity, name, new_id=name.lower(), operator=identity == ANN)
        lead = Membership(person="ann", series=OZ.id, role=SeriesRole.OWNER, may_destroy=True)
        await self.people.set_membership(lead)
        await self.people.set_membership(Membership(person="tim", series=OZ.id, role=SeriesRole.READER))
        await self.people.set_progress(Progress(person="tim", series=OZ.id, finished="b0", ceiling="b1"))

    async def out(self, name: str = "out.zip", series: Sequence[str] | None = None) -> Path:
        """Export and return the archive."""
        await self.exported(name, series)
        return self.folder / name

    async def exported(self, name: str, series: Sequence[str] | None = None) -> Exported:
        return await write_archive(self.transfer, self.folder / name, series)

    async def take(self, archive: Path) -> tuple[Arrival, ...]:
        """Import."""
        return await bring_in(self.transfer, archive)

    async def select(self, sql: str) -> list[SqlRow]:
        return await self.database.read(lambda tx: tx.rows(sql))

    async def execute(self, sql: str) -> None:
        await self.database.write(lambda tx: tx.run(sql), Durability.FULL)


_numbers = count(1)


@asynccontextmanager
async def open_shelf(folder: Path) -> AsyncIterator[Shelf]:
    """Give an empty installation in a folder of its own."""
    place = folder / f"shelf-{next(_numbers)}"
    place.mkdir()
    async with open_database(place / "lore.db") as database:
        yield Shelf(database, place)


def members(archive: Path) -> dict[str, list[str]]:
    """Return the lines of each member of an archive."""
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name).decode().splitlines() for name in opened.namelist()}


def rebuilt(archive: Path, change: Callable[[dict[str, list[str]]], object]) -> Path:
    """Return an archive whose lines were changed and whose manifest fits them: only its content is wrong."""
    lines = members(archive)
    change(lines)
    manifest = json.loads(lines.pop(MANIFEST)[0])
    for member in manifest["members"]:
        data = "".join(f"{line}\n" for line in lines[member["name"]]).encode("utf-8", "surrogatepass")
        member |= {
            "bytes": len(data),
            "lines": data.count(b"\n"),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
    target = archive.with_name("rebuilt.zip")
    with zipfile.ZipFile(target, "w") as written:
        for name, kept in lines.items():
            written.writestr(name, "".join(f"{line}\n" for line in kept).encode("utf-8", "surrogatepass"))
        written.writestr(MANIFEST, json.dumps(manifest) + "\n")
    return target
