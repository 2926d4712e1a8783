"""What phones are for: missing words asked for, inline cards, the pinned book, voice notes."""

import json

from agent_core.people.model import SeriesRole
from tests.adapters.telegram.hall import Hall
from tests.emulators.http1 import HttpRequest, Response, serve
from tests.emulators.model_endpoint import Call
from tests.emulators.telegram import Telegram


async def test_missing_entry_is_chosen_from_the_recent_ones(hall: Hall, telegram: Telegram) -> None:
    await hall.house.write("create_lore_entity", type="character", name="Tom Kettle", staticTraits={})
    asked = await hall.ask("/lore")
    assert asked.text == "Which entry?"
    assert asked.buttons[:2] == ["Tom Kettle", "Mara"]
    press = telegram.press(hall.ana, asked, "Mara")
    await telegram.shown(hall.private, "green")
    await telegram.until(lambda: press.is_answered)


async def test_missing_words_are_asked_for_one_by_one(hall: Hall, telegram: Telegram) -> None:
    asked = await hall.ask("/record")
    typed = await telegram.answer(telegram.say(hall.ana, hall.private, "Mara", reply_to=asked))
    assert typed.force_reply["force_reply"] is True
    hat = telegram.say(hall.ana, hall.private, "hat=grey @1.1", reply_to=typed)
    saved = await telegram.answer(hat)
    assert "edit no." in saved.text
    assert (await hall.house.state("Mara", asOf="1.1"))["hat"] == "grey"


async def test_question_is_asked_for(hall: Hall, telegram: Telegram) -> None:
    asked = await hall.ask("/ask")
    assert asked.text == "Your question?"
    hall.house.endpoint.reply("A captain.")
    answer = await telegram.answer(telegram.say(hall.ana, hall.private, "who is Mara?", reply_to=asked))
    assert answer.text == "A captain."


async def test_others_cannot_answer_for_who_was_asked(hall: Hall, telegram: Telegram) -> None:
    ben = telegram.user("Ben")
    group = await hall.group(ben)
    await hall.join(ben, SeriesRole.EDITOR)
    asked = await hall.ask("/lore", group)
    telegram.press(ben, asked, "Mara")
    await telegram.caught_up()
    await hall.ask("/lore Mara")
    assert not any("green" in text for text in telegram.texts(group))


async def test_question_that_was_open_works_after_a_restart(closed_hall: Hall, telegram: Telegram) -> None:
    hall = closed_hall
    async with hall.serving():
        asked = await hall.ask("/lore")
    async with hall.serving():
        telegram.press(hall.ana, asked, "Mara")
        await telegram.shown(hall.private, "green")


async def test_inline_cards_are_bounded_by_who_types(hall: Hall, telegram: Telegram) -> None:
    await hall.house.write(
        "record_lore_state", entityId="Mara", chapterId="2.1", statePatch={"scarf": "lost"}
    )
    zoe = telegram.user("Zoe")
    await hall.admit_person(zoe)
    await hall.join(zoe, SeriesRole.READER, "1.1")
    await hall.link(telegram.private(zoe))
    shown = {}
    for user in (hall.ana, zoe):
        query = telegram.inline(user, "mar")
        await telegram.until(lambda query=query: query.results)  # type: ignore[misc]  # bound in the loop
        assert query.titles[0].startswith("Mara")
        assert query.is_personal
        shown[user.first_name] = json.dumps(query.results)
    assert "scarf" in shown["Ana"]
    assert "scarf" not in shown["Zoe"]


async def test_inline_card_can_be_sent_anywhere(hall: Hall, telegram: Telegram) -> None:
    query = telegram.inline(hall.ana, "mara")
    await telegram.until(lambda: query.results)
    elsewhere = telegram.supergroup("Elsewhere", hall.ana)
    message = telegram.choose(query, query.titles[0], elsewhere)
    assert "green" in message.text


async def test_inline_card_starts_nothing_and_leaves_a_proposal_open(hall: Hall, telegram: Telegram) -> None:
    hall.house.endpoint.reply(
        Call("record_lore_state", {"entityId": "Mara", "chapterId": "1.1", "statePatch": {"hat": "grey"}})
    )
    await hall.ask("note that Mara wears a hat")
    proposal = await telegram.shown(hall.private, "Proposal")
    query = telegram.inline(hall.ana, "mara")
    await telegram.until(lambda: query.results)
    telegram.choose(query, query.titles[0], hall.private)
    await hall.ask("/lore Mara")
    assert "Save" in proposal.buttons
    assert len(hall.house.endpoint.requests) == 1


async def test_what_was_asked_for_forgets_no_younger_buttons(hall: Hall, telegram: Telegram) -> None:
    await hall.ask("/lore Mara")
    question = await hall.ask("/lore")
    hall.house.clock.advance(days=3)
    await hall.ask("/lore")
    telegram.press(hall.ana, question, "Mara")
    await telegram.until(lambda: sum("green" in text for text in telegram.texts(hall.private)) == 2)


async def test_strangers_get_no_inline_cards(hall: Hall, telegram: Telegram) -> None:
    query = telegram.inline(telegram.user("Zoe"), "mara")
    await telegram.until(lambda: query.results is not None)
    assert query.results == []


