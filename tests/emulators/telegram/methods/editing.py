"""Changes to messages that are there: edits, deletions, pins."""

from datetime import timedelta

from tests.emulators.telegram.call import Call
from tests.emulators.telegram.errors import refused, wrong
from tests.emulators.telegram.methods.content import caption_of, keyboard_of, text_of
from tests.emulators.telegram.methods.places import chat_for
from tests.emulators.telegram.records import Chat, Entity, Keyboard, Message
from tests.emulators.telegram.wire import Json, message_json
from tests.emulators.telegram.world import World

_NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a "
    "current content and reply markup of the message"
)
_DELETABLE_FOR = timedelta(hours=48)


def edit_message_text(world: World, call: Call) -> Json | bool:
    """Give a message of the bot a new text; a keyboard that is not sent again is gone."""
    message = _own(world, call)
    if message.file is not None:
        raise wrong("there is no text in the message to edit")
    text, entities = text_of(call)
    preview = call.shape("link_preview_options")
    return _change(world, message, text, entities, _inline_keyboard(call), preview)


def edit_message_caption(world: World, call: Call) -> Json | bool:
    """Give a file of the bot a new caption."""
    message = _own(world, call)
    if message.file is None:
        raise wrong("there is no caption in the message to edit")
    text, entities = caption_of(call)
    return _change(world, message, text, entities, _inline_keyboard(call))


def edit_message_reply_markup(world: World, call: Call) -> Json | bool:
    """Give a message of the bot another keyboard, or none."""
    message = _own(world, call)
    return _change(
        world, message, message.text, message.entities, _inline_keyboard(call), message.link_preview
    )


def delete_message(world: World, call: Call) -> bool:
    """Delete a message."""
    chat = chat_for(world, call)
    _delete(world, world.found(call.integer("message_id"), chat, "message to delete"))
    return True


def delete_messages(world: World, call: Call) -> bool:
    """Delete messages, passing over those that are not there."""
    chat = chat_for(world, call)
    for number in call.numbers("message_ids"):
        message = chat.messages.get(number)
        if message is not None and not message.is_deleted:
            _delete(world, message)
    return True


def pin_chat_message(world: World, call: Call) -> bool:
    """Pin a message; a service message says so."""
    chat = _pinnable(world, call)
    message = world.found(call.integer("message_id"), chat, "message to pin")
    call.passed_over("disable_notification")
    if message not in chat.pinned:
        chat.pinned.append(message)
        pinned = {"pinned_message": message_json(message, in_reply=True)}
        place = {"thread_id": message.thread_id, "is_topic_message": message.is_topic_message}
        world.service(chat, world.bot, pinned, **place)
    return True


def unpin_chat_message(world: World, call: Call) -> bool:
    """Unpin a message, the newest where none is named."""
    chat = _pinnable(world, call)
    number = call.integer("message_id")
    chosen = [one for one in chat.pinned if number in (None, one.id)]
    if not chosen:
        raise refused("message to unpin not found")
    chat.pinned.remove(chosen[-1])
    world.bell.ring()
    return True


def unpin_all_chat_messages(world: World, call: Call) -> bool:
    """Unpin all messages."""
    _pinnable(world, call).pinned.clear()
    world.bell.ring()
    return True


def _own(world: World, call: Call) -> Message:
    if call.has("inline_message_id"):
        sent = world.inline_messages.get(call.text("inline_message_id"))
        if sent is None or sent.is_deleted:
            raise refused("MESSAGE_ID_INVALID")
        return sent
    chat = chat_for(world, call)
    message = world.found(call.integer("message_id"), chat, "message to edit")
    if message.sender is not world.bot or message.service or message.via_bot:
        raise wrong("message can't be edited")
    return message


def _inline_keyboard(call: Call) -> Keyboard:
    keyboard, other = keyboard_of(call)
    if other:
        raise wrong("inline keyboard expected")
    return keyboard


def _change(
    world: World,
    message: Message,
    text: str,
    entities: tuple[Entity, ...],
    keyboard: Keyboard,
    preview: Json | None = None,
) -> Json | bool:
    if (text, entities, keyboard) == (message.text, message.entities, message.keyboard):
        raise refused(_NOT_MODIFIED)
    is_new_text = (text, entities) != (message.text, message.entities)
    world.add_version(message, text, entities, keyboard)
    message.is_edited = message.is_edited or is_new_text
    message.link_preview = preview or {}
    return True if message.inline_id else message_json(message)


def _delete(world: World, message: Message) -> None:
    is_own = message.sender is world.bot
    if not is_own and not world.bot_may(message.chat, "can_delete_messages"):
        raise refused("message can't be deleted")
    if world.now() - message.date > _DELETABLE_FOR:
        raise refused("message can't be deleted for everyone")
    message.is_deleted = True
    if message in message.chat.pinned:
        message.chat.pinned.remove(message)
    world.bell.ring()


def _pinnable(world: World, call: Call) -> Chat:
    chat = chat_for(world, call)
    if not world.bot_may(chat, "can_pin_messages"):
        raise refused("not enough rights to manage pinned messages in the chat")
    return chat


METHODS = {
    "editMessageText": edit_message_text,
    "editMessageCaption": edit_message_caption,
    "editMessageReplyMarkup": edit_message_reply_markup,
    "deleteMessage": delete_message,
    "deleteMessages": delete_messages,
    "pinChatMessage": pin_chat_message,
    "unpinChatMessage": unpin_chat_message,
    "unpinAllChatMessages": unpin_all_chat_messages,
}
