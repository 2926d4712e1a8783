"""What chat platforms find again after a restart, in SQL."""

from collections.abc import Sequence
from datetime import datetime

from agent_core.clock import from_stamp, to_stamp
from agent_core.conversation.model import Conversation, Followup, Overheard, ShownCard
from agent_core.stores.sql.conversation import read_conversations
from agent_core.stores.sql.database import Database, Durability, SqlRow, SqlValue, Tx, one_of
from agent_core.stores.sql.json_text import from_text, to_text
from agent_core.turn.model import DELETED

_CARDS = "SELECT platform, ref, batch, place, state FROM shown_card"
_DECIDED = """
    SELECT batch.edit, ref FROM shown_card JOIN batch ON batch.id = shown_card.batch
    WHERE platform = :platform AND batch.series = (SELECT series FROM conversation WHERE id = :conversation)
        AND CAST(batch.edit AS TEXT)
"""
_STATE = "batch.status || '/' || batch.settled || '/' || batch.digest"  # as `card_state` writes it


class SqlChatStore:
    """A `ChatStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def card_shown(self, card: ShownCard) -> None:
        def write(tx: Tx) -> None:
            tx.run(
                "INSERT INTO shown_card (platform, ref, batch, place, state)"
                " VALUES (:platform, :ref, :batch, :place, :state) ON CONFLICT (platform, ref)"
                " DO UPDATE SET batch = excluded.batch, place = excluded.place, state = excluded.state",
                {
                    "platform": card.platform,
                    "ref": card.ref,
                    "batch": card.batch,
                    "place": card.place,
                    "state": card.state,
                },
            )

        await self._database.write(write, Durability.FULL)

    async def card_gone(self, platform: str, ref: str) -> None:
        await self._database.write(
            lambda tx: tx.run(
                "DELETE FROM shown_card WHERE platform = :platform AND ref = :ref",
                {"platform": platform, "ref": ref},
            ),
            Durability.NORMAL,
        )

    async def card_at(self, platform: str, ref: str) -> ShownCard | None:
        found = await self._cards("WHERE platform = :platform AND ref = :ref", platform=platform, ref=ref)
        return found[0] if found else None

    async def cards_of(self, batch: str) -> tuple[ShownCard, ...]:
        return await self._cards("WHERE batch = :batch ORDER BY ref", batch=batch)

    async def cards_of_edits(self, platform: str, conversation: str, edits: Sequence[int]) -> dict[int, str]:
        names, params = one_of("edit", [str(edit) for edit in edits])
        found = await self._database.read(
            lambda tx: tx.rows(
                f"{_DECIDED} IN {names} ORDER BY ref DESC",
                {**params, "platform": platform, "conversation": conversation},
            )
        )
        return dict(found)

    async def stale_cards(self, platform: str, limit: int) -> tuple[ShownCard, ...]:
        return await self._cards(
            f"JOIN batch ON batch.id = shown_card.batch WHERE platform = :platform AND state <> {_STATE}"
            " ORDER BY batch.ord LIMIT :limit",
            platform=platform,
            limit=limit,
        )

    async def unshown_batches(self, platform: str) -> tuple[str, ...]:
        found = await self._database.read(
            lambda tx: tx.rows(
                "SELECT batch.id FROM batch JOIN conversation ON conversation.id = batch.conversation"
                " WHERE batch.settled = 0 AND batch.status = 'open' AND conversation.platform = :platform"
                " AND batch.id NOT IN (SELECT batch FROM shown_card) ORDER BY batch.ord",
                {"platform": platform},
            )
        )
        return tuple(batch for (batch,) in found)

    async def overhear(self, said: Overheard, keep: int) -> None:
        await self._database.write(lambda tx: _overhear(tx, said, keep), Durability.NORMAL)

    async def overheard(self, conversation: str, since: datetime | None) -> tuple[Overheard, ...]:
        found = await self._database.read(
            lambda tx: tx.rows(
                "SELECT conversation, message, speaker, body, at FROM overheard"
                " WHERE conversation = :conversation AND at > :since ORDER BY at, ord",
                {"conversation": conversation, "since": to_stamp(since) if since else ""},
            )
        )
        return tuple(
            Overheard(conversation=place, message=message, speaker=who, text=text, at=from_stamp(at))
            for place, message, who, text, at in found
        )

    async def forget_overheard(self, conversation: str) -> None:
        await self._database.write(
            lambda tx: tx.run(
                "DELETE FROM overheard WHERE conversation = :conversation", {"conversation": conversation}
            ),
            Durability.FULL,
        )

    async def amend(self, conversation: str, message: str, text: str | None) -> str | None:
        return await self._database.write(lambda tx: _amend(tx, conversation, message, text), Durability.FULL)

    async def follow_up(self, followup: Followup, *, forget_before: datetime) -> None:
        def write(tx: Tx) -> None:
            tx.run("DELETE FROM followup WHERE at < :at", {"at": to_stamp(forget_before)})
            tx.run(
                "INSERT INTO followup (id, conversation, person, body, at)"
                " VALUES (:id, :conversation, :person, :body, :at)"
                " ON CONFLICT (id) DO UPDATE SET body = excluded.body, at = excluded.at",
                {
                    "id": followup.id,
                    "conversation": followup.conversation,
                    "person": followup.person,
                    "body": to_text(dict(followup.body)),
                    "at": to_stamp(followup.at),
                },
            )

        await self._database.write(write, Durability.NORMAL)

    async def followup(self, followup: str) -> Followup | None:
        found = await self._database.read(
            lambda tx: tx.row(
                "SELECT id, conversation, person, body, at FROM followup WHERE id = :id", {"id": followup}
            )
        )
        if found is None:
            return None
        id_, conversation, person, body, at = found
        return Followup(
            id=id_, conversation=conversation, person=person, body=from_text(body), at=from_stamp(at)
        )

    async def note(self, platform: str, key: str, value: str) -> None:
        await self._database.write(
            lambda tx: tx.run(
                "INSERT INTO chat_note (platform, key, value) VALUES (:platform, :key, :value)"
                " ON CONFLICT (platform, key) DO UPDATE SET value = excluded.value",
                {"platform": platform, "key": key, "value": value},
            ),
            Durability.NORMAL,
        )

    async def noted(self, platform: str, key: str) -> str | None:
        found = await self._database.read(
            lambda tx: tx.row(
                "SELECT value FROM chat_note WHERE platform = :platform AND key = :key",
                {"platform": platform, "key": key},
            )
        )
        return found[0] if found else None

    async def places(self, platform: str) -> tuple[Conversation, ...]:
        return await self._database.read(
            lambda tx: read_conversations(
                tx, "platform = :platform AND series IS NOT NULL ORDER BY rowid", {"platform": platform}
            )
        )

    async def move_places(self, platform: str, was: str, now: str) -> int:
        return await self._database.write(lambda tx: _move_places(tx, platform, was, now), Durability.FULL)

    async def _cards(self, rest: str, **params: str | int) -> tuple[ShownCard, ...]:
        found = await self._database.read(lambda tx: tx.rows(f"{_CARDS} {rest}", params))
        return tuple(map(_card, found))


def _card(found: SqlRow) -> ShownCard:
    platform, ref, batch, place, state = found
    return ShownCard(platform=platform, ref=ref, batch=batch, place=place, state=state)


def _overhear(tx: Tx, said: Overheard, keep: int) -> None:
    tx.run(
        "INSERT INTO overheard (conversation, message, speaker, body, at)"
        " VALUES (:conversation, :message, :speaker, :body, :at)"
        " ON CONFLICT (conversation, message) DO UPDATE SET body = excluded.body",
        {
            "conversation": said.conversation,
            "message": said.message,
            "speaker": said.speaker,
            "body": said.text,
            "at": to_stamp(said.at),
        },
    )
    tx.run(
        "DELETE FROM overheard WHERE conversation = :conversation AND ord NOT IN (SELECT ord FROM overheard"
        " WHERE conversation = :conversation ORDER BY at DESC, ord DESC LIMIT :keep)",
        {"conversation": said.conversation, "keep": keep},
    )


def _amend(tx: Tx, conversation: str, message: str, text: str | None) -> str | None:
    where: dict[str, SqlValue] = {"conversation": conversation, "message": message}
    if text is None:
        _purge_contexts(tx, where)
        tx.run("DELETE FROM overheard WHERE conversation = :conversation AND message = :message", where)
    else:
        tx.run(
            "UPDATE overheard SET body = :body WHERE conversation = :conversation AND message = :message",
            {**where, "body": text},
        )
    body = {**where, "body": DELETED if text is None else text}
    tx.run("UPDATE inbox SET body = :body WHERE conversation = :conversation AND message = :message", body)
    found = tx.row("SELECT turn FROM inbox WHERE conversation = :conversation AND message = :message", where)
    if found is None or found[0] is None:
        return None
    turn: str = found[0]
    tx.run("UPDATE turn SET question = :body WHERE id = :turn", {"body": body["body"], "turn": turn})
    if text is None:
        _forget_answer(tx, turn)
    return turn


def _purge_contexts(tx: Tx, where: dict[str, SqlValue]) -> None:
    """Remove what questions were told along with them, where the message that is deleted stands in it."""
    found = tx.rows(
        "SELECT body FROM overheard WHERE conversation = :conversation AND message = :message"
        " UNION SELECT body FROM inbox WHERE conversation = :conversation AND message = :message",
        where,
    )
    told = tx.rows(
        "SELECT id, context FROM turn WHERE conversation = :conversation AND context <> ''"
        " ORDER BY ord DESC LIMIT 200",
        where,
    )
    for turn, context in told:
        if any(body and body in context for (body,) in found):
            tx.run("UPDATE turn SET context = '' WHERE id = :turn", _id(turn))


def _forget_answer(tx: Tx, turn: str) -> None:
    """Remove what a turn that is over said and looked up: it may quote the message that was deleted."""
    over = tx.row(
        "SELECT 1 FROM turn WHERE id = :turn AND status IN ('done', 'cancelled', 'failed')", _id(turn)
    )
    if over is None:
        return
    tx.run("DELETE FROM turn_step WHERE turn = :turn", _id(turn))
    tx.run("UPDATE turn SET answer = '', context = '' WHERE id = :turn", _id(turn))
    tx.run("UPDATE inbox SET context = '' WHERE turn = :turn", _id(turn))


def _id(turn: str) -> dict[str, SqlValue]:
    return {"turn": turn}


def _move_places(tx: Tx, platform: str, was: str, now: str) -> int:
    moved = read_conversations(
        tx,
        "platform = :platform AND (place = :was OR substr(place, 1, length(:was) + 1) = :was || ':')",
        {"platform": platform, "was": was},
    )
    for old in moved:
        place = now + old.place[len(was) :]
        there = read_conversations(
            tx, "platform = :platform AND place = :place", {"platform": platform, "place": place}
        )
        for newer in there:  # it was spoken in under its new key before the move was told
            tx.run(
                "UPDATE conversation SET place = :place WHERE id = :id",
                {"place": f"{newer.place} (before {newer.id})", "id": newer.id},
            )
        tx.run("UPDATE conversation SET place = :place WHERE id = :id", {"place": place, "id": old.id})
    tx.run(
        "INSERT INTO admission (platform, door, key) SELECT platform, door, :now FROM admission"
        " WHERE platform = :platform AND door = 'chat' AND key = :was ON CONFLICT DO NOTHING",
        {"platform": platform, "was": was, "now": now},
    )
    tx.run(
        "DELETE FROM admission WHERE platform = :platform AND door = 'chat' AND key = :was",
        {"platform": platform, "was": was},
    )
    return len(moved)
