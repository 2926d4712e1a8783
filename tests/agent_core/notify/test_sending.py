"""A message on its way: what arrives, what is tried again, what is never repeated, who is called."""

import asyncio
import json

import pytest

from agent_core.errors import NotifyFailure, NotifyRefusal, OutboundRefusal, UnknownOutcome
from agent_core.notify.channels import parse_channels
from agent_core.notify.notifier import MAX_WAIT_S, WAITS_S, Notifier
from agent_core.notify.senders import Senders
from agent_core.outbound.address import PrivateHosts
from agent_core.outbound.client import open_outbound
from tests.agent_core.notify.conftest import Desk, loopback
from tests.clock import FakeClock
from tests.emulators.webhook import Keep, Refuse, WebhookEmulator

KINDS = ("team", "chat", "hook")
CALLS = "@everyone <@&1> <@2> @here @mara_vel <!channel>"


@pytest.mark.parametrize("channel", KINDS)
async def test_message_arrives_with_title_and_text(
    channel: str, desk: Desk, services: WebhookEmulator
) -> None:
    await desk.send(channel, "The tide turns.\n\nAt dusk.", "Chapter 3")
    [taken] = services.taken
    if channel == "hook":
        assert services.bodies()[0]["title"] == "Chapter 3"
        assert taken.text == "The tide turns.\n\nAt dusk."
        assert services.requests[0].headers["authorization"] == "Basic YW5uOmIwYi1TM2NyZXQtd29yZA=="
        assert services.requests[0].path == "/in/take?key=k3y-91ab-77cd"
    else:
        assert taken.text == "Chapter 3\n\nThe tide turns.\n\nAt dusk."


@pytest.mark.parametrize("channel", KINDS)
async def test_text_calls_nobody(channel: str, desk: Desk, services: WebhookEmulator) -> None:
    """Case A53: no mention of a text is active."""
    await desk.send(channel, CALLS)
    [taken] = services.taken
    assert taken.calls == ()
    assert taken.text.replace("\u2060", "") == CALLS
    if channel == "team":
        assert services.bodies()[0]["allowed_mentions"] == {"parse": []}
    else:
        assert "@everyone" not in taken.text
        assert "<@" not in taken.text


@pytest.mark.parametrize("channel", ["team", "chat"])
async def test_long_text_is_split_and_a_longer_one_refused(
    channel: str, desk: Desk, services: WebhookEmulator
) -> None:
    """Case A53: a text over the limit."""
    text = "The tide turns again. " * 200
    await desk.send(channel, text)
    parts = [taken.text for taken in services.taken]
    assert len(parts) > 1
    assert " ".join(parts) == text.strip()
    keys = [request.headers["idempotency-key"] for request in services.requests]
    assert len(set(keys)) == len(parts)
    with pytest.raises(NotifyRefusal) as caught:
        desk.notifier().plan(channel, text * 10)
    assert caught.value.facts["reason"] == "too_long"


@pytest.mark.timeout(10)
def test_text_far_too_long_is_refused_at_once(desk: Desk) -> None:
    with pytest.raises(NotifyRefusal) as caught:
        desk.notifier().plan("team", "The tide turns. " * 250_000)
    assert {"reason": "too_long", "most": 10_000}.items() <= caught.value.facts.items()


@pytest.mark.parametrize("text", ["", " \n\t ", "\u200b\u2060"])
async def test_text_of_nothing_is_refused(text: str, desk: Desk) -> None:
    """Case A53: only whitespace."""
    with pytest.raises(NotifyRefusal) as caught:
        desk.notifier().plan("team", text)
    assert caught.value.facts["reason"] == "empty"


async def test_unknown_channel_is_answered_with_those_there_are(desk: Desk) -> None:
    with pytest.raises(NotifyRefusal) as caught:
        desk.notifier().plan("https://evil.test/hook", "x")
    assert caught.value.facts["reason"] == "channel"
    assert set(caught.value.facts["nearest"] or ()) == set(KINDS)  # type: ignore[arg-type]  # a tuple it is


async def test_stalled_answer_is_unknown_and_never_repeated(desk: Desk, services: WebhookEmulator) -> None:
    """Case A54: the receiver has it, and stalls past the deadline."""
    services.turns = ["stall"]
    with pytest.raises(UnknownOutcome):
        await desk.send("hook", deadline_s=2)
    async with asyncio.timeout(30):  # on a busy machine the receiver reads it after the sender has given up
        await services.arrived.wait()
    assert len(services.taken) == len(services.requests) == 1


