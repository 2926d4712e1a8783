"""Topics that the bot makes, renames, closes, opens again and deletes."""

from tests.emulators.telegram.call import Call
from tests.emulators.telegram.errors import refused, wrong
from tests.emulators.telegram.methods.places import chat_for, thread_for
from tests.emulators.telegram.records import Chat, Topic
from tests.emulators.telegram.wire import Json
from tests.emulators.telegram.world import World

MAX_NAME = 128


def create_forum_topic(world: World, call: Call) -> Json:
    """Make a topic."""
    call.passed_over("icon_color", "icon_custom_emoji_id")
    chat = _manageable(world, call)
    topic = world.new_topic(chat, _name(call), world.bot)
    return {"message_thread_id": topic.id, "name": topic.name, "icon_color": topic.icon_color}


def edit_forum_topic(world: World, call: Call) -> bool:
    """Rename a topic."""
    call.passed_over("icon_custom_emoji_id")
    topic = _topic(world, call)
    name = _name(call)
    if name == topic.name:
        raise refused("TOPIC_NOT_MODIFIED")
    rename(world, topic, name)
    return True


def close_forum_topic(world: World, call: Call) -> bool:
    """Close a topic."""
    set_closed(world, _topic(world, call), is_closed=True)
    return True


def reopen_forum_topic(world: World, call: Call) -> bool:
    """Open a closed topic again."""
    set_closed(world, _topic(world, call), is_closed=False)
    return True


def delete_forum_topic(world: World, call: Call) -> bool:
    """Delete a topic with all its messages."""
    remove(world, _topic(world, call))
    return True


def rename(world: World, topic: Topic, name: str) -> None:
    """Give a topic another name; a service message says so."""
    topic.name = name
    _announce(world, topic, {"forum_topic_edited": {"name": name}})


def set_closed(world: World, topic: Topic, *, is_closed: bool) -> None:
    """Close or open a topic; a service message says so."""
    if topic.is_closed == is_closed:
        raise refused("TOPIC_NOT_MODIFIED")
    topic.is_closed = is_closed
    _announce(world, topic, {"forum_topic_closed" if is_closed else "forum_topic_reopened": {}})


def remove(world: World, topic: Topic) -> None:
    """Delete a topic; nobody is told."""
    topic.is_deleted = True
    for message in topic.chat.messages.values():
        if message.is_topic_message and message.thread_id == topic.id:
            message.is_deleted = True
    world.bell.ring()


def _announce(world: World, topic: Topic, content: Json) -> None:
    opening = topic.chat.messages[topic.id]
    world.service(
        topic.chat, opening.sender, content, thread_id=topic.id, is_topic_message=True, reply_to=opening
    )


def _name(call: Call) -> str:
    name = call.text("name").strip()
    if not 1 <= len(name) <= MAX_NAME:
        raise wrong("TOPIC_TITLE_EMPTY" if not name else "topic name is too long")
    return name


def _topic(world: World, call: Call) -> Topic:
    topic = thread_for(world, call, _manageable(world, call))
    if topic is None:
        raise wrong("message thread not found")
    return topic


def _manageable(world: World, call: Call) -> Chat:
    chat = chat_for(world, call)
    if not (world.manners.has_private_topics if chat.is_private else chat.is_forum):
        raise wrong("the chat is not a forum")
    if not world.bot_may(chat, "can_manage_topics"):
        raise refused("not enough rights to create a topic")
    return chat


METHODS = {
    "createForumTopic": create_forum_topic,
    "editForumTopic": edit_forum_topic,
    "closeForumTopic": close_forum_topic,
    "reopenForumTopic": reopen_forum_topic,
    "deleteForumTopic": delete_forum_topic,
}
