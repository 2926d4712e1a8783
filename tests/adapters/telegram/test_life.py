"""The bot's life: starts, restarts, updates told twice or late, webhooks, blocked people, moved groups."""

import asyncio
import logging
from datetime import timedelta

import pytest

from adapters.chat.room import ChatError
from adapters.telegram.client import serve_telegram
from adapters.telegram.connection import TelegramConfig, examine
from adapters.telegram.menu import menu_names
from agent_core.people.model import Identity
from tests.adapters.telegram.hall import Hall
from tests.emulators.http1 import HttpRequest, Response, serve
from tests.emulators.model_endpoint import Call, Reply
from tests.emulators.telegram import Broken, Line, Manners, Refuse, Telegram


async def people(hall: Hall, user: int) -> object:
    return await hall.house.core.askers.people.person_known_as(Identity("telegram", str(user)))


async def test_code_opens_the_bot_and_makes_the_operator(hall: Hall, telegram: Telegram) -> None:
    ben = telegram.user("Ben")
    chat = telegram.private(ben)
    code = await hall.house.app.pairing.new_code()
    answer = await telegram.answer(telegram.say(ben, chat, f"/start {code}"))
    assert "operator" in answer.text
    assert await hall.rooms[-1].private_room(str(ben.id)) is not None
    assert (await telegram.answer(telegram.say(ben, chat, "/help"))).text.startswith("What")


async def test_same_update_is_answered_once(hall: Hall, telegram: Telegram) -> None:
    """C34: twice within a second."""
    hall.house.endpoint.reply("Once.")
    said = telegram.say(hall.ana, hall.private, "who is Mara?")
    telegram.repeat(said.update_id)
    await telegram.shown(hall.private, "Once.")
    telegram.repeat(said.update_id)
    await hall.ask("/lore Mara")
    assert telegram.texts(hall.private).count("Once.") == 1


async def test_same_update_after_a_restart_is_answered_once_and_writes_once(
    closed_hall: Hall, telegram: Telegram
) -> None:
    """C34: the process ended before Telegram took note of what it had read."""
    hall = closed_hall
    async with hall.serving():
        hall.house.endpoint.reply("Once.")
        said = telegram.say(hall.ana, hall.private, "who is Mara?")
        await telegram.shown(hall.private, "Once.")
        typed = telegram.say(hall.ana, hall.private, "/record Mara sword=long @1.1")
        await telegram.shown(hall.private, "edit no.")
        edits = await hall.house.state("Mara", asOf="1.1")
    telegram.repeat(said.update_id)
    telegram.repeat(typed.update_id)
    async with hall.serving():
        await hall.ask("/lore Mara")
    assert telegram.texts(hall.private).count("Once.") == 1
    assert await hall.house.state("Mara", asOf="1.1") == edits
    assert len([line for line in await hall.house.audit() if line.tool == "record_lore_state"]) == 1


async def test_update_taken_but_not_dealt_with_is_taken_up_after_a_restart(
    closed_hall: Hall, telegram: Telegram
) -> None:
    hall = closed_hall
    async with hall.serving():
        telegram.fault("sendMessage", Line.HOLD)
        telegram.say(hall.ana, hall.private, "/lore Mara")
        await telegram.held()
        await telegram.caught_up()
    telegram.release()
    async with hall.serving():
        await telegram.shown(hall.private, "green")


async def test_question_in_work_at_a_stop_is_answered_after_the_restart(
    closed_hall: Hall, telegram: Telegram
) -> None:
    """C24, here."""
    hall = closed_hall
    hall.house.endpoint.reply(Reply(text="never", hold=0))
    async with hall.serving():
        telegram.say(hall.ana, hall.private, "who is Mara?")
        await hall.house.endpoint.received(1)
    hall.house.endpoint.release()
    hall.house.endpoint.reply("A captain.")
    async with hall.serving():
        await telegram.shown(hall.private, "A captain.")
    assert len([text for text in telegram.texts(hall.private) if "captain" in text]) == 1


