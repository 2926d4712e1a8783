"""A running turn in memory: its history, its steps, and the calls that still want a result."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from agent_core.messages import ChatMessage, Role, ToolCall, Usage, parse_json
from agent_core.pipeline.model import AuditOutcome
from agent_core.turn.history import sanitised
from agent_core.turn.model import Step, Turn
from agent_core.turn.store import TurnStore
from agent_core.turn.stream import without_thinking

NUDGE = "Your last reply was empty. Answer the question now, in words, from what the tools have told you."
GO_ON = "Your last reply was cut off. Go on exactly where it stopped; repeat nothing."
TRUNCATED = "length"
SKIPPED = AuditOutcome.SKIPPED.value


@dataclass(slots=True, kw_only=True)
class Talk:
    """The turn as the loop sees it. Every change is stored by `save` before the loop goes on.

    `began` is the monotonic second at which this run of the turn began; `as_of` the line under the answer.
    """

    turn: Turn
    prefix: tuple[ChatMessage, ...]
    question: ChatMessage
    steps: list[Step]
    store: TurnStore
    began: float
    as_of: str = ""
    unsaved: list[Step] = field(default_factory=list)

    def messages(self) -> tuple[ChatMessage, ...]:
        """Return what the model is asked: prompt, history, question and the steps so far."""
        return sanitised((*self.prefix, self.question, *(step.message for step in self.steps)))

    def unanswered(self) -> tuple[ToolCall, ...]:
        """Return the calls of the last reply that have no result yet, in the model's order."""
        answered = {step.message.call_id for step in self.steps if step.message.role is Role.TOOL}
        return tuple(call for step in self.steps for call in step.message.calls if call.id not in answered)

    def is_truncated(self) -> bool:
        """Return whether the last reply was cut off by its length: none of its calls may run."""
        last = next((step for step in reversed(self.steps) if step.message.calls), None)
        return last is not None and last.outcome == TRUNCATED

    def was_said(self, text: str) -> bool:
        """Return whether this notice of ours stands among the steps already."""
        return any(step.message.role is Role.USER and step.message.content == text for step in self.steps)

    def partial(self) -> str:
        """Return the beginning of an answer that was cut off and is being continued."""
        return "".join(
            without_thinking(step.message.content)
            for step in self.steps
            if step.message.role is Role.ASSISTANT and not step.message.calls and step.outcome == TRUNCATED
        )

    def repeats(self, call: ToolCall) -> bool:
        """Return whether the same call, run twice already, gave the same result both times."""
        results = {
            step.message.call_id: step.message.content
            for step in self.steps
            if step.message.role is Role.TOOL and step.outcome != SKIPPED
        }
        same = [
            results[earlier.id]
            for step in self.steps
            for earlier in step.message.calls
            if earlier.id in results and _canonical(earlier) == _canonical(call)
        ]
        return len(same) >= 2 and same[-1] == same[-2]

    def add(
        self, message: ChatMessage, *, pending: bool = False, outcome: str = "", duration_ms: int = 0
    ) -> None:
        """Append a step; it is stored with the next `save`."""
        step = Step(
            turn=self.turn.id,
            seq=len(self.steps),
            message=message,
            pending=pending,
            outcome=outcome,
            duration_ms=duration_ms,
        )
        self.steps.append(step)
        self.unsaved.append(step)

    def spend(
        self,
        *,
        replies: int = 0,
        calls: int = 0,
        result_chars: int = 0,
        usage: Usage | None = None,
        metered: int = 0,
        cost: Decimal = Decimal(0),
    ) -> None:
        """Count what was used."""
        turn = self.turn
        self.turn = replace(
            turn,
            replies=turn.replies + replies,
            calls=turn.calls + calls,
            result_chars=turn.result_chars + result_chars,
            usage=turn.usage + (usage or Usage()),
            metered=turn.metered + metered,
            cost=turn.cost + cost,
        )

    async def save(self) -> None:
        """Store the turn and the new steps in one transaction."""
        await self.store.save(self.turn, tuple(self.unsaved))
        self.unsaved.clear()

    def take_unsaved(self) -> Sequence[Step]:
        """Return the steps that are not stored yet, for a transaction that stores more than them."""
        steps, self.unsaved = tuple(self.unsaved), []
        return steps


def _canonical(call: ToolCall) -> tuple[str, str]:
    try:
        return call.name, json.dumps(parse_json(call.arguments or "{}"), sort_keys=True)
    except ValueError:
        return call.name, call.arguments.strip()
