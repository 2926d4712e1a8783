"""Files made for a conversation: kept until they have arrived there, and for a while longer."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from agent_core.clock import Clock, NewId
from agent_core.errors import FileTooLarge

KEPT = timedelta(days=30)
KEPT_OF_A_PLACE = 20
"""Of those that have arrived in a conversation, only so many of the newest are kept."""
MAX_BYTES = 50_000_000
"""The largest file that any platform takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFile:
    """A file for a conversation, made in answer to `person`. `created` is in UTC."""

    id: str
    conversation: str
    person: str
    name: str
    media_type: str
    size: int
    created: datetime


class FileStore(Protocol):
    """Files with their content, by the conversation that they were made for."""

    async def add_file(self, file: KeptFile, content: bytes, *, expired: datetime) -> None:
        """Keep a file that is due; those made before `expired` go, in its place those beyond the newest."""
        ...

    async def due_files(self, conversation: str | None = None) -> tuple[KeptFile, ...]:
        """Return the files that have not arrived in this conversation (None: any), oldest first."""
        ...

    async def file(self, file: str) -> KeptFile | None:
        """Return a file by its id, None where there is none or no longer."""
        ...

    async def content(self, file: str) -> bytes | None:
        """Return what is in a file, None where there is none or no longer."""
        ...

    async def file_arrived(self, file: str) -> None:
        """Note that a file has arrived where it was due."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Keeps files for conversations."""

    store: FileStore
    clock: Clock
    new_id: NewId

    async def attach(
        self, conversation: str, person: str, name: str, media_type: str, content: bytes
    ) -> KeptFile:
        """Keep a file for a conversation and return it; it is sent there with the answer.

        Raises:
            FileTooLarge: no platform would take it.
        """
        if len(content) > MAX_BYTES:
            raise FileTooLarge(name=name, limit=MAX_BYTES // 1_000_000)
        file = KeptFile(
            id=self.new_id(),
            conversation=conversation,
            person=person,
            name=name,
            media_type=media_type,
            size=len(content),
            created=self.clock.now(),
        )
        await self.store.add_file(file, content, expired=file.created - KEPT)
        return file
