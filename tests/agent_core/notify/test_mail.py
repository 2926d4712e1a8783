"""Mail to a real server: encrypted, logged in, told apart by its id, and never sent twice on a doubt."""

import asyncio
import ssl
from collections.abc import Sequence

import pytest

from agent_core.errors import NotifyFailure, OutboundRefusal, UnknownOutcome
from agent_core.notify.notifier import WAITS_S, Notifier
from agent_core.outbound.address import PrivateHosts
from agent_core.outbound.client import open_outbound
from tests.agent_core.notify.conftest import CERTIFICATE, Desk, loopback
from tests.emulators.mailbox import PASSWORD, USER, mailbox

TO = "from=keeper@a.org&to=ann@a.org,bo@a.org"


@pytest.fixture
async def server_tls() -> ssl.SSLContext:
    context = await asyncio.to_thread(ssl.create_default_context, ssl.Purpose.CLIENT_AUTH)
    await asyncio.to_thread(context.load_cert_chain, CERTIFICATE)
    return context


def mail(desk: Desk, address: str, *, deadline_s: float = 5) -> Notifier:
    return desk.notifier(f"mail={address}", deadline_s=deadline_s)


async def send(notifier: Notifier, text: str = "The tide turns.\n", title: str = "Kapitel 3: Flöße") -> None:
    await notifier.send(notifier.plan("mail", text, title), "delivery-1")


async def test_mail_goes_encrypted_with_a_login(desk: Desk, server_tls: ssl.SSLContext) -> None:
    async with mailbox(server_tls) as box:
        login = f"{USER}:{PASSWORD.replace('@', '%40').replace('/', '%2F')}"
        await send(mail(desk, f"smtp://{login}@site.test:{box.port}?{TO}"))
    [got] = box.mails
    assert box.encrypted == [True]
    assert (got["From"], got["To"]) == ("keeper@a.org", "ann@a.org, bo@a.org")
    assert box.envelopes[0].rcpt_tos == ["ann@a.org", "bo@a.org"]
    assert got["Subject"] == "Kapitel 3: Flöße"
    assert got["Message-ID"] == "<delivery-1@a.org>"
    assert got.get_content().strip() == "The tide turns."


async def test_mail_goes_over_tls_from_the_first_byte(desk: Desk, server_tls: ssl.SSLContext) -> None:
    async with mailbox(server_tls, implicit=True) as box:
        await send(mail(desk, f"smtps://site.test:{box.port}?{TO}"))
    assert len(box.mails) == 1


async def test_letters_dots_and_long_lines_arrive_as_they_are(desk: Desk) -> None:
    text = ".\n..two\n\nFlöße \U0001f6a2\n" + "word " * 400
    async with mailbox() as box:
        await send(mail(desk, f"smtp://site.test:{box.port}?{TO}&tls=off"), text, "")
    assert box.mails[0].get_content().splitlines() == text.strip().splitlines()
    assert box.mails[0]["Subject"] == "."
    content = box.envelopes[0].content
    assert isinstance(content, bytes)
    assert content.isascii()


async def test_title_cannot_add_headers(desk: Desk) -> None:
    async with mailbox() as box:
        await send(mail(desk, f"smtp://site.test:{box.port}?{TO}&tls=off"), title="Hi\r\nBcc: eve@evil.test")
    assert box.mails[0]["Subject"] == "Hi Bcc: eve@evil.test"
    assert box.mails[0]["Bcc"] is None


async def test_wrong_login_is_told_and_not_tried_again(desk: Desk, server_tls: ssl.SSLContext) -> None:
    async with mailbox(server_tls) as box:
        with pytest.raises(NotifyFailure) as caught:
            await send(mail(desk, f"smtp://{USER}:wrong@site.test:{box.port}?{TO}"))
    assert caught.value.facts["reason"] == "login"
    assert desk.waits == []
    assert box.mails == []


async def test_server_without_encryption_gets_nothing(desk: Desk) -> None:
    async with mailbox() as box:
        with pytest.raises(NotifyFailure) as caught:
            await send(mail(desk, f"smtp://site.test:{box.port}?{TO}"))
    assert caught.value.facts["reason"] == "tls"
    assert box.tries == 0


async def test_server_that_cannot_prove_its_name_gets_nothing(desk: Desk, server_tls: ssl.SSLContext) -> None:
    async with mailbox(server_tls) as box:
        with pytest.raises(NotifyFailure) as caught:
            await send(mail(desk, f"smtp://{USER}:x@hooks.test:{box.port}?{TO}"))
    assert caught.value.facts["reason"] == "tls"
    assert box.tries == 0