@pytest.mark.parametrize("turn", ["drop", Refuse(502), Refuse(504)])
async def test_connection_that_breaks_after_sending_is_unknown(
    turn: Refuse | str, desk: Desk, services: WebhookEmulator
) -> None:
    services.turns = [turn]  # type: ignore[list-item]  # one of the words of a turn
    with pytest.raises(UnknownOutcome):
        await desk.send("team")
    assert len(services.requests) == 1


async def test_tries_share_one_delivery_and_keep_what_is_asked(desk: Desk, services: WebhookEmulator) -> None:
    """Case A54: 429 with Retry-After, then 500, then taken."""
    services.turns = [Refuse(429, {"retry-after": "5"}), Refuse(500)]
    await desk.send("hook")
    assert [body["deliveryId"] for body in services.bodies()] == ["delivery-1"] * 3
    assert {request.headers["idempotency-key"] for request in services.requests} == {"delivery-1"}
    assert desk.waits == [5, WAITS_S[1]]
    assert len(services.taken) == 1


@pytest.mark.parametrize(
    ("channel", "body"),
    [
        ("team", {"retry_after": 7.5, "global": False}),
        ("chat", {"ok": False, "parameters": {"retry_after": 7.5}}),
    ],
)
async def test_wait_that_stands_in_the_body_is_kept(
    channel: str, body: dict[str, object], desk: Desk, services: WebhookEmulator
) -> None:
    services.turns = [Refuse(429, body=body)]
    await desk.send(channel)
    assert desk.waits == [7.5]


@pytest.mark.parametrize("channel", ["team", "chat"])
@pytest.mark.parametrize("status", [500, 501, 503, 520])
async def test_service_that_knows_no_delivery_and_fails_is_never_sent_to_again(
    channel: str, status: int, desk: Desk, services: WebhookEmulator
) -> None:
    """Case A54: it may have stored the message before it failed."""
    services.turns = [Keep(status)]
    with pytest.raises(UnknownOutcome):
        await desk.send(channel)
    assert len(services.taken) == len(services.requests) == 1


@pytest.mark.parametrize("channel", KINDS)
async def test_service_that_asks_to_come_later_is_sent_to_again(
    channel: str, desk: Desk, services: WebhookEmulator
) -> None:
    services.turns = [Refuse(503, {"retry-after": "7"})]
    await desk.send(channel)
    assert desk.waits == [7]
    assert len(services.taken) == 1


@pytest.mark.parametrize("last", [400, 429, 500])
async def test_webhook_that_failed_once_is_in_doubt_whatever_it_says_of_later_tries(
    last: int, desk: Desk, services: WebhookEmulator
) -> None:
    """Case A54: 500, then 400."""
    services.turns = [Keep(500), *[Refuse(last)] * 9]
    with pytest.raises(UnknownOutcome):
        await desk.send("hook")
    assert len(services.requests) == (2 if last == 400 else len(WAITS_S) + 1)
    assert len({body["deliveryId"] for body in services.bodies()}) == 1


async def test_tries_are_bounded_and_wait_longer_each_time(desk: Desk, services: WebhookEmulator) -> None:
    services.turns = [Refuse(429)] * 9
    with pytest.raises(NotifyFailure) as caught:
        await desk.send("team")
    assert (caught.value.facts["reason"], caught.value.facts["status"]) == ("not_taken", 429)
    assert len(services.requests) == len(WAITS_S) + 1
    assert desk.waits == sorted(desk.waits) == list(WAITS_S)


async def test_long_wait_is_told_instead_of_waited_for(desk: Desk, services: WebhookEmulator) -> None:
    services.turns = [Refuse(429, {"retry-after": str(int(MAX_WAIT_S) + 1)})]
    with pytest.raises(NotifyFailure) as caught:
        await desk.send("hook")
    assert (caught.value.facts["reason"], caught.value.facts["retry_after_s"]) == ("limited", 61)
    assert len(services.requests) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 422, 302])
