"""Rate limits as Discord counts them: a bucket for each route and channel, and one for everything."""

import asyncio
import hashlib
import time
from dataclasses import dataclass

from tests.emulators.discord.rest import Call, Route

_GENEROUS = (1000, 1.0)


@dataclass(slots=True)
class _Window:
    ends_s: float
    used: int = 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """The headers of the answer, and how long to wait if the request was one too many."""

    headers: dict[str, str]
    wait_s: float | None = None
    everywhere: bool = False


class Buckets:
    """Counts requests in real time, since clients really wait; generous until a test sets limits."""

    def __init__(self) -> None:
        self._limits: dict[tuple[str, str], tuple[int, float]] = {}
        self._windows: dict[str, _Window] = {}
        self.everywhere: tuple[int, float] | None = None

    def limit(self, method: str, path: str, requests: int, window_s: float) -> None:
        """Allow so many requests to the route, such as `/channels/{channel_id}/messages`, per window."""
        self._limits[method, path] = (requests, window_s)

    def count(self, route: Route, call: Call) -> Verdict:
        """Count the request."""
        if self.everywhere is not None and route.needs_token:
            left, wait_s = self._use("everywhere", *self.everywhere)
            if left < 0:
                return Verdict({"X-RateLimit-Global": "true"}, wait_s, everywhere=True)
        requests, window_s = self._limits.get((route.method, route.path), _GENEROUS)
        majors = [
            call.params.get(key, "") for key in ("channel_id", "guild_id", "webhook_id", "webhook_token")
        ]
        left, wait_s = self._use(f"{route.method} {route.path} {majors}", requests, window_s)
        name = hashlib.sha256(f"{route.method} {route.path}".encode()).hexdigest()[:32]
        headers = {
            "X-RateLimit-Limit": str(requests),
            "X-RateLimit-Remaining": str(max(left, 0)),
            "X-RateLimit-Reset": f"{time.time() + wait_s:.3f}",
            "X-RateLimit-Reset-After": f"{wait_s:.3f}",
            "X-RateLimit-Bucket": name,
        }
        return Verdict(headers, wait_s if left < 0 else None)

    def _use(self, key: str, requests: int, window_s: float) -> tuple[int, float]:
        """Return how many are left, below zero for one too many, and when the window ends."""
        now = asyncio.get_running_loop().time()
        window = self._windows.get(key)
        if window is None or window.ends_s <= now:
            window = self._windows[key] = _Window(now + window_s)
        window.used += 1
        return requests - window.used, window.ends_s - now