async def test_book_is_pinned_and_follows_a_change(hall: Hall, telegram: Telegram) -> None:
    await hall.house.app.core.chat.note("telegram", f"pin/{hall.ana.id}", "")
    await hall.ask("/lore Mara")
    await telegram.until(lambda: hall.private.pinned)
    [pinned] = hall.private.pinned
    assert pinned.text == "Book: The Heron"
    assert pinned.is_silent
    telegram.say(hall.ana, hall.private, "/book link The Salt Roads / The Lantern")
    card = await telegram.until(lambda: [one for one in telegram.sent(hall.private) if "Lantern" in one.text])
    if "Save" in card[0].buttons:
        telegram.press(hall.ana, card[0], "Save")
    await telegram.until(lambda: "Lantern" in pinned.text)
    assert hall.private.pinned == [pinned]


async def test_voice_note_is_written_down_and_answered(closed_hall: Hall, telegram: Telegram) -> None:
    heard: list[bytes] = []

    async def transcribe(request: HttpRequest, response: Response) -> None:
        heard.append(request.body)
        body = b'{"text": "who is Mara?"}'
        await response.send(200, {"content-type": "application/json"}, body)

    hall = closed_hall
    async with serve(transcribe) as port, hall.serving(transcriber=hall.transcribing(port)):
        hall.house.endpoint.reply("A captain.")
        telegram.voice(hall.ana, hall.private, b"OggS voice of Ana")
        await telegram.shown(hall.private, "I heard: “who is Mara?”")
        await telegram.shown(hall.private, "A captain.")
    assert b"OggS voice of Ana" in heard[0]


async def test_plain_words_are_understood_in_three_languages(hall: Hall, telegram: Telegram) -> None:
    for text in ("/state Mara ch 1.1 as of now", "/state Mara Kapitel 1.1", "/state Mara chapitre 1.1"):
        answer = await hall.ask(text)
        assert "green" in answer.text or "eyes" in answer.text, text


async def test_each_person_reads_their_own_language(hall: Hall, telegram: Telegram) -> None:
    """C42: `de-AT` is German, an unknown one is that of the house."""
    said = {}
    for language in ("de-AT", "fr", "xx"):
        user = telegram.user("Jo", language=language)
        await hall.admit_person(user)
        chat = telegram.private(user)
        said[language] = (await telegram.answer(telegram.say(user, chat, "/help"))).text
    assert "zeigt einen Eintrag" in said["de-AT"]
    assert "montre une fiche" in said["fr"]
    assert "shows an entry" in said["xx"]
    assert not any("about." in text or "help." in text for text in said.values())


async def test_book_is_imported_from_a_file_with_that_caption(hall: Hall, telegram: Telegram) -> None:
    book = b"# The Lantern\n\n## 1 Home\n\nMara lights the lantern.\n"
    sent = telegram.send_document(hall.ana, hall.private, "The Lantern.md", book, caption="/import")
    card = await telegram.answer(sent)
    assert "Lantern" in card.text
    telegram.press(hall.ana, card, "Save")
    await telegram.until(lambda: "Save" not in card.buttons)
    telegram.say(hall.ana, hall.private, "/search lights the lantern")
    await telegram.shown(hall.private, "Mara lights the lantern.")


async def test_answered_message_is_saved_as_a_scene(hall: Hall, telegram: Telegram) -> None:
    hall.house.endpoint.reply("A fine scene.")
    draft = telegram.say(hall.ana, hall.private, "Mara climbs the mast, and the rain climbs after her.")
    await telegram.answer(draft)
    card = await telegram.answer(
        telegram.say(hall.ana, hall.private, "/scene save 2.3 The Mast", reply_to=draft)
    )
    telegram.press(hall.ana, card, "Save")
    await telegram.until(lambda: "Save" not in card.buttons)
    telegram.say(hall.ana, hall.private, "/scene read 2.3")
    await telegram.shown(hall.private, "the rain climbs after her")
    usage = await telegram.answer(telegram.say(hall.ana, hall.private, "/scene save 2.4"))
    assert "Reply to the scene" in usage.text


async def test_bot_opens_a_topic_for_a_book_and_answers_every_message_there(
    hall: Hall, telegram: Telegram
) -> None:
    telegram.world.manners.has_privacy = False
    forum = telegram.forum("The Salt Roads", hall.ana)
    await hall.admit(forum)
    await hall.link(forum)
    refused = await telegram.answer(telegram.say(hall.ana, forum, "/book open The Lantern"))
    assert "manage" in refused.text
    telegram.promote(forum)
    telegram.say(hall.ana, forum, "/book open The Lantern")
    topic = await telegram.until(
        lambda: next((one for one in forum.topics.values() if one.name == "The Lantern"), None)
    )
    assert topic is not None
    await telegram.shown(forum, "The Lantern", topic)
    hall.house.endpoint.reply("A captain.")
    telegram.say(hall.ana, forum, "who is Mara?", topic=topic)
    await telegram.shown(forum, "A captain.", topic)
