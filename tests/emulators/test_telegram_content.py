"""The Telegram emulator: files, limits of what is sent, command menus, inline mode, chats."""

from collections.abc import AsyncIterator

import pytest
from telegram import (
    BotCommand,
    BotCommandScopeAllGroupChats,
    BotCommandScopeChat,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InlineQueryResultArticle,
    InputTextMessageContent,
    MessageEntity,
    MessageOriginHiddenUser,
    MessageOriginUser,
    Update,
)
from telegram.error import BadRequest, NetworkError
from telegram.ext import ContextTypes

from tests.emulators.telegram import Telegram
from tests.emulators.telegram.clients import Heard, bot_of, running

_MB = 1024 * 1024


@pytest.fixture
async def telegram() -> AsyncIterator[Telegram]:
    async with Telegram() as opened:
        yield opened


async def test_files_go_both_ways(telegram: Telegram) -> None:
    anna = telegram.user("Anna")
    chat = telegram.private(anna)
    heard = Heard()

    async with running(telegram, heard) as application:
        telegram.send_document(
            anna, chat, "ch_03.md", b"# Three", caption="/import", mime_type="text/markdown"
        )
        await telegram.until(lambda: heard.updates)
        message = heard.updates[0].message
        assert message is not None
        assert message.document is not None
        got = await (await message.document.get_file()).download_as_bytearray()
        await application.bot.send_document(chat.id, b"%PDF", caption="The book", filename="book.pdf")
        await application.bot.send_photo(chat.id, b"jpeg")
        await application.bot.copy_message(chat.id, chat.id, telegram.sent(chat)[0].id)

    assert (message.document.file_name, message.caption, bytes(got)) == ("ch_03.md", "/import", b"# Three")
    assert message.parse_caption_entities() == {MessageEntity("bot_command", 0, 7): "/import"}
    book, photo, copy = telegram.sent(chat)
    assert book.file is not None
    assert (book.file.name, book.file.content, book.text) == ("book.pdf", b"%PDF", "The book")
    assert photo.file is not None
    assert photo.file.kind == "photo"
    assert (copy.file, copy.text) == (book.file, "The book")


async def test_files_over_the_limits_are_refused(telegram: Telegram) -> None:
    """C30."""
    anna = telegram.user("Anna")
    chat = telegram.private(anna)
    sent = telegram.send_document(anna, chat, "map.tif", b"x", size=60 * _MB)
    assert sent.file is not None
    telegram.expects("Request Entity Too Large")

    async with bot_of(telegram) as bot:
        with pytest.raises(BadRequest, match="ile is too big"):
            await bot.get_file(sent.file.id)
        with pytest.raises(NetworkError, match="Request Entity Too Large"):
            await bot.send_document(chat.id, bytes(51 * _MB), filename="big.bin")


async def test_albums_voices_and_forwards_look_real(telegram: Telegram) -> None:
    anna, ben = telegram.user("Anna"), telegram.user("Ben")
    chat = telegram.private(anna)
    group = telegram.group("Writers", anna, ben)
    heard = Heard()

    async with running(telegram, heard):
        telegram.album(anna, chat, {"a.txt": b"a", "b.txt": b"b"}, caption="both")
        telegram.voice(anna, chat, duration_s=7)
        theirs = telegram.say(ben, group, "Mara limps")
        telegram.forward(anna, theirs, chat)
        telegram.forward(anna, theirs, chat, hidden=True)
        await telegram.until(lambda: len(heard.updates) == 5)

    one, two, voice, forwarded, hidden = [update.message for update in heard.updates if update.message]
    assert one.media_group_id == two.media_group_id is not None
    assert (one.caption, two.caption) == ("both", None)
    assert voice.voice is not None
    assert isinstance(forwarded.forward_origin, MessageOriginUser)
    assert forwarded.forward_origin.sender_user.id == ben.id
    assert isinstance(hidden.forward_origin, MessageOriginHiddenUser)


@pytest.mark.parametrize(
    ("text", "entities", "refusal"),
    [
        ("a" * 4097, [], "message is too long"),
        ("🐉🐉", [MessageEntity("bold", 1, 2)], "begins in a middle of a UTF-16 symbol"),
        ("🐉🐉", [MessageEntity("bold", 0, 3)], "ends in a middle of a UTF-16 symbol"),
        ("🐉🐉", [MessageEntity("bold", 2, 3)], "ends after the end of the text"),
        ("abc", [MessageEntity("bold", 3, 1)], "begins after the end of the text"),
        ("abc", [MessageEntity("bold", 0, 0)], "has the length 0"),
        ("abc", [MessageEntity("fancy", 0, 1)], "can't parse MessageEntity"),
    ],
)
async def test_texts_out_of_bounds_are_refused(
    telegram: Telegram, text: str, entities: list[MessageEntity], refusal: str
) -> None:
    telegram.expects(refusal)
    chat = telegram.private(telegram.user("Anna"))

    async with bot_of(telegram) as bot:
        with pytest.raises(BadRequest):
            await bot.send_message(chat.id, text, entities=entities)

    assert telegram.sent(chat) == []


