"""What people do in Telegram, as a test says it; the bot is told as far as Telegram would."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from tests.emulators.telegram.call import Upload
from tests.emulators.telegram.delivery import hears, hears_reactions
from tests.emulators.telegram.methods.content import MAX_CAPTION, MAX_TEXT, inline_keyboard
from tests.emulators.telegram.methods.files import kept
from tests.emulators.telegram.methods.places import chain_of
from tests.emulators.telegram.records import (
    Attachment,
    Button,
    Chat,
    Entity,
    InlineQuery,
    Message,
    Press,
    Quote,
    Topic,
    User,
)
from tests.emulators.telegram.stage import Stage
from tests.emulators.telegram.text import formatted, noticed, units
from tests.emulators.telegram.wire import Json, chat_json, message_json, stamp, user_json, user_origin

JUST_NOW = timedelta()


class Acts(Stage):
    """The part of the driving API about messages, presses and reactions.

    `ago` dates an act back, as for an update that waited while the bot was down.
    """

    def say(
        self,
        user: User,
        chat: Chat,
        text: str,
        *,
        topic: Topic | None = None,
        reply_to: Message | None = None,
        quote: str = "",
        entities: Sequence[Entity] | None = None,
        ago: timedelta = JUST_NOW,
    ) -> Message:
        """Return the message that somebody writes; commands and mentions in it are marked by themselves.

        `reply_to` may be in another chat, or in another topic if `topic` says where this message goes.
        """
        assert 0 < units(text) <= MAX_TEXT, "an app would not send this as one message"
        marks = noticed(text) if entities is None else tuple(entities)
        return self._post(user, chat, text, marks, topic, reply_to, quote, ago)

    def send_document(
        self,
        user: User,
        chat: Chat,
        name: str,
        content: bytes,
        *,
        caption: str = "",
        mime_type: str = "application/octet-stream",
        size: int = 0,
        topic: Topic | None = None,
        reply_to: Message | None = None,
        ago: timedelta = JUST_NOW,
    ) -> Message:
        """Return the message with a file; `size` lets a small one count as bigger than it is."""
        file = kept(self.world, "document", Upload(name, content, mime_type), size)
        return self._post(user, chat, caption, noticed(caption), topic, reply_to, "", ago, file)

    def send_photo(
        self,
        user: User,
        chat: Chat,
        content: bytes = b"jpeg",
        *,
        caption: str = "",
        topic: Topic | None = None,
        ago: timedelta = JUST_NOW,
    ) -> Message:
        """Return the message with a picture, in two sizes."""
        file = kept(self.world, "photo", Upload("", content, "image/jpeg"))
        return self._post(user, chat, caption, noticed(caption), topic, None, "", ago, file)

    def voice(
        self,
        user: User,
        chat: Chat,
        content: bytes = b"OggS",
        *,
        duration_s: int = 3,
        topic: Topic | None = None,
        ago: timedelta = JUST_NOW,
    ) -> Message:
        """Return the message with a voice note."""
        file = kept(self.world, "voice", Upload("", content, "audio/ogg"), duration=duration_s)
        return self._post(user, chat, "", (), topic, None, "", ago, file)

    def album(
        self,
        user: User,
        chat: Chat,
        files: Mapping[str, bytes],
        *,
        caption: str = "",
        kind: str = "document",
        topic: Topic | None = None,
        ago: timedelta = JUST_NOW,
    ) -> list[Message]:
        """Return the messages of an album; the caption is with the first, an update comes for each."""
        group_id = f"13{next(self.world.numbers):015}"
        posted: list[Message] = []
        for name, content in files.items():
            words = "" if posted else caption
            mime_type = "image/jpeg" if kind == "photo" else "text/plain"
            file = kept(self.world, kind, Upload(name, content, mime_type))
            message = self._post(
                user, chat, words, noticed(words), topic, None, "", ago, file, {"media_group_id": group_id}
            )
            posted.append(message)
        return posted

    def forward(
        self, user: User, message: Message, chat: Chat, *, topic: Topic | None = None, hidden: bool = False
    ) -> Message:
        """Return the message that somebody forwards; `hidden` leaves only the author's name."""
        origin = user_origin(message)
        if hidden:
            del origin["sender_user"]
            origin |= {"type": "hidden_user", "sender_user_name": message.sender.first_name}
        more = {"forward_origin": origin}
        return self._post(
            user, chat, message.text, message.entities, topic, None, "", JUST_NOW, message.file, more
        )

    def edit(self, message: Message, text: str) -> None:
        """Let the author of a message change its text or caption."""
        self.world.add_version(message, text, noticed(text), message.keyboard)
        message.is_edited = True
        if hears(self.world, message):
            self.world.feed.add("edited_message", message_json(message))

    def delete(self, message: Message) -> None:
        """Delete a message; no bot is ever told."""
        message.is_deleted = True
        self.world.bell.ring()

    def react(self, user: User, message: Message, *emoji: str, ago: timedelta = JUST_NOW) -> int | None:
        """Let somebody's reactions to a message be these, and return the update's id."""
        chat = message.chat
        member = chat.member(user)
        actor = chat.id if member.is_anonymous else user.id
        before = message.reactions.get(actor, ())
        message.reactions[actor] = emoji
        who = {"actor_chat": chat_json(chat)} if member.is_anonymous else {"user": user_json(user)}
        self.world.bell.ring()
        if not hears_reactions(self.world, chat):
            return None
        payload: Json = {
            "chat": chat_json(chat),
            "message_id": message.id,
            **who,
            "date": stamp(self._date(ago)),
            "old_reaction": [{"type": "emoji", "emoji": one} for one in before],
            "new_reaction": [{"type": "emoji", "emoji": one} for one in emoji],
        }
        return self.world.feed.add("message_reaction", payload)

    def unreact(self, user: User, message: Message) -> int | None:
        """Take all of somebody's reactions away."""
        return self.react(user, message)

    def press(self, user: User, message: Message, button: str, *, ago: timedelta = JUST_NOW) -> Press:
        """Press a button by its text or data; a button that was there before an edit can still be pressed."""
        data = _button(message, button).data
        press = Press(str(next(self.world.numbers) + 10**18), user, message, data, self._date(ago))
        self.world.presses[press.id] = press
        instance = str(abs(message.chat.id) * 7)
        payload = {"id": press.id, "from": user_json(user), "chat_instance": instance, "data": data}
        press.update_id = self.world.feed.add("callback_query", payload | _pressed_at(message))
        return press

    def inline(self, user: User, text: str, *, chat_type: str = "sender") -> InlineQuery:
        """Type a text after the bot's name in any chat."""
        query = InlineQuery(str(next(self.world.numbers) + 10**17), user, text, self.world.now())
        self.world.inline_queries[query.id] = query
        payload = {
            "id": query.id,
            "from": user_json(user),
            "query": text,
            "offset": "",
            "chat_type": chat_type,
        }
        query.update_id = self.world.feed.add("inline_query", payload)
        return query

    def choose(self, query: InlineQuery, title: str, chat: Chat, *, topic: Topic | None = None) -> Message:
        """Send an offered result into a chat, where it comes from the person by way of the bot."""
        result = next(one for one in query.results or () if one["title"] == title)
        content = result["input_message_content"]
        text, entities = formatted(content["message_text"], content.get("entities", []))
        inline_id = f"inline-{next(self.world.numbers)}"
        more = {"via_bot": self.world.bot, "inline_id": inline_id}
        message = self._post(query.user, chat, text, entities, topic, None, "", JUST_NOW, None, more)
        self.world.inline_messages[inline_id] = message
        if "reply_markup" in result:
            self.world.add_version(message, text, entities, inline_keyboard(result["reply_markup"]))
        return message

    def repeat(self, update_id: int | None) -> None:
        """Deliver an update once more under its old id, whatever the bot has confirmed."""
        assert update_id is not None, "the bot was never told of this"
        self.world.feed.repeat(update_id)

    def _post(
        self,
        user: User,
        chat: Chat,
        text: str,
        entities: Sequence[Entity],
        topic: Topic | None,
        reply_to: Message | None,
        quote: str,
        ago: timedelta,
        file: Attachment | None = None,
        more: Mapping[str, Any] | None = None,  # other fields of Message
    ) -> Message:
        self._check_place(user, chat, topic, text if file else "")
        is_here = reply_to is not None and reply_to.chat is chat
        if topic is None and reply_to is not None and is_here and reply_to.is_topic_message:
            topic = chat.topics[reply_to.thread_id or 0]
        opening = chat.messages[topic.id] if topic is not None and not chat.is_private else None
        message = self.world.new_message(
            chat,
            user,
            text,
            entities,
            at=self._date(ago),
            thread_id=topic.id if topic else chain_of(reply_to if is_here else None, chat),
            is_topic_message=topic is not None,
            reply_to=reply_to or opening,
            quote=_quote(reply_to, quote),
            file=file,
            sender_chat=chat if chat.member(user).is_anonymous else None,
            **(more or {}),
        )
        self.world.tell(message)
        return message

    def _check_place(self, user: User, chat: Chat, topic: Topic | None, caption: str) -> None:
        assert units(caption) <= MAX_CAPTION, "an app would not send this caption"
        assert chat.user is user if chat.is_private else chat.member(user).is_in, "not in that chat"
        assert chat.migrated_to is None, "nobody can write into a group that was upgraded"
        assert topic is None or (topic.chat is chat and not topic.is_deleted), "no such topic there"

    def _date(self, ago: timedelta) -> datetime:
        return self.world.now() - ago


def _pressed_at(message: Message) -> Json:
    if message.inline_id:
        return {"inline_message_id": message.inline_id}
    if message.is_deleted:
        return {"message": {"chat": chat_json(message.chat), "message_id": message.id, "date": 0}}
    return {"message": message_json(message)}


def _quote(message: Message | None, text: str) -> Quote | None:
    if not text:
        return None
    assert message is not None, "a quote needs the message it is from"
    assert text in message.text, "a quote is a part of the message"
    return Quote(text, units(message.text[: message.text.index(text)]))


def _button(message: Message, wanted: str) -> Button:
    for version in reversed(message.versions):
        for button in (button for row in version.keyboard for button in row):
            if button.data and wanted in (button.text, button.data):
                return button
    raise AssertionError(f"no button {wanted!r} at {message.text!r}, only {message.buttons}")
