"""Roles of a server that stand for a role in the series: who has one joins when they first speak there."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

import discord

from adapters.chat.desk import Desk
from adapters.chat.model import Speaker, Spot
from adapters.chat.room import Reply
from adapters.discord.spots import PLATFORM
from adapters.surface import Said
from agent_core.errors import LoreKeeperError
from agent_core.events import ignore
from agent_core.lore.model import Author
from agent_core.messages import Json
from agent_core.people.model import WRITERS, Progress, SeriesRole
from agent_core.pipeline.confirmations import Decision
from agent_core.pipeline.model import BatchStatus
from agent_core.pipeline.permissions import role_of
from agent_core.texts import say
from agent_core.tools.spec import Asker

MOST_SETTLED = 5_000
"""Of so many it is remembered that nothing is left to do."""
_STRONGEST_FIRST = (SeriesRole.EDITOR, SeriesRole.READER)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a server's role stands for; `by` is the lead who said so, `up_to` how far a reader has read."""

    role: SeriesRole
    up_to: str
    by: str


@dataclass(slots=True)
class Roles:
    """Keeps what roles stand for, and lets people join by them in the name of the lead who said so."""

    desk: Desk
    _settled: set[tuple[str, str, str | None, tuple[str, ...]]] = field(default_factory=set)

    async def give_meaning(
        self, role: discord.Role, given: Mapping[str, object], speaker: Speaker, spot: Spot, reply: Reply
    ) -> None:
        """Let a server's role stand for a role in the series from now on; "none" ends that.

        Raises:
            LoreKeeperError: the place is not known.
        """
        asker = await self.desk.asker(speaker, spot, reply)
        if asker is None:
            return
        language, series = asker.language, asker.conversation.series
        if series is None or role_of(asker.membership) is not SeriesRole.OWNER:
            await reply.hint(say(language, "error.not_permitted.role"))
            return
        meant, up_to = SeriesRole(str(given.get("role"))), str(given.get("position") or "").strip()
        if meant is SeriesRole.OWNER:
            await reply.hint(say(language, "discord.role_never_lead"))
            return
        if up_to:
            await self._node(asker, up_to)
        value = json.dumps({"role": meant.value, "up_to": up_to, "by": asker.person.id})
        await self.desk.exchange.core.chat.note(PLATFORM, _key(series, str(role.id)), value)
        self._settled.clear()
        said = say(language, "discord.role_set", name=role.name, role=meant.value, place=up_to)
        await reply.show(Said(markdown=said))

    async def join(self, speaker: Speaker, spot: Spot) -> None:
        """Let somebody who has such a role and none of their own in the series join it; never raises."""
        try:
            await self._join(speaker, spot)
        except LoreKeeperError as error:
            logger.warning("role gives no access", extra={"error": type(error).__name__})

    async def _join(self, speaker: Speaker, spot: Spot) -> None:
        if not speaker.roles:
            return
        askers = self.desk.exchange.core.askers
        place = await askers.conversations.conversation_in(PLATFORM, spot.key)
        key = (speaker.user, spot.key, place.series if place else None, speaker.roles)
        if key in self._settled or not await self.desk.is_open(spot, speaker):
            return
        asker = await self.desk.exchange.reception.seat(speaker, spot)
        series = asker.conversation.series
        if series is None:
            return
        is_member = await askers.people.membership(asker.person.id, series) is not None
        meaning = await self._strongest(series, speaker.roles)
        if meaning is not None and not is_member and role_of(asker.membership) not in WRITERS:
            await self._let_join(asker, speaker, meaning)
        if len(self._settled) >= MOST_SETTLED:
            self._settled.clear()
        self._settled.add(key)

    async def _let_join(self, asker: Asker, speaker: Speaker, meaning: Meaning) -> None:
        core, place = self.desk.exchange.core, asker.conversation
        lead = await core.askers.again(meaning.by, place.id, asker.language)
        if lead is None or place.series is None:
            return
        arguments: dict[str, Json] = {
            "person": f"{PLATFORM}:{speaker.user}",
            "role": meaning.role.value,
            **({"ceiling": meaning.up_to} if meaning.up_to else {}),
        }
        with self.desk.exchange.shows_in(place.id):
            batch = await core.propose([("members", arguments)], lead, complete=True)
            if batch.status is BatchStatus.OPEN:
                await core.decide(batch.id, Decision(approve=True), lead, ignore)
        if meaning.up_to and meaning.role is SeriesRole.READER:
            node = await self._node(lead, meaning.up_to)
            progress = Progress(person=asker.person.id, series=place.series, finished=node, ceiling=node)
            await core.askers.people.set_progress(progress)

    async def _strongest(self, series: str, roles: tuple[str, ...]) -> Meaning | None:
        found: dict[SeriesRole, Meaning] = {}
        for role in roles:
            value = await self.desk.exchange.core.chat.noted(PLATFORM, _key(series, role))
            if value is not None:
                meaning = _meaning(json.loads(value))
                found[meaning.role] = meaning
        return next((found[role] for role in _STRONGEST_FIRST if role in found), None)

    async def _node(self, asker: Asker, place: str) -> str | None:
        canon = await self.desk.exchange.core.askers.canon(asker.conversation)
        if canon is None:
            return None
        found = canon.outline.find(place, book=asker.conversation.book, here=None, bound=Author())
        return canon.outline.finished(found)


def _meaning(stored: Mapping[str, str]) -> Meaning:
    return Meaning(role=SeriesRole(stored["role"]), up_to=stored["up_to"], by=stored["by"])


def _key(series: str, role: str) -> str:
    return f"role:{series}:{role}"
