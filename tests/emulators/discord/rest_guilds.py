"""REST: the bot's own account, servers, roles and members."""

from typing import Final

from tests.emulators.discord.model import Json
from tests.emulators.discord.refusal import Refused
from tests.emulators.discord.rest import Call, Reply, Route
from tests.emulators.discord.wire_people import member_json, role_json, user_json
from tests.emulators.discord.wire_places import channel_json, guild_json
from tests.emulators.discord.world import World


def get_me(world: World, call: Call) -> Reply:
    return Reply(user_json(world.bot) | {"verified": True, "mfa_enabled": True, "locale": "en-US"})


def get_application(world: World, call: Call) -> Reply:
    return Reply(_application(world))


def get_gateway(world: World, call: Call) -> Reply:
    limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
    return Reply({"url": world.gateway_url, "shards": 1, "session_start_limit": limit})


def get_user(world: World, call: Call) -> Reply:
    user = world.users.get(call.number("user_id"))
    if user is None:
        raise Refused(10013)
    return Reply(user_json(user))


def list_guilds(world: World, call: Call) -> Reply:
    mine = [guild for guild in world.guilds.values() if world.bot.id in guild.members]
    return Reply(
        [
            {
                "id": str(guild.id),
                "name": guild.name,
                "icon": None,
                "owner": False,
                "permissions": "0",
                "features": [],
            }
            for guild in mine
        ]
    )


def get_guild(world: World, call: Call) -> Reply:
    guild = world.guild(call.number("guild_id"))
    count = {"approximate_member_count": len(guild.members), "approximate_presence_count": 1}
    return Reply(guild_json(world, guild) | (count if call.query.get("with_counts") else {}))


def list_channels(world: World, call: Call) -> Reply:
    guild = world.guild(call.number("guild_id"))
    plain = [channel for channel in guild.channels.values() if channel.thread is None]
    return Reply([channel_json(world, channel) for channel in plain])


def list_roles(world: World, call: Call) -> Reply:
    return Reply([role_json(role) for role in world.guild(call.number("guild_id")).roles.values()])


def get_member(world: World, call: Call) -> Reply:
    guild = world.guild(call.number("guild_id"))
    member = guild.members.get(call.number("user_id"))
    if member is None:
        raise Refused(10007)
    return Reply(member_json(member))


def list_members(world: World, call: Call) -> Reply:
    guild = world.guild(call.number("guild_id"))
    if not world.portal_intents & 1 << 1:
        raise Refused(50001)
    after, limit = int(call.query.get("after", 0)), int(call.query.get("limit", 1))
    later = sorted(key for key in guild.members if key > after)
    return Reply([member_json(guild.members[key]) for key in later[:limit]])


def search_members(world: World, call: Call) -> Reply:
    guild = world.guild(call.number("guild_id"))
    wanted = call.query.get("query", "").casefold()
    found = [
        member
        for member in guild.members.values()
        if any(name.casefold().startswith(wanted) for name in (member.user.name, member.nick or ""))
    ]
    return Reply([member_json(member) for member in found[: int(call.query.get("limit", 1))]])


def _application(world: World) -> Json:
    owner = next((guild.owner for guild in world.guilds.values()), world.bot)
    return {
        "id": str(world.application_id),
        "name": world.bot.display_name,
        "type": None,
        "icon": None,
        "description": "",
        "summary": "",
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": "0" * 64,
        "owner": user_json(owner),
        "team": None,
        "flags": _application_flags(world),
        "flags_new": str(_application_flags(world)),
        "bot": user_json(world.bot),
        "approximate_guild_count": len(world.guilds),
        "approximate_user_install_count": 0,
        "approximate_user_authorization_count": 0,
        "explicit_content_filter": 0,
        "eligible_oauth2_scopes": [],
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "tags": [],
        "integration_types_config": {"0": {}},
        "hook": True,
    }


def _application_flags(world: World) -> int:
    """Return the flags that say which privileged intents a bot in few servers was given."""
    given = ((1 << 8, 1 << 13), (1 << 1, 1 << 15), (1 << 15, 1 << 19))
    return sum(flag for intent, flag in given if world.portal_intents & intent)


ROUTES: Final = (
    Route("GET", "/users/@me", get_me),
    Route("GET", "/users/@me/guilds", list_guilds),
    Route("GET", "/users/{user_id}", get_user),
    Route("GET", "/applications/@me", get_application),
    Route("GET", "/oauth2/applications/@me", get_application),
    Route("GET", "/gateway", get_gateway, needs_token=False),
    Route("GET", "/gateway/bot", get_gateway),
    Route("GET", "/guilds/{guild_id}", get_guild),
    Route("GET", "/guilds/{guild_id}/channels", list_channels),
    Route("GET", "/guilds/{guild_id}/roles", list_roles),
    Route("GET", "/guilds/{guild_id}/members", list_members),
    Route("GET", "/guilds/{guild_id}/members/search", search_members),
    Route("GET", "/guilds/{guild_id}/members/{user_id}", get_member),
)
