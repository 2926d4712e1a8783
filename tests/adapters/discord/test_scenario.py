"""A writing group of four on an emulated Discord, the bot in a process of its own, started by its command."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from tests.adapters.discord.service import BOUND_S, Service, service
from tests.adapters.discord.transcript import transcript
from tests.emulators.discord import Channel, Discord, Message, User
from tests.emulators.model_endpoint import Call, ModelEndpoint, Reply

T = TypeVar("T")


class Group:
    """The four, their server with a thread for each of two books, and a stranger who reads along."""

    def __init__(self, discord: Discord) -> None:
        self.discord = discord
        names = ("Ana", "Ben", "Cleo", "Dov", "Zed")
        self.ana, self.ben, self.cleo, self.dov, self.zed = map(discord.user, names)
        self.guild = discord.guild("Salt Roads", self.ana, self.ben, self.cleo, self.dov, self.zed)
        self.lobby = discord.channel(self.guild, "writing")
        self.heron = discord.thread(self.ana, self.lobby, "The Heron")
        self.tide = discord.thread(self.ana, self.lobby, "Low Water")

    async def typed(self, user: User, place: Channel, text: str) -> Message:
        """Type a command after a mention; return the bot's reply."""
        said = self.discord.say(user, place, f"{self.discord.bot.mention} {text}")
        return await self.discord.reply(said)

    async def done(self, user: User, place: Channel, text: str) -> Message:
        """Type a write and save whatever card it asks; return the card once it says that it is done."""
        card = await self.typed(user, place, text)
        await self.until(lambda: card.embeds, f"a card for {text!r}")
        if "Save" in self.discord.labels(card):
            await self.saved(user, card)
        return card

    async def saved(self, user: User, card: Message) -> None:
        """Press Save and wait until the card says that it is done."""
        await self.until(lambda: "Save" in self.discord.labels(card), "a card to save")
        await self.until(lambda: self.discord.reacted(card, "❌"), "the signs at the card")
        self.discord.click(user, card, "Save")
        await self.until(lambda: "Save" not in self.discord.labels(card), "a saved card")

    async def asks(self, user: User, place: Channel, text: str) -> Message:
        """Say something to the bot."""
        return self.discord.say(user, place, f"{self.discord.bot.mention} {text}")

    async def card(self, said: Message) -> Message:
        """Return the card that answers a message, once people can decide it."""
        cards = await self.until(
            lambda: [one for one in self.discord.replies_to(said) if one.embeds], "a card"
        )
        await self.until(lambda: self.discord.reacted(cards[0], "❌"), "the signs at the card")
        return cards[0]

    async def says(self, message: Message, text: str) -> None:
        """Wait until a message of the bot holds a text."""
        await self.until(lambda: text in str(message.embeds) + message.content, text)

    async def until(self, holds: Callable[[], T], because: str) -> T:
        return await self.discord.until(holds, within_s=BOUND_S, because=because)


async def opened(group: Group, bot: Service) -> None:
    """Pair, let the server in, and begin a series of two books with its people."""
    discord = group.discord
    code = re.search(r"/start (\S+)", await bot.line("/start "))
    assert code is not None
    await group.until(lambda: "start" in discord.commands(), "the two commands of all places")
    private = discord.direct(group.ana)
    welcome = await discord.answered(discord.slash(group.ana, private, "start", code=code[1]))
    await group.says(welcome, "operator")
    await group.done(group.ana, group.lobby, f"/access open server {group.guild.id}")
    await group.until(lambda: discord.commands(group.guild.id), "the server's commands")
    await group.done(group.ana, group.heron, "/book link The Salt Roads / The Heron")
    await group.done(group.ana, group.tide, "/book link The Salt Roads / Low Water")
    for person, role in ((group.ben, "co-author"), (group.cleo, "co-author"), (group.dov, "beta-reader")):
        await group.typed(person, group.heron, "/help")
        await group.done(group.ana, group.heron, f"/members set {person.mention} {role}")


async def written(group: Group) -> None:
    """Save the chapters of the first book by the menu of messages, and begin the entries."""
    discord = group.discord
    for place, text in (
        ("1.1", "Mara waits at the harbour of Vel. Her eyes are green."),
        ("2.1", "In Oru, Mara loses her scarf."),
        ("3.1", "Queen Isaut steps out of the fog. She is Mara's mother."),
    ):
        said = discord.say(group.ana, group.heron, text)
        form = await discord.acknowledged(discord.menu(group.ana, said, "Save as scene"))
        card = await discord.answered(discord.submit(form, {"place": place}))
        await group.saved(group.ana, card)
    await group.done(group.ana, group.heron, "/entry new character Mara eyes=green told 1.1")
    await group.done(group.ana, group.heron, "/entry new character Isaut told 3.1")
    await group.done(group.dov, group.heron, "/progress 2")


