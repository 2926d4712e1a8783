"""Roles of a server that stand for a role in the series: when somebody who has one joins."""

import pytest

from agent_core.people.model import SeriesRole
from tests.adapters.discord.hall import Hall
from tests.emulators.discord import Channel, Message, Role, User


@pytest.fixture
async def writers(hall: Hall) -> Role:
    """A server role that stands for co-authors of the book."""
    await hall.until_listed()
    role = hall.discord.role(hall.guild, "Writers")
    asked = hall.discord.slash(hall.ana, hall.channel, "members role", discord_role=role, role="editor")
    assert "co-author" in (await hall.discord.answered(asked)).content
    return role


async def role_of(hall: Hall, user: User) -> SeriesRole | None:
    asker = await hall.asker(user, hall.channel)
    series = asker.conversation.series
    assert series is not None
    stored = await hall.house.core.askers.people.membership(asker.person.id, series)
    return stored.role if stored else None


def newcomer(hall: Hall, role: Role, name: str = "Eve") -> User:
    user = hall.discord.user(name)
    hall.discord.join(hall.guild, user, roles=[role])
    return user


async def card_of(hall: Hall) -> Message:
    card = await hall.card(await hall.say("/record Mara coat=blue"))
    await hall.discord.until(lambda: hall.discord.reacted(card, "❌"))
    await hall.noted(card)
    return card


async def test_role_counts_where_everybody_is_a_reader(hall: Hall, writers: Role) -> None:
    await hall.link(hall.channel, default_role="reader")
    eve = newcomer(hall, writers)
    await hall.ask("/help", eve)
    assert await role_of(hall, eve) is SeriesRole.EDITOR


async def test_first_reaction_of_a_co_author_by_role_decides(hall: Hall, writers: Role) -> None:
    card = await card_of(hall)
    hall.discord.react(newcomer(hall, writers), card, "✅")
    await hall.changes(card, "Saved, edit no.")


async def test_first_press_of_a_co_author_by_role_decides(hall: Hall, writers: Role) -> None:
    card = await card_of(hall)
    hall.discord.click(newcomer(hall, writers), card, "Save")
    await hall.changes(card, "Saved, edit no.")


async def test_role_counts_once_the_place_has_a_book(hall: Hall, writers: Role) -> None:
    """What was said there before the link settles nothing."""
    eve = newcomer(hall, writers)
    later: Channel = hall.discord.channel(hall.guild, "later")
    await hall.ask("/help", eve, later)
    assert await role_of(hall, eve) is None
    await hall.link(later)
    await hall.ask("/help", eve, later)
    assert await role_of(hall, eve) is SeriesRole.EDITOR
