"""Events as JSON objects, under the names that Server-Sent Events give them."""

from dataclasses import asdict

from agent_core.events import (
    Attachment,
    ConfirmationAsked,
    ConfirmationClosed,
    Delta,
    Done,
    Event,
    Failed,
    Message,
    Thought,
    ToolFinished,
    ToolStarted,
)
from agent_core.messages import Json
from agent_core.pipeline.model import Batch, BatchCall

_NAMES: dict[type, tuple[str, dict[str, Json]]] = {
    Thought: ("thought", {}),
    ToolStarted: ("tool", {"state": "started"}),
    ToolFinished: ("tool", {"state": "finished"}),
    ConfirmationAsked: ("confirmation", {"state": "asked"}),
    ConfirmationClosed: ("confirmation", {"state": "closed"}),
    Delta: ("delta", {}),
    Message: ("message", {}),
    Attachment: ("attachment", {}),
    Done: ("done", {}),
    Failed: ("error", {}),
}


def event_json(event: Event) -> dict[str, Json]:
    """Return an event as `{"event": name, …}` with camelCase fields."""
    name, extra = _NAMES[type(event)]
    return {"event": name, **extra, **_camel(asdict(event))}


def batch_json(batch: Batch) -> dict[str, Json]:
    """Return a batch with the state, tool and arguments of its lines, and why any failed."""
    return {
        "batchId": batch.id,
        "status": batch.status.value,
        "edit": batch.edit,
        "expires": batch.expires.isoformat(),
        "calls": [
            {
                "ordinal": call.ordinal,
                "tool": call.tool,
                "risk": call.risk.value,
                "arguments": call.arguments,
                "status": call.status.value,
                **_error(call),
            }
            for call in batch.calls
        ],
    }


def _error(call: BatchCall) -> dict[str, Json]:
    return {"error": {"key": call.trouble.key, **call.trouble.facts}} if call.trouble else {}


def _camel(fields: dict[str, Json]) -> dict[str, Json]:
    return {_camel_name(name): _camel_value(value) for name, value in fields.items()}


def _camel_value(value: Json) -> Json:
    if isinstance(value, dict):
        return _camel(value)
    if isinstance(value, list | tuple):
        return [_camel_value(item) for item in value]
    return value


def _camel_name(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)
