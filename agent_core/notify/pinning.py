"""A digest that tells whether a channel still leads where it did, and nothing of its address."""

import hashlib

from agent_core.notify.model import Channel, Mail, Target, Telegram

_WORK = 2**13  # some ten milliseconds a guess, since mail addresses and chats are easy to guess


def target_digest(channel: Channel, salt: str) -> str:
    """Return a digest of where a channel leads, whatever its login; it takes a moment, and is for threads."""
    place = "\0".join(_place(channel.target))
    return hashlib.scrypt(place.encode(), salt=salt.encode(), n=_WORK, r=8, p=1, dklen=16).hex()


def _place(target: Target) -> tuple[str, ...]:
    match target:
        case Telegram():
            return "telegram", target.chat, target.thread
        case Mail():
            return "mail", target.host, str(target.port), target.sender, *target.recipients
        case _:
            return type(target).__name__, target.url
