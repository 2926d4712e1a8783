"""Sending and editing: refusals, flood waits, lost connections; no chat waits for another."""

import pytest

from adapters.telegram.harmless import without_joiners
from tests.adapters.telegram.hall import Hall
from tests.emulators.model_endpoint import Reply
from tests.emulators.telegram import Broken, Flood, Line, Refuse, Telegram

LONG = "Mara waits at the harbour of Vel, and her eyes are green, as everybody knows. "


async def test_refused_entities_are_sent_once_more_as_plain_text(hall: Hall, telegram: Telegram) -> None:
    """C06."""
    text = "Mara <mara@example.org>: **1** < 2 & 3 > 2, use /lore <name>"
    telegram.fault("sendMessage", Refuse("Bad Request: can't parse entities: unsupported start tag"))
    hall.house.endpoint.reply(text)
    answer = await hall.ask("who is she?")
    assert without_joiners(answer.text) == text.replace("**", "")
    assert answer.entities == ()
    assert len(telegram.sent(hall.private)) == 1


async def test_same_text_again_counts_as_edited(hall: Hall, telegram: Telegram) -> None:
    """C05: the refusal that nothing has changed is no error."""
    room = await hall.rooms[-1].room(str(hall.ana.id))
    assert room is not None
    await hall.ask("/help")
    ref = await room.send(room.card_part(hall.card(), None, 0, "en"))
    await room.edit(ref, room.card_part(hall.card(), None, 0, "en"))
    assert any("not modified" in call.description for call in telegram.calls("editMessageText"))


async def test_flood_wait_while_streaming_ends_in_one_whole_answer(hall: Hall, telegram: Telegram) -> None:
    """C32: no edit before the wait is over, then one with the whole text."""
    group = await hall.group()
    hall.house.endpoint.reply(Reply(text=LONG * 20, hold=2, piece=20))
    question = telegram.say(hall.ana, group, "/ask tell me")
    answer = await telegram.answer(question)
    telegram.fault("editMessageText", Flood(35))
    hall.house.endpoint.release()
    await telegram.until(lambda: [one for one in telegram.calls("editMessageText") if one.status == 429])
    assert (await hall.ask("/lore Mara")).text.startswith("Mara"), "another chat does not wait"
    hall.house.clock.advance(seconds=36)
    await telegram.until(lambda: answer.text == (LONG * 20).strip())
    assert len(telegram.sent(group)) == 1


async def test_flood_wait_for_a_new_message_is_sat_out(hall: Hall, telegram: Telegram) -> None:
    """C32."""
    telegram.fault("sendMessage", Flood(35), chat=hall.private)
    telegram.say(hall.ana, hall.private, "/lore Mara")
    await telegram.until(lambda: [one for one in telegram.calls("sendMessage") if one.status == 429])
    group = await hall.group()
    assert (await hall.ask("/lore Mara", group)).text.startswith("Mara"), "another chat does not wait"
    hall.house.clock.advance(seconds=36)
    await telegram.shown(hall.private, "green")
    assert len(telegram.sent(hall.private)) == 1


async def test_answer_is_kept_through_a_wait_of_hours(hall: Hall, telegram: Telegram) -> None:
    """C32: nothing is tried meanwhile, and it comes afterwards."""
    hall.house.endpoint.reply("Late, but here.")
    telegram.fault("sendMessage", Flood(7200), chat=hall.private)
    telegram.say(hall.ana, hall.private, "who is Mara?")
    await telegram.until(lambda: [one for one in telegram.calls("sendMessage") if one.status == 429])
    group = await hall.group()
    assert (await hall.ask("/lore Mara", group)).text.startswith("Mara")
    hall.house.clock.advance(hours=2, seconds=1)
    await telegram.shown(hall.private, "Late, but here.")


async def test_flooded_typing_is_skipped(hall: Hall, telegram: Telegram) -> None:
    """C33."""
    telegram.fault("sendChatAction", Flood(7))
    hall.house.endpoint.reply("Yes.")
    assert (await hall.ask("really?")).text == "Yes."


@pytest.mark.parametrize("fault", [Line.DROP_BEFORE, Broken(502)])
async def test_answer_survives_a_broken_connection(
    hall: Hall, telegram: Telegram, fault: Line | Broken
) -> None:
    hall.house.endpoint.reply("Still here.")
    telegram.fault("sendMessage", fault)
    telegram.say(hall.ana, hall.private, "who is Mara?")
    await telegram.shown(hall.private, "Still here.")
    assert len(telegram.sent(hall.private)) == 1


async def test_closed_topic_is_given_up_quietly(hall: Hall, telegram: Telegram) -> None:
    forum = telegram.forum("The Salt Roads", hall.ana)
    await hall.admit(forum)
    topic = telegram.topic(forum, "The Heron", by=hall.ana)
    await hall.link(forum, topic)
    telegram.say(hall.ana, forum, "/lore Mara", topic=topic)
    await telegram.shown(forum, "Mara", topic)
    telegram.close_topic(topic)
    hall.house.endpoint.reply("Nowhere.")
    telegram.promote(forum, hall.ana)
    telegram.say(hall.ana, forum, "/ask anything?", topic=topic)
    await telegram.until(lambda: [one for one in telegram.calls() if "TOPIC_CLOSED" in one.description])
    assert (await hall.ask("/lore Mara")).text.startswith("Mara")


async def test_long_answer_comes_as_its_beginning_and_a_file(hall: Hall, telegram: Telegram) -> None:
    text = "\n\n".join(f"Paragraph {number}. {LONG * 6}".strip() for number in range(60))
    hall.house.endpoint.reply(Reply(text=text, piece=4000))
    telegram.say(hall.ana, hall.private, "tell me everything")
    await telegram.until(lambda: [one for one in telegram.sent(hall.private) if one.file])
    beginning, file = telegram.sent(hall.private)
    assert beginning.text.startswith("Paragraph 0.")
    assert file.file is not None
    assert file.file.name == "answer.md"
    assert file.file.content.decode().startswith("Paragraph 0.")
    assert "Paragraph 59." in file.file.content.decode()


async def test_answer_of_dragons_arrives_whole(hall: Hall, telegram: Telegram) -> None:
    """C04."""
    hall.house.endpoint.reply("\U0001f409" * 2049)
    telegram.say(hall.ana, hall.private, "how many dragons?")
    await telegram.until(
        lambda: sum(text.count("\U0001f409") for text in telegram.texts(hall.private)) == 2049
    )


async def test_invisible_answer_becomes_one_short_sentence(hall: Hall, telegram: Telegram) -> None:
    """C38, here."""
    hall.house.endpoint.reply("\u200b\u2060\ufeff")
    answer = await hall.ask("anything?")
    assert "could not find an answer" in answer.text


async def test_answer_comes_in_messages_where_no_files_may_be_sent(hall: Hall, telegram: Telegram) -> None:
    text = "\n\n".join(f"Paragraph {number}. {LONG * 6}".strip() for number in range(60))
    group = await hall.group()
    hall.house.endpoint.reply(Reply(text=text, piece=4000))
    telegram.fault("sendDocument", Refuse("Bad Request: not enough rights to send documents to the chat"))
    telegram.say(hall.ana, group, "/ask tell me everything")
    await telegram.shown(group, "Paragraph 59.")
    assert any("“answer.md” could not be sent here" in text for text in telegram.texts(group))
    assert all(f"Paragraph {n}." in "\n".join(telegram.texts(group)) for n in range(60))
    assert "green" in (await hall.ask("/lore Mara", group)).text
    assert await hall.client_room(group) is not None
