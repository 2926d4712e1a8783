"""Messages in Telegram's own form as what was heard."""

from datetime import UTC, datetime
from typing import Any

from telegram import Message, User

from adapters.telegram.inbound import (
    answered_ref,
    heard_of,
    is_addressed,
    is_anonymous,
    is_by_machine,
    place_in,
    spot_of,
)

ME = User(7, "LoreKeeper", is_bot=True, username="lore_bot")
ANA = {"id": 11, "is_bot": False, "first_name": "Ana", "language_code": "de"}
GROUP = {"id": -1001, "type": "supergroup", "title": "Writers", "is_forum": True}
WHEN = int(datetime(2026, 5, 1, tzinfo=UTC).timestamp())


def message(text: str = "hello", sender: Any = None, **more: Any) -> Message:  # Any: fields as JSON
    data: dict[str, Any] = {"message_id": 5, "date": WHEN, "chat": GROUP, "text": text, **more}
    return Message.de_json({**data, "from": sender or ANA}, None)


def test_thread_of_a_reply_chain_is_no_topic() -> None:
    """C12 (b)."""
    assert place_in(message(message_thread_id=555)).key == "-1001"
    assert place_in(message(message_thread_id=55, is_topic_message=True)).key == "-1001:55"


def test_topic_has_its_title_and_takes_over_the_groups_book() -> None:
    opening = {
        "message_id": 55,
        "date": WHEN,
        "chat": GROUP,
        "forum_topic_created": {"name": "The Heron", "icon_color": 1},
    }
    heard = message(message_thread_id=55, is_topic_message=True, reply_to_message=opening)
    spot = spot_of(heard)
    assert spot.title == "The Heron"
    assert spot.parents == ("-1001",)
    assert heard_of(heard, 1, ME).quoted == ()
    assert answered_ref(heard, ME) == ""


def test_reply_to_something_out_of_sight_says_so_instead_of_guessing() -> None:
    """C26."""
    origin = {"type": "user", "sender_user": {"id": 12, "is_bot": False, "first_name": "Ben"}, "date": WHEN}
    heard = heard_of(message("shorten this", external_reply={"origin": origin}), 1, ME)
    [quoted] = heard.quoted
    assert quoted.author == "Ben"
    assert quoted.text is None


def test_anonymous_administrators_are_nobody_of_the_group() -> None:
    """C13: they all come from one shared id."""
    bot = {"id": 1087968824, "is_bot": True, "first_name": "Group", "username": "GroupAnonymousBot"}
    anonymous = message(sender=bot, sender_chat=GROUP, author_signature="Lead")
    heard = heard_of(anonymous, 1, ME)
    assert is_anonymous(anonymous)
    assert not is_by_machine(anonymous)
    assert heard.speaker.user == "group-1001"
    assert not heard.original


def test_bots_and_channels_are_machines() -> None:
    """C28, here."""
    assert is_by_machine(message(sender={"id": 9, "is_bot": True, "first_name": "Other"}))
    channel = {"id": -1009, "type": "channel", "title": "News"}
    assert is_by_machine(message(sender_chat=channel))


def test_forwarded_and_scheduled_messages_are_not_original() -> None:
    origin = {"type": "hidden_user", "sender_user_name": "Ben", "date": WHEN}
    assert heard_of(message(), 1, ME).original
    assert not heard_of(message(forward_origin=origin), 1, ME).original
    assert not heard_of(message(is_from_offline=True), 1, ME).original
    assert not heard_of(message(edit_date=WHEN), 1, ME).original


def test_own_name_is_removed_and_others_stay() -> None:
    text = "@lore_bot, ask @edda_k_2 about @Lore_Bots"
    mention = [{"type": "mention", "offset": 0, "length": 9}]
    heard = message(text, entities=mention)
    assert is_addressed(heard, ME)
    assert heard_of(heard, 1, ME).text == "ask @edda_k_2 about @Lore_Bots"


def test_commands_are_ours_unless_they_name_another_bot() -> None:
    assert is_addressed(message("/lore Mara"), ME)
    assert is_addressed(message("/lore@Lore_Bot Mara"), ME)
    assert not is_addressed(message("/lore@other_bot Mara"), ME)
    assert not is_addressed(message("so be it"), ME)
