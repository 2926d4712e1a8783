"""The words of the gateway's protocol: intents, opcodes, and which event needs which intent."""

from enum import IntEnum, IntFlag


class Intent(IntFlag):
    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    GUILD_MESSAGE_REACTIONS = 1 << 10
    GUILD_MESSAGE_TYPING = 1 << 11
    DIRECT_MESSAGES = 1 << 12
    DIRECT_MESSAGE_REACTIONS = 1 << 13
    DIRECT_MESSAGE_TYPING = 1 << 14
    MESSAGE_CONTENT = 1 << 15


PRIVILEGED = Intent.GUILD_MEMBERS | Intent.GUILD_PRESENCES | Intent.MESSAGE_CONTENT


class Op(IntEnum):
    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    PRESENCE = 3
    VOICE_STATE = 4
    RESUME = 6
    RECONNECT = 7
    REQUEST_MEMBERS = 8
    INVALID_SESSION = 9
    HELLO = 10
    HEARTBEAT_ACK = 11


def intent_for(name: str, *, direct: bool) -> Intent | None:
    """Return the intent that the event needs, if any."""
    if name.startswith("MESSAGE_REACTION"):
        return Intent.DIRECT_MESSAGE_REACTIONS if direct else Intent.GUILD_MESSAGE_REACTIONS
    if name.startswith("MESSAGE"):
        return Intent.DIRECT_MESSAGES if direct else Intent.GUILD_MESSAGES
    if name == "TYPING_START":
        return Intent.DIRECT_MESSAGE_TYPING if direct else Intent.GUILD_MESSAGE_TYPING
    if name.startswith("GUILD_MEMBER") or name == "THREAD_MEMBERS_UPDATE":
        return Intent.GUILD_MEMBERS
    return None if name == "INTERACTION_CREATE" else Intent.GUILDS
