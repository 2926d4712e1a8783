"""A real mail server (aiosmtpd) on the loop of the test: STARTTLS, a login, and what it is told to refuse."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

USER, PASSWORD = "keeper", "p@ss/w0rd-Xy71"


@dataclass
class Mailbox:
    """What the server has taken. `refuses` gives its answer to a command or to the content; `stalls` none."""

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)
    envelopes: list[Envelope] = field(default_factory=list)
    encrypted: list[bool] = field(default_factory=list)
    refuses: dict[str, list[str]] = field(default_factory=dict)
    stalls: bool = False
    tries: int = 0

    async def handle_MAIL(  # noqa: N802  as the library calls it
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.tries += 1
        envelope.mail_from = address
        return self._said("MAIL")

    async def handle_RCPT(  # noqa: N802  as the library calls it
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        said = self._said("RCPT")
        if said.startswith("250"):
            envelope.rcpt_tos.append(address)
        return said

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802  as above
        said = self._said("DATA")
        if said.startswith("250"):
            assert isinstance(envelope.content, bytes)
            mail = message_from_bytes(envelope.content, policy=policy.default)
            assert isinstance(mail, EmailMessage)
            self.mails.append(mail)
            self.envelopes.append(envelope)
            self.encrypted.append(session.ssl is not None)
        if self.stalls:
            await asyncio.get_running_loop().create_future()
        return said

    def authenticate(
        self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: Any
    ) -> AuthResult:  # Any: as the library gives it
        fits = isinstance(data, LoginPassword) and (data.login, data.password) == (
            USER.encode(),
            PASSWORD.encode(),
        )
        return AuthResult(success=fits, handled=False)

    def _said(self, what: str) -> str:
        waiting = self.refuses.get(what, [])
        return waiting.pop(0) if waiting else "250 OK"


@asynccontextmanager
async def mailbox(tls: ssl.SSLContext | None = None, *, implicit: bool = False) -> AsyncIterator[Mailbox]:
    """Give a server on a free loopback port; with `tls` it wants STARTTLS and a login, or TLS at once."""
    box = Mailbox()
    protocols: list[SMTP] = []

    def protocol() -> SMTP:
        made = SMTP(
            box,
            hostname="mail.test",
            tls_context=None if implicit else tls,
            require_starttls=tls is not None and not implicit,
            auth_required=tls is not None and not implicit,
            authenticator=box.authenticate,
            enable_SMTPUTF8=False,
        )
        protocols.append(made)
        return made

    loop = asyncio.get_running_loop()
    server = await loop.create_server(protocol, "127.0.0.1", 0, ssl=tls if implicit else None)
    box.port = server.sockets[0].getsockname()[1]
    try:
        yield box
    finally:
        server.close()
        for one in protocols:
            task = one._handler_coroutine
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
            if isinstance(one.transport, asyncio.WriteTransport):
                one.transport.abort()
        await server.wait_closed()
