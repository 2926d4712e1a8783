"""Messages: what addresses the bot, what it answers where, and what it is told along."""

from datetime import timedelta

import pytest

from adapters.telegram.harmless import without_joiners
from agent_core.people.model import SeriesRole
from tests.adapters.telegram.hall import Hall
from tests.emulators.model_endpoint import Call, Raw, Reply
from tests.emulators.telegram import Refuse, Telegram


def told(hall: Hall, request: int = -1) -> str:
    """What the model was told in its last user message."""
    said = [one for one in hall.house.endpoint.requests[request].messages if one["role"] == "user"]
    return str(said[-1]["content"])


async def test_question_in_private_is_answered_in_reply(hall: Hall) -> None:
    hall.house.endpoint.reply("Her eyes are **green** (1.1).")
    question = hall.telegram.say(hall.ana, hall.private, "what colour are Mara's eyes?")
    answer = await hall.telegram.answer(question)
    assert answer.text == "Her eyes are green (1.1)."
    assert answer.marked("bold") == ["green"]
    assert answer.reply_to is question


async def test_look_up_shows_a_card_headed_by_series_and_book(hall: Hall) -> None:
    card = await hall.ask("/lore Mara")
    assert card.text.startswith("Mara\n")
    assert card.marked("italic")[0].endswith("The Heron")
    assert "green" in card.text
    assert "Wrong book" in card.buttons


async def test_wrong_book_says_how_to_change_it(hall: Hall) -> None:
    card = await hall.ask("/lore Mara")
    press = hall.telegram.press(hall.ana, card, "Wrong book")
    told_so = await hall.telegram.shown(hall.private, "book link")
    assert "The Heron" in told_so.text
    await hall.telegram.until(lambda: press.is_answered)


async def test_private_answer_grows_as_a_draft(hall: Hall) -> None:
    endpoint = hall.house.endpoint
    endpoint.reply(Reply(text="Mara waits at the harbour of Vel. Her eyes are green, as all know.", hold=3))
    question = hall.telegram.say(hall.ana, hall.private, "tell me of Mara")
    draft = (await hall.telegram.until(lambda: hall.telegram.drafts(hall.private)))[0]
    assert draft.texts[0]
    assert hall.telegram.sent(hall.private) == []
    endpoint.release()
    answer = await hall.telegram.answer(question)
    assert answer.text.startswith("Mara waits")
    assert answer.text.endswith("as all know.")
    assert not draft.is_shown
    assert len(hall.telegram.sent(hall.private)) == 1


async def test_group_answer_grows_by_edits(hall: Hall) -> None:
    group = await hall.group()
    endpoint = hall.house.endpoint
    endpoint.reply(Reply(text="Mara waits at the harbour of Vel. Her eyes are green, as all know.", hold=4))
    question = hall.telegram.say(hall.ana, group, "/ask tell me of Mara")
    answer = await hall.telegram.answer(question)
    assert not answer.text.endswith("as all know.")
    endpoint.release()
    await hall.telegram.until(lambda: answer.text.endswith("as all know."))
    assert len(hall.telegram.sent(group)) == 1
    assert hall.telegram.drafts(group) == []


async def test_trace_is_one_silent_line_that_opens(hall: Hall) -> None:
    hall.house.endpoint.reply(Call("get_entity_state", {"entityId": "Mara"}))
    hall.house.endpoint.reply("Green.")
    question = hall.telegram.say(hall.ana, hall.private, "what are Mara's eyes?")
    answer = await hall.telegram.shown(hall.private, "Green.")
    trace = (await hall.telegram.answer(question),)[0]
    await hall.telegram.until(lambda: trace.text.startswith("one step"))
    assert trace is not answer
    assert trace.is_silent
    [steps] = trace.marked("expandable_blockquote")
    assert "look up an entry" in steps


async def test_typing_is_shown_while_a_turn_runs_and_not_after(hall: Hall) -> None:
    """C33, C48: shown in the topic or chat, over after the answer."""
    hall.house.endpoint.reply(Reply(text="Yes.", hold=0))
    hall.telegram.say(hall.ana, hall.private, "really?")
    await hall.telegram.until(lambda: len(hall.telegram.actions(hall.private)) > 1)
    hall.house.endpoint.release()
    await hall.telegram.shown(hall.private, "Yes.")
    shown = len(hall.telegram.actions(hall.private))
    await hall.ask("/lore Mara")
    assert len(hall.telegram.actions(hall.private)) <= shown + 1


