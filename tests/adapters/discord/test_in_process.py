"""The forms on a simulated Discord without sockets: what is filled in arrives under our own names."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import discord
import simcord
from discord import app_commands

from adapters.commands import Kind
from adapters.discord.inbound import typed_options
from adapters.discord.menu import FORMS, Form, everywhere, for_servers
from adapters.discord.tree import acknowledged

FILLED = {Kind.WHEN: "end", Kind.ORDER: "story", Kind.RELATION: "before", Kind.TYPE: "character"}
PLAIN = [form for form in FORMS if not form.attaches and not form.takes_role]


@dataclass
class Filled:
    """What came in: the command as our table calls it, and its options."""

    calls: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)

    async def run(self, interaction: discord.Interaction, name: str, given: Mapping[str, object]) -> None:
        assert await acknowledged(interaction, alone=True)
        self.calls.append((name, typed_options(given)))
        await interaction.edit_original_response(content=name)


@dataclass
class Desk:
    channel: simcord.ChannelHandle
    ana: simcord.MemberActor
    filled: Filled


@asynccontextmanager
async def open_desk() -> AsyncIterator[Desk]:
    """Give a channel in which Ana finds all commands."""
    filled = Filled()
    client = discord.Client(intents=discord.Intents(guilds=True))
    async with simcord.run(client) as env:
        tree = app_commands.CommandTree(client)
        for command in (*everywhere(filled.run), *for_servers(filled.run, {})):
            tree.add_command(command)
        guild = env.create_guild()
        await tree.sync()
        yield Desk(guild.create_text_channel("forms"), guild.add_member(env.create_user("Ana")), filled)


async def test_every_form_arrives_as_it_was_filled_in() -> None:
    async with open_desk() as desk:
        for form in PLAIN:
            options = {option.name: value(form, option.kind, desk) for option in form.options}
            result = await desk.ana.slash(desk.channel, form.name, **options)
            assert result.ephemeral
            typed = {name: filled_in(one, desk) for name, one in options.items()}
            assert desk.filled.calls[-1] == (form.meant, typed)


async def test_another_place_is_handed_on_as_it_is() -> None:
    async with open_desk() as desk:
        await desk.ana.slash(desk.channel, "book link", series="The Salt Roads", where=desk.channel)
    assert desk.filled.calls[-1][1]["where"] == "forms"


async def test_options_that_are_left_out_are_absent() -> None:
    async with open_desk() as desk:
        await desk.ana.slash(desk.channel, "lore", entity="Mara")
        assert desk.filled.calls == [("lore", {"entity": "Mara"})]


async def test_person_is_given_as_an_account() -> None:
    async with open_desk() as desk:
        await desk.ana.slash(desk.channel, "members set", person=desk.ana, role="reader")
        assert desk.filled.calls[-1][1]["person"] == f"discord:{desk.ana.id}"


def value(form: Form, kind: Kind, desk: Desk) -> object:
    """Return what somebody fills into an option of this kind."""
    if kind is Kind.PERSON and form.meant == "members set":
        return desk.ana
    return "reader" if kind is Kind.ROLE else FILLED.get(kind, "Mara")


def filled_in(one: object, desk: Desk) -> str:
    return f"discord:{desk.ana.id}" if one is desk.ana else str(one)
