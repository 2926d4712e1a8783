"""What the API needs of the application, and what all its parts share."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol
from zoneinfo import ZoneInfo

from adapters.cards import View
from adapters.http.work import Works
from adapters.scheduled import Outlets
from adapters.view import view_of
from agent_core.conversation.events import EventStore
from agent_core.conversation.model import Conversation
from agent_core.core import Core
from agent_core.errors import StoreFailure
from agent_core.exporting.store import TransferStore
from agent_core.people.model import Person
from agent_core.people.tokens import Tokens
from agent_core.pipeline.model import Batch
from agent_core.tools.spec import Asker

PLATFORM = "http"


class HttpSettings(Protocol):
    """The settings that concern the API and the page."""

    @property
    def http_host(self) -> str: ...
    @property
    def http_port(self) -> int: ...
    @property
    def http_origins(self) -> str: ...
    @property
    def http_upload_mb(self) -> int: ...
    @property
    def language(self) -> str: ...
    @property
    def time_zone(self) -> ZoneInfo: ...
    @property
    def user_name(self) -> str: ...
    @property
    def data_dir(self) -> Path: ...
    @property
    def model(self) -> str | None: ...


class HttpApp(Protocol):
    """The application, as far as it is served."""

    @property
    def core(self) -> Core: ...
    @property
    def tokens(self) -> Tokens: ...
    @property
    def events(self) -> EventStore: ...
    @property
    def transfer(self) -> TransferStore: ...
    @property
    def outlets(self) -> Outlets: ...
    @property
    def settings(self) -> HttpSettings: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who makes a request, and the language they read."""

    person: Person
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The application and what runs in it for HTTP."""

    app: HttpApp
    works: Works
    reached: dict[str, str] = field(default_factory=dict)

    @property
    def core(self) -> Core:
        """The front door."""
        return self.app.core

    async def note_place(self, asker: Asker) -> None:
        """Note where an operator is reached when something breaks, once while it stays the same."""
        person, place = asker.person, asker.conversation.id
        if person.operator and self.reached.get(person.id) != place:
            with suppress(StoreFailure):  # on a full disk people are still heard
                await self.core.askers.operators.note_place(person.id, PLATFORM, place)
                self.reached[person.id] = place

    async def asker(self, caller: Caller, place: Conversation) -> Asker:
        """Return the caller as an asker in a place, with rights and bound as of now."""
        return await self.core.askers.asker(caller.person, place, caller.language)

    async def view(self, asker: Asker, batch: Batch | None = None) -> View:
        """Return where an asker stands, for cards; where the batch is about another series, there."""
        place = asker.conversation
        if batch is not None and batch.series not in {None, place.series}:
            then = replace(place, series=batch.series, book=None, chapter=None, position=None)
            asker = await self.core.askers.asker(asker.person, then, asker.language)
        return view_of(asker, await self.core.askers.canon(asker.conversation))


@asynccontextmanager
async def hosted(app: HttpApp) -> AsyncIterator[Host]:
    """Give a host; what runs in it is stopped on leaving, and taken up again at the next start."""
    async with asyncio.TaskGroup() as tasks:
        works = Works(tasks=tasks, events=app.events, redaction=app.core.runtime.pipeline.redaction)
        try:
            yield Host(app=app, works=works)
        finally:
            await works.close()