async def test_old_messages_are_named_and_recent_ones_answered(closed_hall: Hall, telegram: Telegram) -> None:
    """C35."""
    hall = closed_hall
    async with hall.serving():
        await hall.ask("/lore Mara")
    telegram.say(hall.ana, hall.private, "who is Tom?", ago=timedelta(hours=2))
    telegram.say(hall.ana, hall.private, "and what does he steal?", ago=timedelta(hours=2))
    telegram.say(hall.ana, hall.private, "who is Mara?", ago=timedelta(minutes=1))
    hall.house.endpoint.reply("A captain.")
    async with hall.serving():
        await telegram.shown(hall.private, "A captain.")
        missed = await telegram.shown(hall.private, "I was away")
    assert "who is Tom?" in missed.text
    assert "what does he steal?" in missed.text
    assert len(hall.house.endpoint.requests) == 1
    assert "who is Tom?" in str(hall.house.endpoint.requests[0].messages[-1]["content"])


async def test_webhook_takes_only_what_telegram_sends(closed_hall: Hall, telegram: Telegram) -> None:
    hall = closed_hall

    async def page(request: HttpRequest, response: Response) -> None:
        secret = request.headers.get("x-telegram-bot-api-secret-token", "")
        taken = await hall.client.take_update(request.body, secret)
        await response.send(200 if taken else 404, {}, b"")

    async with serve(page) as port:
        url = f"http://127.0.0.1:{port}/telegram"
        async with hall.serving(webhook_url=url, webhook_secret="s3cret"):
            await telegram.until(lambda: telegram.calls("setWebhook"))
            answer = await hall.ask("/lore Mara")
            assert answer.text.startswith("Mara")
            assert not await hall.client.take_update(b"{}", "guessed")
            assert not await hall.client.take_update(b"{}", "")


async def test_bot_starts_although_its_menu_is_refused(closed_hall: Hall, telegram: Telegram) -> None:
    """C41."""
    telegram.fault("setMyCommands", Refuse("Bad Request: BOT_COMMAND_INVALID"))
    async with closed_hall.serving():
        assert (await closed_hall.ask("/lore Mara")).text.startswith("Mara")


def test_menu_names_are_cleaned_and_told_apart(caplog: pytest.LogCaptureFixture) -> None:
    """C41."""
    names = menu_names(["lore-find", "Lore", "a" * 40, "lore_find", "+"])
    assert names == {"lore-find": "lore_find", "Lore": "lore", "a" * 40: "a" * 32, "lore_find": "lore_find_2"}
    assert "no name for a menu" in caplog.text


async def test_menu_is_set_per_kind_of_chat_and_language_once(closed_hall: Hall, telegram: Telegram) -> None:
    hall = closed_hall
    async with hall.serving():
        await telegram.until(lambda: telegram.commands("all_chat_administrators", "fr"))
    german = telegram.user("Jan", language="de")
    assert telegram.menu(german, telegram.private(german))["lore"] == "zeigt einen Eintrag"
    assert "identity_code" not in telegram.commands("all_group_chats")
    assert list(telegram.commands()) == ["help"]
    before = len(telegram.calls("setMyCommands"))
    async with hall.serving():
        await hall.ask("/lore Mara")
    assert len(telegram.calls("setMyCommands")) == before


async def test_bot_starts_as_soon_as_telegram_is_there(closed_hall: Hall, telegram: Telegram) -> None:
    telegram.fault("getMe", Broken(), times=2)
    telegram.fault("deleteWebhook", Line.DROP_BEFORE)
    async with closed_hall.serving():
        assert (await closed_hall.ask("/lore Mara")).text.startswith("Mara")


async def test_wrong_token_ends_the_bot_with_its_reason(closed_hall: Hall, telegram: Telegram) -> None:
    telegram.expects("Unauthorized")
    with pytest.raises(ChatError, match="token"):
        await closed_hall.build(token="1:wrong").run()
    with pytest.raises(ChatError, match="token"):
        await examine(TelegramConfig(token="1:wrong", api_base=telegram.base_url))


