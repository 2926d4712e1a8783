"""The one exit of a turn's events: redacted, and safe from a surface that fails."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, replace

from agent_core.events import (
    Attachment,
    Done,
    Emit,
    Event,
    Failed,
    Message,
    Thought,
    ToolFinished,
    ToolStarted,
    TraceStep,
)
from agent_core.pipeline.redaction import Redaction

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Sink:
    """Hands events to a surface. A surface that fails is logged, once: the turn goes on without it."""

    emit: Emit
    redaction: Redaction
    has_failed: bool = False

    async def __call__(self, event: Event) -> None:
        try:
            await self.emit(self._redacted(event) if self.redaction.knows_secrets else event)
        except Exception:  # the border to the surface: it may be gone, the turn is not
            if not self.has_failed:
                logger.exception("surface failed", extra={"event": type(event).__name__})
            self.has_failed = True

    def _redacted(self, event: Event) -> Event:
        own = self.redaction.own
        match event:
            case Thought() | Failed():
                return replace(event, text=own(event.text))
            case ToolStarted() | ToolFinished():
                return replace(event, tool=own(event.tool), summary=own(event.summary))
            case Attachment():
                return replace(event, name=own(event.name))
            case Message():
                sources = tuple(map(own, event.sources))
                return replace(event, markdown=own(event.markdown), sources=sources)
            case Done():
                return replace(event, trace=tuple(self._steps(event.trace)))
        return event

    def _steps(self, steps: Iterable[TraceStep]) -> Iterable[TraceStep]:
        for step in steps:
            own = self.redaction.own
            yield replace(step, label=own(step.label), detail=own(step.detail))
