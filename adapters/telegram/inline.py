"""Entry cards in any chat, by typing our name: bounded by what the person who types may see."""

import logging
from dataclasses import dataclass

from telegram import Bot, InlineQuery, InlineQueryResultArticle, InputTextMessageContent, LinkPreviewOptions
from telegram.error import TelegramError

from adapters.cards import answer_card
from adapters.chat.desk import Desk
from adapters.chat.model import Spot
from adapters.telegram.inbound import speaker_of
from adapters.telegram.place import PLATFORM
from adapters.telegram.render import card_part
from agent_core.lore.answers import EntryState
from agent_core.tools.spec import Asker

MOST = 8
_CACHE_S = 5
_DESCRIPTION = 120

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineMode:
    """Offers the entries of the book that is talked about in the person's private chat."""

    desk: Desk
    bot: Bot

    async def answer(self, query: InlineQuery) -> None:
        """Offer what fits; nothing to people who are not heard."""
        speaker = speaker_of(query.from_user)
        spot = Spot(platform=PLATFORM, key=speaker.user, private=True)
        found = await self.desk.suggest("lore", "entity", query.query, {}, speaker, spot)
        offered = []
        if found:
            asker = await self.desk.exchange.reception.seat(speaker, spot)
            for number, (label, name) in enumerate(found[:MOST]):
                article = await self._article(f"{number}", label, name, asker)
                offered += [article] if article is not None else []
        try:
            await self.bot.answer_inline_query(query.id, offered, cache_time=_CACHE_S, is_personal=True)
        except TelegramError as error:
            logger.info("inline query not answered", extra={"reason": error.message})

    async def _article(
        self, number: str, label: str, name: str, asker: Asker
    ) -> InlineQueryResultArticle | None:
        found = await self.desk.exchange.core.peek("get_entity_state", {"entityId": name}, asker)
        if not isinstance(found, EntryState):
            return None
        card = answer_card(found, await self.desk.exchange.view(asker), name=name)
        part = card_part(card)
        if not part.fits:
            return None
        lines = [line.text for line in card.lines] + [line.text for one in card.fields for line in one.lines]
        return InlineQueryResultArticle(
            id=number,
            title=label,
            description=" · ".join(lines)[:_DESCRIPTION],
            input_message_content=InputTextMessageContent(
                part.text, entities=part.entities, link_preview_options=LinkPreviewOptions(is_disabled=True)
            ),
        )
