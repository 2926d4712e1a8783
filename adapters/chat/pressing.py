"""What the press of a button does: it goes to the card of a batch, or on from what was looked up."""

from dataclasses import dataclass

from adapters.cards import Action
from adapters.chat.deciding import Deciding
from adapters.chat.exchange import Exchange
from adapters.chat.followups import looked_of, may_open, steps_of
from adapters.chat.looking import Looking
from adapters.chat.model import Pressed
from adapters.chat.press import Press, read_press
from adapters.chat.room import Reply
from adapters.surface import Trace
from agent_core.conversation.model import Followup
from agent_core.texts import say
from agent_core.tools.spec import Asker

_ON_BATCHES = frozenset(
    {Action.SAVE, Action.SAVE_SELECTION, Action.DISCARD, Action.TOGGLE, Action.ANSWER, Action.TAKE_BACK}
)


@dataclass(frozen=True, slots=True)
class Pressing:
    """Carries out presses; one that leads nowhere any more is answered, too."""

    exchange: Exchange

    async def take(self, pressed: Pressed, asker: Asker, reply: Reply) -> None:
        """Carry out a press.

        Raises:
            LoreKeeperError: refused or failed.
        """
        press = read_press(pressed.id)
        if press is None:
            await reply.hint(say(asker.language, "chat.outdated"))
        elif press.action in _ON_BATCHES or (
            press.action is Action.PAGE and await self.exchange.core.batch(press.record)
        ):
            await Deciding(self.exchange).pressed(press, pressed, asker, reply)
        else:
            await self._follow_up(press, asker, reply)

    async def _follow_up(self, press: Press, asker: Asker, reply: Reply) -> None:
        followup = await self.exchange.followups.find(press.record)
        there = await self._there(followup, asker) if followup is not None else None
        if followup is None or there is None:
            await reply.hint(say(asker.language, "chat.outdated"))
            return
        looked, steps = looked_of(followup), steps_of(followup)
        if looked is not None:
            own = followup.person == asker.person.id
            await Looking(self.exchange).follow(press, looked, there, reply, own=own)
        elif steps is not None:
            canon = await self.exchange.core.askers.canon(there.conversation)
            if may_open(followup, there, canon):
                await reply.show(Trace(card=steps, is_open=True), private=True)
            else:
                await reply.hint(say(asker.language, "error.not_permitted.role"))

    async def _there(self, followup: Followup, asker: Asker) -> Asker | None:
        """Return the asker where a card was looked up: here, or in the place it was sent to them from."""
        if followup.conversation == asker.conversation.id:
            return asker
        looked = looked_of(followup)
        if looked is None or not looked.private or followup.person != asker.person.id:
            return None
        return await self.exchange.core.askers.again(asker.person.id, followup.conversation, asker.language)
