"""Confirmation on Discord: reactions and buttons at the same card, before and after a restart."""

import pytest

from adapters.discord.rooms import DiscordRooms
from agent_core.clock import new_id
from agent_core.people.model import SeriesRole
from bot.desks import desk_for
from tests.adapters.discord.hall import Hall, serving
from tests.emulators.discord import Message, Refuse, User
from tests.emulators.model_endpoint import Call, Reply

BLUE = Call(
    "record_lore_state",
    {"entityId": "Mara", "chapterId": "2.1", "statePatch": {"coat": "blue"}},
)
SCARF = Call(
    "record_lore_state",
    {"entityId": "Mara", "chapterId": "1.1", "statePatch": {"scarf": "red"}},
)


async def proposed(hall: Hall, *calls: Call) -> Message:
    """Let the model propose and return the card."""
    hall.house.endpoint.reply(Reply(calls=calls or (BLUE,)))
    card = await hall.card(await hall.say("note what I said"))
    await hall.discord.until(lambda: hall.discord.reacted(card, "❌"), because="the signs at the card")
    return card


async def other(hall: Hall, name: str, role: SeriesRole | None = None, finished: str | None = None) -> User:
    user = hall.discord.user(name)
    hall.discord.join(hall.guild, user)
    if role is not None:
        await hall.join(user, role, finished)
    return user


async def test_card_offers_reactions_and_buttons_at_once(hall: Hall) -> None:
    card = await proposed(hall)
    assert hall.discord.reacted(card, "✅") == [hall.discord.bot]
    assert hall.discord.labels(card) == ["Save", "Discard"]
    assert "The Heron" in card.embeds[0]["description"]


async def test_reaction_saves(hall: Hall) -> None:
    card = await proposed(hall)
    hall.house.endpoint.reply("Saved.")
    hall.discord.react(hall.ana, card, "✅")
    await hall.changes(card, "Saved, edit no.")
    assert await hall.known("coat") == "blue"
    assert hall.discord.labels(card) == ["Take back"]
    await hall.discord.until(lambda: hall.discord.reacted(card, "↩️"), because="the sign that takes back")


async def test_reaction_discards(hall: Hall) -> None:
    card = await proposed(hall)
    hall.house.endpoint.reply("As you like.")
    hall.discord.react(hall.ana, card, "❌")
    await hall.changes(card, "Discarded")
    assert await hall.known("coat") is None


async def test_button_saves_and_the_same_card_takes_back(hall: Hall) -> None:
    card = await proposed(hall)
    hall.house.endpoint.reply("Saved.")
    await hall.discord.acknowledged(await hall.save(card))
    await hall.changes(card, "Saved, edit no.")
    hall.discord.click(hall.ana, card, "Take back")
    undone = await hall.card(card)
    await hall.changes(undone, "Saved, edit no.")
    assert await hall.known("coat") is None


async def test_arrow_takes_back(hall: Hall) -> None:
    card = await proposed(hall)
    hall.house.endpoint.reply("Saved.")
    hall.discord.react(hall.ana, card, "✅")
    await hall.changes(card, "Saved, edit no.")
    hall.discord.react(hall.ana, card, "↩️")
    undone = await hall.card(card)
    await hall.changes(undone, "Saved, edit no.")
    assert await hall.known("coat") is None


async def test_reader_decides_nothing_and_a_co_author_does(hall: Hall) -> None:
    """C15 for Discord: the person is checked, not the channel; the audit names who decided."""
    gus = await other(hall, "Gus", SeriesRole.READER, "1")
    eve = await other(hall, "Eve", SeriesRole.EDITOR)
    card = await proposed(hall)
    hall.discord.react(gus, card, "✅")
    hint = await hall.discord.reply(card)
    assert hint.content
    assert await hall.known("coat") is None
    hall.house.endpoint.reply("Saved.")
    hall.discord.react(eve, card, "✅")
    await hall.changes(card, "by Eve")
    rows = [row for row in await hall.house.audit() if row.tool == "record_lore_state"]
    eve_person = (await hall.asker(eve, hall.channel)).person.id
    assert rows[-1].approver == eve_person


@pytest.mark.parametrize("emoji", ["✅", "👍🏽", "👍", "☑️"])
async def test_signs_of_every_client_are_understood(hall: Hall, emoji: str) -> None:
    """C17: variation selectors and skin tones make no difference."""
    card = await proposed(hall)
    hall.house.endpoint.reply("Saved.")
    hall.discord.react(hall.ana, card, emoji)
    await hall.changes(card, "Saved, edit no.")


async def test_other_signs_decide_nothing(hall: Hall) -> None:
    """C17: fire is not a no."""
    card = await proposed(hall)
    hall.discord.react(hall.ana, card, "🔥")
    hall.house.endpoint.reply("Saved.")
    hall.discord.react(hall.ana, card, "✅")
    await hall.changes(card, "Saved, edit no.")


async def test_reactions_taken_away_decide_nothing(hall: Hall) -> None:
    """C16: neither others' removals nor a moderator's clearing; after the fact the bot says it is done."""
    eve = await other(hall, "Eve", SeriesRole.EDITOR)
    card = await proposed(hall)
    hall.discord.react(eve, card, "🔥")
    hall.discord.unreact(eve, card, "🔥")
    hall.discord.clear_reactions(card)
    assert hall.discord.labels(card) == ["Save", "Discard"]
    hall.house.endpoint.reply("Saved.")
    hall.discord.react(hall.ana, card, "✅")
    await hall.changes(card, "Saved, edit no.")
    hall.discord.unreact(hall.ana, card, "✅")
    await hall.discord.until(
        lambda: len([one for one in hall.discord.replies_to(card) if "done" in one.content.lower()]) == 1
    )
    assert await hall.known("coat") == "blue"


