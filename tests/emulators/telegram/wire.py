"""The JSON of the Bot API as it goes over the wire, and how our records look in it."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.emulators.telegram.records import Chat, Member, Message, User

Json = dict[str, Any]  # any JSON object

ANONYMOUS_ADMIN: Json = {
    "id": 1087968824,
    "is_bot": True,
    "first_name": "Group",
    "username": "GroupAnonymousBot",
}


def stamp(instant: datetime) -> int:
    """Return Unix time in whole seconds."""
    return int(instant.timestamp())


def user_json(user: "User") -> Json:
    """Return a User."""
    shape: Json = {"id": user.id, "is_bot": user.is_bot, "first_name": user.first_name}
    optional = {"last_name": user.last_name, "username": user.username, "language_code": user.language}
    return shape | {name: value for name, value in optional.items() if value}


def chat_json(chat: "Chat") -> Json:
    """Return a Chat."""
    shape: Json = {"id": chat.id, "type": chat.kind}
    if chat.user is not None:
        names = user_json(chat.user)
        shape |= {key: names[key] for key in ("first_name", "last_name", "username") if key in names}
    else:
        shape["title"] = chat.title
    return shape | ({"is_forum": True} if chat.is_forum else {})


def member_json(member: "Member") -> Json:
    """Return a ChatMember of the kind that the status asks for."""
    shape: Json = {"status": member.status, "user": user_json(member.user)}
    if member.status in ("administrator", "creator"):
        shape["is_anonymous"] = member.is_anonymous
    if member.status == "administrator":
        shape["can_be_edited"] = False
        shape |= {right: right in member.rights for right in ALL_RIGHTS}
    if member.status == "kicked":
        shape["until_date"] = 0
    return shape


ALL_RIGHTS = (
    "can_manage_chat",
    "can_delete_messages",
    "can_manage_video_chats",
    "can_restrict_members",
    "can_promote_members",
    "can_change_info",
    "can_invite_users",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
    "can_pin_messages",
    "can_manage_topics",
)


def message_json(message: "Message", *, in_reply: bool = False) -> Json:
    """Return a Message; inside of a reply it carries no further reply."""
    shape: Json = {"message_id": message.id, "date": stamp(message.date), "chat": chat_json(message.chat)}
    shape |= _sender(message)
    if message.thread_id is not None:
        shape["message_thread_id"] = message.thread_id
    if message.is_topic_message:
        shape["is_topic_message"] = True
    if not in_reply:
        shape |= _reply(message)
    if message.is_edited:
        shape["edit_date"] = stamp(message.versions[-1].at)
    return shape | _origin(message) | _content(message) | message.service


def _sender(message: "Message") -> Json:
    if message.sender_chat is not None:
        return {"from": ANONYMOUS_ADMIN, "sender_chat": chat_json(message.sender_chat)}
    return {"from": user_json(message.sender)}


def _reply(message: "Message") -> Json:
    shape: Json = {}
    if message.reply_to is not None and message.answers_elsewhere:
        shape["external_reply"] = _elsewhere(message.reply_to)
    elif message.reply_to is not None and not message.reply_to.is_deleted:
        shape["reply_to_message"] = message_json(message.reply_to, in_reply=True)
    if message.quote is not None:
        shape["quote"] = {"text": message.quote.text, "position": message.quote.position, "is_manual": True}
    return shape


def _elsewhere(message: "Message") -> Json:
    shape: Json = {"origin": user_origin(message)}
    if message.chat.kind == "supergroup":
        shape |= {"chat": chat_json(message.chat), "message_id": message.id}
    return shape


def user_origin(message: "Message") -> Json:
    """Return a MessageOriginUser."""
    return {"type": "user", "sender_user": user_json(message.sender), "date": stamp(message.date)}


def _origin(message: "Message") -> Json:
    shape: Json = {}
    if message.forward_origin:
        shape["forward_origin"] = message.forward_origin
    if message.via_bot is not None:
        shape["via_bot"] = user_json(message.via_bot)
    if message.media_group_id:
        shape["media_group_id"] = message.media_group_id
    return shape


def _content(message: "Message") -> Json:
    shape: Json = {}
    words, marks = ("text", "entities") if message.file is None else ("caption", "caption_entities")
    if message.file is not None:
        shape |= message.file.wire()
    if message.text:
        shape[words] = message.text
    if message.entities:
        shape[marks] = [entity.wire() for entity in message.entities]
    if message.keyboard:
        rows = [[button.wire() for button in row] for row in message.keyboard]
        shape["reply_markup"] = {"inline_keyboard": rows}
    if message.link_preview:
        shape["link_preview_options"] = message.link_preview
    return shape
