"""A hall: a house with the bot on an emulated Telegram, and the people of a writing group."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

from adapters.cards import Card, Line
from adapters.chat.desk import Desk
from adapters.chat.room import Room, Rooms
from adapters.telegram.client import TelegramClient, serve_telegram
from adapters.telegram.connection import TelegramConfig
from adapters.telegram.hearing import Transcriber
from agent_core.conversation.model import Audience, Conversation
from agent_core.conversation.store import ChatStore
from agent_core.lore.model import Author
from agent_core.people.model import Admission, Door, Identity, Membership, Progress, SeriesRole
from agent_core.tools.spec import Asker
from bot.desks import desk_for
from tests.emulators.telegram import Chat, Message, Telegram, Topic, User
from tests.house import House


async def hastily(seconds: float) -> None:
    """Wait a tenth of the time, and half a second at most."""
    await asyncio.sleep(min(seconds / 10, 0.5))


@dataclass
class Hall:
    """Ana leads the series and is the operator; her private chat is linked to the book.

    `disk` keeps what the bot notes, the house's own store where it is None.
    """

    house: House
    telegram: Telegram
    ana: User
    private: Chat
    transcriber: Transcriber | None = None
    disk: ChatStore | None = None
    client: TelegramClient = field(init=False)
    rooms: list[Rooms] = field(default_factory=list)

    def build(self, **changed: object) -> TelegramClient:
        """Return the bot, not started."""
        config = TelegramConfig(
            token=self.telegram.token,
            api_base=self.telegram.base_url,
            file_base=self.telegram.base_file_url,
            transcriber=self.transcriber,
        )
        app = self.house.app

        def desk(rooms: Rooms) -> Desk:
            self.rooms.append(rooms)
            return desk_for(app, rooms)

        self.client = TelegramClient(
            config=replace(config, **changed),  # type: ignore[arg-type]  # fields of the settings by name
            desk_for=desk,
            chat=self.disk or app.core.chat,
            clock=self.house.clock,
            pause=hastily,
        )
        return self.client

    @asynccontextmanager
    async def serving(self, **changed: object) -> AsyncIterator[None]:
        """Run the bot until the end of the block."""
        running = asyncio.create_task(serve_telegram(self.build(**changed)))
        try:
            if "webhook_url" not in changed:
                await self.telegram.until(lambda: self.telegram.is_polled or running.done())
            if running.done():
                running.result()
            yield
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    async def asker(self, user: User, key: str, *, operator: bool = False) -> Asker:
        """Return a person in a place, as the bot knows them."""
        new = Conversation(
            id=f"c{key}", platform="telegram", place=key, private=not key.startswith("-"), default_role="none"
        )
        identity = Identity("telegram", str(user.id))
        return await self.house.core.askers.identify(identity, user.first_name, new, operator=operator)

    async def admit(self, chat: Chat, *, is_news: bool = False) -> None:
        """Let a group in; unless that `is_news` it was told before what the bot sees there."""
        if not is_news:
            await self.house.app.core.chat.note("telegram", f"privacy/{chat.id}", "said")
        operators = self.house.app.pairing.operators
        await operators.set_admission(Admission("telegram", Door.CHAT, str(chat.id)), admitted=True)

    async def admit_person(self, user: User) -> None:
        """Let a person in, wherever they are."""
        operators = self.house.app.pairing.operators
        await operators.set_admission(Admission("telegram", Door.PERSON, str(user.id)), admitted=True)

    async def link(self, chat: Chat, topic: Topic | None = None, **changed: object) -> Conversation:
        """Link a place to the house's book; `changed` are fields of the conversation."""
        asker = await self.asker(self.ana, key_of(chat, topic))
        home = (await self.house.asker()).conversation
        linked = replace(asker.conversation, series=home.series, book=home.book)
        linked = replace(linked, **changed)  # type: ignore[arg-type]  # fields of a conversation by name
        await self.house.core.askers.conversations.save_conversation(linked)
        return linked

    async def readers(self, chat: Chat, up_to: str) -> None:
        """Make a place one for readers up to a place in the book."""
        await self.link(chat, audience=Audience.READERS, audience_up_to=await self.node(up_to))

    async def node(self, place: str) -> str | None:
        """Return the id of what a reader has finished who has finished a place."""
        conversation = (await self.house.asker()).conversation
        canon = await self.house.core.askers.canon(conversation)
        assert canon is not None
        found = canon.outline.find(place, book=conversation.book, here=None, bound=Author())
        return canon.outline.finished(found)

    async def join(self, user: User, role: SeriesRole, finished: str | None = None) -> None:
        """Give a person a role in the series, and a reader their progress."""
        asker = await self.asker(user, str(user.id))
        series = (await self.house.asker()).conversation.series
        assert series is not None
        people = self.house.core.askers.people
        await people.set_membership(Membership(person=asker.person.id, series=series, role=role))
        if finished is not None:
            await people.set_progress(
                Progress(person=asker.person.id, series=series, finished=await self.node(finished))
            )

    async def group(self, *members: User, title: str = "Writers") -> Chat:
        """Return a supergroup that was let in and linked, with the bot in it."""
        chat = self.telegram.supergroup(title, self.ana, *members)
        await self.admit(chat)
        await self.link(chat)
        return chat

    def transcribing(self, port: int) -> Transcriber:
        """Return a transcriber at a port of this machine."""
        return Transcriber(base_url=f"http://127.0.0.1:{port}/v1", model="whisper-1")

    def card(self) -> Card:
        """Return a small card."""
        return Card(title="Mara", lines=(Line(text="a captain"),))

    async def client_room(self, chat: Chat, topic: Topic | None = None) -> Room[object] | None:
        """Return the room of a place as the bot has it now, None where it has given the place up."""
        return await self.rooms[-1].room(key_of(chat, topic))

    async def ask(self, text: str, chat: Chat | None = None, user: User | None = None) -> Message:
        """Say something and return the bot's first message after it."""
        return await self.telegram.answer(self.telegram.say(user or self.ana, chat or self.private, text))


def key_of(chat: Chat, topic: Topic | None = None) -> str:
    """Return the key of a place."""
    return f"{chat.id}:{topic.id}" if topic else str(chat.id)


@asynccontextmanager
async def open_hall(house: House, telegram: Telegram) -> AsyncIterator[Hall]:
    """Give a hall whose bot is not started."""
    ana = telegram.user("Ana")
    hall = Hall(house, telegram, ana, telegram.private(ana))
    await hall.asker(ana, str(ana.id), operator=True)
    await hall.join(ana, SeriesRole.OWNER)
    await hall.link(hall.private)
    await house.app.core.chat.note("telegram", f"pin/{ana.id}", f"{ana.id}/0 Book: The Heron")
    yield hall
