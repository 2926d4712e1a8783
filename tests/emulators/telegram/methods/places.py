"""Where a call goes: the chat, the topic, the message it answers; refused as Telegram refuses."""

from dataclasses import dataclass

from tests.emulators.telegram.call import Call
from tests.emulators.telegram.errors import ApiError, forbidden, refused, wrong
from tests.emulators.telegram.records import Chat, Message, Quote, Topic
from tests.emulators.telegram.text import units
from tests.emulators.telegram.wire import Json
from tests.emulators.telegram.world import World


@dataclass(frozen=True)
class Place:
    """Where a message of the bot goes."""

    chat: Chat
    thread_id: int | None
    is_topic: bool
    reply_to: Message | None
    quote: Quote | None


def chat_for(world: World, call: Call, name: str = "chat_id") -> Chat:
    """Return the chat of a call, if it is there for the bot.

    Raises:
        ApiError: when it does not exist, has moved, or does not want the bot.
    """
    if not call.has(name):
        raise wrong(f"{name} is empty")
    sent = call.text(name)
    chat = world.chats.get(int(sent)) if sent.lstrip("-").isdecimal() else None
    if chat is None:
        raise wrong("chat not found")
    if chat.migrated_to is not None:
        text = "Bad Request: group chat was upgraded to a supergroup chat"
        raise ApiError(400, text, {"migrate_to_chat_id": chat.migrated_to.id})
    if chat.is_blocked:
        raise forbidden("bot was blocked by the user")
    standing = world.bot_in(chat).status
    if standing == "kicked":
        raise forbidden(f"bot was kicked from the {chat.kind} chat")
    if standing == "left":
        raise forbidden(f"bot is not a member of the {chat.kind} chat")
    return chat


def thread_for(world: World, call: Call, chat: Chat) -> Topic | None:
    """Return the topic of a call, None for General and chats without topics."""
    number = call.integer("message_thread_id")
    if number is None:
        return None
    topic = chat.topics.get(number)
    if topic is None:
        raise wrong("message thread not found")
    has_topics = world.manners.has_private_topics if chat.is_private else chat.is_forum
    if topic.is_deleted or not has_topics:
        raise refused("message thread not found")
    return topic


def place_for(world: World, call: Call, kind: str = "text messages") -> Place:
    """Return where a new message goes, checked for the right to write there."""
    chat = chat_for(world, call)
    topic = thread_for(world, call, chat)
    reply_to, quote = _reply(world, call, chat)
    if topic is None and reply_to is not None and reply_to.is_topic_message:
        topic = chat.topics.get(reply_to.thread_id or 0)
    if topic is not None and topic.is_closed and not world.bot_may(chat, "can_manage_topics"):
        raise refused("TOPIC_CLOSED")
    if not chat.bot_may_write:
        raise refused(f"not enough rights to send {kind} to the chat")
    if topic is not None:
        root = chat.messages.get(topic.id)
        opening = None if chat.is_private else root
        return Place(chat, topic.id, is_topic=True, reply_to=reply_to or opening, quote=quote)
    return Place(chat, chain_of(reply_to, chat), is_topic=False, reply_to=reply_to, quote=quote)


def chain_of(reply_to: Message | None, chat: Chat) -> int | None:
    """Return the thread id that replies get in supergroups without topics."""
    if reply_to is None or chat.kind != "supergroup" or chat.is_forum:
        return None
    return reply_to.thread_id or reply_to.id


def _reply(world: World, call: Call, chat: Chat) -> tuple[Message | None, Quote | None]:
    wish = call.shape("reply_parameters")
    if not wish:
        return None, None
    message = chat.messages.get(int(wish.get("message_id", 0)))
    if message is None or message.is_deleted:
        if wish.get("allow_sending_without_reply"):
            return None, None
        raise refused("message to be replied not found")
    return message, _quote(wish, message)


def _quote(wish: Json, message: Message) -> Quote | None:
    text = str(wish.get("quote", ""))
    if not text:
        return None
    if units(text) > 1024:
        raise wrong("QUOTE_TEXT_TOO_LONG")
    if text not in message.text:
        was_there = any(text in old for old in message.history)
        raise refused("QUOTE_TEXT_INVALID") if was_there else wrong("QUOTE_TEXT_INVALID")
    return Quote(text, units(message.text[: message.text.index(text)]))
