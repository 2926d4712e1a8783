"""Sends mail: to a checked address of the server, encrypted, with what tells copies of one message apart."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable
from email.message import EmailMessage
from email.policy import SMTP as MAIL_POLICY
from email.utils import format_datetime
from typing import TypeVar

from aiosmtplib import (
    SMTP,
    SMTPAuthenticationError,
    SMTPException,
    SMTPNotSupported,
    SMTPResponseException,
)

from agent_core.clock import Clock
from agent_core.errors import OutboundFailure
from agent_core.notify.model import Ambiguous, Mail, Message, NotTaken
from agent_core.notify.quiet import one_line
from agent_core.outbound.client import Outbound

T = TypeVar("T")

MAX_TITLE_CHARS = 200
_SEVEN_BIT = MAIL_POLICY.clone(cte_type="7bit")  # what every server takes


class MailSender:
    """A mailbox of a mail server."""

    max_chars = 100_000
    max_parts = 1

    def __init__(
        self, target: Mail, outbound: Outbound, tls: ssl.SSLContext, clock: Clock, deadline_s: float
    ) -> None:
        self._target = target
        self._outbound = outbound
        self._tls = tls
        self._clock = clock
        self._deadline_s = deadline_s  # of each step

    async def send(self, message: Message) -> None:
        client = await self._connected()
        try:
            await self._address(client)
            await self._content(client, message)
        finally:
            client.close()

    async def _connected(self) -> SMTP:
        target = self._target
        try:
            addresses = await self._outbound.check(target.host, target.port, "smtp")
        except OutboundFailure as failure:
            raise NotTaken("unreachable", again=True) from failure
        client = SMTP(
            hostname=target.host,
            sock=await _first_connected(addresses, target.port, self._deadline_s),
            use_tls=target.security == "tls",
            start_tls=False,  # not by itself, as it tells nobody why it went wrong
            local_hostname=target.sender.rpartition("@")[2],
            tls_context=self._tls,
            timeout=self._deadline_s,
        )
        try:
            await self._opened(client)
        except BaseException:
            client.close()
            raise
        return client

    async def _opened(self, client: SMTP) -> None:
        """Greet the server, encrypt the connection and log in."""
        try:
            await client.connect()
            if self._target.security == "starttls":
                await client.ehlo()
                if not client.supports_extension("starttls"):
                    raise NotTaken("tls")
                await client.starttls()
            if self._target.user:
                await client.login(self._target.user, self._target.password)
        except (SMTPAuthenticationError, SMTPNotSupported) as error:
            raise NotTaken("login") from error
        except ssl.SSLError as error:
            raise NotTaken("tls") from error
        except SMTPResponseException as error:
            raise NotTaken("not_taken", status=error.code, again=error.code < 500) from error
        except (SMTPException, OSError) as error:
            reason = "tls" if _is_tls(error) else "unreachable"
            raise NotTaken(reason, again=reason == "unreachable") from error

    async def _address(self, client: SMTP) -> None:
        await _before_content(client.mail(self._target.sender), "recipient")
        for recipient in self._target.recipients:
            await _before_content(client.rcpt(recipient), "recipient")

    async def _content(self, client: SMTP, message: Message) -> None:
        try:
            await client.data(self._mail(message).as_bytes())
        except SMTPResponseException as error:
            again = 400 <= error.code < 500
            raise NotTaken("not_taken", status=error.code, again=again) from error
        except (SMTPException, OSError) as error:  # the server may have it, and keep it
            raise Ambiguous from error

    def _mail(self, message: Message) -> EmailMessage:
        mail = EmailMessage(policy=_SEVEN_BIT)
        first = message.title or message.text.strip().partition("\n")[0]
        mail["From"] = self._target.sender
        mail["To"] = ", ".join(self._target.recipients)
        mail["Subject"] = one_line(first)[:MAX_TITLE_CHARS]
        mail["Date"] = format_datetime(self._clock.now())
        mail["Message-ID"] = f"<{message.delivery}@{self._target.sender.rpartition('@')[2]}>"
        mail["Auto-Submitted"] = "auto-generated"
        mail.set_content(message.text)
        return mail


async def _first_connected(addresses: tuple[str, ...], port: int, deadline_s: float) -> socket.socket:
    """Return a socket to the first address that answers: what was checked is what is connected to."""
    loop = asyncio.get_running_loop()
    for address in addresses:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        opened = socket.socket(family, socket.SOCK_STREAM)
        opened.setblocking(False)
        try:
            async with asyncio.timeout(deadline_s):
                await loop.sock_connect(opened, (address, port))
        except (OSError, TimeoutError):
            opened.close()
        except BaseException:
            opened.close()
            raise
        else:
            return opened
    raise NotTaken("unreachable", again=True)


async def _before_content(step: Awaitable[T], reason: str) -> T:
    """Return what a step gives that comes before anything could be delivered."""
    try:
        return await step
    except SMTPResponseException as error:
        again = 400 <= error.code < 500
        raise NotTaken(reason, status=error.code, again=again) from error
    except (SMTPException, OSError) as error:
        raise NotTaken("unreachable", again=True) from error


def _is_tls(error: BaseException | None) -> bool:
    """Return whether it was the encryption that failed: the library keeps the cause of the cause."""
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False
