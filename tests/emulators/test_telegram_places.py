"""The Telegram emulator: topics, privacy mode, rights, blocks, migration."""

from collections.abc import AsyncIterator

import pytest
from telegram.error import BadRequest, ChatMigrated, Forbidden

from tests.emulators.telegram import Manners, Telegram
from tests.emulators.telegram.clients import Heard, bot_of, running


@pytest.fixture
async def telegram() -> AsyncIterator[Telegram]:
    async with Telegram() as opened:
        yield opened


async def test_privacy_lets_commands_and_replies_through(telegram: Telegram) -> None:
    """C36."""
    anna = telegram.user("Anna")
    chat = telegram.group("Writers", anna)

    async with bot_of(telegram) as bot:
        await bot.send_message(chat.id, "Hello")
        me = await bot.get_me()
    hello = telegram.sent(chat)[0]

    assert not me.can_read_all_group_messages
    assert telegram.say(anna, chat, "just talk").update_id is None
    assert telegram.say(anna, chat, "@lore_bot who is Mara?").update_id is None
    assert telegram.say(anna, chat, "/ask@other_bot who is Mara?").update_id is None
    assert telegram.say(anna, chat, "/ask who is Mara?").update_id is not None
    assert telegram.say(anna, chat, "and now?", reply_to=hello).update_id is not None
    telegram.promote(chat)
    assert telegram.say(anna, chat, "just talk").update_id is not None


async def test_topics_are_told_from_general_and_from_reply_chains(telegram: Telegram) -> None:
    """C12."""
    anna = telegram.user("Anna")
    forum, plain = telegram.forum("The Salt Roads", anna), telegram.supergroup("Writers", anna)
    for chat in (forum, plain):
        telegram.promote(chat)
    topic = telegram.topic(forum, "The Heron", by=anna)
    heard = Heard()

    async with running(telegram, heard):
        telegram.say(anna, forum, "in General")
        telegram.say(anna, forum, "in a topic", topic=topic)
        first = telegram.say(anna, plain, "first")
        telegram.say(anna, plain, "second", reply_to=first)
        await telegram.until(lambda: len(heard.updates) == 7)

    general, in_topic, _, replied = (update.message for update in heard.updates[-4:])
    assert general is not None
    assert (general.message_thread_id, general.is_topic_message) == (None, None)
    assert in_topic is not None
    assert (in_topic.message_thread_id, in_topic.is_topic_message) == (topic.id, True)
    assert in_topic.reply_to_message is not None
    assert in_topic.reply_to_message.forum_topic_created is not None
    assert replied is not None
    assert (replied.message_thread_id, replied.is_topic_message) == (first.id, None)


async def test_general_and_reply_chains_are_no_topics_to_send_to(telegram: Telegram) -> None:
    """C12."""
    anna = telegram.user("Anna")
    forum, plain = telegram.forum("The Salt Roads", anna), telegram.supergroup("Writers", anna)
    telegram.expects("message thread not found")

    async with bot_of(telegram) as bot:
        await bot.send_message(forum.id, "in General")
        for chat, thread_id in ((forum, 1), (plain, 555)):
            with pytest.raises(BadRequest, match="essage thread not found"):
                await bot.send_message(chat.id, "lost", message_thread_id=thread_id)

    assert [message.text for message in telegram.general(forum)] == ["in General"]


async def test_closed_and_deleted_topics_refuse_without_being_the_bots_fault(telegram: Telegram) -> None:
    """C10."""
    anna = telegram.user("Anna")
    forum = telegram.forum("The Salt Roads", anna)
    topic = telegram.topic(forum, "The Heron", by=anna)

    async with bot_of(telegram) as bot:
        telegram.close_topic(topic)
        with pytest.raises(BadRequest, match="opic_closed"):
            await bot.send_message(forum.id, "hello", message_thread_id=topic.id)
        telegram.delete_topic(topic)
        with pytest.raises(BadRequest, match="essage thread not found"):
            await bot.send_message(forum.id, "hello", message_thread_id=topic.id)

    assert telegram.messages(forum) == []


async def test_topics_in_private_chats_are_made_by_the_bot_too() -> None:
    async with Telegram(manners=Manners(has_private_topics=True)) as telegram, bot_of(telegram) as bot:
        anna = telegram.user("Anna")
        chat = telegram.private(anna)
        made = await bot.create_forum_topic(chat.id, "The Heron")
        await bot.send_message(chat.id, "ready", message_thread_id=made.message_thread_id)
        topic = chat.topics[made.message_thread_id]
        said = telegram.say(anna, chat, "hello", topic=topic)
        me = await bot.get_me()

    assert me.has_topics_enabled
    assert telegram.texts(chat, topic) == ["ready"]
    assert said.is_topic_message


