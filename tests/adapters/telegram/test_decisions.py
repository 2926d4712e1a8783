"""Cards: decided by button, by reaction and by reply, each by the right person and once."""

from datetime import timedelta

import pytest

from agent_core.messages import Json
from agent_core.people.model import SeriesRole
from tests.adapters.telegram.hall import Hall
from tests.emulators.model_endpoint import Call
from tests.emulators.telegram import Chat, Message, Telegram, Topic, User


def hat(value: str = "grey", **more: Json) -> Call:
    return Call(
        "record_lore_state", {"entityId": "Mara", "chapterId": "1.1", "statePatch": {"hat": value}, **more}
    )


async def proposed(
    hall: Hall, chat: Chat, user: User | None = None, topic: Topic | None = None, *calls: Call
) -> Message:
    """A card that somebody asked for."""
    hall.house.endpoint.reply(*(calls or (hat(),)))
    hall.telegram.say(user or hall.ana, chat, "/ask note that Mara wears a hat", topic=topic)
    return await hall.telegram.shown(chat, "Proposal", topic)


async def saved(hall: Hall) -> bool:
    return "hat" in await hall.house.state("Mara", asOf="1.1")


async def test_button_saves_and_the_card_says_so(hall: Hall, telegram: Telegram) -> None:
    card = await proposed(hall, hall.private)
    hall.house.endpoint.reply("Noted.")
    press = telegram.press(hall.ana, card, "Save")
    await telegram.until(lambda: "edit no." in card.text)
    await telegram.shown(hall.private, "Noted.")
    assert await saved(hall)
    assert "Take back" in card.buttons
    await telegram.until(lambda: press.is_answered)


@pytest.mark.parametrize(("emoji", "is_saved"), [("👍", True), ("👍🏽", True), ("👎", False)])
async def test_reaction_decides_like_a_button(
    hall: Hall, telegram: Telegram, emoji: str, is_saved: bool
) -> None:
    """C17: a tinted thumb is a thumb."""
    card = await proposed(hall, hall.private)
    hall.house.endpoint.reply("Very well.")
    telegram.react(hall.ana, card, emoji)
    await telegram.shown(hall.private, "Very well.")
    assert await saved(hall) is is_saved
    assert "Save" not in card.buttons


async def test_other_emoji_are_ignored(hall: Hall, telegram: Telegram) -> None:
    """C17."""
    card = await proposed(hall, hall.private)
    telegram.react(hall.ana, card, "🔥")
    telegram.react(hall.ana, card, "❤")
    await telegram.caught_up()
    await hall.ask("/lore Mara")
    assert "Save" in card.buttons
    assert not await saved(hall)


async def test_reply_with_yes_decides_the_card(hall: Hall, telegram: Telegram) -> None:
    """C19: at once, in a group too."""
    group = await hall.group()
    card = await proposed(hall, group)
    hall.house.endpoint.reply("Noted.")
    telegram.say(hall.ana, group, "yes", reply_to=card)
    await telegram.shown(group, "Noted.")
    assert await saved(hall)


async def test_other_text_is_the_new_instruction_and_not_swallowed(hall: Hall, telegram: Telegram) -> None:
    """C19."""
    card = await proposed(hall, hall.private)
    hall.house.endpoint.reply("She is 17.")
    answer = await telegram.answer(telegram.say(hall.ana, hall.private, "wait, check the age first"))
    assert answer.text == "She is 17."
    await telegram.until(lambda: "Save" not in card.buttons)
    assert not await saved(hall)


async def test_strangers_reaction_changes_nothing_and_the_askers_counts(
    hall: Hall, telegram: Telegram
) -> None:
    """C15: the audit names who decided."""
    gus = telegram.user("Gus")
    group = await hall.group(gus)
    telegram.promote(group)
    card = await proposed(hall, group)
    telegram.react(gus, card, "👍")
    hint = await telegram.until(lambda: [one for one in telegram.sent(group) if one.reply_to is card])
    assert len(hint) == 1
    assert not await saved(hall)
    hall.house.endpoint.reply("Left out.")
    telegram.react(hall.ana, card, "👎")
    await telegram.shown(group, "Left out.")
    assert not await saved(hall)
    [line] = [one for one in await hall.house.audit() if one.tool == "record_lore_state"]
    ana = await hall.asker(hall.ana, str(hall.ana.id))
    assert line.approver == ana.person.id