async def test_refused_bot_leaves_everything_else_running(
    closed_hall: Hall, telegram: Telegram, caplog: pytest.LogCaptureFixture
) -> None:
    telegram.expects("Unauthorized")
    await serve_telegram(closed_hall.build(token="1:wrong"))
    assert "LOREKEEPER_TELEGRAM_TOKEN" in caplog.text


async def test_doctor_reads_who_the_bot_is_and_its_privacy_mode(telegram: Telegram) -> None:
    config = TelegramConfig(token=telegram.token, api_base=telegram.base_url)
    assert await examine(config) == ("lore_bot", False)
    telegram.world.manners.has_privacy = False
    assert await examine(config) == ("lore_bot", True)


async def test_network_loss_is_sat_out(hall: Hall, telegram: Telegram) -> None:
    hall.house.endpoint.reply(Reply(text="Still here.", hold=0))
    telegram.say(hall.ana, hall.private, "who is Mara?")
    await hall.house.endpoint.received(1)
    await telegram.lose_network()
    hall.house.endpoint.release()
    await asyncio.sleep(0)
    await telegram.restore_network()
    await telegram.shown(hall.private, "Still here.")
    assert telegram.texts(hall.private).count("Still here.") == 1


async def test_person_who_blocked_us_is_left_alone_until_they_write_again(
    hall: Hall, telegram: Telegram
) -> None:
    hall.house.endpoint.reply(Reply(text="Too late.", hold=0))
    telegram.say(hall.ana, hall.private, "who is Mara?")
    await hall.house.endpoint.received(1)
    telegram.block(hall.ana)
    await telegram.caught_up()
    hall.house.endpoint.release()
    await telegram.until(lambda: [one for one in telegram.calls("sendMessage") if one.status == 403])
    telegram.unblock(hall.ana)
    assert "green" in (await hall.ask("/lore Mara")).text


async def test_group_that_threw_us_out_gets_nothing(hall: Hall, telegram: Telegram) -> None:
    group = await hall.group()
    hall.house.endpoint.reply(Reply(text="Too late.", hold=0))
    telegram.say(hall.ana, group, "/ask who is Mara?")
    await hall.house.endpoint.received(1)
    telegram.kick(group, hall.ana)
    await telegram.caught_up()
    hall.house.endpoint.release()
    assert (await hall.ask("/lore Mara")).text.startswith("Mara")
    assert telegram.texts(group) == []


@pytest.mark.parametrize("new_first", [False, True])
async def test_group_that_became_a_supergroup_goes_on_there(
    hall: Hall, telegram: Telegram, new_first: bool
) -> None:
    """C11 (a): the two notices in either order."""
    group = telegram.group("Writers", hall.ana)
    await hall.admit(group)
    await hall.link(group)
    await hall.ask("/lore Mara", group)
    moved = telegram.migrate(group, new_first=new_first)
    await telegram.caught_up()
    await hall.admit(moved)
    card = await telegram.answer(telegram.say(hall.ana, moved, "/lore Mara"))
    assert "The Heron" in card.text
    assert await hall.house.core.askers.conversations.conversation_in("telegram", str(group.id)) is None


async def test_answer_to_a_group_that_moved_unannounced_is_sent_once_more(
    hall: Hall, telegram: Telegram
) -> None:
    """C11 (b)."""
    group = telegram.group("Writers", hall.ana)
    await hall.admit(group)
    await hall.link(group)
    hall.house.endpoint.reply(Reply(text="Here now.", hold=0))
    telegram.say(hall.ana, group, "/ask who is Mara?")
    await hall.house.endpoint.received(1)
    moved = telegram.migrate(group, announced=False)
    hall.house.endpoint.release()
    await telegram.shown(moved, "Here now.")
    assert telegram.texts(moved).count("Here now.") == 1


