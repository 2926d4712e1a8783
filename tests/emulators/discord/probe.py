"""An unmodified discord.py bot that uses what our adapter uses, for the emulator's own tests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import discord as library
from discord import app_commands

from tests.emulators.discord import Discord
from tests.emulators.discord.library import pointed_at

INTENTS = library.Intents(
    guilds=True,
    guild_messages=True,
    message_content=True,
    guild_reactions=True,
    dm_messages=True,
    dm_reactions=True,
)


class Answering(library.ui.View):
    """A view that outlives the process, since its button has a fixed id."""

    def __init__(self) -> None:
        super().__init__(timeout=None)

    @library.ui.button(label="Accept", custom_id="accept:7")
    async def accept(self, interaction: library.Interaction, _: library.ui.Button["Answering"]) -> None:
        await interaction.response.send_message(
            f"accepted by {interaction.user.display_name}", ephemeral=True
        )


class Choosing(library.ui.View):
    """A select among two characters of one name."""

    @library.ui.select(
        custom_id="which",
        options=[
            library.SelectOption(label="Mara the smith", value="e1"),
            library.SelectOption(label="Mara the queen", value="e2"),
        ],
    )
    async def which(self, interaction: library.Interaction, select: library.ui.Select["Choosing"]) -> None:
        await interaction.response.edit_message(content=f"chose {select.values[0]}", view=None)


class Feedback(library.ui.Modal, title="Feedback"):
    words: library.ui.TextInput["Feedback"] = library.ui.TextInput(label="Words", custom_id="words")

    async def on_submit(self, interaction: library.Interaction) -> None:
        await interaction.response.send_message(f"you wrote {self.words.value}")


class Bot(library.Client):
    """Keeps what it heard, as plain texts and raw payloads."""

    def __init__(self, intents: library.Intents = INTENTS) -> None:
        super().__init__(
            intents=intents, guild_ready_timeout=0.05, allowed_mentions=library.AllowedMentions.none()
        )
        self.tree = app_commands.CommandTree(self)
        self.heard: list[str] = []
        self.raw: list[Any] = []  # discord.py's raw events have no common base
        self.resumes = 0
        self.left_over: asyncio.Queue[library.Interaction[Any]] = asyncio.Queue()
        _declare(self.tree)

    async def setup_hook(self) -> None:
        self.add_view(Answering())
        await self.tree.sync()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Identify anew at once; discord.py would wait five seconds."""

    async def on_message(self, message: library.Message) -> None:
        if message.author == self.user:
            return
        self.heard.append(message.content)
        if message.content.startswith("ask "):
            answer = await message.reply("thinking", nonce=str(message.id))
            await answer.edit(content=f"you asked {message.content[4:]}")

    async def on_resumed(self) -> None:
        self.resumes += 1

    async def on_raw_reaction_add(self, payload: library.RawReactionActionEvent) -> None:
        self.raw.append(payload)

    async def on_raw_message_edit(self, payload: library.RawMessageUpdateEvent) -> None:
        self.raw.append(payload)

    async def on_raw_message_delete(self, payload: library.RawMessageDeleteEvent) -> None:
        self.raw.append(payload)


def _declare(tree: app_commands.CommandTree[Bot]) -> None:
    @tree.command(description="Look something up")
    async def lore(interaction: library.Interaction[Bot], name: str, private: bool = False) -> None:
        await interaction.response.defer(ephemeral=private)
        await interaction.followup.send(f"{name} has grey eyes", view=Answering())

    @lore.autocomplete("name")
    async def suggest(_: library.Interaction[Bot], current: str) -> list[app_commands.Choice[str]]:
        if current == "*":
            return [app_commands.Choice(name=str(number), value=str(number)) for number in range(26)]
        names = [name for name in ("Mara", "Marek", "Tom") if name.lower().startswith(current)]
        return [app_commands.Choice(name=name, value=name) for name in names]

    scene: app_commands.Group = app_commands.Group(name="scene", description="Scenes")

    @scene.command(description="Read a scene")
    async def read(interaction: library.Interaction[Bot], ref: app_commands.Range[int, 1]) -> None:
        await interaction.response.send_message(f"scene {ref}")

    tree.add_command(scene)

    @tree.command(description="Say something")
    async def feedback(interaction: library.Interaction[Bot]) -> None:
        await interaction.response.send_modal(Feedback())

    @tree.command(description="Is answered by the test")
    async def later(interaction: library.Interaction[Bot]) -> None:
        interaction.client.left_over.put_nowait(interaction)

    @tree.command(description="Takes things")
    async def take(
        interaction: library.Interaction[Bot],
        file: library.Attachment,
        member: library.Member,
        place: library.TextChannel,
    ) -> None:
        content = (await file.read()).decode()
        said = f"{file.filename} {content} of {member.display_name} in {place.name}"
        await interaction.response.send_message(said, view=Choosing())

    @tree.context_menu(name="Save to lore")
    async def save(interaction: library.Interaction[Bot], message: library.Message) -> None:
        await interaction.response.send_message(f"saved {message.content}", ephemeral=True)


@asynccontextmanager
async def running(discord: Discord, bot: Bot | None = None) -> AsyncIterator[Bot]:
    """Run the bot against the emulator until the block is left."""
    client = bot or Bot()
    with pointed_at(discord):
        running_bot = asyncio.create_task(client.start(discord.token))
        identified = asyncio.create_task(discord.ready(times=discord.gateway.identified + 1))
        try:
            await asyncio.wait({running_bot, identified}, return_when=asyncio.FIRST_COMPLETED)
            if running_bot.done():
                running_bot.result()
            await client.wait_until_ready()
            yield client
        finally:
            identified.cancel()
            await client.close()
            await asyncio.gather(running_bot, return_exceptions=True)


@asynccontextmanager
async def logged_in(discord: Discord) -> AsyncIterator[library.Client]:
    """Log a client in that only uses REST."""
    client = library.Client(intents=library.Intents.none(), allowed_mentions=library.AllowedMentions.none())
    with pointed_at(discord):
        async with client:
            await client.login(discord.token)
            yield client
