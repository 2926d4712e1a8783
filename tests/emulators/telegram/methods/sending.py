"""New messages of the bot: texts, drafts, copies, and the sign that it is busy."""

from tests.emulators.telegram.call import Call
from tests.emulators.telegram.errors import refused, wrong
from tests.emulators.telegram.methods.content import (
    MAX_CAPTION,
    caption_of,
    checked_text,
    draft_text_of,
    keyboard_of,
    text_of,
)
from tests.emulators.telegram.methods.places import Place, chat_for, place_for, thread_for
from tests.emulators.telegram.records import Attachment, Draft, Entity, Keyboard, Message
from tests.emulators.telegram.wire import Json, message_json
from tests.emulators.telegram.world import Action, World

_ACTION_NAMES = (
    "typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker "
    "find_location record_video_note upload_video_note"
)
_ACTIONS = frozenset(_ACTION_NAMES.split())


def send_message(world: World, call: Call) -> Json:
    """Send a text."""
    place = place_for(world, call)
    text, entities = text_of(call)
    keyboard, markup = keyboard_of(call)
    sent = deliver(world, call, place, text, entities, keyboard, markup)
    sent.link_preview = call.shape("link_preview_options")
    return message_json(sent)


def deliver(
    world: World,
    call: Call,
    place: Place,
    text: str,
    entities: tuple[Entity, ...],
    keyboard: Keyboard = (),
    markup: Json | None = None,
    file: Attachment | None = None,
) -> Message:
    """Put a message of the bot into its place; a draft there is over."""
    call.passed_over("protect_content", "message_effect_id", "allow_paid_broadcast")
    for draft in place.chat.drafts:
        if draft.thread_id == place.thread_id:
            draft.is_shown = False
    return world.new_message(
        place.chat,
        world.bot,
        text,
        entities,
        keyboard,
        thread_id=place.thread_id,
        is_topic_message=place.is_topic,
        reply_to=place.reply_to,
        quote=place.quote,
        is_silent=call.flag("disable_notification"),
        force_reply=markup or {},
        file=file,
    )


def send_message_draft(world: World, call: Call) -> bool:
    """Show a message that is being written."""
    chat = chat_for(world, call)
    if not chat.is_private:
        raise wrong("TEXTDRAFT_PEER_INVALID")
    topic = thread_for(world, call, chat)
    number = call.integer("draft_id")
    if not number:
        raise wrong("TEXTDRAFT_ID_INVALID")
    text, _ = draft_text_of(call)
    thread_id = topic.id if topic else None
    draft = next((one for one in chat.drafts if (one.id, one.thread_id) == (number, thread_id)), None)
    if draft is None:
        draft = Draft(number, chat, thread_id)
        chat.drafts.append(draft)
    draft.texts.append(text)
    draft.is_shown = True
    world.bell.ring()
    return True


def copy_message(world: World, call: Call) -> Json:
    """Send what another message says, without saying where it is from."""
    place = place_for(world, call)
    source = world.found(call.integer("message_id"), chat_for(world, call, "from_chat_id"), "message to copy")
    keyboard, markup = keyboard_of(call)
    text, entities = caption_of(call) if call.has("caption") else (source.text, source.entities)
    if source.file is not None:
        checked_text(text, [], MAX_CAPTION, "message caption is too long")
    sent = deliver(world, call, place, text, entities, keyboard, markup, source.file)
    return {"message_id": sent.id}


def send_chat_action(world: World, call: Call) -> bool:
    """Show that the bot is busy."""
    chat = chat_for(world, call)
    topic = thread_for(world, call, chat)
    name = call.text("action")
    if name not in _ACTIONS:
        raise wrong("wrong parameter action in request")
    if not chat.bot_may_write:
        raise refused("not enough rights to send text messages to the chat")
    world.actions.append(Action(chat, topic.id if topic else None, name))
    world.bell.ring()
    return True


METHODS = {
    "sendMessage": send_message,
    "sendMessageDraft": send_message_draft,
    "copyMessage": copy_message,
    "sendChatAction": send_chat_action,
}
