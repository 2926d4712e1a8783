"""A message as a scene: `/scene save 7.3 The Crossing` in reply to its text proposes it there."""

import re
from dataclasses import dataclass

from telegram import Message

from adapters.chat.desk import Desk
from adapters.chat.model import Heard
from adapters.chat.room import ChatError, Reply
from adapters.surface import Said, error_text
from adapters.telegram.inbound import text_file_of
from agent_core.errors import LoreKeeperError
from agent_core.messages import Json
from agent_core.texts import say
from agent_core.tools.spec import Asker

COMMAND = "scene save"
MAX_BYTES = 1_000_000
_TYPED = re.compile(r"/scene[ _]save(?:@\w+)?(?:\s+(?P<rest>.*))?", re.DOTALL | re.IGNORECASE)
_PLACE = re.compile(r"@?(?P<chapter>\S+)\.(?P<scene>\d{1,4})(?:\s+(?P<title>[^\n]*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Scenes:
    """Proposes what somebody wrote as a scene of the book."""

    desk: Desk

    async def save(self, message: Message, heard: Heard, reply: Reply) -> bool:
        """Propose the answered message as a scene; return whether that was asked for."""
        typed = _TYPED.fullmatch(heard.text)
        if typed is None:
            return False
        asker = await self.desk.asker(heard.speaker, heard.spot, reply)
        if asker is None:
            return True
        place = _PLACE.fullmatch((typed["rest"] or "").strip())
        text = await self._text(message, heard)
        if place is None or not text:
            await reply.show(Said(markdown=say(asker.language, "telegram.scene_usage")))
        else:
            await self._propose(place, text, asker, reply)
        return True

    async def _propose(self, place: re.Match[str], text: str, asker: Asker, reply: Reply) -> None:
        arguments: dict[str, Json] = {
            "chapterId": place["chapter"],
            "sceneNumber": int(place["scene"]),
            "title": (place["title"] or "").strip(),
            "rawText": text,
        }
        try:
            await self.desk.exchange.propose([("persist_scene", arguments)], asker, reply, complete=False)
        except LoreKeeperError as error:
            await reply.show(Said(markdown=error_text(error, asker.language)))

    async def _text(self, message: Message, heard: Heard) -> str:
        """Return the words of the answered message, or of the text file in it; "" without any."""
        answered = message.reply_to_message
        file = text_file_of(answered) if answered is not None else None
        if file is not None:
            try:
                content = await self.desk.exchange.rooms.fetch(file, MAX_BYTES)
            except ChatError:
                return ""
            return content.decode("utf-8-sig", "replace").strip()
        return next((quoted.text.strip() for quoted in heard.quoted if quoted.text), "")
