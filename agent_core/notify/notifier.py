"""Sends a message to a named channel: in parts, with some tries for each.

On a doubt it is sent again only to who can drop what is there already.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rapidfuzz import process

from agent_core.errors import NotifyFailure, NotifyRefusal, OutboundRefusal, UnknownOutcome
from agent_core.notify.model import Ambiguous, Channel, Message, NotTaken, Sender
from agent_core.notify.parts import in_parts, length
from agent_core.notify.quiet import is_blank, one_line

WAITS_S = (1.0, 4.0, 15.0)  # between the tries, one more than there are waits
MAX_WAIT_S = 60.0  # that a channel may ask for; what it asks beyond is told instead
MAX_TITLE_CHARS = 200
SETTING = "LOREKEEPER_NOTIFY_CHANNELS"

Sleep = Callable[[float], Awaitable[None]]
Senders = Callable[[Channel], Sender]


@dataclass(frozen=True, slots=True)
class Planned:
    """A message that may be sent as it is: its channel and its parts."""

    channel: Channel
    title: str
    parts: tuple[str, ...]


class Notifier:
    """The channels of the settings. `senders` gives what sends to one."""

    def __init__(
        self, channels: tuple[Channel, ...], senders: Senders, *, sleep: Sleep = asyncio.sleep
    ) -> None:
        self.channels: Mapping[str, Channel] = MappingProxyType({one.name: one for one in channels})
        self._senders = senders
        self._sleep = sleep

    def plan(self, channel: str, text: str, title: str = "") -> Planned:
        """Return the message as it would be sent.

        Raises:
            NotifyRefusal: there is no such channel, nothing to send, or more than it takes.
        """
        found = self._channel(channel)
        head = "" if is_blank(title) else one_line(title)[:MAX_TITLE_CHARS]
        sender = self._senders(found)
        room = sender.max_chars - (length(head) + 2 if head else 0)
        found_chars, most = length(text.strip()), room * sender.max_parts
        # first by length: whatever else looks at a text takes longer the longer it is
        parts = in_parts(text, room) if found_chars <= most else ()
        if found_chars and not 0 < len(parts) <= sender.max_parts:
            raise NotifyRefusal(reason="too_long", channel=found.name, found=found_chars, most=most)
        if is_blank(text):
            raise NotifyRefusal(reason="empty")
        return Planned(found, head, parts)

    async def send(self, planned: Planned, delivery: str) -> None:
        """Deliver all parts in order. `delivery` is the id of this message, the same whenever it is sent.

        Raises:
            NotifyFailure: it surely was not delivered, or not wholly.
            UnknownOutcome: it may have been.
            OutboundRefusal: the channel's address may not be connected to.
        """
        sender, count = self._senders(planned.channel), len(planned.parts)
        for number, text in enumerate(planned.parts, 1):
            message = Message(
                delivery=delivery if count == 1 else f"{delivery}-{number}",
                title=planned.title if number == 1 else "",
                text=text,
                part=number,
                parts=count,
            )
            try:
                await self._tried(sender, message)
            except NotTaken as failure:
                raise _failure(planned.channel, failure, number - 1, count) from failure
            except Ambiguous as doubt:
                raise UnknownOutcome(tool="notify_external", timeout_s=None) from doubt
            except OutboundRefusal:
                if number > 1:
                    raise _failure(planned.channel, NotTaken("unreachable"), number - 1, count) from None
                raise

    async def _tried(self, sender: Sender, message: Message) -> None:
        doubt: Ambiguous | None = None
        for wait_s in (*WAITS_S, None):
            try:
                await sender.send(message)
                return
            except (Ambiguous, NotTaken, OutboundRefusal) as failure:
                doubt = failure if isinstance(failure, Ambiguous) else doubt
                pause_s = _pause(failure, wait_s)
                if pause_s is None:
                    # no later refusal says that the one in doubt did not arrive
                    raise doubt or failure from None
            await self._sleep(pause_s)

    def _channel(self, name: str) -> Channel:
        if not self.channels:
            raise NotifyRefusal(reason="none", variable=SETTING)
        found = self.channels.get(name.strip())
        if found is None:
            near = process.extract(name, tuple(self.channels), limit=5)
            raise NotifyRefusal(reason="channel", channel=name[:40], nearest=tuple(item[0] for item in near))
        return found


def _pause(failure: Ambiguous | NotTaken | OutboundRefusal, wait_s: float | None) -> float | None:
    """Return how long to wait until the next try, None where there is to be none."""
    if wait_s is None or isinstance(failure, OutboundRefusal) or not failure.again:
        return None
    asked_s = (failure.wait_s or 0) if isinstance(failure, NotTaken) else 0
    return max(wait_s, asked_s) if asked_s <= MAX_WAIT_S else None


def _failure(channel: Channel, failure: NotTaken, sent: int, parts: int) -> NotifyFailure:
    if sent:
        return NotifyFailure(
            reason="part", channel=channel.name, sent=sent, parts=parts, status=failure.status
        )
    wait = round(failure.wait_s) if failure.wait_s else None
    if failure.reason == "limited" and wait is None:
        return NotifyFailure(reason="not_taken", channel=channel.name, status=failure.status)
    return NotifyFailure(
        reason=failure.reason, channel=channel.name, status=failure.status, retry_after_s=wait
    )
