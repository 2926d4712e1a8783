"""Decisions about cards by button, reaction or reply: each is checked as the person's own."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from adapters.cards import Action, answer_buttons
from adapters.chat.exchange import Exchange
from adapters.chat.model import Pressed, Reacted
from adapters.chat.press import Press
from adapters.chat.room import Reply
from adapters.surface import error_text
from agent_core.errors import BatchClosed, LoreKeeperError, NotYourBatch
from agent_core.events import Emit
from agent_core.pipeline.confirmations import Decision, risk_of
from agent_core.pipeline.model import Batch, BatchStatus
from agent_core.texts import say
from agent_core.tools.spec import Asker, Risk

_YES = frozenset("✅👍☑✔")
_NO = frozenset("❌👎✖")
_BACK = frozenset("↩")
_KEYCAP = "\u20e3"
_VARIANTS = {ord("\ufe0f"): None, ord("\ufe0e"): None, **dict.fromkeys(range(0x1F3FB, 0x1F400))}


@dataclass(frozen=True, slots=True)
class Deciding:
    """Carries out what people decide about cards."""

    exchange: Exchange

    async def pressed(self, press: Press, pressed: Pressed, asker: Asker, reply: Reply) -> None:
        """Carry out the press of a button of a batch's card."""
        batch = await self.exchange.core.batch(press.record)
        if batch is None:
            await reply.hint(say(asker.language, "error.batch_closed.missing"))
            return
        digest = await self._shown_digest(pressed.ref, batch)
        if digest is None:  # nobody was shown this card there
            await reply.hint(say(asker.language, "chat.outdated"))
            return
        match press.action:
            case Action.SAVE | Action.SAVE_SELECTION:
                await self.decide(batch, Decision(approve=True, digest=digest), asker, reply)
            case Action.DISCARD:
                await self.decide(batch, Decision(approve=False, digest=digest), asker, reply)
            case Action.TOGGLE:
                await self._revise(batch, lambda: self._toggled(batch, press.number, asker), asker, reply)
            case Action.ANSWER:
                await self._revise(batch, lambda: self._answered(batch, press.number, asker), asker, reply)
            case Action.TAKE_BACK:
                await self._take_back(batch, asker, reply)
            case _:  # Action.PAGE
                await reply.replace(await self.exchange.board.card(batch), batch, press.number)

    async def reacted(self, reacted: Reacted, batch: Batch, asker: Asker, reply: Reply) -> None:
        """Carry out a reaction at a batch's card; an emoji that means nothing here is ignored.

        Taking a reaction away decides nothing: what was decided is done. Only a line's number toggles back.
        """
        emoji = reacted.emoji.translate(_VARIANTS)
        number = _number(emoji)
        if number is not None:
            await self._number_set(batch, number, asker, reply, added=reacted.added)
        elif not reacted.added:
            if emoji in _YES | _NO and batch.decided_by == asker.person.id:
                await reply.hint(say(asker.language, "chat.decided_already"))
        elif emoji in _YES | _NO:
            digest = await self._shown_digest(reacted.ref, batch)
            await self.decide(batch, Decision(approve=emoji in _YES, digest=digest), asker, reply)
        elif emoji in _BACK:
            await self._take_back(batch, asker, reply)

    async def said(self, batch: Batch, ref: str, asker: Asker, reply: Reply, *, approve: bool) -> None:
        """Take a yes or no in words in answer to a card; what can't be undone wants its button."""
        digest = await self._shown_digest(ref, batch)
        if digest is None or (approve and risk_of(batch) is Risk.DANGEROUS):
            await reply.hint(say(asker.language, "chat.outdated" if digest is None else "chat.wants_button"))
            return
        await self.decide(batch, Decision(approve=approve, digest=digest), asker, reply)

    async def decide(self, batch: Batch, decision: Decision, asker: Asker, reply: Reply) -> None:
        """Decide a card, let it show what became of it, and go on with its turn."""
        exchange = self.exchange

        async def work(emit: Emit) -> Batch:
            return await exchange.core.decide(
                batch.id, decision, asker, exchange.after_outcome(batch.id, emit)
            )

        try:
            decided = await exchange.drive(work, reply, asker)
        except (NotYourBatch, BatchClosed) as error:
            await reply.hint(error_text(error, asker.language))
            await self._show_anew(batch.id)
            return
        await self._show_anew(batch.id)
        if decided.id != batch.id and not await exchange.board.refresh(decided):
            await exchange.show_batch(decided, asker, reply)

    async def _toggled(self, batch: Batch, ordinal: int, asker: Asker) -> Batch:
        chosen = {call.ordinal for call in batch.calls if call.selected} ^ {ordinal}
        return await self.exchange.core.select(batch.id, chosen, asker)

    async def _answered(self, batch: Batch, number: int, asker: Asker) -> Batch:
        choices = answer_buttons(batch, batch.language)
        if number >= len(choices):
            raise BatchClosed(reason="changed")
        chosen = choices[number]
        return await self.exchange.core.answer_question(
            batch.id, chosen.line, chosen.name, chosen.value, asker
        )

    async def _number_set(
        self, batch: Batch, number: int, asker: Asker, reply: Reply, *, added: bool
    ) -> None:
        """Take lines in by their numbers: the first number chooses that line alone, others come with it."""
        if number > len(batch.calls):
            return
        ordinal = batch.calls[number - 1].ordinal
        chosen = {call.ordinal for call in batch.calls if call.selected}
        everything = len(chosen) == len(batch.calls)
        if added:
            wanted = {ordinal} if everything and len(batch.calls) > 1 else chosen | {ordinal}
        else:
            wanted = chosen - {ordinal} or {call.ordinal for call in batch.calls}
        await self._revise(batch, lambda: self.exchange.core.select(batch.id, wanted, asker), asker, reply)

    async def _revise(
        self, batch: Batch, work: Callable[[], Awaitable[Batch]], asker: Asker, reply: Reply
    ) -> None:
        try:
            revised = await work()
        except LoreKeeperError as error:
            await reply.hint(error_text(error, asker.language))
            await self._show_anew(batch.id)
            return
        await self.exchange.board.refresh(revised)

    async def _take_back(self, batch: Batch, asker: Asker, reply: Reply) -> None:
        if batch.status is not BatchStatus.APPROVED or batch.edit is None:
            await reply.hint(say(asker.language, "chat.nothing_to_take_back"))
            return
        place = asker.conversation
        if batch.series != place.series:
            await reply.hint(say(asker.language, "chat.other_series", edit=batch.edit))
            return
        try:
            await self.exchange.propose([("undo", {"change": batch.edit})], asker, reply, complete=True)
        except LoreKeeperError as error:
            await reply.hint(error_text(error, asker.language))

    async def _shown_digest(self, ref: str, batch: Batch) -> str | None:
        """Return the digest of the card as the message shows it; None where it shows another batch."""
        shown = await self.exchange.core.chat.card_at(self.exchange.rooms.platform, ref)
        if shown is None or shown.batch != batch.id:
            return None
        return shown.state.rpartition("/")[2]

    async def _show_anew(self, batch_id: str) -> None:
        batch = await self.exchange.core.batch(batch_id)
        if batch is not None:
            await self.exchange.board.refresh(batch)


def _number(emoji: str) -> int | None:
    """Return the number of a keycap such as 3️⃣."""
    digit = emoji.removesuffix(_KEYCAP)
    return int(digit) if digit != emoji and digit in set("123456789") else None
