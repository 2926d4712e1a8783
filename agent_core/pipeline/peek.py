"""The short way for autocomplete: checked, bounded and redacted like any call, but unaudited."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent_core.clock import Clock
from agent_core.errors import LoreKeeperError
from agent_core.lore.answers import Answer
from agent_core.messages import Json
from agent_core.pipeline import arguments as argument_text
from agent_core.pipeline.permissions import check_tool
from agent_core.pipeline.redaction import Redaction
from agent_core.pipeline.result import clean_answer
from agent_core.tools.registry import Registry
from agent_core.tools.spec import Args, Risk, ToolContext

PER_MINUTE = 240


@dataclass(slots=True, kw_only=True)
class Peek:
    """Runs READ tools for a person who is still typing. Its limit is its own, in memory."""

    tools: Registry
    redaction: Redaction
    clock: Clock
    per_minute: int = PER_MINUTE
    _minute: int = 0
    _counts: dict[str, int] = field(default_factory=dict)

    def allows(self, person: str) -> bool:
        """Count one look and return whether it is within this minute's limit."""
        minute = int(self.clock.monotonic() // 60)
        if minute != self._minute:
            self._minute, self._counts = minute, {}
        self._counts[person] = self._counts.get(person, 0) + 1
        return self._counts[person] <= self.per_minute

    async def look(self, tool: str, arguments: Mapping[str, Json], context: ToolContext) -> Answer | None:
        """Return what a READ tool answers, None where it is refused or fails."""
        try:
            wanted = self.tools.get(tool)
            if wanted.read is None or not self.tools.is_read(tool):
                return None
            kind: type[Args] = wanted.args
            args = argument_text.validate(tool, kind, arguments)
            check_tool(wanted, Risk.READ, context.asker)
            answer = await wanted.read(context, args)
        except LoreKeeperError:
            return None
        return clean_answer(answer, self.redaction, untrusted=wanted.untrusted)
