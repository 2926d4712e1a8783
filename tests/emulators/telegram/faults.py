"""What can go wrong with a call on purpose: floods, broken servers and lines, refusals, waiting."""

import asyncio
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from agent_core.clock import Clock
from tests.emulators.telegram.call import Call
from tests.emulators.telegram.errors import ApiError, flood

DOWNLOAD = "download"
"""The name under which faults of fetching a file's bytes are planned."""

_APART = frozenset({"sendChatAction", "sendMessageDraft", "setMessageReaction"})
_WRITES = ("send", "edit", "copy", "forward")


@dataclass(frozen=True)
class Flood:
    """429; a call of the same kind to the chat before the wait is over is a violation."""

    retry_after_s: int


@dataclass(frozen=True)
class Broken:
    """An answer of a server in trouble, in JSON or as the page of a proxy before it."""

    status: int = 502
    is_page: bool = False


@dataclass(frozen=True)
class Refuse:
    """A refusal with any text, which says "Bad Request: ..." itself."""

    description: str
    code: int = 400
    parameters: Mapping[str, int] = field(default_factory=dict)


class Line(Enum):
    """What happens to the connection or to the pace of a call."""

    DROP_BEFORE = "reset before the call has any effect"
    DROP_AFTER = "reset after the call has had its effect, without an answer"
    HOLD = "kept waiting until `release()`, before any effect"


Fault = Flood | Broken | Refuse | Line


@dataclass
class _Plan:
    method: str
    fault: Fault
    times: int
    chat_id: str


class Faults:
    """The faults that are planned, and the flood waits that run."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._plans: list[_Plan] = []
        self._waits: dict[tuple[str, str], float] = {}
        self._held = asyncio.Semaphore(0)
        self.holding = 0

    def plan(self, method: str, fault: Fault, times: int, chat_id: str) -> None:
        """Let the next calls of a method, to a chat if one is given, meet a fault."""
        self._plans.append(_Plan(method, fault, times, chat_id))

    def take(self, method: str, chat_id: str) -> Fault | None:
        """Return the fault that this call meets."""
        for plan in self._plans:
            if plan.method == method and plan.chat_id in ("", chat_id):
                plan.times -= 1
                self._plans = [one for one in self._plans if one.times > 0]
                return plan.fault
        return None

    @property
    def left(self) -> list[str]:
        """The methods whose planned faults have not all happened."""
        return [plan.method for plan in self._plans]

    def release(self) -> None:
        """Let one held call go on."""
        self._held.release()

    async def hold(self) -> None:
        """Wait for a release."""
        self.holding += 1
        try:
            await self._held.acquire()
        finally:
            self.holding -= 1

    def begin_wait(self, call: Call, seconds: int) -> ApiError:
        """Begin a flood wait and return the answer that says so."""
        self._waits[_lane(call)] = self._clock.monotonic() + seconds
        return flood(seconds)

    def check_wait(self, call: Call) -> None:
        """Refuse a call that comes before its flood wait is over.

        Raises:
            ApiError: 429 with the seconds that are left, marked as wrong.
        """
        left_s = self._waits.get(_lane(call), 0.0) - self._clock.monotonic()
        if left_s > 0:
            error = flood(math.ceil(left_s))
            error.is_wrong = True
            raise error

    def end_waits(self) -> None:
        """End all flood waits now."""
        self._waits.clear()


def _lane(call: Call) -> tuple[str, str]:
    """Return what is slowed down together: all writing to a chat, or one kind of call."""
    writes = call.method.startswith(_WRITES) and call.method not in _APART
    return str(call.parameters.get("chat_id", "")), "writing" if writes else call.method