async def test_anonymous_admin_is_told_once_what_that_means(hall: Hall, telegram: Telegram) -> None:
    """C13: no crash, and nothing is written for somebody unknown."""
    group = await hall.group()
    telegram.promote(group)
    telegram.promote(group, hall.ana, anonymous=True)
    for answer in ("First.", "Second."):
        hall.house.endpoint.reply(answer)
        telegram.say(hall.ana, group, "/ask note that Mara wears a hat")
        await telegram.shown(group, answer)
    assert len([text for text in telegram.texts(group) if "anonymously" in text]) == 1
    telegram.say(hall.ana, group, "/record Mara hat=grey @1.1")
    await telegram.until(lambda: len(telegram.sent(group)) == 4)
    assert not await saved(hall)


async def test_anonymous_admin_is_explained_at_a_card_and_can_press_its_button(
    hall: Hall, telegram: Telegram
) -> None:
    """C13: a press shows who it is."""
    group = await hall.group()
    telegram.promote(group)
    card = await proposed(hall, group)
    telegram.promote(group, hall.ana, anonymous=True)
    telegram.react(hall.ana, card, "👍")
    explained = await telegram.shown(group, "anonymously")
    assert explained.reply_to is card
    telegram.say(hall.ana, group, "yes", reply_to=card)
    await telegram.until(lambda: len([one for one in telegram.texts(group) if "anonymously" in one]) == 2)
    assert not await saved(hall)
    hall.house.endpoint.reply("Noted.")
    telegram.press(hall.ana, card, "Save")
    await telegram.shown(group, "Noted.")
    assert await saved(hall)


async def test_taken_away_reactions_undo_nothing(hall: Hall, telegram: Telegram) -> None:
    """C16."""
    ben = telegram.user("Ben")
    group = await hall.group(ben)
    telegram.promote(group)
    card = await proposed(hall, group)
    telegram.react(ben, card, "🔥")
    telegram.unreact(ben, card)
    hall.house.endpoint.reply("Noted.")
    telegram.react(hall.ana, card, "👍")
    await telegram.shown(group, "Noted.")
    telegram.unreact(hall.ana, card)
    await telegram.shown(group, "decided and done")
    assert await saved(hall)


async def test_lines_are_left_out_by_their_numbers(hall: Hall, telegram: Telegram) -> None:
    coat = Call(
        "record_lore_state", {"entityId": "Mara", "chapterId": "1.1", "statePatch": {"coat": "red"}}, id="b"
    )
    card = await proposed(hall, hall.private, None, None, hat(), coat)
    telegram.press(hall.ana, card, "2")
    await telegram.until(lambda: "Save selection" in card.buttons)
    hall.house.endpoint.reply("One of two.")
    telegram.press(hall.ana, card, "Save selection")
    await telegram.shown(hall.private, "One of two.")
    state = await hall.house.state("Mara", asOf="1.1")
    assert "hat" in state
    assert "coat" not in state


async def test_taking_back_restores_what_was(hall: Hall, telegram: Telegram) -> None:
    card = await proposed(hall, hall.private)
    hall.house.endpoint.reply("Noted.")
    telegram.press(hall.ana, card, "Save")
    await telegram.until(lambda: "Take back" in card.buttons)
    telegram.press(hall.ana, card, "Take back")
    await telegram.until(lambda: [one for one in telegram.sent(hall.private)[2:] if "edit no." in one.text])
    assert not await saved(hall)


async def test_old_buttons_are_answered_and_write_nothing(hall: Hall, telegram: Telegram) -> None:
    """C18, here: buttons of a decided card."""
    card = await proposed(hall, hall.private)
    hall.house.endpoint.reply("Left out.")
    telegram.press(hall.ana, card, "Discard")
    await telegram.shown(hall.private, "Left out.")
    press = telegram.press(hall.ana, card, "Save")
    await telegram.until(lambda: press.is_answered)
    assert press.toast is not None
    assert press.toast.text
    assert not await saved(hall)


