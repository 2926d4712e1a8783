"""Who is heard, as whom, and in which place: pairing, admission, and the book a new place takes over."""

import json
from contextlib import suppress
from dataclasses import dataclass, replace

from adapters.chat.doors import note_doors
from adapters.chat.model import Speaker, Spot
from agent_core.conversation.model import Conversation
from agent_core.core import Core
from agent_core.errors import StoreFailure
from agent_core.lore.model import NodeKind
from agent_core.people.model import Identity, Person
from agent_core.people.pairing import Knock, Pairing
from agent_core.texts import LANGUAGES
from agent_core.texts.catalogue import pick
from agent_core.tools.spec import Asker

MAX_NAME = 80
TOLD = "told"
FOLLOWS = "follows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reception:
    """Turns speakers and spots into askers. `language` and `time_zone` are those of new places."""

    core: Core
    pairing: Pairing
    platform: str
    language: str
    time_zone: str

    async def is_open(self, speaker: Speaker, spot: Spot) -> bool:
        """Return whether this person is heard here."""
        identity = self._identity(speaker)
        person = await self.core.askers.people.person_known_as(identity)
        knock = Knock(identity=identity, server=spot.server, chat=spot.chat)
        lets_in = await self.pairing.lets_in(knock, person or Person(id="", name=_name(speaker)))
        if lets_in and (spot.private or spot.chat is not None):  # a reaction does not say where its chat is
            with suppress(StoreFailure):  # on a full disk people are still heard
                await note_doors(self.core.chat, spot)
        return lets_in

    async def pair(self, speaker: Speaker, code: str) -> Person:
        """Make the person who sent the console's code the operator.

        Raises:
            RateLimited: too many guesses.
            NotPermitted: reason "code".
        """
        return await self.pairing.pair(self._identity(speaker), _name(speaker), code)

    async def is_news(self, speaker: Speaker) -> bool:
        """Return whether this person is told for the first time that they are not heard."""
        key = f"{TOLD}:{speaker.user}"
        if await self.core.chat.noted(self.platform, key) is not None:
            return False
        await self.core.chat.note(self.platform, key, "closed")
        return True

    async def seat(self, speaker: Speaker, spot: Spot) -> Asker:
        """Return who speaks in this place, with rights and bound as of now.

        A place without a book takes over that of the nearest place around it that has one.
        """
        place = Conversation(
            id=self.core.runtime.new_id(),
            platform=self.platform,
            place=spot.key,
            private=spot.private,
            language=self.spoken(speaker) if spot.private else self.language,
            time_zone=self.time_zone,
        )
        asker = await self.core.askers.identify(self._identity(speaker), _name(speaker), place)
        return await self._inherited(asker, spot) if spot.parents else asker

    def spoken(self, speaker: Speaker) -> str:
        """Return the language of a person's client if we speak it, else that of the house."""
        code = speaker.language.replace("_", "-").partition("-")[0].lower()
        return pick(code) if code in LANGUAGES else self.language

    async def _inherited(self, asker: Asker, spot: Spot) -> Asker:
        """Return the asker in a place that follows the one around it until it is linked by itself."""
        here = asker.conversation
        key = f"{FOLLOWS}:{here.id}"
        noted = await self.core.chat.noted(self.platform, key)
        if here.series is not None and noted != _link(here):
            return asker  # it has a link of its own
        for parent in spot.parents:
            around = await self.core.askers.conversations.conversation_in(self.platform, parent)
            if around is None or around.series is None:
                continue
            linked = replace(
                around,
                id=here.id,
                place=spot.key,
                private=spot.private,
                language=here.language if noted else around.language,
                position=here.position if here.series == around.series else around.position,
            )
            linked = await self._of_its_title(linked, spot.title)
            if linked == here:
                return asker
            await self.core.chat.note(self.platform, key, _link(linked))
            await self.core.askers.conversations.save_conversation(linked)
            return await self.core.askers.asker(asker.person, linked)
        return asker

    async def _of_its_title(self, place: Conversation, title: str) -> Conversation:
        """Return the place at the book or chapter that it is named after, if it is named after one."""
        canon = await self.core.askers.canon(place)
        wanted = title.strip().casefold()
        if canon is None or not wanted:
            return place
        named = [
            node
            for node in canon.outline.nodes.values()
            if node.title.strip().casefold() == wanted and not canon.outline.is_gone(node.id)
        ]
        if len(named) != 1:
            return place
        node = named[0]
        if node.kind is NodeKind.CHAPTER:
            return replace(place, book=node.parent, chapter=node.id)
        return replace(place, book=node.id, chapter=None) if node.kind is NodeKind.BOOK else place

    def _identity(self, speaker: Speaker) -> Identity:
        return Identity(self.platform, speaker.user)


def _link(place: Conversation) -> str:
    """Return what a place is linked to, in a form to compare."""
    return json.dumps(
        [place.series, place.book, place.chapter, place.audience, place.audience_up_to, place.default_role]
    )


def _name(speaker: Speaker) -> str:
    """Return a name in one line: what people call themselves stands in cards and before what they say."""
    return " ".join(speaker.name.split())[:MAX_NAME] or speaker.user
