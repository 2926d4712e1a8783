"""What one turn may spend, and what it has spent."""

from dataclasses import dataclass

from agent_core.turn.model import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of a turn: model replies, tool calls, characters of one result and of all results."""

    replies: int = 10
    calls: int = 25
    result_chars: int = 100_000
    results_chars: int = 400_000

    def is_spent(self, turn: Turn) -> bool:
        """Return whether only one last reply, without calls, is left."""
        most = self.replies if turn.max_replies is None else min(self.replies, turn.max_replies)
        return turn.replies >= most or turn.calls >= self.calls

    def calls_left(self, turn: Turn) -> int:
        """Return how many calls may still run."""
        return max(self.calls - turn.calls, 0)

    def chars_each(self, turn: Turn, calls: int) -> int:
        """Return how long each of `calls` results may be."""
        left = max(self.results_chars - turn.result_chars, 0)
        return max(min(self.result_chars, left // max(calls, 1)), 500)
