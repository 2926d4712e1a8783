"""A whole installation for tests: real wiring and database, a scripted model behind a real socket."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TypeVar
from zoneinfo import ZoneInfo

from agent_core.clock import NewId, new_id
from agent_core.conversation.model import Conversation
from agent_core.core import Core
from agent_core.events import ConfirmationAsked, Emit, Event, Failed, Message
from agent_core.llm.base import ChatModel
from agent_core.llm.openai import Endpoint, OpenAIChatModel
from agent_core.lore.answers import EntryState
from agent_core.lore.model import Author
from agent_core.messages import Json
from agent_core.people.model import Identity, Membership, Progress, SeriesRole
from agent_core.pipeline.confirmations import Decision
from agent_core.pipeline.model import Batch
from agent_core.tools.catalogue import TOOLS
from agent_core.tools.spec import AnyTool, Asker
from agent_core.turn.model import Incoming, Step, Turn
from bot.settings import Settings
from bot.wiring import App, build
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint

E = TypeVar("E", bound=Event)

SERIES = "The Salt Roads"
BOOK = "The Heron"


@dataclass(frozen=True)
class AuditLine:
    """A row of the audit. `arguments` is JSON text as it is stored; a line of a batch has its id."""

    id: str
    call_id: str
    conversation: str
    requester: str
    approver: str | None
    tool: str
    arguments: str
    outcome: str
    duration_ms: int
    error: str


def read_audit(database: Path) -> list[AuditLine]:
    """Return the audit rows of a database file, oldest request first."""
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        rows = connection.execute("SELECT * FROM audit ORDER BY ord").fetchall()
    return [AuditLine(**{one.name: row[one.name] for one in fields(AuditLine)}) for row in rows]


def read_audit_on_server(url: str) -> list[AuditLine]:
    """Return the audit rows of a Postgres database, oldest request first."""
    import psycopg

    columns = ", ".join(one.name for one in fields(AuditLine))
    with psycopg.connect(url) as connection:
        rows = connection.execute(f"SELECT {columns} FROM audit ORDER BY ord".encode()).fetchall()  # noqa: S608
    return [AuditLine(*row) for row in rows]


@dataclass
class Heard:
    """What one message led to."""

    events: list[Event] = field(default_factory=list)
    turn: Turn | None = None

    async def emit(self, event: Event) -> None:
        self.events.append(event)

    @property
    def answer(self) -> str:
        """The answer or the sentence about a failure that people read."""
        texts = [event.markdown for event in self.events if isinstance(event, Message)]
        texts += [event.text for event in self.events if isinstance(event, Failed)]
        return "\n".join(texts)

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]


@dataclass
class House:
    """The application with one linked thread; `endpoint` scripts what its model replies."""

    app: App
    endpoint: ModelEndpoint
    clock: FakeClock
    updates: int = 0

    @property
    def core(self) -> Core:
        return self.app.core

    async def asker(self, user: str = "ann", place: str = "main", *, private: bool = True) -> Asker:
        """Return a person of the terminal in a place of it."""
        new = Conversation(
            id=f"{place}-id", platform="terminal", place=place, private=private, default_role="none"
        )
        return await self.core.askers.identify(Identity("terminal", user), user.title(), new, operator=True)

    def incoming(self, asker: Asker, text: str, update: str = "") -> Incoming:
        """Return a text as a message of this person."""
        self.updates += 1
        return Incoming(
            platform="terminal",
            update=update or f"update-{self.updates}",
            message=f"message-{self.updates}",
            person=asker.person.id,
            conversation=asker.conversation.id,
            text=text,
            at=self.clock.now(),
        )

    async def say(
        self,
        text: str,
        user: str = "ann",
        place: str = "main",
        *,
        update: str = "",
        private: bool = True,
        deep: bool = False,
        listener: Emit | None = None,
    ) -> Heard:
        """Say something and wait for the end of its turn."""
        asker = await self.asker(user, place, private=private)
        incoming = self.incoming(asker, text, update)
        heard = Heard()
        heard.turn = await self.core.handle(incoming, asker, listener or heard.emit, deep=deep)
        return heard

    async def decide(
        self,
        batch: str,
        *,
        approve: bool = True,
        chosen: Sequence[int] | None = None,
        user: str = "ann",
        place: str = "main",
    ) -> tuple[Batch, Heard]:
        """Decide a card and wait for what follows."""
        asker = await self.asker(user, place)
        heard = Heard()
        decision = Decision(approve=approve, chosen=None if chosen is None else frozenset(chosen))
        return await self.core.decide(batch, decision, asker, heard.emit), heard

    async def write(self, tool: str, user: str = "ann", **arguments: Json) -> Batch:
        """Type a complete command and save whatever it asks."""
        asker = await self.asker(user)
        batch = await self.core.propose([(tool, arguments)], asker, complete=True)
        return batch if batch.settled else (await self.decide(batch.id, user=user))[0]

    async def state(self, entry: str, user: str = "ann", **arguments: Json) -> Mapping[str, Json]:
        """Return the folded state of an entry."""
        answer = await self.core.lookup(
            "get_entity_state", {"entityId": entry, **arguments}, await self.asker(user)
        )
        assert isinstance(answer, EntryState)
        return answer.state

    async def card(self, heard: Heard) -> Batch:
        """Return the batch that one message asked to confirm, as it is now."""
        [asked] = heard.of(ConfirmationAsked)
        batch = await self.core.batch(asked.batch_id)
        assert batch is not None
        return batch

    async def steps(self, turn: Turn | None) -> tuple[Step, ...]:
        """Return the stored steps of a turn."""
        assert turn is not None
        return await self.core.runtime.turns.steps([turn.id])

    async def stored(self, turn: Turn | None) -> Turn:
        """Return the turn as it is stored now."""
        assert turn is not None
        found = await self.core.runtime.turns.turn(turn.id)
        assert found is not None
        return found

    async def audit(self) -> list[AuditLine]:
        """Return the audit as it stands in the database, in the order of the requests."""
        url = self.app.settings.database_url
        if url is not None:
            return await asyncio.to_thread(read_audit_on_server, url.get_secret_value())
        return await asyncio.to_thread(read_audit, self.app.settings.database)

    async def audited(self, batch: Batch) -> list[AuditLine]:
        """Return the audit rows of a batch, in the order of its lines."""
        rows = {line.id: line for line in await self.audit()}
        return [rows[call.id] for call in batch.calls]

    async def found(self) -> None:
        """Begin the series, its book, two chapters of two scenes, and Mara."""
        await self.write("link_thread", series=SERIES, book=BOOK)
        for chapter, scene, text in (
            ("1", 1, "Mara waits at the harbour of Vel. Her eyes are green."),
            ("1", 2, "The Heron sails at dusk."),
            ("2", 1, "In Oru, Mara loses her scarf."),
            ("2", 2, "Tom, the smith, is a thief."),
        ):
            await self.write("persist_scene", chapterId=chapter, sceneNumber=scene, title="", rawText=text)
        await self.write("create_lore_entity", type="character", name="Mara", staticTraits={"eyes": "green"})

    async def join(self, user: str, role: SeriesRole, finished: str | None = None) -> None:
        """Give a person a role in the series, and a reader their progress."""
        asker = await self.asker(user)
        series = asker.conversation.series
        assert series is not None
        await self.core.askers.people.set_membership(
            Membership(person=asker.person.id, series=series, role=role)
        )
        if finished is not None:
            canon = await self.core.askers.canon(asker.conversation)
            assert canon is not None
            node = canon.outline.finished(
                canon.outline.find(finished, book=asker.conversation.book, here=None, bound=Author())
            )
            await self.core.askers.people.set_progress(
                Progress(person=asker.person.id, series=series, finished=node)
            )


@asynccontextmanager
async def open_house(
    folder: Path,
    endpoint: ModelEndpoint,
    clock: FakeClock,
    ids: NewId,
    *,
    tools: Sequence[AnyTool] = (),
    model: ChatModel | None = None,
    host: str = "",
    **changed: object,
) -> AsyncIterator[House]:
    """Give a house over the database in `folder`, where the same folder again is a restart.

    It has the `tools` of a test beside its own, and settings as `changed`.
    """
    settings = Settings(data_dir=folder, language="en", time_zone=ZoneInfo("UTC"), **changed)  # type: ignore[arg-type]  # names and types of settings
    async with AsyncExitStack() as stack:
        if model is None:
            scripted = OpenAIChatModel(Endpoint(endpoint.url, "scripted"), sleep=_at_once)
            model = await stack.enter_async_context(scripted)
        app = await stack.enter_async_context(
            build(settings, clock=clock, ids=ids, model=model, tools=(*TOOLS, *tools), host=host)
        )
        yield House(app=app, endpoint=endpoint, clock=clock)


async def found_in(folder: Path) -> Path:
    """Return the folder with the series founded in it, to be copied by tests."""
    async with ModelEndpoint() as endpoint, open_house(folder, endpoint, FakeClock(), new_id) as house:
        await house.found()
    return folder


async def _at_once(seconds: float) -> None:
    """Wait for no second try."""
