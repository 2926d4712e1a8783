"""A house with everything connected: notes, tables, a web site, a git host, services that take messages."""

import asyncio
import hashlib
import json
import shutil
import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import SecretStr

from agent_core.clock import new_id
from agent_core.messages import Json
from agent_core.tools.spec import SWITCHED
from tests.agent_core.sheets import books
from tests.agent_core.vault.conftest import NOTES
from tests.clock import FakeClock
from tests.emulators.forge import TOKEN as FORGE_TOKEN
from tests.emulators.forge import ForgeEmulator, forge_emulator
from tests.emulators.model_endpoint import Call, ModelEndpoint
from tests.emulators.site import Site, article, open_site
from tests.emulators.webhook import TOKEN, WebhookEmulator, webhook_emulator
from tests.house import Heard, House, open_house

HIT = {"url": "https://salt.test/roads", "title": "Salt roads", "content": "How salt was carried."}


@dataclass
class World:
    """The house, and all that lies outside of it. `asked` are the arguments of the newest call."""

    house: House
    notes: Path
    site: Site
    forge: ForgeEmulator
    services: WebhookEmulator
    asked: Mapping[str, Json] = field(default_factory=dict)

    async def ask(self, tool: str, arguments: Mapping[str, Json], says: str) -> tuple[Heard, Json]:
        """Let the model call a tool in a fresh conversation; return what came of it and what it was told."""
        self.asked = arguments
        place = (await self.house.asker()).conversation
        await self.house.core.runtime.turns.clear_history(place.id, self.house.clock.now())
        self.house.clock.advance(seconds=1)
        self.house.endpoint.reply(Call(tool, arguments))
        self.house.endpoint.reply("I see.")
        heard = await self.house.say(says)
        return heard, self.told()

    def told(self) -> Json:
        """Return the newest tool result that the model was sent, {} for none."""
        sent = [one for one in self.house.endpoint.requests[-1].messages if one["role"] == "tool"]
        told: Json = json.loads(sent[-1]["content"]) if sent else {}
        return told

    def note(self, path: str, text: str | bytes) -> str:
        """Put a file into the notes folder, as another program would."""
        place = self.notes / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def rows(self, sql: str) -> list[tuple[Json, ...]]:
        """Return what stands in the database."""
        database = self.house.app.settings.database
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute(sql).fetchall()

    async def state(self) -> str:
        """Return a digest of everything that a write could change."""
        return await asyncio.to_thread(self._state)

    def _state(self) -> str:
        digest = hashlib.sha256()
        for place in sorted(self.notes.rglob("*")):
            digest.update(str(place).encode() + (place.read_bytes() if place.is_file() else b""))
        for table in ("change", "lore_row", "schedule", "schedule_run", "attachment"):
            digest.update(repr(self.rows(f"SELECT * FROM {table}")).encode())  # noqa: S608  names of ours
        digest.update(repr(self.services.taken).encode())
        return digest.hexdigest()


@asynccontextmanager
async def open_world(founded: Path, folder: Path) -> AsyncIterator[World]:
    """Give the world, over a copy of the founded house."""
    await asyncio.to_thread(shutil.copytree, founded, folder / "house")
    notes = folder / "novel"
    await asyncio.to_thread(_fill, notes)
    async with (
        ModelEndpoint() as endpoint,
        open_site() as site,
        forge_emulator() as forge,
        webhook_emulator() as services,
    ):
        site.page("/harbour", article("Harbour", "The old ships lay at anchor for thirty years."))
        site.page("/search", json.dumps({"results": [HIT]}), "application/json")
        ports = (site.port, forge.port, services.port)
        async with open_house(
            folder / "house",
            endpoint,
            FakeClock(),
            new_id,
            vaults=(("novel", notes),),
            private_hosts=" ".join(f"127.0.0.1:{port}" for port in ports),
            search_provider="searxng",
            searxng_url=f"http://127.0.0.1:{site.port}",
            forge="gitea",
            forge_url=f"http://127.0.0.1:{forge.port}",
            forge_token=SecretStr(FORGE_TOKEN),
            notify_channels=SecretStr(
                f"team=discord+http://127.0.0.1:{services.port}/api/webhooks/17/{TOKEN}"
            ),
        ) as house:
            await house.write("attach_notes", name="novel")
            place = (await house.asker()).conversation
            families = tuple(family.value for family in SWITCHED)
            await house.core.askers.conversations.save_conversation(replace(place, families=families))
            yield World(house, notes, site, forge, services)


def _fill(root: Path) -> None:
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    (root / "chart.png").write_bytes(b"\x89PNG")
    (root / "Mara.md").write_text("# A table's neighbour\n")
    (root / "Tables").mkdir()
    (root / "Tables/Plan.xlsx").write_bytes(books.plan())
    (root / "Cast.xlsx").write_bytes(books.cast())
    (root / "Words.csv").write_text("Chapter;Words\n1;1200\n")