async def test_refusal_is_not_tried_again(status: int, desk: Desk, services: WebhookEmulator) -> None:
    """Case A54: a 4xx; and a redirect is followed nowhere."""
    services.turns = [Refuse(status, {"location": "http://169.254.169.254/"})]
    with pytest.raises(NotifyFailure) as caught:
        await desk.send("team")
    assert (caught.value.facts["reason"], caught.value.facts["status"]) == ("not_taken", status)
    assert len(services.requests) == 1


@pytest.mark.parametrize("channel", ["chat", "hook"])
async def test_refusal_that_comes_as_a_success_is_one(
    channel: str, desk: Desk, services: WebhookEmulator
) -> None:
    """Case A14: 200 with `ok: false`."""
    services.turns = [Refuse(200, body={"ok": False, "error": "channel_not_found"})]
    with pytest.raises(NotifyFailure) as caught:
        await desk.send(channel)
    assert caught.value.facts["reason"] == "not_taken"
    assert len(services.requests) == 1


async def test_second_part_that_fails_tells_what_was_delivered(desk: Desk, services: WebhookEmulator) -> None:
    services.turns = ["take", Refuse(404)]
    with pytest.raises(NotifyFailure) as caught:
        await desk.send("team", "The tide turns again. " * 150)
    assert {"reason": "part", "sent": 1, "parts": 2, "status": 404}.items() <= caught.value.facts.items()


async def test_nobody_there_is_tried_again_and_nothing_was_sent(desk: Desk) -> None:
    notifier = desk.notifier("gone=http://hooks.test:1/x")
    desk_private = desk.notifier("gone=http://hooks.test:1024/x")
    for one in (notifier, desk_private):
        desk.waits.clear()
        with pytest.raises(NotifyFailure) as caught:
            await one.send(one.plan("gone", "x"), "d")
        assert caught.value.facts["reason"] == "unreachable"
        assert desk.waits == list(WAITS_S)


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:8000/x",
        "http://169.254.169.254/latest",
        "http://[::1]:5432/",
        "http://inside.test/x",
    ],
)
async def test_address_inside_is_refused(address: str, desk: Desk, services: WebhookEmulator) -> None:
    """Case A52: the address rule of the web holds for channels too."""
    async with open_outbound(PrivateHosts(), resolver=loopback) as outbound:
        desk.outbound = outbound
        notifier = desk.notifier(f"x={address}")
        with pytest.raises(OutboundRefusal):
            await notifier.send(notifier.plan("x", "text"), "d")
    assert services.requests == []


async def test_nothing_of_a_channel_is_told_by_errors(desk: Desk, services: WebhookEmulator) -> None:
    """Case A51: refused, 500, broken off, and an answer with a text of its own."""
    secrets = ("Wq3-x8Zt7Lr2Vb6Nk1", "k3y-91ab-77cd", "b0b-S3cret-word", "AAH4kf93mdk", "nobody is to see")
    errors: list[BaseException] = []
    for channel in KINDS:
        for turn in (Refuse(500), Refuse(403, body={"message": "nobody is to see"}), "drop"):
            services.turns = [turn] * 4
            with pytest.raises((NotifyFailure, UnknownOutcome)) as caught:
                await desk.send(channel)
            errors.append(caught.value)
    told = json.dumps([[str(error), repr(error), error.for_model()] for error in errors])  # type: ignore[attr-defined]  # our own errors
    assert not any(secret in told for secret in secrets)
    assert not any(secret in repr(desk.notifier().channels) for secret in secrets)


async def test_chat_without_a_bot_is_refused(desk: Desk) -> None:
    senders = Senders(outbound=desk.outbound, clock=FakeClock(), tls=desk.tls)
    notifier = Notifier(parse_channels("chat=telegram:42"), senders)
    with pytest.raises(NotifyRefusal) as caught:
        notifier.plan("chat", "Hello")
    assert caught.value.facts == {"reason": "telegram", "channel": "chat"}


async def test_topic_of_a_chat_is_written_to(desk: Desk, services: WebhookEmulator) -> None:
    notifier = desk.notifier("topic=telegram:-1007/3")
    await notifier.send(notifier.plan("topic", "Hello"), "d")
    [body] = services.bodies()
    assert (body["chat_id"], body["message_thread_id"]) == ("-1007", 3)
    assert body["link_preview_options"] == {"is_disabled": True}
