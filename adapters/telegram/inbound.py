"""Messages of Telegram as what was heard: who, where, in which words, answering what."""

import re
from collections.abc import Iterator, Sequence

from telegram import (
    Audio,
    Chat,
    Document,
    Message,
    MessageOriginChannel,
    MessageOriginChat,
    MessageOriginHiddenUser,
    MessageOriginUser,
    User,
    Video,
)
from telegram.constants import ChatID
from telegram.constants import MessageEntityType as Kind

from adapters.chat.model import Attached, Heard, Quoted, Speaker, Spot
from adapters.commands import is_command
from adapters.telegram.harmless import without_joiners
from adapters.telegram.place import PLATFORM, Place, ref_of

_INLINE = re.compile(r"\[\[[^\[\]\n]{1,120}\]\]")
_COMMAND = re.compile(r"/\w+@(\w+)")
_SERVANTS = frozenset({ChatID.SERVICE_CHAT, ChatID.FAKE_CHANNEL})


def place_in(message: Message) -> Place:
    """Return where a message stands: the thread counts only where Telegram says that it is a topic."""
    return Place(message.chat.id, _topic(message))


def spot_of(message: Message) -> Spot:
    """Return where a message stands, with the title of its topic where the message tells it."""
    return spot_at(message.chat, _topic(message), _topic_title(message))


def spot_at(chat: Chat, topic: int, title: str = "") -> Spot:
    """Return a place; a topic without a book takes over that of its chat."""
    return Spot(
        platform=PLATFORM,
        key=Place(chat.id, topic).key,
        private=chat.type == Chat.PRIVATE,
        title=title or (chat.title or ""),
        chat=None if chat.type == Chat.PRIVATE else str(chat.id),
        parents=(str(chat.id),) if topic else (),
    )


def speaker_of(user: User) -> Speaker:
    """Return who this is."""
    return Speaker(user=str(user.id), name=user.full_name, language=user.language_code or "")


def is_by_way_of(message: Message, me: User) -> bool:
    """Tell whether somebody sent a card of ours here that they picked while typing our name."""
    return message.via_bot is not None and message.via_bot.id == me.id


def is_anonymous(message: Message) -> bool:
    """Tell whether an administrator speaks as the group itself."""
    return message.sender_chat is not None and message.sender_chat.id == message.chat.id


def is_by_machine(message: Message) -> bool:
    """Tell whether another bot or a channel wrote it."""
    author = message.from_user
    if is_anonymous(message):
        return False
    return author is None or author.is_bot or author.id in _SERVANTS or message.sender_chat is not None


def author_of(message: Message) -> Speaker:
    """Return who wrote a message. All that speak for a group are one, who is none of its people."""
    if message.from_user is None or is_anonymous(message):
        name = message.author_signature or message.chat.title or ""
        return Speaker(user=f"group{message.chat.id}", name=name)
    return speaker_of(message.from_user)


def heard_of(message: Message, update: int, me: User) -> Heard:
    """Return the message: our own mention is removed, everything else stays."""
    return Heard(
        update=str(update),
        message=str(message.message_id),
        speaker=author_of(message),
        spot=spot_of(message),
        text=said_in(message, me),
        at=message.date,
        original=_is_original(message),
        quoted=tuple(_quoted(message, me)),
        files=tuple(_files(message)),
        answers=answered_ref(message, me),
    )


def said_in(message: Message, me: User) -> str:
    """Return the words of a message without our own mention."""
    return _without_mention(message.text or message.caption or "", me)


def is_addressed(message: Message, me: User) -> bool:
    """Tell whether a message is for us wherever it stands: a command, our name, an answer to us."""
    text = message.text or message.caption or ""
    if is_command(text):
        return not is_for_another(text, me)
    return _names(message, me) or bool(answered_ref(message, me))


def is_for_another(text: str, me: User) -> bool:
    """Tell whether a text is a command for another bot."""
    named = _COMMAND.match(text.strip())
    return named is not None and named[1].casefold() != (me.username or "").casefold()


def holds_names(text: str) -> bool:
    """Tell whether a text holds a `[[Name]]`."""
    return _INLINE.search(text) is not None


def answered_ref(message: Message, me: User) -> str:
    """Return the ref of the message of ours that this one answers, or ""."""
    answered = _answered(message)
    if answered is None or answered.from_user is None or answered.from_user.id != me.id:
        return ""
    return ref_of(message.chat.id, answered.message_id)


