"""Reads channels out of a setting, and says what of them is secret."""

import re
from collections.abc import Iterator
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from agent_core.notify.model import Carried, Channel, Discord, Mail, Target, Telegram, Webhook

MIN_SECRET_CHARS = 12
_NAME = re.compile(r"[\w-]{1,40}")
_DISCORD = re.compile(r"(?:[a-z]+\.)?discord(?:app)?\.com")
_CHAT = re.compile(r"-?\d{1,20}|@\w{4,32}")
_ADDRESS = re.compile(r"[!-~]+@[!-~]+")
_MAIL_PORTS = {"smtp": 587, "smtps": 465}
# Of apprise: what would redirect or repeat on its own, against our rules.
_FORBIDDEN = frozenset({"redirect", "retry", "wait"})

FORM = (
    "is not of the form NAME=ADDRESS, apart by spaces; a name has letters, digits, - and _, and an address "
    "begins with https:, telegram:, smtp:, smtps: or apprise:"
)


def parse_channels(text: str) -> tuple[Channel, ...]:
    """Return the channels of a setting such as `team=https://discord.com/api/webhooks/… me=telegram:1234`.

    Raises:
        ValueError: with a sentence that names the channel, and nothing of its address.
    """
    found: dict[str, Channel] = {}
    for word in text.split():
        name, sign, address = word.partition("=")
        if not sign or not _NAME.fullmatch(name):
            raise ValueError(FORM)
        if name in found:
            raise ValueError(f"has two channels of the name {name}")
        found[name] = _channel(name, address)
    return tuple(found.values())


def secrets_of(text: str) -> tuple[str, ...]:
    """Return what of the setting is to be masked wherever it stands: addresses, and keys in them."""
    found: dict[str, None] = {}
    for word in text.split():
        address = word.partition("=")[2]
        if "://" in address:
            found.update(dict.fromkeys([address, *_secret_parts(address)]))
    return tuple(one for one in found if len(one) >= MIN_SECRET_CHARS)


def _secret_parts(address: str) -> Iterator[str]:
    try:
        parts = urlsplit(address)
        credentials = (parts.username, parts.password)
    except ValueError:
        return
    if parts.password:
        yield f"{parts.username}:{parts.password}"
    for credential in filter(None, credentials):
        yield credential
        yield unquote(credential)
    behind = address.partition("://")[2].partition("/")[2]
    if _looks_secret(behind):
        yield behind
    words = [*re.split(r"[/:]", parts.path), *(value for _, value in parse_qsl(parts.query))]
    if parts.scheme.startswith("apprise"):
        words += re.split(r"[/:@?&=]", address)
    yield from filter(_looks_secret, words)


def _looks_secret(word: str) -> bool:
    """Return whether a part of an address is a key rather than a word that people use."""
    return len(word) >= MIN_SECRET_CHARS and any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _channel(name: str, address: str) -> Channel:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise ValueError(f"has an address for {name} that can't be read") from None
    if parts.scheme == "telegram":
        return Channel(name=name, site="telegram", target=_telegram(name, parts.path))
    if parts.scheme == "apprise":
        return _carried(name, address.partition(":")[2])
    if not parts.hostname or port == 0:
        raise ValueError(
            FORM if parts.scheme not in {"http", "https"} else f"has an address for {name} without host"
        )
    target = _target(name, address, parts)
    return Channel(name=name, site=_site(parts), target=target)


def _target(name: str, address: str, parts: SplitResult) -> Target:
    if parts.scheme in _MAIL_PORTS:
        return _mail(name, parts)
    scheme = parts.scheme.removeprefix("discord+")
    if scheme not in {"http", "https"}:
        raise ValueError(FORM)
    if scheme != parts.scheme or (
        _DISCORD.fullmatch(parts.hostname or "") and "/api/webhooks/" in parts.path
    ):
        return Discord(url=address.removeprefix("discord+"))
    login = ":".join(unquote(part) for part in (parts.username, parts.password) if part is not None)
    plain = parts._replace(netloc=parts.netloc.rpartition("@")[2])
    return Webhook(url=plain.geturl(), login=login)


def _telegram(name: str, path: str) -> Telegram:
    chat, _, thread = path.partition("/")
    if not _CHAT.fullmatch(chat) or (thread and not thread.isdigit()):
        raise ValueError(f"has a chat for {name} that is none: telegram:ID, or telegram:ID/TOPIC")
    return Telegram(chat=chat, thread=thread)


def _mail(name: str, parts: SplitResult) -> Mail:
    asked = dict(parse_qsl(parts.query))
    sender, recipients = asked.get("from", ""), tuple(filter(None, asked.get("to", "").split(",")))
    if not recipients or not all(map(_ADDRESS.fullmatch, (sender, *recipients))):
        raise ValueError(f"has no sender or recipient for {name}: smtp://HOST?from=a@b.org&to=c@d.org")
    is_open = asked.get("tls") == "off"
    if is_open and parts.username:
        raise ValueError(f"would send the password of {name} in the open: tls=off takes no login")
    return Mail(
        host=parts.hostname or "",
        port=parts.port or _MAIL_PORTS[parts.scheme],
        security="tls" if parts.scheme == "smtps" else "none" if is_open else "starttls",
        sender=sender,
        recipients=recipients,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
    )


def _carried(name: str, url: str) -> Channel:
    scheme, sign, rest = url.partition("://")
    if not sign or not re.fullmatch(r"[a-z][a-z0-9]{1,30}", scheme):
        raise ValueError(f"has no address of apprise for {name}: apprise:SERVICE://…")
    if _FORBIDDEN & {key for key, _ in parse_qsl(rest.partition("?")[2], keep_blank_values=True)}:
        raise ValueError(
            f"tells apprise to redirect, repeat or wait for {name}, which LoreKeeper does itself"
        )
    return Channel(name=name, site=f"apprise {scheme}://", target=Carried(url=url))


def _site(parts: SplitResult) -> str:
    """Return scheme and host, all of an address that may be shown."""
    host = parts.hostname or ""
    shown = f"[{host}]" if ":" in host else host
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme.removeprefix('discord+')}://{shown}{port}"