@pytest.mark.parametrize("refusal", ["Bad Request: CHAT_ADMIN_REQUIRED", "Bad Request: anything else"])
async def test_refused_typing_never_reaches_the_turn(hall: Hall, refusal: str) -> None:
    """C33, C14: a decoration that fails is passed over."""
    hall.telegram.fault("sendChatAction", Refuse(refusal))
    hall.house.endpoint.reply("Yes.")
    answer = await hall.ask("really?")
    assert answer.text == "Yes."


async def test_group_is_silent_unless_it_is_meant(hall: Hall, telegram: Telegram) -> None:
    """C36: commands and replies work in privacy mode; nothing depends on mentions alone."""
    ben = telegram.user("Ben")
    group = await hall.group(ben)
    assert telegram.say(ben, group, "the keeper should be called Odo").update_id is None
    assert telegram.say(ben, group, "@lore_bot who is Mara?").update_id is None
    hall.house.endpoint.reply("A captain.")
    answer = await telegram.answer(telegram.say(ben, group, "/ask who is Mara?"))
    assert answer.text == "A captain."
    hall.house.endpoint.reply("Green.")
    again = await telegram.answer(telegram.say(ben, group, "and her eyes?", reply_to=answer))
    assert again.text == "Green."


async def test_privacy_mode_is_explained_once_in_a_group(hall: Hall, telegram: Telegram) -> None:
    """C36."""
    group = telegram.supergroup("Writers", hall.ana)
    await hall.admit(group, is_news=True)
    await hall.link(group)
    await hall.ask("/lore Mara", group)
    explained = await telegram.shown(group, "Privacy mode")
    assert "/ask" in without_joiners(explained.text)
    await hall.ask("/lore Mara", group)
    assert len([text for text in telegram.texts(group) if "Privacy mode" in text]) == 1


async def test_what_is_said_besides_is_context(hall: Hall, telegram: Telegram) -> None:
    telegram.world.manners.has_privacy = False
    ben = telegram.user("Ben")
    group = await hall.group(ben)
    telegram.say(ben, group, "the lighthouse keeper should be called Odo")
    hall.house.endpoint.reply("Odo.")
    answer = await telegram.answer(telegram.say(ben, group, "@lore_bot what was the keeper to be called?"))
    assert answer.text == "Odo."
    assert "Ben: the lighthouse keeper should be called Odo" in told(hall)
    assert told(hall).endswith("what was the keeper to be called?")
    assert len(hall.house.endpoint.requests) == 1


async def test_named_entries_in_a_message_get_a_compact_card(hall: Hall, telegram: Telegram) -> None:
    telegram.world.manners.has_privacy = False
    group = await hall.group()
    said = telegram.say(hall.ana, group, "so [[Mara]] sails at dusk")
    card = await telegram.answer(said)
    assert card.text.startswith("Mara\n")
    assert hall.house.endpoint.requests == []


async def test_commands_for_other_bots_are_left_alone(hall: Hall, telegram: Telegram) -> None:
    telegram.world.manners.has_privacy = False
    group = await hall.group()
    telegram.say(hall.ana, group, "/lore@other_bot Mara")
    telegram.say(hall.ana, group, "/roll 2d6")
    answer = await telegram.answer(telegram.say(hall.ana, group, "/lore@lore_bot Mara"))
    assert answer.text.startswith("Mara\n")
    assert len(telegram.sent(group)) == 1


async def test_bare_mention_gets_a_short_help(hall: Hall, telegram: Telegram) -> None:
    """C27, here: no model call for it."""
    telegram.world.manners.has_privacy = False
    group = await hall.group()
    answer = await telegram.answer(telegram.say(hall.ana, group, "@lore_bot"))
    assert "/help" in without_joiners(answer.text)


async def test_answers_stay_in_their_topic(hall: Hall, telegram: Telegram) -> None:
    """C09: question, /new, a failing model, trace and card, all in topic."""
    forum = telegram.forum("The Salt Roads", hall.ana)
    topic = telegram.topic(forum, "The Heron", by=hall.ana)
    await hall.admit(forum)
    await hall.link(forum, topic)
    endpoint = hall.house.endpoint
    endpoint.reply(Call("get_entity_state", {"entityId": "Mara"}))
    endpoint.reply(
        Call("record_lore_state", {"entityId": "Mara", "chapterId": "1.1", "statePatch": {"hat": "x"}})
    )
    telegram.say(hall.ana, forum, "/ask note that Mara wears a hat", topic=topic)
    await telegram.shown(forum, "Proposal", topic)
    telegram.say(hall.ana, forum, "/new", topic=topic)
    await telegram.shown(forum, "afresh", topic)
    endpoint.reply(Raw(status=401, body={"error": {"message": "no"}}))
    telegram.say(hall.ana, forum, "/ask anything?", topic=topic)
    await telegram.shown(forum, "key", topic)
    assert telegram.general(forum) == []
    assert all(action == "typing" for action in telegram.actions(forum, topic))
    assert len(telegram.actions(forum)) == len(telegram.actions(forum, topic)) > 0