@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_group_of_four_writes_two_books(tmp_path: Path) -> None:
    async with ModelEndpoint() as endpoint, Discord() as discord:
        group = Group(discord)
        model = {"LOREKEEPER_MODEL": "scripted", "LOREKEEPER_MODEL_BASE_URL": endpoint.url}
        endpoint.reply(Call("ping", {}))  # the self-test at the start
        async with service(tmp_path, discord, **model) as bot:
            await opened(group, bot)
            await written(group)
            card = await first_day(group, endpoint)
        assert not [line for line in bot.lines if "WARNING" in line or "ERROR" in line]
        endpoint.reply(Call("ping", {}))
        async with service(tmp_path, discord, **model):
            await second_day(group, endpoint, card)
            await locked(group, endpoint)
        (tmp_path / "transcript.md").write_text(transcript(discord, group.heron, group.tide), "utf-8")


async def first_day(group: Group, endpoint: ModelEndpoint) -> Message:
    """Chatter, questions in both threads at once, a proposal with a stranger's sign; return its card."""
    discord = group.discord
    discord.say(group.ben, group.heron, "I still think the scarf should be red")
    discord.say(group.cleo, group.heron, "red like the bell ropes?")
    endpoint.reply(
        Reply(text="Her eyes are green, as the first scene says (1.1), and nothing has changed that.", hold=5)
    )
    one = await group.asks(group.ben, group.heron, "what colour are Mara's eyes?")
    await endpoint.received(len(endpoint.requests) or 1)
    growing = await discord.reply(one)
    endpoint.reply("Low Water has no scenes yet.")
    two = await group.asks(group.cleo, group.tide, "what happens in this book?")
    await group.says(await discord.reply(two), "no scenes yet")
    endpoint.release()
    await group.says(growing, "nothing has changed that")
    call = {"entityId": "Mara", "chapterId": "2.1", "statePatch": {"scarf": "red, lost in Oru"}}
    endpoint.reply(Call("record_lore_state", call))
    said = await group.asks(group.ben, group.heron, "then note the red scarf, lost in Oru")
    card = await group.card(said)
    discord.react(group.zed, card, "✅")
    hint = await discord.reply(card)
    assert hint.content
    assert "Save" in discord.labels(card)
    return card


async def second_day(group: Group, endpoint: ModelEndpoint, card: Message) -> None:
    """After the restart: a co-author's sign counts; a correction, taken back; a reader asks too early."""
    discord = group.discord
    endpoint.reply("It is noted: the scarf is red, and lost in Oru.")
    discord.react(group.cleo, card, "✅")
    await group.says(card, "by Cleo")
    await group.until(
        lambda: [one for one in discord.from_bot(group.heron) if "It is noted" in one.content],
        "the end of the turn",
    )
    retcon = await group.done(group.ana, group.heron, "/retcon Mara eyes=grey")
    await group.says(retcon, "Saved, edit no.")
    discord.react(group.ana, retcon, "↩️")
    undone = await group.until(
        lambda: [one for one in discord.replies_to(retcon) if one.embeds], "the card of taking it back"
    )
    await group.says(undone[0], "Saved, edit no.")
    hidden, missing = [
        await discord.answered(discord.slash(group.dov, group.heron, "lore", entity=name))
        for name in ("Isaut", "Osrik")
    ]
    assert shown(hidden).replace("Isaut", "Osrik") == shown(missing)
    assert "mother" not in shown(hidden)
    known = await discord.answered(discord.slash(group.ana, group.heron, "lore", entity="Isaut"))
    await group.until(lambda: known.embeds, f"a card, not {known.content!r}")
    assert "Isaut" in known.embeds[0]["title"]


async def locked(group: Group, endpoint: ModelEndpoint) -> None:
    """A thread that is locked in the middle of an answer stops nothing else."""
    discord = group.discord
    discord.expects(50083)
    seen = len(endpoint.requests)
    endpoint.reply(Reply(text="The tide turns twice a night.", hold=0))
    await group.asks(group.ben, group.tide, "how often does the tide turn?")
    await endpoint.received(seen + 1)
    discord.lock(group.tide)
    endpoint.release()
    await group.until(
        lambda: [one for one in discord.requests if one.code == 50083], "an answer that the lock refuses"
    )
    endpoint.reply("Still here.")
    answer = await discord.reply(await group.asks(group.ana, group.heron, "are you still there?"))
    await group.says(answer, "Still here.")
    assert not any("turns twice" in one.content for one in discord.from_bot(group.tide))


def shown(message: Message) -> str:
    return f"{message.content}|{message.embeds}|{message.components}"