def _topic(message: Message) -> int:
    return (message.message_thread_id or 0) if message.is_topic_message else 0


def _topic_title(message: Message) -> str:
    opening = message.reply_to_message
    for told in (message, opening):
        if told is not None and told.forum_topic_created is not None:
            return told.forum_topic_created.name
    return ""


def _answered(message: Message) -> Message | None:
    """Return the message that somebody chose to answer; every message of a topic answers its beginning."""
    answered = message.reply_to_message
    if answered is None or answered.forum_topic_created is not None:
        return None
    return answered


def _is_original(message: Message) -> bool:
    return not (
        message.forward_origin
        or message.via_bot
        or message.edit_date
        or message.sender_chat
        or message.is_automatic_forward
        or message.is_from_offline
    )


def _names(message: Message, me: User) -> bool:
    own = f"@{me.username}".casefold()
    entities = {**message.parse_entities(), **message.parse_caption_entities()}
    return any(
        (entity.type == Kind.MENTION and text.casefold() == own)
        or (entity.type == Kind.TEXT_MENTION and entity.user is not None and entity.user.id == me.id)
        for entity, text in entities.items()
    )


def _without_mention(text: str, me: User) -> str:
    text = without_joiners(text)
    bare = re.sub(rf"(?<!\S)@{re.escape(me.username or '-')}\b[,:]?", "", text, flags=re.IGNORECASE)
    return re.sub(r"[ \t]{2,}", " ", bare).strip()


def _quoted(message: Message, me: User) -> Iterator[Quoted]:
    answered = _answered(message)
    if message.quote is not None:
        yield Quoted(author=_author_name(message, answered), text=without_joiners(message.quote.text))
    elif answered is not None:
        yield Quoted(author=_author_name(message, answered), text=_content(answered))
    elif message.external_reply is not None:
        yield Quoted(author=_author_name(message, None), text=None)
    if message.forward_origin is not None and _answered(message) is None:
        yield Quoted(author=_origin(message.forward_origin), text=said_in(message, me))


def _content(message: Message) -> str | None:
    """Return what a message says, or the kind of what it shows; None for one that is gone."""
    text = message.text or message.caption
    if text:
        return without_joiners(text)
    names = [file.name for file in _files(message)]
    return f"({', '.join(names)})" if names else None


def _author_name(message: Message, answered: Message | None) -> str:
    if answered is not None:
        return author_of(answered).name
    if message.external_reply is not None:
        return _origin(message.external_reply.origin)
    return ""


def _origin(origin: object) -> str:
    match origin:
        case MessageOriginUser():
            return origin.sender_user.full_name
        case MessageOriginHiddenUser():
            return origin.sender_user_name
        case MessageOriginChat():
            return origin.sender_chat.title or ""
        case MessageOriginChannel():
            return origin.chat.title or ""
    return ""


def _files(message: Message) -> Iterator[Attached]:
    sent: tuple[Document | Audio | Video | None, ...] = (message.document, message.audio, message.video)
    for file in sent:
        if file is None:
            continue
        yield Attached(
            name=file.file_name or "file",
            size=file.file_size or 0,
            media_type=file.mime_type or "application/octet-stream",
            ref=file.file_id,
        )
    if message.photo:
        largest = max(message.photo, key=lambda one: one.width * one.height)
        yield Attached(
            name="photo.jpg", size=largest.file_size or 0, media_type="image/jpeg", ref=largest.file_id
        )


def voice_of(message: Message) -> Attached | None:
    """Return the voice note in a message, or None."""
    voice = message.voice or message.video_note
    if voice is None:
        return None
    kind = "audio/ogg" if message.voice is not None else "video/mp4"
    return Attached(name="voice.ogg", size=voice.file_size or 0, media_type=kind, ref=voice.file_id)


def text_file_of(message: Message) -> Attached | None:
    """Return the text file in a message, or None."""
    return next((file for file in _files(message) if file.name.lower().endswith((".md", ".txt"))), None)


def together(album: Sequence[Heard]) -> Heard:
    """Return the messages of an album as the one that they are: the first, with all files and words."""
    first = album[0]
    texts = [heard.text for heard in album if heard.text]
    return Heard(
        update=first.update,
        message=first.message,
        speaker=first.speaker,
        spot=first.spot,
        text="\n".join(texts),
        at=first.at,
        original=all(heard.original for heard in album),
        quoted=first.quoted,
        files=tuple(file for heard in album for file in heard.files),
        answers=first.answers,
    )