async def test_general_is_answered_without_a_thread(hall: Hall, telegram: Telegram) -> None:
    """C12 (a)."""
    forum = telegram.forum("The Salt Roads", hall.ana)
    await hall.admit(forum)
    await hall.link(forum)
    answer = await telegram.answer(telegram.say(hall.ana, forum, "/lore Mara"))
    assert not answer.is_topic_message
    assert answer.text.startswith("Mara\n")


async def test_reply_chain_of_a_plain_group_is_no_topic(hall: Hall, telegram: Telegram) -> None:
    """C12 (b)."""
    group = await hall.group()
    first = await telegram.answer(telegram.say(hall.ana, group, "/lore Mara"))
    hall.house.endpoint.reply("Yes.")
    again = telegram.say(hall.ana, group, "is that so?", reply_to=first)
    assert again.thread_id is not None
    answer = await telegram.answer(again)
    assert answer.text == "Yes."
    assert await hall.house.app.core.askers.conversations.conversation_in("telegram", str(group.id))


async def test_topic_takes_over_the_book_of_its_name(hall: Hall, telegram: Telegram) -> None:
    forum = telegram.forum("The Salt Roads", hall.ana)
    await hall.admit(forum)
    await hall.link(forum)
    topic = telegram.topic(forum, "The Heron", by=hall.ana)
    card = await telegram.answer(telegram.say(hall.ana, forum, "/lore Mara", topic=topic))
    assert "The Heron" in card.text


async def test_quoted_message_goes_to_the_model_with_its_author(hall: Hall, telegram: Telegram) -> None:
    """C26."""
    ben = telegram.user("Ben")
    group = await hall.group(ben)
    old = telegram.say(ben, group, "The road was long and the rain was longer.", ago=timedelta(days=3))
    hall.house.endpoint.reply("Long road, longer rain.")
    answer = await telegram.answer(telegram.say(hall.ana, group, "/ask shorten this", reply_to=old))
    assert "Ben" in told(hall)
    assert "the rain was longer" in told(hall)
    hall.house.endpoint.reply("Rain.")
    part = telegram.say(hall.ana, group, "one word for this?", reply_to=answer, quote="longer rain")
    await telegram.answer(part)
    assert "longer rain" in told(hall)
    assert "Long road" not in told(hall)


async def test_edited_message_is_taken_note_of_and_starts_nothing(hall: Hall, telegram: Telegram) -> None:
    """C23."""
    hall.house.endpoint.reply("Noted.")
    said = telegram.say(hall.ana, hall.private, "Mara is 17")
    await telegram.answer(said)
    telegram.edit(said, "Mara is 19")
    await telegram.caught_up()
    hall.house.endpoint.reply("19.")
    await hall.ask("how old is Mara?")
    history = [
        str(one["content"]) for one in hall.house.endpoint.requests[-1].messages if one["role"] == "user"
    ]
    assert any("Mara is 19" in text for text in history)
    assert not any("Mara is 17" in text for text in history)
    assert len(hall.house.endpoint.requests) == 2


async def test_album_is_one_message(hall: Hall, telegram: Telegram) -> None:
    hall.house.endpoint.reply("Two files.")
    files = {"one.txt": b"the heron sails", "two.txt": b"the heron lands"}
    first = telegram.album(hall.ana, hall.private, files, caption="compare these")[0]
    answer = await telegram.answer(first)
    assert answer.text == "Two files."
    assert "the heron sails" in told(hall)
    assert "the heron lands" in told(hall)
    assert "compare these" in told(hall)
    assert len(hall.house.endpoint.requests) == 1


async def test_file_over_twenty_megabytes_is_refused_and_its_caption_handled(
    hall: Hall, telegram: Telegram
) -> None:
    """C30."""
    hall.house.endpoint.reply("A map of chapter 2.")
    big = telegram.send_document(
        hall.ana, hall.private, "map.png", b"x", caption="use this map for chapter 2", size=60_000_000
    )
    await telegram.shown(hall.private, "map.png")
    await telegram.shown(hall.private, "A map of chapter 2.")
    hall.house.endpoint.reply("Yes.")
    assert (await hall.ask("still there?")).text == "Yes."
    telegram.repeat(big.update_id)
    assert (await hall.ask("/lore Mara")).text.startswith("Mara")
    assert len(hall.house.endpoint.requests) == 2