async def test_lines_are_left_out_by_number_and_by_list(hall: Hall) -> None:
    card = await proposed(hall, BLUE, SCARF)
    await hall.discord.until(lambda: hall.discord.reacted(card, "2️⃣"))
    lines = hall.discord.options(card)
    assert list(lines) == ["1", "2"]
    hall.discord.choose(hall.ana, card, "Leave lines out or take them in again", "1")
    await hall.discord.until(lambda: "Save selection" in hall.discord.labels(card))
    hall.house.endpoint.reply("Saved.")
    await hall.noted(card)
    hall.discord.click(hall.ana, card, "Save selection")
    await hall.discord.until(lambda: hall.discord.labels(card) == ["Take back"])
    assert (await hall.known("coat"), await hall.known("scarf")) == (None, "red")


async def test_number_chooses_a_line_and_the_sign_saves_the_selection(hall: Hall) -> None:
    card = await proposed(hall, BLUE, SCARF)
    hall.discord.react(hall.ana, card, "2️⃣")
    await hall.discord.until(lambda: "Save selection" in hall.discord.labels(card))
    hall.house.endpoint.reply("Saved.")
    await hall.noted(card)
    hall.discord.react(hall.ana, card, "✅")
    await hall.discord.until(lambda: hall.discord.labels(card) == ["Take back"])
    assert (await hall.known("coat"), await hall.known("scarf")) == (None, "red")


async def test_plain_yes_in_reply_to_the_card_saves(hall: Hall) -> None:
    """C19: it decides at once."""
    card = await proposed(hall)
    hall.house.endpoint.reply("Saved.")
    hall.discord.say(hall.ana, hall.channel, "yes", reply_to=card)
    await hall.changes(card, "Saved, edit no.")


async def test_other_words_of_the_requester_replace_the_card(hall: Hall) -> None:
    """C19: they are not swallowed."""
    card = await proposed(hall)
    hall.house.endpoint.reply("She is seventeen.")
    question = await hall.say("wait, check the age first")
    answer = await hall.discord.reply(question)
    await hall.discord.until(lambda: answer.content == "She is seventeen.")
    await hall.discord.until(lambda: hall.discord.labels(card) == [])
    assert await hall.known("coat") is None


@pytest.mark.parametrize("way", ["button", "reaction"])
async def test_old_card_works_after_a_restart(hall: Hall, way: str) -> None:
    """C18: by the stored record, not by a view in memory."""
    card = await proposed(hall)
    rooms = DiscordRooms()
    desk = desk_for(hall.house.app, rooms)
    await hall.stop()
    async with serving(desk, rooms, hall.discord):
        hall.house.endpoint.reply("Saved.")
        if way == "button":
            await hall.discord.acknowledged(await hall.save(card))
        else:
            hall.discord.react(hall.ana, card, "✅")
        await hall.changes(card, "Saved, edit no.")
    assert await hall.known("coat") == "blue"


async def test_unknown_button_is_answered(hall: Hall) -> None:
    """C18: never silence."""
    card = await proposed(hall)
    card.components[0]["components"][0]["custom_id"] = f"lks0:{new_id()}"
    answer = await hall.discord.answered(hall.discord.click(hall.ana, card, "Save"))
    assert answer.ephemeral
    assert answer.content


async def test_card_stands_where_reactions_are_refused(hall: Hall) -> None:
    """C14 for Discord: the buttons are enough."""
    hall.discord.expects(50013)
    hall.discord.fault("PUT", "*/reactions/*", Refuse(50013), times=1)
    hall.house.endpoint.reply(BLUE)
    card = await hall.card(await hall.say("note what I said"))
    hall.house.endpoint.reply("Saved.")
    await hall.save(card)
    await hall.changes(card, "Saved, edit no.")
    assert hall.discord.reactions(card) == {}


async def test_card_in_a_readers_place_goes_to_the_requester_alone(hall: Hall) -> None:
    """Who is let in by the server may decide it in private, too."""
    eve = await other(hall, "Eve", SeriesRole.EDITOR)
    await hall.readers(hall.channel, "1")
    question = await hall.say("/record Mara coat=blue", eve)
    private = hall.discord.direct(eve)
    await hall.discord.until(lambda: hall.discord.from_bot(private))
    [card] = hall.discord.from_bot(private)
    assert hall.discord.labels(card)[:2] == ["Save", "Discard"]
    await hall.save(card, eve)
    await hall.changes(card, "Saved, edit no.")
    assert all("blue" not in str(one.embeds) + one.content for one in hall.discord.replies_to(question))


async def test_who_left_the_server_is_not_heard_in_private(hall: Hall) -> None:
    eve = await other(hall, "Eve", SeriesRole.EDITOR)
    hall.house.endpoint.reply("Hello.")
    await hall.ask("hello", eve)
    private = hall.discord.direct(eve)
    hall.house.endpoint.reply("Hello again.")
    answer = await hall.discord.reply(hall.discord.say(eve, private, "hello?"))
    await hall.discord.until(lambda: answer.content == "Hello again.")
    hall.discord.kick(hall.guild, eve)
    hall.discord.clock.advance(minutes=11)
    hall.discord.expects(10007)
    refused = await hall.discord.reply(hall.discord.say(eve, private, "and now?"))
    assert "not open to everybody" in refused.content