async def test_deleted_topic_is_given_up_and_says_nothing_elsewhere(hall: Hall, telegram: Telegram) -> None:
    """C10."""
    forum = telegram.forum("The Salt Roads", hall.ana)
    await hall.admit(forum)
    topic = telegram.topic(forum, "The Heron", by=hall.ana)
    await hall.link(forum, topic)
    hall.house.endpoint.reply(Reply(text="The secret.", hold=0))
    telegram.say(hall.ana, forum, "/ask what is the secret?", topic=topic)
    await hall.house.endpoint.received(1)
    telegram.delete_topic(topic)
    hall.house.endpoint.release()
    await telegram.until(
        lambda: [one for one in telegram.calls("sendMessage") if "thread" in one.description]
    )
    await hall.ask("/lore Mara")
    assert not any("The secret." in text for text in telegram.texts(forum))
    tries = [call for call in telegram.calls("sendMessage") if "thread not found" in call.description]
    assert len(tries) <= 2
    assert [one.text for one in telegram.general(forum) if "deleted" in one.text] == [
        "A topic was deleted before I could answer in it. Ask again where the answer should stand."
    ]
    assert await hall.client_room(forum, topic) is None


async def test_slow_download_holds_nobody_up(hall: Hall, telegram: Telegram) -> None:
    """C50."""
    from tests.emulators.telegram import DOWNLOAD

    ben = telegram.user("Ben")
    await hall.admit_person(ben)
    chat = telegram.private(ben)
    await hall.link(chat)
    hall.house.endpoint.reply(
        Call("record_lore_state", {"entityId": "Mara", "chapterId": "1.1", "statePatch": {"hat": "grey"}})
    )
    telegram.say(hall.ana, hall.private, "note that Mara wears a hat")
    card = await telegram.shown(hall.private, "Proposal")
    telegram.fault(DOWNLOAD, Line.HOLD)
    telegram.send_document(ben, chat, "notes.txt", b"x" * 1000, caption="read this")
    await telegram.held()
    hall.house.endpoint.reply("Left out.")
    telegram.press(hall.ana, card, "Discard")
    await telegram.shown(hall.private, "Left out.")
    hall.house.endpoint.reply("Read.")
    telegram.release()
    await telegram.shown(chat, "Read.")


async def test_help_and_cancel_answer_at_once_under_a_hundred_waiting_turns(
    hall: Hall, telegram: Telegram
) -> None:
    hall.house.endpoint.reply(Reply(text="never", hold=0))
    for number in range(100):
        telegram.say(hall.ana, hall.private, f"question {number}")
    await hall.house.endpoint.received(1)
    await telegram.caught_up()
    answer = await telegram.answer(telegram.say(hall.ana, hall.private, "/help"))
    assert "/lore" in answer.text
    group = await hall.group()
    assert (await hall.ask("/lore Mara", group)).text.startswith("Mara")
    for _ in range(99):
        hall.house.endpoint.reply("Next.")
    stopped = await telegram.answer(telegram.say(hall.ana, hall.private, "/cancel"))
    assert stopped.text
    await telegram.until(lambda: telegram.texts(hall.private).count("Next.") == 99, within_s=50)
    questions = [
        str(request.messages[-1]["content"]).rpartition(" ")[2] for request in hall.house.endpoint.requests
    ]
    assert questions == [str(number) for number in range(100)]


async def test_token_stands_in_no_log_line(
    hall: Hall, telegram: Telegram, caplog: pytest.LogCaptureFixture
) -> None:
    """C44, our own lines; that httpx is quiet is tested with the process."""
    caplog.set_level(logging.DEBUG, "adapters")
    telegram.fault("sendMessage", Line.DROP_BEFORE)
    await hall.ask("/lore Mara")
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("adapters")]
    assert not any(telegram.token in line for line in ours)


async def test_private_topics_are_places_of_their_own(telegram: Telegram, closed_hall: Hall) -> None:
    telegram.world.manners = Manners(has_private_topics=True)
    hall = closed_hall
    async with hall.serving():
        topic = telegram.topic(hall.private, "The Heron", by=hall.ana)
        hall.house.endpoint.reply("Here.")
        said = telegram.say(hall.ana, hall.private, "who is Mara?", topic=topic)
        answer = await telegram.answer(said)
        assert answer.text == "Here."
        assert answer.thread_id == topic.id
        assert telegram.drafts(hall.private, topic)