async def test_voice_note_without_a_transcriber_is_answered_politely(hall: Hall, telegram: Telegram) -> None:
    answer = await telegram.answer(telegram.voice(hall.ana, hall.private))
    assert "type it" in answer.text
    assert hall.house.endpoint.requests == []


async def test_stranger_is_told_once_and_starts_nothing(hall: Hall, telegram: Telegram) -> None:
    zoe = telegram.user("Zoe")
    chat = telegram.private(zoe)
    answer = await telegram.answer(telegram.say(zoe, chat, "who is Mara?"))
    assert "not open to everybody" in answer.text
    telegram.say(zoe, chat, "who is Mara?")
    telegram.voice(zoe, chat)
    await telegram.caught_up()
    await hall.ask("/lore Mara")
    assert len(telegram.sent(chat)) == 1


async def test_stranger_makes_nothing_be_said_in_a_group_that_nobody_opened(
    hall: Hall, telegram: Telegram
) -> None:
    zoe = telegram.user("Zoe")
    group = telegram.supergroup("Elsewhere", zoe)
    for text in ("@lore_bot who is Mara?", "/lore Mara", "/start", "/help"):
        telegram.say(zoe, group, text)
    await telegram.caught_up()
    await hall.ask("/lore Mara")
    assert telegram.texts(group) == []


async def test_names_of_any_kind_reach_the_model_as_text(hall: Hall, telegram: Telegram) -> None:
    """C40."""
    group = await hall.group()
    for name in ("Мара 🐉", "n" * 90, " "):
        user = telegram.user(name)
        telegram.join(group, user)
        hall.house.endpoint.reply(f"Hello {len(name)}.")
        answer = await telegram.answer(telegram.say(user, group, "/ask hello?"))
        assert answer.text == f"Hello {len(name)}."


async def test_forwarded_command_asks_before_it_writes(hall: Hall, telegram: Telegram) -> None:
    ben = telegram.user("Ben")
    elsewhere = telegram.supergroup("Elsewhere", hall.ana, ben)
    typed = telegram.say(ben, elsewhere, "/record Mara hat=grey @1.1")
    forwarded = telegram.forward(hall.ana, typed, hall.private)
    card = await telegram.answer(forwarded)
    assert "Save" in card.buttons
    assert "hat" not in await hall.house.state("Mara")


async def test_forwarded_command_opens_no_topic(hall: Hall, telegram: Telegram) -> None:
    ben = telegram.user("Ben")
    elsewhere = telegram.supergroup("Elsewhere", hall.ana, ben)
    forum = telegram.forum("The Salt Roads", hall.ana)
    await hall.admit(forum)
    await hall.link(forum)
    telegram.promote(forum)
    typed = telegram.say(ben, elsewhere, "/book open The Lantern")
    await telegram.answer(telegram.forward(hall.ana, typed, forum))
    assert telegram.calls("createForumTopic") == []


async def test_copied_words_of_ours_read_as_they_look(hall: Hall, telegram: Telegram) -> None:
    hall.house.endpoint.reply("Try /lore Mara, says @ann.")
    answer = await hall.ask("how do I look her up?")
    assert "/lore Mara" not in answer.text
    command = answer.text.removeprefix("Try ").partition(",")[0]
    assert "green" in (await hall.ask(command)).text


async def test_two_topics_at_once_keep_their_cards_apart(hall: Hall, telegram: Telegram) -> None:
    """C25."""
    forum = telegram.forum("The Salt Roads", hall.ana)
    await hall.admit(forum)
    topics = [telegram.topic(forum, name, by=hall.ana) for name in ("One", "Two")]
    for topic in topics:
        await hall.link(forum, topic)
    for key in ("hat", "coat"):
        patch = {"entityId": "Mara", "chapterId": "1.1", "statePatch": {key: "grey"}}
        hall.house.endpoint.reply(Call("record_lore_state", patch))
        topic = topics[0] if key == "hat" else topics[1]
        telegram.say(hall.ana, forum, f"/ask note the {key}", topic=topic)
        await telegram.shown(forum, key, topic)
    assert "coat" not in "".join(telegram.texts(forum, topics[0]))
    assert "hat" not in "".join(telegram.texts(forum, topics[1]))


async def test_beta_reader_is_bounded_by_their_progress(hall: Hall, telegram: Telegram) -> None:
    zoe = telegram.user("Zoe")
    await hall.admit_person(zoe)
    await hall.join(zoe, SeriesRole.READER, "1.1")
    chat = telegram.private(zoe)
    await hall.link(chat)
    answer = await telegram.answer(telegram.say(zoe, chat, "/search thief"))
    assert "thief" not in answer.text.replace("/search thief", "") or "smith" not in answer.text
