"""Who asks, where, with which rights and bound; and the context that their calls run in."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from agent_core.clock import Clock, NewId
from agent_core.conversation.files import Files, KeptFile
from agent_core.conversation.model import Audience, Conversation
from agent_core.conversation.store import ConversationStore
from agent_core.errors import StoreFailure, UnknownMessage
from agent_core.importing.uploads import Uploads
from agent_core.lore.canon import Canon
from agent_core.lore.frames import FrameCache
from agent_core.lore.model import Author, Bound, Nothing, Series
from agent_core.lore.store import LoreIndex, LoreStore, SeriesStore
from agent_core.people.linking import Linking
from agent_core.people.model import WRITERS, Identity, Membership, Person, SeriesRole
from agent_core.people.spending import Spending
from agent_core.people.store import OperatorStore, PeopleStore
from agent_core.pipeline.permissions import bound_in, role_of
from agent_core.tools.services import Services
from agent_core.tools.spec import Asker, Family, Origin, ToolContext
from agent_core.turn.store import TurnStore
from agent_core.vault.notes import Notes, Vaults


@dataclass(frozen=True, slots=True, kw_only=True)
class Askers:
    """Builds askers and contexts from the stores."""

    people: PeopleStore
    conversations: ConversationStore
    series: SeriesStore
    lore: LoreStore
    index: LoreIndex
    turns: TurnStore
    linking: Linking
    operators: OperatorStore
    spending: Spending
    uploads: Uploads
    vaults: Vaults
    files: Files
    services: Services
    clock: Clock
    new_id: NewId
    frames: FrameCache = field(default_factory=FrameCache)
    reached: dict[tuple[str, str], str] = field(default_factory=dict)

    async def identify(
        self, identity: Identity, name: str, place: Conversation, *, operator: bool = False
    ) -> Asker:
        """Return who this is in this place; person and conversation are stored where they are new."""
        person = await self.people.person_for(identity, name, new_id=self.new_id(), operator=operator)
        conversation = await self.conversations.conversation_at(place)
        if person.operator and conversation.private:
            await self._note_place(person, conversation)
        return await self.asker(person, conversation)

    async def asker(self, person: Person, conversation: Conversation, language: str = "") -> Asker:
        """Return the person as an asker in the conversation, with their rights and bound as of now."""
        membership = await self._membership(person, conversation)
        notes = await self.vaults.of(conversation.series)
        bound: Bound = Nothing() if conversation.series else Author()
        canon = await self.canon(conversation)
        if canon is not None:
            progress = await self.people.progress(person.id, canon.series.id)
            bound = bound_in(conversation, membership, progress, canon.outline)
        return Asker(
            person=person,
            conversation=conversation,
            membership=membership,
            bound=bound,
            language=language or conversation.language,
            families=families_of(notes),
        )

    async def fuller(self, asker: Asker) -> Asker | None:
        """Return the asker bounded by themselves alone, None where the place bounds them no further."""
        alone = replace(asker.conversation, audience=Audience.TEAM)
        own = await self.asker(asker.person, alone, asker.language)
        return None if own.bound == asker.bound else replace(own, conversation=asker.conversation)

    async def again(self, person: str, conversation: str, language: str) -> Asker | None:
        """Return an asker by stored ids, or None where the person or the conversation is gone."""
        who = await self.people.person(person)
        where = await self.conversations.conversation(conversation)
        return await self.asker(who, where, language) if who and where else None

    async def canon(self, conversation: Conversation, about: Collection[str] = ()) -> Canon | None:
        """Return the canon of the conversation's series as of now, or None where it is linked to none.

        `about` are ids or names that are looked up next, as for `Canon.open`.
        """
        if conversation.series is None:
            return None
        series = await self.series.series(conversation.series)
        return await self.open_canon(series, about) if series else None

    async def open_canon(self, series: Series, about: Collection[str] = ()) -> Canon:
        """Return the canon of a series as of now."""
        return await Canon.open(self.lore, self.index, series, self.frames, about=about)

    async def context(
        self, asker: Asker, origin: Origin, max_chars: int, about: Collection[str] = ()
    ) -> ToolContext:
        """Return what the calls of this asker may use, with the canon as of now."""
        return ToolContext(
            asker=asker,
            origin=origin,
            canon=await self.canon(asker.conversation, about),
            open_canon=self.open_canon,
            series=self.series,
            people=self.people,
            conversations=self.conversations,
            linking=self.linking,
            operators=self.operators,
            spending=self.spending,
            heard=partial(self._heard, asker),
            notes=await self.vaults.of(asker.conversation.series),
            vaults=self.vaults,
            uploads=self.uploads,
            services=self.services,
            attach=partial(self._attach, asker),
            clock=self.clock,
            new_id=self.new_id,
            max_chars=max_chars,
        )

    async def _note_place(self, person: Person, conversation: Conversation) -> None:
        """Note where an operator is reached, once while it stays the same."""
        key = (person.id, conversation.platform)
        if self.reached.get(key) == conversation.id:
            return
        with suppress(StoreFailure):  # on a full disk people are still heard
            await self.operators.note_place(person.id, conversation.platform, conversation.id)
            self.reached[key] = conversation.id

    async def _heard(self, asker: Asker, message: str) -> str:
        text = await self.turns.said(asker.conversation.id, asker.person.id, message)
        if text is None:
            raise UnknownMessage(message=message)
        return text

    async def _attach(self, asker: Asker, name: str, media_type: str, content: bytes) -> KeptFile:
        return await self.files.attach(asker.conversation.id, asker.person.id, name, media_type, content)

    async def _membership(self, person: Person, conversation: Conversation) -> Membership | None:
        if conversation.series is None:
            return None
        stored = await self.people.membership(person.id, conversation.series)
        if stored is not None or conversation.default_role == SeriesRole.NONE.value:
            return stored
        return Membership(
            person=person.id, series=conversation.series, role=SeriesRole(conversation.default_role)
        )


def as_writer(asker: Asker) -> Asker:
    """Return the asker as one who carries out an approved write: a co-author sees all of the canon for it."""
    return replace(asker, bound=Author()) if role_of(asker.membership) in WRITERS else asker


def families_of(notes: Notes) -> frozenset[Family]:
    """Return the families of tools that the notes folders of a series open."""
    if not notes.available:
        return frozenset()
    reading = frozenset({Family.VAULT, Family.DUPLICATES})
    return reading | {Family.VAULT_WRITE} if notes.writes else reading
