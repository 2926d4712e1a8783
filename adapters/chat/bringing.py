"""`/import` with files: what they would change stands on one card, and is written once that is saved.

Manuscripts are books; zip files of notes, sheets, codexes and lorebooks are story bibles.
"""

from dataclasses import dataclass
from io import BytesIO

from adapters.chat.exchange import Exchange
from adapters.chat.model import Heard
from adapters.chat.room import ChatError, Reply
from adapters.surface import Said
from agent_core.importing.bible.files import is_bible
from agent_core.importing.uploads import Uploads
from agent_core.messages import Json
from agent_core.texts import say
from agent_core.tools.spec import Asker

MAX_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class Bringing:
    """Takes books in that people send."""

    exchange: Exchange
    uploads: Uploads

    async def bring(self, heard: Heard, asker: Asker, reply: Reply, *, batch_id: str) -> None:
        """Keep the files of a message and propose to import them.

        Raises:
            LoreKeeperError: they can't be read, or the person may not write here.
        """
        language = asker.language
        if not heard.files:
            await reply.show(Said(markdown=say(language, "chat.import_wants_file")))
            return
        try:
            files = [(file.name, await self.exchange.rooms.fetch(file, MAX_BYTES)) for file in heard.files]
        except ChatError as error:
            key = "chat.file_too_large_in" if error.reason == "too_large" else "chat.file_gone"
            await reply.show(Said(markdown=say(language, key, n=MAX_BYTES // 1_000_000)))
            return
        upload = self.exchange.core.runtime.new_id()
        await self.uploads.keep(asker.person.id, upload, [(name, BytesIO(read)) for name, read in files])
        arguments: dict[str, Json] = {"source": "upload", "upload": upload}
        tool = "import_bible" if is_bible(file.name for file in heard.files) else "import_manuscript"
        calls = [(tool, arguments)]
        try:
            await self.exchange.propose(calls, asker, reply, complete=False, batch_id=batch_id)
        except BaseException:
            await self.uploads.drop(asker.person.id, upload)
            raise
