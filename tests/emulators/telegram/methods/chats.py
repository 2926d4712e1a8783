"""What the bot can learn about itself, chats and their members, and how it leaves."""

from tests.emulators.telegram.call import Call
from tests.emulators.telegram.errors import wrong
from tests.emulators.telegram.methods.places import chat_for
from tests.emulators.telegram.records import Chat, Member
from tests.emulators.telegram.wire import Json, chat_json, member_json, message_json, user_json
from tests.emulators.telegram.world import World

_GIFTS = (
    "unlimited_gifts",
    "limited_gifts",
    "unique_gifts",
    "premium_subscription",
    "gifts_from_channels",
)


def get_me(world: World, call: Call) -> Json:
    """Return the bot as only it sees itself."""
    del call
    return user_json(world.bot) | {
        "can_join_groups": True,
        "can_read_all_group_messages": not world.manners.has_privacy,
        "supports_inline_queries": True,
        "can_connect_to_business": False,
        "has_main_web_app": False,
        "has_topics_enabled": world.manners.has_private_topics,
        "allows_users_to_create_topics": world.manners.has_private_topics,
    }


def get_chat(world: World, call: Call) -> Json:
    """Return a ChatFullInfo."""
    chat = chat_for(world, call)
    shape = chat_json(chat) | {
        "accent_color_id": 0,
        "max_reaction_count": 11,
        "accepted_gift_types": dict.fromkeys(_GIFTS, False),
    }
    if chat.pinned:
        shape["pinned_message"] = message_json(chat.pinned[-1], in_reply=True)
    if not chat.is_private:
        shape["permissions"] = {"can_send_messages": chat.bot_may_write, "can_manage_topics": False}
    if chat.allowed_reactions is not None:
        emoji = sorted(chat.allowed_reactions)
        shape["available_reactions"] = [{"type": "emoji", "emoji": one} for one in emoji]
    return shape


def get_chat_member(world: World, call: Call) -> Json:
    """Return somebody's standing in a chat."""
    chat = chat_for(world, call)
    user_id = call.integer("user_id")
    user = world.bot if user_id == world.bot.id else world.users.get(user_id or 0)
    if user is None:
        raise wrong("invalid user_id specified")
    member = Member(user) if chat.is_private else chat.member(user)
    shape = member_json(member)
    if member.status == "member" and user is world.bot and not chat.bot_may_write:
        shape |= {"status": "restricted", "is_member": True, "until_date": 0}
        shape |= dict.fromkeys(_PERMISSIONS, False)
    return shape


def get_chat_administrators(world: World, call: Call) -> list[Json]:
    """Return the administrators that are people, and the bot itself."""
    call.passed_over("return_bots")
    chat = _group(world, call)
    admins = [member for member in chat.members.values() if member.is_admin]
    return [member_json(member) for member in admins if not member.user.is_bot or member.user is world.bot]


def get_chat_member_count(world: World, call: Call) -> int:
    """Return how many are in a chat."""
    chat = chat_for(world, call)
    return 2 if chat.is_private else sum(member.is_in for member in chat.members.values())


def leave_chat(world: World, call: Call) -> bool:
    """Let the bot leave a group."""
    chat = _group(world, call)
    chat.member(world.bot).status = "left"
    world.bell.ring()
    return True


def _group(world: World, call: Call) -> Chat:
    chat = chat_for(world, call)
    if chat.is_private:
        raise wrong("there are no administrators in the private chat")
    return chat


_PERMISSIONS = (
    "can_change_info",
    "can_invite_users",
    "can_pin_messages",
    "can_manage_topics",
    "can_send_messages",
    "can_send_audios",
    "can_send_documents",
    "can_send_photos",
    "can_send_videos",
    "can_send_video_notes",
    "can_send_voice_notes",
    "can_send_polls",
    "can_send_other_messages",
    "can_add_web_page_previews",
    "can_edit_tag",
    "can_react_to_messages",
)

METHODS = {
    "getMe": get_me,
    "getChat": get_chat,
    "getChatMember": get_chat_member,
    "getChatAdministrators": get_chat_administrators,
    "getChatMemberCount": get_chat_member_count,
    "leaveChat": leave_chat,
}
