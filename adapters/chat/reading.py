"""What the model is told with a question: what it answers or quotes, what others said, what came with it."""

import asyncio
import io
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from adapters.chat.model import Attached, Heard
from adapters.chat.room import ChatError, Rooms
from agent_core.conversation.model import Overheard
from agent_core.core import Core
from agent_core.errors import ImportFailure
from agent_core.importing.plain import READABLE, text_of
from agent_core.tools.spec import Asker

KEPT = 60
MOST_MESSAGES = 20
MOST_CHARS = 3_000
FILE_CHARS = 20_000
FILE_BYTES = 8_000_000
READING_S = 20.0
MOST_FILES = 3
FRESH = timedelta(hours=24)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reading:
    """Gathers the context of a message, bounded in size: data for the model, never a request."""

    core: Core
    rooms: Rooms

    async def context(self, heard: Heard, asker: Asker) -> str:
        """Return what is told along with a question, or ""."""
        parts = [
            await self._overheard(heard, asker.conversation.id),
            *(_quoted(quoted.author, quoted.text) for quoted in heard.quoted),
            *[await self._file(file, asker.person.id) for file in heard.files[:MOST_FILES]],
        ]
        return "\n".join(part for part in parts if part)

    async def overhear(self, heard: Heard, conversation: str) -> None:
        """Keep what was said besides."""
        said = Overheard(
            conversation=conversation,
            message=heard.message,
            speaker=heard.speaker.name,
            text=heard.text[:MOST_CHARS],
            at=heard.at,
        )
        await self.core.chat.overhear(said, KEPT)

    async def _overheard(self, heard: Heard, conversation: str) -> str:
        """Return what others said here since the last question, the newest part of it."""
        turns = await self.core.runtime.turns.recent_turns(conversation, before=None, limit=1)
        since: datetime = heard.at - FRESH
        if turns:
            since = max(since, turns[-1].started)
        found = await self.core.chat.overheard(conversation, since)
        lines: list[str] = []
        left = MOST_CHARS
        for said in reversed(found[-MOST_MESSAGES:]):
            line = f"{_one_line(said.speaker)}: {said.text}"
            left -= len(line)
            if left < 0:
                break
            lines.append(line)
        return "\n".join(reversed(lines))

    async def _file(self, file: Attached, person: str) -> str:
        """Return the text of a file, or what is known of one that can’t be read. The file is kept a week."""
        about = f"(file {_one_line(file.name)}, {file.media_type or 'unknown type'}, {file.size} bytes"
        try:
            content = await self.rooms.fetch(file, FILE_BYTES)
            upload = self.core.runtime.new_id()
            [path] = await self.core.askers.uploads.keep(person, upload, [(file.name, io.BytesIO(content))])
            if path.suffix.lower() not in READABLE:
                return f"{about}; its content is not readable here)"
            async with asyncio.timeout(READING_S):
                text = await asyncio.to_thread(text_of, path)
        except (ChatError, ImportFailure, TimeoutError) as error:
            logger.info("file not read", extra={"error": str(error)})
            return f"{about}; it could not be read: {_reason(error)})"
        cut = f", its first {FILE_CHARS} characters" if len(text) > FILE_CHARS else ""
        return f"{about}{cut}:)\n{text[:FILE_CHARS]}\n(end of the file)"


def _reason(error: Exception) -> str:
    if isinstance(error, ImportFailure):
        return str(error.facts.get("reason", "damaged")).replace("_", " ")
    return error.reason.replace("_", " ") if isinstance(error, ChatError) else "it took too long"


def _quoted(author: str, text: str | None) -> str:
    if text is None:
        return f"(in answer to a message of {_one_line(author) or 'somebody'} that is gone)"
    return f"(in answer to {_one_line(author)}:) {text[:MOST_CHARS]}"


def _one_line(text: str) -> str:
    return " ".join(text.split())[:80]
