"""Tells operators in private, once, when something broke that they can mend; others read that it is away."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent_core.clock import Clock, NewId
from agent_core.conversation.store import ConversationStore
from agent_core.errors import LoreKeeperError, ModelCause, StoreCause, StoreFailure
from agent_core.people.store import OperatorStore
from agent_core.texts.catalogue import say
from agent_core.turn.model import Owed
from agent_core.turn.store import TurnStore

logger = logging.getLogger(__name__)

_MENDABLE = frozenset(
    {ModelCause.AUTH, ModelCause.QUOTA, ModelCause.NOT_FOUND}
    | {StoreCause.FULL, StoreCause.READ_ONLY, StoreCause.DAMAGED}
)


@dataclass(slots=True, kw_only=True)
class Notices:
    """Each kind of trouble is told once until everything works again.

    `unstored` holds what could not be written to the outbox, because the store itself is what broke.
    """

    operators: OperatorStore
    conversations: ConversationStore
    turns: TurnStore
    clock: Clock
    new_id: NewId
    unstored: list[Owed] = field(default_factory=list)
    _told: set[str] = field(default_factory=set)
    _is_well: bool = False

    async def broke(self, error: LoreKeeperError) -> None:
        """Tell the operators, if they can mend it and don't know it yet; a store that fails stops nothing."""
        reason = error.facts.get("reason")
        if reason not in _MENDABLE:
            return
        kind = error.text_key.removeprefix("error.")
        self._is_well = False
        try:
            if kind not in self._told and await self._is_news(kind):
                self._told.add(kind)
                await self._tell(kind)
        except StoreFailure:
            logger.exception("operators not told", extra={"kind": kind})

    async def works(self) -> None:
        """Note that a turn was answered: what breaks from now on is told anew."""
        if self._is_well:
            return
        self._told.clear()
        self._is_well = True
        try:
            await self.operators.close_notices()
        except StoreFailure:
            logger.exception("notices not closed")

    def owed(self, conversation: str | None) -> Sequence[Owed]:
        """Return what this place (None: any) is owed beside the outbox."""
        return [owed for owed in self.unstored if conversation in {None, owed.conversation}]

    def delivered(self, owed: str) -> bool:
        """Forget what has arrived; return whether it stood beside the outbox."""
        left = [one for one in self.unstored if one.id != owed]
        was_here = len(left) < len(self.unstored)
        self.unstored = left
        return was_here

    async def _is_news(self, kind: str) -> bool:
        try:
            return await self.operators.open_notice(kind, self.clock.now())
        except StoreFailure:
            return True  # what can't be written down can't have been told by an earlier process either

    async def _tell(self, kind: str) -> None:
        for place in await self.operators.operator_places():
            conversation = await self.conversations.conversation(place)
            if conversation is None:
                continue
            text = say(conversation.language, f"notice.{kind}")
            owed = Owed(id=self.new_id(), conversation=place, turn="", text=text)
            try:
                await self.turns.owe(owed)
            except StoreFailure:
                self.unstored.append(owed)
