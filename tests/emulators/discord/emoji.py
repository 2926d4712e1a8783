"""Which emoji Discord takes, and in what form it shows them."""

import re
import unicodedata
from urllib.parse import unquote

from tests.emulators.discord.model import Guild, Json
from tests.emulators.discord.refusal import Refused

_CUSTOM = re.compile(r"^(?:[a-z]*:)?(?P<name>\w{2,32}):(?P<id>\d{15,25})$")
_KEYCAP = re.compile("^[0-9#*]\ufe0f?\u20e3$")
_JOINERS = {"\ufe0f", "\u200d", "\u20e3"}


def key_of(written: str, guild: Guild | None) -> str:
    """Return the emoji of a request's path or of a test in its one form.

    Raises:
        Refused: 10014, for what is no emoji or not one of the server's.
    """
    text = unquote(written)
    custom = _CUSTOM.match(text.strip("<>"))
    if custom:
        number = int(custom["id"])
        if guild is None or number not in guild.emojis:
            raise Refused(10014)
        return f"{guild.emojis[number]}:{number}"
    if not _is_emoji(text):
        raise Refused(10014)
    return text


def same_emoji(first: str, second: str) -> bool:
    """Return whether two keys mean one emoji, whatever their variation selectors."""
    return first.replace("\ufe0f", "") == second.replace("\ufe0f", "")


def emoji_json(key: str) -> Json:
    """Return the emoji as events and reactions carry it."""
    name, _, number = key.rpartition(":") if _CUSTOM.match(key) else (key, "", "")
    return {"id": number or None, "name": name}


def _is_emoji(text: str) -> bool:
    if _KEYCAP.match(text):
        return True
    symbols = [letter for letter in text if letter not in _JOINERS]
    kinds = {unicodedata.category(letter) for letter in symbols}
    return bool(symbols) and kinds <= {"So", "Sk", "Sm", "Po", "Cf", "Cn"} and max(map(ord, symbols)) > 0x2000
