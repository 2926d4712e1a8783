"""How long to leave something alone that the platform refuses: ever longer, up to a quarter of an hour."""

from dataclasses import dataclass, field

from agent_core.clock import Clock

FIRST_S = 4.0
LONGEST_S = 900.0
MOST = 1_000


@dataclass(slots=True)
class Backoff:
    """Remembers what failed and when it is worth another try; only for this process."""

    clock: Clock
    _until: dict[str, tuple[float, float]] = field(default_factory=dict)

    def allows(self, key: str) -> bool:
        """Return whether it may be tried now."""
        return self._until.get(key, (0.0, 0.0))[0] <= self.clock.monotonic()

    def failed(self, key: str) -> None:
        """Note that it failed: the next try is twice as far away as the last one was."""
        _, waited = self._until.pop(key, (0.0, FIRST_S / 2))
        wait = min(waited * 2, LONGEST_S)
        self._until[key] = (self.clock.monotonic() + wait, wait)
        while len(self._until) > MOST:
            del self._until[next(iter(self._until))]

    def worked(self, key: str) -> None:
        """Forget that it failed."""
        self._until.pop(key, None)