async def test_expired_card_says_so_and_its_button_writes_nothing(hall: Hall, telegram: Telegram) -> None:
    card = await proposed(hall, hall.private)
    hall.house.clock.advance(hours=25)
    press = telegram.press(hall.ana, card, "Save")
    await telegram.until(lambda: "Save" not in card.buttons)
    await telegram.until(lambda: press.is_answered)
    assert not await saved(hall)


async def test_card_works_after_a_restart(closed_hall: Hall, telegram: Telegram) -> None:
    """C18, here: pressed while we were away, and after."""
    hall = closed_hall
    async with hall.serving():
        card = await proposed(hall, hall.private)
    async with hall.serving():
        hall.house.endpoint.reply("Noted.")
        telegram.press(hall.ana, card, "Save")
        await telegram.shown(hall.private, "Noted.")
    assert await saved(hall)


async def test_reaction_in_a_topic_is_answered_there(hall: Hall, telegram: Telegram) -> None:
    forum = telegram.forum("The Salt Roads", hall.ana)
    telegram.promote(forum)
    topic = telegram.topic(forum, "The Heron", by=hall.ana)
    await hall.admit(forum)
    await hall.link(forum, topic)
    card = await proposed(hall, forum, None, topic)
    hall.house.endpoint.reply("Noted.")
    telegram.react(hall.ana, card, "👍")
    await telegram.shown(forum, "Noted.", topic)
    assert telegram.general(forum) == []


async def test_group_is_told_once_that_reactions_do_not_arrive(hall: Hall, telegram: Telegram) -> None:
    group = await hall.group()
    await proposed(hall, group)
    await telegram.shown(group, "administrator")
    telegram.say(hall.ana, group, "/new")
    await telegram.shown(group, "afresh")
    await proposed(hall, group)
    await hall.ask("/lore Mara", group)
    assert len([text for text in telegram.texts(group) if "administrator" in text]) == 1


async def test_wrong_book_discards_an_open_proposal(hall: Hall, telegram: Telegram) -> None:
    card = await proposed(hall, hall.private)
    hall.house.endpoint.reply("Left out.")
    telegram.press(hall.ana, card, "Wrong book")
    await telegram.shown(hall.private, "book link")
    assert "Save" not in card.buttons
    assert not await saved(hall)


async def test_co_author_may_not_decide_anothers_card_by_toast(hall: Hall, telegram: Telegram) -> None:
    ben = telegram.user("Ben")
    group = await hall.group(ben)
    await hall.join(ben, SeriesRole.READER, "1.1")
    card = await proposed(hall, group)
    press = telegram.press(ben, card, "Save")
    await telegram.until(lambda: press.is_answered)
    assert press.toast is not None
    assert press.toast.text
    assert not await saved(hall)


async def test_reaction_that_waited_for_hours_writes_nothing(closed_hall: Hall, telegram: Telegram) -> None:
    """C35."""
    hall = closed_hall
    async with hall.serving():
        card = await proposed(hall, hall.private)
    telegram.react(hall.ana, card, "👍", ago=timedelta(hours=2))
    async with hall.serving():
        await telegram.shown(hall.private, "nothing was done")
    assert "Save" in card.buttons
    assert not await saved(hall)


async def test_yes_that_nobody_types_just_now_decides_no_card(hall: Hall, telegram: Telegram) -> None:
    """One that was scheduled stands for all that are not original, such as what was heard in a voice note."""
    card = await proposed(hall, hall.private)
    hall.house.endpoint.reply("Please press the button.")
    said = telegram.say(hall.ana, hall.private, "yes", reply_to=card)
    assert said.update_id is not None
    telegram.world.feed.told[said.update_id].payload["is_from_offline"] = True
    await telegram.shown(hall.private, "Please press the button.")
    assert not await saved(hall)


async def test_press_that_waited_for_hours_writes_nothing(closed_hall: Hall, telegram: Telegram) -> None:
    """C35."""
    hall = closed_hall
    async with hall.serving():
        card = await proposed(hall, hall.private)
    telegram.press(hall.ana, card, "Save", ago=timedelta(hours=2))
    async with hall.serving():
        await telegram.shown(hall.private, "nothing was done")
    assert not await saved(hall)
