"""The JSON in which Discord shows people and roles; ids are strings, times ISO 8601."""

from datetime import datetime

from tests.emulators.discord.model import Json, Member, Role, User


def user_json(user: User) -> Json:
    return {
        "id": str(user.id),
        "username": user.name,
        "global_name": user.display_name,
        "discriminator": "0000" if user.is_bot else "0",
        "avatar": None,
        "bot": user.is_bot,
        "public_flags": 0,
        "flags": 0,
        "primary_guild": None,
    }


def member_json(member: Member, *, with_user: bool = True) -> Json:
    seen: Json = {
        "roles": [str(role.id) for role in member.roles],
        "joined_at": time_json(member.joined_at),
        "nick": member.nick,
        "avatar": None,
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "pending": False,
        "flags": 0,
        "communication_disabled_until": None,
    }
    return {**seen, "user": user_json(member.user)} if with_user else seen


def role_json(role: Role) -> Json:
    return {
        "id": str(role.id),
        "name": role.name,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "position": role.position,
        "permissions": str(int(role.permissions)),
        "managed": False,
        "mentionable": True,
        "flags": 0,
        "icon": None,
        "unicode_emoji": None,
    }


def time_json(at: datetime) -> str:
    return at.isoformat()
