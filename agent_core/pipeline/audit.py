"""Audit rows of requested calls: one each, whatever its outcome, arguments redacted."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent_core.clock import Clock, NewId
from agent_core.messages import Json
from agent_core.pipeline.model import AuditOutcome, AuditRow
from agent_core.pipeline.redaction import Redaction
from agent_core.tools.spec import Asker

MAX_ARGUMENT_CHARS = 4_000


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
            tool=tool[:80],
            arguments=self.arguments(arguments),
            outcome=outcome,
        )

    def arguments(self, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
        """Return arguments as audit rows hold them: redacted, long texts cut."""
        redacted = self.redaction.outside_json(arguments)
        shortened = _shorten(redacted)
        return shortened if isinstance(shortened, Mapping) else {}


def _shorten(value: Json) -> Json:
    if isinstance(value, str):
        if len(value) <= MAX_ARGUMENT_CHARS:
            return value
        return f"{value[:MAX_ARGUMENT_CHARS]}… (cut, {len(value)} characters)"
    if isinstance(value, Mapping):
        return {key: _shorten(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shorten(item) for item in value]
    return value
