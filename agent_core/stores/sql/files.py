"""Files of conversations in SQL."""

from datetime import datetime

from agent_core.clock import from_stamp, to_stamp
from agent_core.conversation.files import KEPT_OF_A_PLACE, KeptFile
from agent_core.stores.sql.database import Database, Durability, SqlRow, SqlValue, Tx

_FILES = "SELECT id, conversation, person, name, media_type, size, created FROM attachment"


class SqlFileStore:
    """A `FileStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_file(self, file: KeptFile, content: bytes, *, expired: datetime) -> None:
        row: dict[str, SqlValue] = {
            "id": file.id,
            "conversation": file.conversation,
            "person": file.person,
            "name": file.name,
            "media_type": file.media_type,
            "size": file.size,
            "created": to_stamp(file.created),
            "content": content,
        }

        def work(tx: Tx) -> None:
            tx.run("DELETE FROM attachment WHERE created < :expired", {"expired": to_stamp(expired)})
            tx.run(
                "DELETE FROM attachment WHERE conversation = :conversation AND arrived = 1 AND id NOT IN"
                " (SELECT id FROM attachment WHERE conversation = :conversation AND arrived = 1"
                " ORDER BY created DESC, id LIMIT :kept)",
                {"conversation": file.conversation, "kept": KEPT_OF_A_PLACE},
            )
            tx.run(
                "INSERT INTO attachment (id, conversation, person, name, media_type, size, created, content)"
                " VALUES (:id, :conversation, :person, :name, :media_type, :size, :created, :content)",
                row,
            )

        await self._database.write(work, Durability.FULL)

    async def due_files(self, conversation: str | None = None) -> tuple[KeptFile, ...]:
        return await self._select(
            "arrived = 0 AND (conversation = :conversation OR :any = 1) ORDER BY created, id",
            {"conversation": conversation or "", "any": int(conversation is None)},
        )

    async def file(self, file: str) -> KeptFile | None:
        found = await self._select("id = :id", {"id": file})
        return found[0] if found else None

    async def content(self, file: str) -> bytes | None:
        found = await self._database.read(
            lambda tx: tx.row("SELECT content FROM attachment WHERE id = :id", {"id": file})
        )
        return bytes(found[0]) if found else None

    async def file_arrived(self, file: str) -> None:
        await self._database.write(
            lambda tx: tx.run("UPDATE attachment SET arrived = 1 WHERE id = :id", {"id": file}),
            Durability.NORMAL,
        )

    async def _select(self, where: str, params: dict[str, SqlValue]) -> tuple[KeptFile, ...]:
        found = await self._database.read(lambda tx: tx.rows(f"{_FILES} WHERE {where}", params))
        return tuple(map(_file, found))


def _file(found: SqlRow) -> KeptFile:
    file, conversation, person, name, media_type, size, created = found
    return KeptFile(
        id=file,
        conversation=conversation,
        person=person,
        name=name,
        media_type=media_type,
        size=size,
        created=from_stamp(created),
    )
