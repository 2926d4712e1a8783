"""Typed commands on a chat platform: look-ups with buttons that go on from them, and writes."""

from dataclasses import dataclass, replace

from adapters.cards import Action, Button, Card, answer_card
from adapters.chat.exchange import Exchange
from adapters.chat.followups import Looked
from adapters.chat.press import Press
from adapters.chat.room import Reply
from adapters.commands import BY_NAME, ParsedCommand
from adapters.lookup import looked_up
from agent_core.errors import AmbiguousEntity
from agent_core.lore.model import Author
from agent_core.messages import Json
from agent_core.texts import say
from agent_core.tools.spec import Asker

ENTITY = "entityId"
_ALONE = frozenset({"identity code", "cost", "access"})
"""Commands whose answer is for the person alone, wherever they ask."""


@dataclass(frozen=True, slots=True)
class Looking:
    """Carries out commands that call a tool."""

    exchange: Exchange

    async def carry_out(
        self,
        command: ParsedCommand,
        asker: Asker,
        reply: Reply,
        *,
        private: bool = False,
        batch_id: str = "",
    ) -> None:
        """Answer a look-up, or propose (or do) a write. A name that several have is chosen from a list.

        Raises:
            LoreKeeperError: refused or failed.
        """
        name = command.command.name
        looked = Looked(
            name=name,
            tool=command.tool,
            arguments=command.arguments,
            subject=command.subject,
            private=private or name in _ALONE,
        )
        try:
            if command.command.writes:
                calls = [(command.tool, dict(command.arguments))]
                await self.exchange.propose(calls, asker, reply, complete=command.complete, batch_id=batch_id)
            else:
                with self.exchange.shows_in(asker.conversation.id):
                    await reply.show(await self.card(looked, asker), private=looked.private)
                    await self.exchange.hand_over(asker, reply)
        except AmbiguousEntity as error:
            await self._let_choose(error, looked, asker, reply)

    async def card(self, looked: Looked, asker: Asker) -> Card:
        """Return the card of a look-up as this asker may see it here, or alone if it is private.

        Raises:
            LoreKeeperError: refused or failed.
        """
        core = self.exchange.core
        fuller = await core.fuller(asker)
        viewer = fuller if looked.private and fuller is not None else asker
        command = ParsedCommand(
            command=BY_NAME[looked.name], tool=looked.tool, arguments=looked.arguments, complete=True
        )
        answer = await looked_up(core, command, viewer)
        card = answer_card(answer, await self.exchange.view(viewer), name=looked.subject)
        card = replace(card, buttons=(*card.buttons, *_further(looked, viewer)))
        offers = fuller is not None and not looked.private
        return await self.exchange.followups.looked(looked, card, asker, fuller=offers)

    async def choose(self, looked: Looked, choice: str, asker: Asker, reply: Reply) -> None:
        """Go on with the entry that was chosen.

        Raises:
            LoreKeeperError: refused or failed.
        """
        arguments: dict[str, Json] = {**looked.arguments, ENTITY: choice}
        chosen = replace(looked, arguments=arguments, choices=())
        if BY_NAME[looked.name].writes:
            await self.exchange.propose([(looked.tool, arguments)], asker, reply, complete=False)
        else:
            await reply.replace(await self.card(chosen, asker), None)

    async def follow(self, press: Press, looked: Looked, asker: Asker, reply: Reply, *, own: bool) -> None:
        """Go on from the card of a look-up; `own` is the person whom it was shown to.

        Raises:
            LoreKeeperError: refused or failed.
        """
        match press.action:
            case Action.CHOOSE if press.number < len(looked.choices):
                await self.choose(looked, looked.choices[press.number], asker, reply)
            case Action.FULLER:
                alone = replace(looked, private=True)
                await reply.show(await self.card(alone, asker), private=True)
            case Action.EARLIER | Action.LATER if press.action.value in (looked.turns or {}):
                place = (looked.turns or {})[press.action.value]
                there = replace(looked, arguments={**looked.arguments, "asOf": place})
                await self._show_there(there, asker, reply, own=own)
            case Action.HISTORY:
                arguments = {ENTITY: looked.arguments[ENTITY]}
                history = replace(looked, name="history", tool="get_history", arguments=arguments)
                await reply.show(await self.card(history, asker), private=looked.private)
            case Action.PAGE:
                await reply.replace(await self.card(looked, asker), None, press.number)
            case _:
                await reply.hint(say(asker.language, "chat.outdated"))

    async def _show_there(self, looked: Looked, asker: Asker, reply: Reply, *, own: bool) -> None:
        """Turn the card of the one whom it was shown to; others, who may see less, get one of their own."""
        card = await self.card(looked, asker)
        if own:
            await reply.replace(card, None)
        else:
            await reply.show(card, private=True)

    async def _let_choose(self, error: AmbiguousEntity, looked: Looked, asker: Asker, reply: Reply) -> None:
        candidates = error.facts.get("candidates")
        if not isinstance(candidates, tuple) or looked.arguments.get(ENTITY) != error.facts.get("name"):
            raise error
        named = [candidate.rpartition(" ") for candidate in candidates]
        card = Card(
            title=say(asker.language, "chat.which", name=error.facts.get("name")),
            buttons=tuple(
                Button(action=Action.CHOOSE, label=label, line=number)
                for number, (label, _, _) in enumerate(named)
            ),
        )
        looked = replace(looked, choices=tuple(choice for _, _, choice in named))
        alone = looked.private or (
            BY_NAME[looked.name].writes and await self.exchange.core.fuller(asker) is not None
        )
        looked = replace(looked, private=alone)
        card = await self.exchange.followups.looked(looked, card, asker, fuller=False)
        await reply.show(card, private=alone)


def _further(looked: Looked, viewer: Asker) -> tuple[Button, ...]:
    """Return what an entry's card leads on to: its history, for those who may see edits."""
    if looked.tool != "get_entity_state" or not isinstance(viewer.bound, Author):
        return ()
    return (Button(action=Action.HISTORY, label=say(viewer.language, "button.history")),)
