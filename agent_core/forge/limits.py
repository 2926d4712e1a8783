"""The limits that a host sets: what it says of them, and until when it is to be left alone."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from agent_core.clock import Clock
from agent_core.errors import ForgeRefusal
from agent_core.outbound.retry import retry_after

LONGEST = timedelta(days=1)
UNSAID = timedelta(minutes=1)  # what GitHub asks for where it limits and doesn't say how long


class Limits:
    """Knows of each share of a host's interface until when it takes nothing more."""

    def __init__(self, clock: Clock, site: str) -> None:
        self._clock = clock
        self._site = site
        self._until: dict[str, datetime] = {}

    def check(self, share: str) -> None:
        """Pass if the host may be asked now.

        Raises:
            ForgeRefusal: reason "rate", with when it may be.
        """
        until = self._until.get(share)
        left = (until - self._clock.now()).total_seconds() if until else 0
        if until is None or left <= 0:
            return
        raise ForgeRefusal(
            reason="rate",
            site=self._site,
            until=f"{until:%Y-%m-%d %H:%M:%S} UTC",
            retry_after_s=round(left) or 1,
        )

    def note(self, share: str, status: int, headers: Mapping[str, str], said: str) -> None:
        """Note what an answer says of limits; after one that was reached, `check` refuses."""
        now = self._clock.now()
        refused = status == 429 or (status == 403 and _is_limit(headers, said))
        wait = retry_after(headers, now) if refused else None
        if wait is None and headers.get("x-ratelimit-remaining") == "0":
            wait = _until_reset(headers, now)
        if wait is None and refused:
            wait = UNSAID
        if wait is not None and wait > timedelta(0):
            self._until[share] = now + min(wait, LONGEST)
        elif refused:
            self._until[share] = now + timedelta(seconds=1)


def _is_limit(headers: Mapping[str, str], said: str) -> bool:
    return (
        "retry-after" in headers
        or headers.get("x-ratelimit-remaining") == "0"
        or "rate limit" in said.lower()
    )


def _until_reset(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    text = headers.get("x-ratelimit-reset", "")
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        return None
    return datetime.fromtimestamp(int(text), UTC) - now
