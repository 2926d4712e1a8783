"""The Telegram emulator with an unmodified bot: polling, messages, edits, buttons, reactions, drafts."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from telegram import (
    Bot,
    ForceReply,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    MessageEntity,
    MessageOriginUser,
    ReactionTypeEmoji,
    ReplyParameters,
    Update,
)
from telegram.constants import MessageEntityType, ReactionEmoji
from telegram.error import BadRequest, InvalidToken
from telegram.ext import ContextTypes

from tests.emulators.telegram import Telegram
from tests.emulators.telegram.clients import Heard, bot_of, running
from tests.emulators.telegram.methods.reactions import ALLOWED


@pytest.fixture
async def telegram() -> AsyncIterator[Telegram]:
    async with Telegram() as opened:
        yield opened


async def echo(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    del context
    assert update.message is not None
    await update.message.reply_text(f"You said: {update.message.text}")


async def test_polling_bot_answers_and_stops(telegram: Telegram) -> None:
    anna = telegram.user("Anna", language="de")
    chat = telegram.private(anna)

    async with running(telegram, echo):
        asked = telegram.say(anna, chat, "Who is Mara?")
        answer = await telegram.answer(asked)

    assert answer.text == "You said: Who is Mara?"
    assert not telegram.world.feed.pending, "the last poll confirmed everything"


async def test_commands_and_mentions_are_marked_as_telegram_marks_them(telegram: Telegram) -> None:
    anna = telegram.user("Anna")
    heard = Heard()

    async with running(telegram, heard):
        telegram.say(anna, telegram.private(anna), "/ask@lore_bot 🐉 who is @mara_k, a/b or me@mara_k.org?")
        await telegram.until(lambda: heard.updates)

    message = heard.updates[0].message
    assert message is not None
    assert {entity.type: text for entity, text in message.parse_entities().items()} == {
        "bot_command": "/ask@lore_bot",
        "mention": "@mara_k",
    }


async def test_messages_are_edited_with_their_history_kept(telegram: Telegram) -> None:
    chat = telegram.private(telegram.user("Anna"))

    async with bot_of(telegram) as bot:
        sent = await bot.send_message(chat.id, "Looking ...", disable_notification=True)
        await sent.edit_text("Mara has grey eyes.")
        with pytest.raises(BadRequest, match="is not modified"):
            await sent.edit_text("Mara has grey eyes.")

    message = telegram.sent(chat)[0]
    assert message.history == ["Looking ...", "Mara has grey eyes."]
    assert message.is_silent


async def test_edited_message_of_a_person_arrives_as_such(telegram: Telegram) -> None:
    anna = telegram.user("Anna")
    heard = Heard()

    async with running(telegram, heard):
        said = telegram.say(anna, telegram.private(anna), "Mara is 17")
        telegram.edit(said, "Mara is 19")
        await telegram.until(lambda: len(heard.updates) == 2)

    edited = heard.updates[1]
    assert edited.message is None
    assert edited.edited_message is not None
    assert edited.edited_message.text == "Mara is 19"
    assert edited.edited_message.edit_date is not None


async def test_pressed_button_is_answered_with_a_toast(telegram: Telegram) -> None:
    anna = telegram.user("Anna")
    chat = telegram.private(anna)

    async def confirm(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        query = update.callback_query
        if query is None:
            buttons = [
                [
                    InlineKeyboardButton("Yes", callback_data="y:1"),
                    InlineKeyboardButton("No", callback_data="n"),
                ]
            ]
            await context.bot.send_message(chat.id, "Save?", reply_markup=InlineKeyboardMarkup(buttons))
            return
        await query.answer(f"Got {query.data}")
        await query.edit_message_text("Saved.")

    async with running(telegram, confirm):
        card = await telegram.answer(telegram.say(anna, chat, "Mara is 19"))
        assert card.buttons == ["Yes", "No"]
        press = telegram.press(anna, card, "Yes")
        await telegram.until(lambda: card.text == "Saved.")

    assert press.toast is not None
    assert press.toast.text == "Got y:1"
    assert card.buttons == [], "a keyboard that is not sent again is gone"


async def test_late_answer_to_a_press_is_refused(telegram: Telegram) -> None:
    anna = telegram.user("Anna")
    chat = telegram.private(anna)

    async with bot_of(telegram) as bot:
        buttons = InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="y")]])
        await bot.send_message(chat.id, "Save?", reply_markup=buttons)
        press = telegram.press(anna, telegram.sent(chat)[0], "Yes", ago=timedelta(hours=2))
        with pytest.raises(BadRequest, match="uery is too old and response timeout expired or query id is"):
            await bot.answer_callback_query(press.id)


async def test_reaction_in_a_group_reaches_only_an_administrator_who_asked(telegram: Telegram) -> None:
    anna = telegram.user("Anna")
    chat = telegram.supergroup("Writers", anna)
    said = telegram.say(anna, chat, "hello")
    heard = Heard()

    async with running(telegram, heard):
        assert telegram.react(anna, said, "👍") is None
        telegram.promote(chat)
        telegram.react(anna, said, "👎")
        await telegram.until(lambda: any(update.message_reaction for update in heard.updates))

    reaction = heard.updates[-1].message_reaction
    assert reaction is not None
    assert reaction.user is not None
    assert reaction.user.id == anna.id
    assert reaction.new_reaction == (ReactionTypeEmoji("👎"),)
    telegram.world.feed.allow([])
    assert telegram.react(anna, said, "🔥") is None, "not without being in allowed_updates"


async def test_anonymous_admin_reacts_without_a_user_and_presses_with_one(telegram: Telegram) -> None:
    """C13."""
    anna = telegram.user("Anna")
    chat = telegram.supergroup("Writers", anna)
    telegram.promote(chat)
    telegram.promote(chat, anna, anonymous=True)
    heard = Heard()

    async with running(telegram, heard) as application:
        buttons = InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="y")]])
        await application.bot.send_message(chat.id, "Save?", reply_markup=buttons)
        card = telegram.sent(chat)[0]
        telegram.say(anna, chat, "Mara is 19")
        telegram.react(anna, card, "👍")
        telegram.press(anna, card, "Yes")
        await telegram.until(lambda: any(update.callback_query for update in heard.updates))

    said, reacted, pressed = heard.updates[-3:]
    assert said.message is not None
    assert said.message.from_user is not None
    assert (said.message.from_user.id, said.message.sender_chat.id) == (1087968824, chat.id)  # type: ignore[union-attr] # it is there
    assert reacted.effective_user is None
    assert reacted.message_reaction is not None
    assert reacted.message_reaction.actor_chat is not None
    assert reacted.message_reaction.actor_chat.id == chat.id
    assert pressed.effective_user is not None
    assert pressed.effective_user.id == anna.id


async def test_bot_sets_one_of_the_allowed_reactions(telegram: Telegram) -> None:
    """C14."""
    anna = telegram.user("Anna")
    said = telegram.say(anna, telegram.private(anna), "hello")
    telegram.expects("REACTION_INVALID")

    async with bot_of(telegram) as bot:
        await bot.set_message_reaction(anna.id, said.id, "👀")
        with pytest.raises(BadRequest, match="eaction_invalid"):
            await bot.set_message_reaction(anna.id, said.id, "✅")

    assert telegram.reaction(said) == "👀"
    assert {emoji.value for emoji in ReactionEmoji} <= ALLOWED
    assert not {"✅", "❌"} & ALLOWED


async def test_drafts_grow_until_the_message_comes(telegram: Telegram) -> None:
    chat = telegram.private(telegram.user("Anna"))
    group = telegram.group("Writers", telegram.user("Ben"))
    telegram.expects("TEXTDRAFT_PEER_INVALID")

    async with bot_of(telegram) as bot:
        for text in ("Mara", "Mara has", "Mara has grey eyes."):
            await bot.send_message_draft(chat.id, 7, text)
        await bot.send_message(chat.id, "Mara has grey eyes.")
        with pytest.raises(BadRequest):
            await bot.send_message_draft(group.id, 7, "Mara")

    (draft,) = telegram.drafts(chat)
    assert draft.texts == ["Mara", "Mara has", "Mara has grey eyes."]
    assert not draft.is_shown


async def test_replies_quote_and_force_replies(telegram: Telegram) -> None:
    """C26."""
    anna = telegram.user("Anna")
    chat = telegram.private(anna)
    heard = Heard()

    async with running(telegram, heard) as application:
        first = await application.bot.send_message(chat.id, "One. Two 🐉. Three.", reply_markup=ForceReply())
        sent = telegram.sent(chat)[0]
        telegram.say(anna, chat, "shorten this", reply_to=sent, quote="Three.")
        await telegram.until(lambda: heard.updates)
        wish = ReplyParameters(first.message_id, quote="Two 🐉.")
        await application.bot.send_message(chat.id, "Shorter.", reply_parameters=wish)
        telegram.delete(sent)
        with pytest.raises(BadRequest, match="essage to be replied not found"):
            await application.bot.send_message(chat.id, "x", reply_parameters=wish)
        loose = ReplyParameters(first.message_id, allow_sending_without_reply=True)
        await application.bot.send_message(chat.id, "alone", reply_parameters=loose)

    assert sent.force_reply["force_reply"] is True
    message = heard.updates[0].message
    assert message is not None
    assert message.quote is not None
    assert (message.quote.text, message.quote.position) == ("Three.", 13)
    quoting, alone = telegram.sent(chat)
    assert quoting.quote is not None
    assert quoting.quote.position == 5
    assert alone.reply_to is None


async def test_answers_to_lost_and_far_messages_look_real(telegram: Telegram) -> None:
    """C26."""
    anna, ben = telegram.user("Anna"), telegram.user("Ben")
    chat, group = telegram.private(anna), telegram.supergroup("Writers", anna, ben)
    lost = telegram.say(anna, chat, "never mind")
    telegram.delete(lost)
    far = telegram.say(ben, group, "Mara limps. She always did.")
    heard = Heard()

    async with running(telegram, heard):
        telegram.say(anna, chat, "shorten this", reply_to=lost)
        telegram.say(anna, chat, "is that so?", reply_to=far, quote="Mara limps.")
        await telegram.until(lambda: len(heard.updates) == 3)

    to_lost, to_far = (update.message for update in heard.updates[1:])
    assert to_lost is not None
    assert (to_lost.reply_to_message, to_lost.external_reply) == (None, None)
    assert to_far is not None
    assert to_far.reply_to_message is None
    assert to_far.external_reply is not None
    assert isinstance(to_far.external_reply.origin, MessageOriginUser)
    assert to_far.external_reply.origin.sender_user.id == ben.id
    assert to_far.external_reply.message_id == far.id
    assert to_far.quote is not None
    assert to_far.quote.text == "Mara limps."


async def test_entities_are_kept_in_utf16_units(telegram: Telegram) -> None:
    chat = telegram.private(telegram.user("Anna"))
    text = "🐉🐉 dragons"

    async with bot_of(telegram) as bot:
        bold = MessageEntity(MessageEntityType.BOLD, 5, 7)
        fold = MessageEntity(MessageEntityType.EXPANDABLE_BLOCKQUOTE, 0, 12)
        await bot.send_message(chat.id, text, entities=[bold, fold])
        await bot.send_message(
            chat.id, "a" * 200, entities=[MessageEntity("bold", at, 1) for at in range(150)]
        )

    marked, many = telegram.sent(chat)
    assert marked.marked("bold") == ["dragons"]
    assert marked.marked("expandable_blockquote") == [text]
    assert len(many.entities) == 100


async def test_wrong_token_is_refused(telegram: Telegram) -> None:
    telegram.expects("Unauthorized")
    with pytest.raises(InvalidToken):
        async with Bot("1:wrong", base_url=telegram.base_url):
            pass
