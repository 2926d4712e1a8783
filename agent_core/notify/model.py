"""Channels, and a message on its way to one."""

from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Discord:
    """A webhook of Discord; its address is the credential."""

    url: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Telegram:
    """A chat that our own bot writes to; `thread` is a topic of it, "" for none."""

    chat: str
    thread: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """An address that takes JSON; `login` is NAME:PASSWORD for it, "" for none."""

    url: str = field(repr=False)
    login: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A mailbox of a mail server. `security`: from the first byte, by STARTTLS, or none."""

    host: str
    port: int
    security: Literal["tls", "starttls", "none"]
    sender: str
    recipients: tuple[str, ...]
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """Another service, which the library apprise knows by this address."""

    url: str = field(repr=False)


Target: TypeAlias = Discord | Telegram | Webhook | Mail | Carried


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """Where messages may go. `name` and `site` (scheme and host) are all of it that may be shown."""

    name: str
    site: str
    target: Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A part of a message. `delivery` is the same for all tries of one part, and of no other."""

    delivery: str
    title: str
    text: str
    part: int = 1
    parts: int = 1

    @property
    def whole(self) -> str:
        """Title and text as one."""
        return f"{self.title}\n\n{self.text}" if self.title else self.text


class NotTaken(Exception):
    """A try that surely delivered nothing. With `again` another may go better, after `wait_s` if known."""

    def __init__(
        self, reason: str, *, status: int | None = None, again: bool = False, wait_s: float | None = None
    ) -> None:
        self.reason, self.status, self.again, self.wait_s = reason, status, again, wait_s
        super().__init__(reason)


class Ambiguous(Exception):
    """A try that was sent, and nobody says whether it arrived.

    With `again` it may be repeated all the same, as the receiver can tell tries of one delivery.
    """

    def __init__(self, *, again: bool = False) -> None:
        self.again = again
        super().__init__()


class Sender(Protocol):
    """Sends to one kind of channel."""

    max_chars: int
    max_parts: int

    async def send(self, message: Message) -> None:
        """Deliver one part in one try.

        Raises:
            NotTaken: it surely was not delivered.
            Ambiguous: it may have been.
            OutboundRefusal: the channel's address may not be connected to.
        """
        ...
