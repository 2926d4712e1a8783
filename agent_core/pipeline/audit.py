"""Audit rows of requested calls: one each, whatever its outcome, arguments redacted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from agent_core.clock import Clock, NewId
from agent_core.messages import Json
from agent_core.pipeline.cut import cut_json
from agent_core.pipeline.model import AuditOutcome, AuditRow
from agent_core.pipeline.redaction import Redaction
from agent_core.pipeline.result import MAX_NAME_CHARS
from agent_core.tools.spec import Asker

MAX_ARGUMENT_CHARS = 8_000
_READ_CHARS = 100_000
_READ_ITEMS = MAX_ARGUMENT_CHARS // 2  # each takes two characters at least, so more are never shown


@dataclass(frozen=True, slots=True)
class Audit:
    """Makes audit rows; the store writes them with whatever they belong to."""

    clock: Clock
    new_id: NewId
    redaction: Redaction

    def row(
        self, asker: Asker, *, call_id: str, tool: str, arguments: Mapping[str, Json], outcome: AuditOutcome
    ) -> AuditRow:
        """Return a row for a call of this asker, as of now."""
        return AuditRow(
            id=self.new_id(),
            at=self.clock.now(),
            call_id=call_id,
            conversation=asker.conversation.id,
            requester=asker.person.id,
            tool=self.redaction.outside(tool[:_READ_CHARS])[:MAX_NAME_CHARS],
            arguments=self.arguments(arguments),
            outcome=outcome,
        )

    def arguments(self, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
        """Return arguments as audit rows hold them: redacted, cut to `MAX_ARGUMENT_CHARS` in all."""
        redacted = self.redaction.outside_json(_heads(arguments))
        shown = cut_json(redacted, MAX_ARGUMENT_CHARS)
        return shown if isinstance(shown, Mapping) else {"…": shown}


def _heads(value: Json) -> Json:
    """Return the structure with only the beginning of what is very long, so that a book costs no time."""
    if isinstance(value, str):
        return value[:_READ_CHARS]
    if isinstance(value, Mapping):
        return {key: _heads(item) for key, item in islice(value.items(), _READ_ITEMS)}
    if isinstance(value, Sequence):
        return [_heads(item) for item in islice(value, _READ_ITEMS)]
    return value