@pytest.mark.parametrize(
    ("button", "refusal"),
    [
        (InlineKeyboardButton("Yes", callback_data="x" * 65), "BUTTON_DATA_INVALID"),
        (InlineKeyboardButton("Yes", callback_data="é" * 33), "BUTTON_DATA_INVALID"),
        (InlineKeyboardButton("Yes"), "text buttons are unallowed"),
        (InlineKeyboardButton(" ", callback_data="x"), "must be non-empty"),
    ],
)
async def test_buttons_out_of_bounds_are_refused(
    telegram: Telegram, button: InlineKeyboardButton, refusal: str
) -> None:
    telegram.expects(refusal)
    chat = telegram.private(telegram.user("Anna"))

    async with bot_of(telegram) as bot:
        with pytest.raises(BadRequest):
            await bot.send_message(chat.id, "Save?", reply_markup=InlineKeyboardMarkup([[button]]))


async def test_long_captions_unknown_chats_and_lost_messages_are_refused(telegram: Telegram) -> None:
    for refusal in ("message caption is too long", "chat not found", "no parse_mode", "can't be edited"):
        telegram.expects(refusal)
    anna = telegram.user("Anna")
    chat = telegram.private(anna)
    theirs = telegram.say(anna, chat, "hello")

    async with bot_of(telegram) as bot:
        with pytest.raises(BadRequest, match="essage caption is too long"):
            await bot.send_document(chat.id, b"x", caption="a" * 1025)
        with pytest.raises(BadRequest, match="hat not found"):
            await bot.send_message(12345, "hello")
        with pytest.raises(BadRequest, match="parse_mode"):
            await bot.send_message(chat.id, "<b>hello</b>", parse_mode="HTML")
        with pytest.raises(BadRequest, match="essage can't be edited"):
            await bot.edit_message_text("mine", chat.id, theirs.id)
        with pytest.raises(BadRequest, match="essage to edit not found"):
            await bot.edit_message_text("gone", chat.id, 999)
        with pytest.raises(BadRequest, match="essage to delete not found"):
            await bot.delete_message(chat.id, 999)


async def test_menus_are_per_scope_and_language(telegram: Telegram) -> None:
    """C41."""
    telegram.expects("BOT_COMMAND_INVALID")
    anna, ben = telegram.user("Anna", language="de"), telegram.user("Ben", language="fr")
    group = telegram.group("Writers", anna, ben)

    async with bot_of(telegram) as bot:
        await bot.set_my_commands([BotCommand("ask", "Ask a question")])
        await bot.set_my_commands([BotCommand("ask", "Frage stellen")], language_code="de")
        await bot.set_my_commands([BotCommand("link", "Link a book")], BotCommandScopeAllGroupChats())
        await bot.set_my_commands([BotCommand("book", "This book")], BotCommandScopeChat(group.id))
        assert telegram.menu(anna, group) == {"book": "This book"}
        await bot.delete_my_commands(BotCommandScopeChat(group.id))
        with pytest.raises(BadRequest, match="ot_command_invalid"):
            await bot.set_my_commands([BotCommand("lore-find", "Find")])
        kept = await bot.get_my_commands(language_code="de")

    assert kept == (BotCommand("ask", "Frage stellen"),)
    assert telegram.menu(anna, telegram.private(anna)) == {"ask": "Frage stellen"}
    assert telegram.menu(ben, telegram.private(ben)) == {"ask": "Ask a question"}
    assert telegram.menu(anna, group) == {"link": "Link a book"}


async def test_inline_results_are_offered_chosen_and_edited(telegram: Telegram) -> None:
    anna = telegram.user("Anna")
    group = telegram.group("Writers", anna)

    async def offer(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        if update.inline_query is not None:
            buttons = InlineKeyboardMarkup([[InlineKeyboardButton("More", callback_data="more")]])
            content = InputTextMessageContent("Mara has grey eyes.")
            article = InlineQueryResultArticle("1", "Mara", content, reply_markup=buttons)
            await update.inline_query.answer([article], is_personal=True, cache_time=0)
        if update.callback_query is not None:
            await update.callback_query.edit_message_text("Mara has grey eyes and a limp.")
            await update.callback_query.answer()

    async with running(telegram, offer):
        query = telegram.inline(anna, "mar")
        await telegram.until(lambda: query.titles == ["Mara"])
        chosen = telegram.choose(query, "Mara", group)
        press = telegram.press(anna, chosen, "More")
        await telegram.until(lambda: press.is_answered)

    assert (query.is_personal, query.cache_s) == (True, 0)
    assert chosen.update_id is not None, "what came by way of the bot passes privacy mode"
    assert chosen.history[-1] == "Mara has grey eyes and a limp."


async def test_chats_members_and_pins_are_known(telegram: Telegram) -> None:
    anna, ben = telegram.user("Anna"), telegram.user("Ben")
    group = telegram.supergroup("Writers", anna, ben)
    heard = Heard()

    async with running(telegram, heard) as application:
        bot = application.bot
        sent = await bot.send_message(group.id, "Book: The Heron")
        with pytest.raises(BadRequest, match="ot enough rights to manage pinned messages"):
            await sent.pin()
        telegram.promote(group)
        telegram.promote(group, anna)
        await sent.pin()
        chat = await bot.get_chat(group.id)
        standings = [(await bot.get_chat_member(group.id, who.id)).status for who in (anna, ben)]
        admins = await bot.get_chat_administrators(group.id)
        await telegram.until(lambda: any(update.message for update in heard.updates))
        await sent.unpin()
        await bot.leave_chat(group.id)

    assert chat.pinned_message is not None
    assert chat.pinned_message.text == "Book: The Heron"
    assert standings == ["administrator", "member"]
    assert {admin.user.id for admin in admins} == {anna.id, telegram.bot.id}
    assert group.pinned == []
    assert not group.member(telegram.bot).is_in