async def test_people_and_groups_that_do_not_want_the_bot_forbid(telegram: Telegram) -> None:
    anna = telegram.user("Anna")
    chat, group = telegram.private(anna), telegram.supergroup("Writers", anna)
    muted = telegram.supergroup("Readers", anna)
    heard = Heard()

    async with running(telegram, heard) as application:
        telegram.block(anna)
        telegram.kick(group)
        telegram.mute(muted)
        with pytest.raises(Forbidden, match="bot was blocked by the user"):
            await application.bot.send_message(chat.id, "hello")
        with pytest.raises(Forbidden, match="bot was kicked from the supergroup chat"):
            await application.bot.send_message(group.id, "hello")
        with pytest.raises(BadRequest, match="ot enough rights to send text messages to the chat"):
            await application.bot.send_message(muted.id, "hello")
        await telegram.until(lambda: len(heard.updates) == 2)

    changes = [update.my_chat_member for update in heard.updates]
    assert [(change.chat.id, change.new_chat_member.status) for change in changes if change] == [
        (chat.id, "kicked"),
        (group.id, "kicked"),
    ]


async def test_migrated_group_names_its_new_id(telegram: Telegram) -> None:
    """C11."""
    anna = telegram.user("Anna")
    chat = telegram.group("Writers", anna)
    heard = Heard()

    async with running(telegram, heard) as application:
        upgraded = telegram.migrate(chat)
        with pytest.raises(ChatMigrated) as raised:
            await application.bot.send_message(chat.id, "hello")
        await application.bot.send_message(upgraded.id, "hello")
        await telegram.until(lambda: len(heard.updates) == 2)

    assert raised.value.new_chat_id == upgraded.id
    notes = [update.message for update in heard.updates]
    assert [(note.migrate_to_chat_id, note.migrate_from_chat_id) for note in notes if note] == [
        (upgraded.id, None),
        (None, chat.id),
    ]


async def test_administrator_bot_keeps_house_in_a_forum(telegram: Telegram) -> None:
    anna = telegram.user("Anna")
    forum = telegram.forum("The Salt Roads", anna)
    heard = Heard()

    async with running(telegram, heard) as application:
        bot = application.bot
        with pytest.raises(BadRequest, match="ot enough rights to create a topic"):
            await bot.create_forum_topic(forum.id, "The Heron")
        telegram.promote(forum)
        made = await bot.create_forum_topic(forum.id, "The Heron")
        await bot.edit_forum_topic(forum.id, made.message_thread_id, name="The Grey Heron")
        await bot.close_forum_topic(forum.id, made.message_thread_id)
        await bot.send_message(forum.id, "Closed.", message_thread_id=made.message_thread_id)
        with pytest.raises(BadRequest, match="opic_not_modified"):
            await bot.close_forum_topic(forum.id, made.message_thread_id)
        await bot.reopen_forum_topic(forum.id, made.message_thread_id)
        topic = forum.topics[made.message_thread_id]
        telegram.rename_topic(topic, "The Heron")
        await telegram.until(lambda: len(heard.updates) == 6)
        await bot.delete_forum_topic(forum.id, made.message_thread_id)

    notes = [update.message for update in heard.updates if update.message]
    assert [note.message_thread_id for note in notes] == [topic.id] * 5
    renamed = [note.forum_topic_edited.name for note in notes if note.forum_topic_edited]
    assert renamed == ["The Grey Heron", "The Heron"]
    assert topic.is_deleted


async def test_coming_and_going_is_told(telegram: Telegram) -> None:
    anna, ben = telegram.user("Anna"), telegram.user("Ben")
    chat = telegram.group("Writers", anna)
    heard = Heard()

    async with running(telegram, heard):
        telegram.join(chat, ben)
        telegram.leave(chat, ben)
        telegram.kick(chat, by=anna)
        telegram.add_bot(chat, by=anna)
        await telegram.until(lambda: len(heard.updates) == 5)

    joined, left, kicked, added, greeted = heard.updates
    assert joined.message is not None
    assert [user.id for user in joined.message.new_chat_members] == [ben.id]
    assert left.message is not None
    assert left.message.left_chat_member is not None
    assert kicked.my_chat_member is not None
    assert kicked.my_chat_member.new_chat_member.status == "kicked"
    assert added.my_chat_member is not None
    assert added.my_chat_member.old_chat_member.status == "kicked"
    assert greeted.message is not None
    assert [user.id for user in greeted.message.new_chat_members] == [telegram.bot.id]


async def test_answer_in_general_is_told_from_answers_in_topics(telegram: Telegram) -> None:
    """C09."""
    anna = telegram.user("Anna")
    forum = telegram.forum("The Salt Roads", anna)
    topic = telegram.topic(forum, "The Heron", by=anna)
    asked, elsewhere = telegram.say(anna, forum, "/ask a"), telegram.say(anna, forum, "/ask b", topic=topic)

    async with bot_of(telegram) as bot:
        await bot.send_message(forum.id, "b", message_thread_id=topic.id)
        await bot.send_message(forum.id, "a")

    assert (await telegram.answer(asked)).text == "a"
    assert (await telegram.answer(elsewhere)).text == "b"
