"""What only Discord offers: opening a thread for a book, saving a message as a scene, files to import."""

import re
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any

import discord

from adapters.chat.desk import Desk
from adapters.chat.model import Heard, Quoted, Speaker, Spot
from adapters.chat.room import ChatError
from adapters.discord.inbound import files_of, quoted, readable, speaker_of
from adapters.discord.refusal import limited, refusals
from adapters.discord.replies import InteractionReply
from adapters.discord.roles import Roles
from adapters.discord.rooms import DiscordRooms
from adapters.discord.spots import find_channel, spot_of
from adapters.surface import Said, error_text
from agent_core.errors import LoreKeeperError
from agent_core.messages import Json
from agent_core.people.model import WRITERS
from agent_core.pipeline.permissions import role_of
from agent_core.texts import say

SCENE_FORM = "lkscene"
MAX_THREAD_NAME = 100
_PLACE = re.compile(r"(.+)\.(\d{1,4})")


@dataclass(frozen=True, slots=True)
class Extras:
    """Carries out the commands that other platforms don't have."""

    client: discord.Client
    desk: Desk
    rooms: DiscordRooms
    roles: Roles

    async def carry_out(
        self,
        name: str,
        given: Mapping[str, object],
        interaction: discord.Interaction,
        spot: Spot,
        reply: InteractionReply,
    ) -> bool:
        """Carry out a command if it is one of these; return whether it was."""
        speaker = speaker_of(interaction.user, interaction.locale.value)
        match name:
            case "book open":
                await _explained(self._open_book(given, speaker, spot, reply), reply)
            case "members role":
                role = given.get("discord_role")
                if isinstance(role, discord.Role):
                    await _explained(self.roles.give_meaning(role, given, speaker, spot, reply), reply)
            case "import":
                await self._import(given, interaction, speaker, spot, reply)
            case _:
                return False
        return True

    async def ask_place(self, interaction: discord.Interaction, message: discord.Message) -> None:
        """Ask for chapter and scene number of a message that is to become a scene."""
        language = interaction.locale.value
        form = discord.ui.Modal(
            title=say(language, "discord.menu_save_as_scene")[:45],
            custom_id=f"{SCENE_FORM}:{message.id}",
        )
        form.add_item(
            discord.ui.TextInput(
                label=say(language, "discord.scene_place")[:45],
                placeholder="7.3",
                custom_id="place",
                max_length=40,
            )
        )
        form.stop()
        with refusals():
            await interaction.response.send_modal(form)

    async def save_scene(self, interaction: discord.Interaction, spot: Spot, reply: InteractionReply) -> None:
        """Propose a message as a scene where the form says."""
        data: Mapping[str, Any] = interaction.data or {}  # Any: the payload of a form
        form, _, message_id = str(data.get("custom_id", "")).partition(":")
        speaker = speaker_of(interaction.user, interaction.locale.value)
        asker = await self.desk.asker(speaker, spot, reply) if form == SCENE_FORM else None
        if asker is None:
            return
        place = _PLACE.fullmatch(_typed(data, "place").strip())
        if place is None or not message_id.isdigit():
            await reply.hint(say(reply.plain.language, "discord.no_scene_place"))
            return
        message = await self._message(spot, int(message_id))
        if message is None:
            await reply.hint(say(reply.plain.language, "discord.message_gone"))
            return
        text = readable(message.content, message, self._me)
        arguments: dict[str, Json] = {
            "chapterId": place[1].strip(),
            "sceneNumber": int(place[2]),
            "title": "",
            "rawText": text,
        }
        proposing = self.desk.exchange.propose([("persist_scene", arguments)], asker, reply, complete=False)
        await _explained(proposing, reply)

    async def _message(self, spot: Spot, message: int) -> discord.Message | None:
        """Return a message of a place, None where it is gone or closed to us."""
        try:
            with refusals():
                async with limited():
                    return await self.client.get_partial_messageable(int(spot.key)).fetch_message(message)
        except ChatError as error:
            if error.reason not in {"gone", "no_right"}:
                raise
            return None

    def quoted(self, message: discord.Message) -> Quoted:
        """Return a message as it is quoted."""
        return quoted(message, self._me)

    async def _open_book(
        self, given: Mapping[str, object], speaker: Speaker, spot: Spot, reply: InteractionReply
    ) -> None:
        asker = await self.desk.asker(speaker, spot, reply)
        if asker is None:
            return
        language, book = asker.language, str(given.get("book") or "").strip()
        view = await self.desk.exchange.view(asker)
        series = str(given.get("series") or "").strip() or view.series
        if role_of(asker.membership) not in WRITERS and not asker.person.operator:
            await reply.hint(say(language, "error.not_permitted.role"))
            return
        if not series:
            await reply.hint(say(language, "error.not_linked"))
            return
        thread = await self._thread(spot, book)
        there = spot_of(thread)
        if there is None:
            raise ChatError("gone", "the new thread")
        room = self.rooms.room_in(thread.id, thread.guild)
        inside = self.desk.exchange.reply_in(room, speaker, there, "")
        await reply.show(Said(markdown=say(language, "discord.opened", place=f"<#{thread.id}>", book=book)))
        seated = await self.desk.exchange.reception.seat(speaker, there)
        await self.desk.address_here(there, speaker)
        link: dict[str, Json] = {"series": series, "book": book}
        await self.desk.exchange.propose([("link_thread", link)], seated, inside, complete=True)

    async def _thread(self, spot: Spot, name: str) -> discord.Thread:
        """Return a new thread in the channel of a place."""
        channel = await find_channel(self.client, int(spot.key))
        if isinstance(channel, discord.Thread):
            channel = channel.parent or await find_channel(self.client, channel.parent_id)
        with refusals():
            async with limited():
                if isinstance(channel, discord.ForumChannel):
                    made = await channel.create_thread(name=name[:MAX_THREAD_NAME], content=name)
                    return made.thread
                if isinstance(channel, discord.TextChannel):
                    kind = discord.ChannelType.public_thread
                    return await channel.create_thread(name=name[:MAX_THREAD_NAME], type=kind)
        raise ChatError("no_right", "no threads here")

    async def _import(
        self,
        given: Mapping[str, object],
        interaction: discord.Interaction,
        speaker: Speaker,
        spot: Spot,
        reply: InteractionReply,
    ) -> None:
        file = given.get("file")
        heard = Heard(
            update=f"i{interaction.id}",
            message=f"i{interaction.id}",
            speaker=speaker,
            spot=spot,
            text="/import",
            at=interaction.created_at,
            files=files_of([file]) if isinstance(file, discord.Attachment) else (),
        )
        await self.desk.hear(heard, reply)

    @property
    def _me(self) -> discord.abc.Snowflake:
        user = self.client.user
        assert user is not None  # noqa: S101  interactions come after the log-in only
        return user


async def _explained(work: Awaitable[object], reply: InteractionReply) -> None:
    """Do the work; say to the person what was refused."""
    try:
        await work
    except LoreKeeperError as error:
        await reply.hint(error_text(error, reply.plain.language))
    except ChatError as error:
        key = "discord.no_threads" if error.reason == "no_right" else "error.internal"
        await reply.hint(say(reply.plain.language, key))


def _typed(data: Mapping[str, Any], field: str) -> str:  # Any: the payload of a form
    """Return what was typed into a field of a form; fields lie in rows or labels."""
    found = [data]
    while found:
        one = found.pop()
        if one.get("custom_id") == field:
            return str(one.get("value") or "")
        found += one.get("components") or ()
        found += [one["component"]] if isinstance(one.get("component"), Mapping) else []
    return ""
