"""What a terminal session needs: the core, and the person who sits here."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from adapters.cards import View
from adapters.view import view_of
from agent_core.core import Core
from agent_core.lore.fold import name_key
from agent_core.pipeline.model import Batch
from agent_core.tools.spec import Asker
from agent_core.turn.model import Incoming

PLATFORM = "terminal"
MAX_NAMES = 12


@dataclass(frozen=True, slots=True)
class Host:
    """The core and who asks it; `sit` gives the person in their conversation, as of now.

    `files` is the folder for what is made here.
    """

    core: Core
    files: Path
    sit: Callable[[], Awaitable[Asker]]

    async def asker(self) -> Asker:
        """Return the person in their conversation, with rights and bound as of now."""
        return await self.sit()

    async def view(self, asker: Asker, batch: Batch | None = None) -> View:
        """Return where the asker stands, for the cards; where the batch is about another series, there."""
        place = asker.conversation
        if batch is not None and batch.series not in {None, place.series}:
            then = replace(place, series=batch.series, book=None, chapter=None, position=None)
            asker = await self.core.askers.asker(asker.person, then, asker.language)
        return view_of(asker, await self.core.askers.canon(asker.conversation))

    def incoming(self, asker: Asker, text: str) -> Incoming:
        """Return a typed text as a message."""
        fresh = self.core.runtime.new_id()
        return Incoming(
            platform=PLATFORM,
            update=fresh,
            message=fresh,
            person=asker.person.id,
            conversation=asker.conversation.id,
            text=text,
            at=self.core.runtime.clock.now(),
        )

    async def name_of(self, person: str) -> str:
        """Return a person's name by id."""
        found = await self.core.askers.people.person(person)
        return found.name if found is not None else ""

    async def names(self, text: str) -> Sequence[str]:
        """Return names of entries that begin so, for completion."""
        asker = await self.sit()
        canon = await self.core.askers.canon(asker.conversation)
        key = name_key(text)
        if canon is None or not key:
            return ()
        entries = await canon.all_entries(bound=asker.bound)
        names = (one.name for entry in entries for one in entry.names)
        return sorted({name for name in names if name_key(name).startswith(key)})[:MAX_NAMES]

    async def set_language(self, language: str) -> None:
        """Keep the conversation's language."""
        asker = await self.sit()
        await self.core.askers.conversations.alter(
            asker.conversation.id, lambda place: replace(place, language=language)
        )
