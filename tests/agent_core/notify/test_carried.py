"""Services that apprise knows: sent from a process of its own, which connects to nothing inside."""

import pytest

from agent_core.errors import NotifyFailure, UnknownOutcome
from agent_core.notify.carried import CarriedSender
from agent_core.notify.carrier import ConnectionGuard
from agent_core.notify.channels import parse_channels
from agent_core.notify.model import Carried, Channel
from agent_core.notify.notifier import Notifier
from tests.emulators.webhook import Refuse, WebhookEmulator


def notifier(url: str, *private: str) -> Notifier:
    def sender(channel: Channel) -> CarriedSender:
        assert isinstance(channel.target, Carried)
        return CarriedSender(channel.target, private)

    return Notifier(parse_channels(f"phone=apprise:{url}"), sender)


async def send(one: Notifier) -> None:
    await one.send(one.plan("phone", "The tide turns for @everyone.", "Chapter 3"), "delivery-1")


@pytest.mark.slow
async def test_message_goes_out_by_apprise_and_calls_nobody(services: WebhookEmulator) -> None:
    await send(notifier(f"json://127.0.0.1:{services.port}/in", f"127.0.0.1:{services.port}"))
    [body] = services.bodies()
    assert (body["title"], body["message"]) == ("Chapter 3", "The tide turns for @\u2060everyone.")


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        (("127.0.0.1", 80), False),
        (("169.254.169.254", 80), False),
        (("::1", 5432, 0, 0), False),
        (("::ffff:10.0.0.1", 443, 0, 0), False),
        (("localhost", 443), False),
        ("/run/some.sock", False),
        (("127.0.0.1", 8321), True),
        (("93.184.216.34", 443), True),
        (("2606:2800:220:1:248:1893:25c8:1946", 443, 0, 0), True),
    ],
)
def test_each_connection_is_looked_at_before_it_is_made(address: object, *, allowed: bool) -> None:
    """Case A52: what is connected to counts, however a library came by it."""
    guard = ConnectionGuard(("127.0.0.1:8321",))
    if allowed:
        guard("socket.connect", (None, address))
    else:
        with pytest.raises(PermissionError):
            guard("socket.connect", (None, address))
    assert guard.refused is not allowed
    guard("socket.getaddrinfo", ("localhost", 80))


@pytest.mark.slow
async def test_address_inside_is_refused_in_the_process_too(services: WebhookEmulator) -> None:
    """Case A52: apprise connects by itself, and every connection is looked at."""
    with pytest.raises(NotifyFailure) as caught:
        await send(notifier(f"json://localhost:{services.port}/in", "127.0.0.1:1"))
    assert caught.value.facts["reason"] == "address"
    assert services.requests == []


@pytest.mark.slow
async def test_no_of_apprise_is_unknown_and_not_repeated(services: WebhookEmulator) -> None:
    """Case A54: apprise says yes or no, and a no may come after the service has it."""
    services.turns = [Refuse(500)]
    with pytest.raises(UnknownOutcome):
        await send(notifier(f"json://127.0.0.1:{services.port}/in", "127.0.0.1"))
    assert len(services.requests) == 1


@pytest.mark.slow
async def test_redirect_is_not_followed(services: WebhookEmulator) -> None:
    services.turns = [Refuse(307, {"location": f"http://127.0.0.1:{services.port}/elsewhere"})]
    with pytest.raises(UnknownOutcome):
        await send(notifier(f"json://127.0.0.1:{services.port}/in", "127.0.0.1"))
    assert len(services.requests) == 1


@pytest.mark.slow
async def test_service_that_apprise_does_not_know_is_told() -> None:
    with pytest.raises(NotifyFailure) as caught:
        await send(notifier("nosuchthing://host/x"))
    assert caught.value.facts["reason"] == "service"
