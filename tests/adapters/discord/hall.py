"""A hall: a house with the bot on an emulated Discord, and the people of a writing group."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

from adapters.chat.desk import Desk
from adapters.discord.place import DiscordSettings
from adapters.discord.rooms import DiscordRooms
from adapters.discord.serve import serve_discord
from agent_core.conversation.model import Audience, Conversation, card_state
from agent_core.people.model import Admission, Door, Identity, Membership, Progress, SeriesRole
from agent_core.tools.spec import Asker
from bot.desks import desk_for
from tests.emulators.discord import Channel, Discord, Guild, Interaction, Message, User
from tests.house import House


@dataclass
class Hall:
    """A server that was let in, with one channel; who the bot knows is given roles by `seat`."""

    house: House
    discord: Discord
    guild: Guild
    channel: Channel
    desk: Desk
    ana: User
    running: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def rest(self) -> None:
        """Wait until nothing is being answered."""
        await self.discord.until(lambda: not self.desk.exchange.driving, because="the end of all turns")

    async def marks_written(self) -> None:
        """Wait until it is written down how far the channel was read."""
        chat = self.desk.exchange.core.chat
        async with asyncio.timeout(10):
            while await chat.noted("discord", f"read:{self.channel.id}") is None:  # noqa: ASYNC110  a database
                await asyncio.sleep(0)

    async def stop(self) -> None:
        """Stop the bot."""
        await self.running.aclose()

    async def admit(self, guild: Guild) -> None:
        """Let a server in."""
        operators = self.house.app.pairing.operators
        await operators.set_admission(Admission("discord", Door.SERVER, str(guild.id)), admitted=True)

    async def asker(self, user: User, channel: Channel, *, operator: bool = False) -> Asker:
        """Return a person in a place, as the bot knows them."""
        new = Conversation(
            id=f"c{channel.id}", platform="discord", place=str(channel.id), private=channel.guild is None
        )
        identity = Identity("discord", str(user.id))
        return await self.house.core.askers.identify(identity, user.display_name, new, operator=operator)

    async def link(self, channel: Channel, **changed: object) -> Conversation:
        """Link a place to the house's book; `changed` are fields of the conversation."""
        asker = await self.asker(self.ana, channel)
        home = (await self.house.asker()).conversation
        linked = replace(asker.conversation, series=home.series, book=home.book)
        linked = replace(linked, **changed)  # type: ignore[arg-type]  # fields of a conversation by name
        await self.house.core.askers.conversations.save_conversation(linked)
        return linked

    async def readers(self, channel: Channel, up_to: str) -> None:
        """Make a place one for readers up to a place in the book."""
        await self.link(channel, audience=Audience.READERS, audience_up_to=await self.node(up_to))

    async def node(self, place: str) -> str | None:
        """Return the id of what a reader has finished who has finished a place."""
        conversation = (await self.house.asker()).conversation
        canon = await self.house.core.askers.canon(conversation)
        assert canon is not None
        from agent_core.lore.model import Author

        found = canon.outline.find(place, book=conversation.book, here=None, bound=Author())
        return canon.outline.finished(found)

    async def join(self, user: User, role: SeriesRole, finished: str | None = None) -> None:
        """Give a person a role in the series, and a reader their progress."""
        asker = await self.asker(user, self.channel)
        series = (await self.house.asker()).conversation.series
        assert series is not None
        people = self.house.core.askers.people
        await people.set_membership(Membership(person=asker.person.id, series=series, role=role))
        if finished is not None:
            node = await self.node(finished)
            await people.set_progress(Progress(person=asker.person.id, series=series, finished=node))

    async def say(self, text: str, user: User | None = None, channel: Channel | None = None) -> Message:
        """Say something to the bot and return what was said."""
        place = channel or self.channel
        return self.discord.say(user or self.ana, place, f"{self.discord.bot.mention} {text}")

    async def ask(self, text: str, user: User | None = None, channel: Channel | None = None) -> Message:
        """Ask the bot by mention; return the last reply to it once it is there."""
        return await self.discord.reply(await self.say(text, user, channel))

    async def card(self, question: Message, number: int = 1) -> Message:
        """Return the `number`th card that replies to a message, once it is there."""
        found = await self.discord.until(
            lambda: self._cards(question)[number - 1 : number],
            because=f"card {number} in reply to {question.content!r}",
        )
        return found[0]

    def _cards(self, question: Message) -> list[Message]:
        return [one for one in self.discord.replies_to(question) if one.embeds]

    async def changes(self, message: Message, title: str) -> None:
        """Wait until a card has a title that holds this."""
        await self.discord.until(
            lambda: title in message.embeds[0]["title"], because=f"a card with {title!r} in its title"
        )

    async def save(self, card: Message, user: User | None = None) -> Interaction:
        """Press Save once it is noted which proposal the message shows."""
        await self.noted(card)
        return self.discord.click(user or self.ana, card, "Save")

    async def noted(self, card: Message) -> None:
        """Wait until it is noted that a message shows its proposal as it is now."""
        async with asyncio.timeout(5):
            while not await self._is_noted(f"{card.channel.id}/{card.id}"):  # noqa: ASYNC110  a database
                await asyncio.sleep(0)

    async def _is_noted(self, ref: str) -> bool:
        core = self.desk.exchange.core
        shown = await core.chat.card_at("discord", ref)
        batch = await core.batch(shown.batch) if shown is not None else None
        if shown is None or batch is None:
            return False
        return shown.state == card_state(batch.status.value, batch.digest, settled=batch.settled)

    async def known(self, key: str) -> object:
        """Return what the notes say of a detail of Mara, None for nothing."""
        return (await self.house.state("Mara")).get(key)

    async def until_listed(self) -> None:
        """Wait until the server's commands are registered."""
        await self.discord.until(
            lambda: self.discord.commands(self.guild.id), because="commands of the server"
        )


@asynccontextmanager
async def open_hall(house: House, discord: Discord, **settings: object) -> AsyncIterator[Hall]:
    """Give a hall; the house is open and the bot connects, listens and is stopped at the end."""
    ana = discord.user("Ana")
    guild = discord.guild("Writers", ana)
    channel = discord.channel(guild, "low-water")
    rooms = DiscordRooms(edit_every_s=0.05)
    hall = Hall(house, discord, guild, channel, desk_for(house.app, rooms), ana)
    await hall.admit(guild)
    await hall.asker(ana, channel, operator=True)
    await hall.join(ana, SeriesRole.OWNER)
    await hall.link(channel)
    async with hall.running:
        await hall.running.enter_async_context(serving(hall.desk, rooms, discord, **settings))
        yield hall
        await hall.house.endpoint.exhausted()


@asynccontextmanager
async def serving(
    desk: Desk, rooms: DiscordRooms, discord: Discord, **changed: object
) -> AsyncIterator[None]:
    """Run the bot until the end of the block."""
    settings = DiscordSettings(
        token=discord.token, api_base=discord.api_base, gateway_url=discord.gateway_url, settled_s=0.05
    )
    settings = replace(settings, **changed)  # type: ignore[arg-type]  # fields of the settings by name
    running = asyncio.create_task(serve_discord(desk, rooms, settings))
    before = discord.gateway.identified
    try:
        await discord.ready(times=before + 1)
        yield
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await asyncio.sleep(0)  # the library's last events begin, to find nobody there