@pytest.mark.parametrize(
    ("command", "said", "reason", "tries"),
    [
        ("RCPT", "550 no such mailbox", "recipient", 1),
        ("MAIL", "553 not you", "recipient", 1),
        ("DATA", "554 spam", "not_taken", 1),
        ("DATA", "451 later", "not_taken", len(WAITS_S) + 1),
    ],
)
async def test_refusal_of_the_server_is_told(
    command: str, said: str, reason: str, tries: int, desk: Desk
) -> None:
    """Case A54 for mail: what is refused for good is not tried again, what is refused for now is."""
    async with mailbox() as box:
        box.refuses[command] = [said] * 9
        with pytest.raises(NotifyFailure) as caught:
            await send(mail(desk, f"smtp://site.test:{box.port}?{TO}&tls=off"))
    assert (caught.value.facts["reason"], caught.value.facts["status"]) == (reason, int(said[:3]))
    assert box.tries == tries
    assert box.mails == []


async def test_one_refused_recipient_keeps_the_mail_from_all(desk: Desk) -> None:
    """Case A14: one of two recipients is refused; nobody has half of a message."""
    async with mailbox() as box:
        box.refuses["RCPT"] = ["250 OK", "550 no such mailbox"]
        with pytest.raises(NotifyFailure) as caught:
            await send(mail(desk, f"smtp://site.test:{box.port}?{TO}&tls=off"))
    assert (caught.value.facts["reason"], caught.value.facts["status"]) == ("recipient", 550)
    assert box.mails == []


async def test_server_that_was_busy_gets_the_mail_once(desk: Desk) -> None:
    async with mailbox() as box:
        box.refuses["DATA"] = ["451 later"]
        await send(mail(desk, f"smtp://site.test:{box.port}?{TO}&tls=off"))
    assert [one["Message-ID"] for one in box.mails] == ["<delivery-1@a.org>"]


async def test_server_that_says_nothing_after_the_content_is_unknown(desk: Desk) -> None:
    """Case A54 for mail: it has the content, and stalls."""
    async with mailbox() as box:
        box.stalls = True
        with pytest.raises(UnknownOutcome):
            await send(mail(desk, f"smtp://site.test:{box.port}?{TO}&tls=off", deadline_s=1))
    assert len(box.mails) == 1


async def test_mail_server_inside_is_refused(desk: Desk) -> None:
    """Case A52: the address rule holds for mail."""
    async with mailbox() as box, open_outbound(PrivateHosts(), resolver=loopback) as outbound:
        desk.outbound = outbound
        with pytest.raises(OutboundRefusal):
            await send(mail(desk, f"smtp://site.test:{box.port}?{TO}&tls=off"))
    assert box.tries == 0


async def test_next_address_of_a_server_is_tried(desk: Desk) -> None:
    async def two(host: str, port: int) -> Sequence[str]:
        return ("127.0.0.2", "127.0.0.1")

    async with mailbox() as box, open_outbound(PrivateHosts(["site.test"]), resolver=two) as outbound:
        desk.outbound = outbound
        await send(mail(desk, f"smtp://site.test:{box.port}?{TO}&tls=off"))
    assert len(box.mails) == 1


async def test_nobody_there_is_tried_again_and_nothing_was_sent(desk: Desk) -> None:
    async with mailbox() as box:
        port = box.port
    with pytest.raises(NotifyFailure) as caught:
        await send(mail(desk, f"smtp://site.test:{port}?{TO}&tls=off"))
    assert caught.value.facts["reason"] == "unreachable"
    assert desk.waits == list(WAITS_S)


@pytest.mark.parametrize(
    ("greeting", "reason", "tries"),
    [
        (b"", "unreachable", len(WAITS_S) + 1),
        (b"421 busy\r\n", "not_taken", 4),
        (b"554 go away\r\n", "not_taken", 1),
    ],
)
async def test_server_that_does_not_greet_gets_nothing(
    greeting: bytes, reason: str, tries: int, desk: Desk
) -> None:
    seen = 0

    async def leave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal seen
        seen += 1
        writer.write(greeting)
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(leave, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(NotifyFailure) as caught:
            await send(mail(desk, f"smtp://site.test:{port}?{TO}&tls=off"))
    assert (caught.value.facts["reason"], seen) == (reason, tries)


async def test_name_of_no_server_is_unreachable(desk: Desk) -> None:
    async def nowhere(host: str, port: int) -> Sequence[str]:
        raise OSError("no such host")

    async with open_outbound(PrivateHosts(), resolver=nowhere) as outbound:
        desk.outbound = outbound
        with pytest.raises(NotifyFailure) as caught:
            await send(mail(desk, f"smtp://gone.test?{TO}"))
    assert caught.value.facts["reason"] == "unreachable"
