"""How an answer was found, as people see it: thoughts and tools with one line each."""

import re
from collections.abc import Mapping, Sequence

from agent_core.errors import LoreKeeperError
from agent_core.events import TraceStep
from agent_core.messages import Json, Role, parse_json
from agent_core.pipeline.redaction import Redaction
from agent_core.texts.catalogue import say
from agent_core.turn.model import Step
from agent_core.turn.stream import without_thinking

SHORT_CHARS = 80
_ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_COUNTED = ("entries", "scenes", "facts", "items", "books", "chain", "pages")


def trace_of(steps: Sequence[Step], redaction: Redaction, language: str) -> tuple[TraceStep, ...]:
    """Return the steps of a turn in order. A thought's `detail` is its text, a tool's label its name."""
    names = {call.id: call for step in steps for call in step.message.calls}
    made: list[TraceStep] = []
    for step in steps:
        message = step.message
        if message.role is Role.ASSISTANT and message.calls:
            thought = redaction.own(without_thinking(message.content)).strip()
            if thought:
                made.append(TraceStep("thought", "", thought, "done", 0))
        elif message.role is Role.TOOL and message.call_id in names:
            call = names[message.call_id]
            given = argument_summary(redaction.own(call.arguments))
            ended = state_summary(step.outcome, language) or result_summary(message.content, language)
            detail = " → ".join(filter(None, (given, ended)))
            made.append(TraceStep("tool", call.name, detail, step.outcome, step.duration_ms))
    return tuple(made)


def argument_summary(arguments: str) -> str:
    """Return the values of the arguments in one short line."""
    try:
        parsed = parse_json(arguments or "{}")
    except ValueError:
        return _short(arguments)
    if not isinstance(parsed, dict):
        return _short(arguments)
    return _short(", ".join(_flat(value) for value in parsed.values()))


def error_summary(error: LoreKeeperError, redaction: Redaction, language: str) -> str:
    """Return what went wrong, in one short line."""
    return _short(redaction.outside(say(language, error.text_key, **error.facts)))


def state_summary(outcome: str, language: str) -> str:
    """Return how a call stands that has brought no result, "" for one that has."""
    return "" if outcome == "done" else say(language, f"call.{outcome}")


def result_summary(content: str, language: str) -> str:
    """Return what a result holds in one short line: whose it is, and how many of what."""
    try:
        parsed = parse_json(content)
    except ValueError:
        return _short(content)
    data = parsed.get("data") if isinstance(parsed, dict) else None
    return _counts(data, language) if isinstance(data, dict) else ""


def _counts(data: Mapping[str, Json], language: str) -> str:
    entry = data.get("entry")
    parts = [str(entry["name"])] if isinstance(entry, Mapping) and "name" in entry else []
    for key in _COUNTED:
        held = data.get(key)
        if isinstance(held, Sequence) and not isinstance(held, str):
            parts.append(say(language, f"result.{key}", n=len(held)))
    return _short(", ".join(parts))


def _flat(value: Json) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_flat(item)}" for key, item in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_flat(item) for item in value)
    return str(value)


def _short(text: str) -> str:
    line = " ".join(_ID.sub("", text).split())
    return line if len(line) <= SHORT_CHARS else f"{line[: SHORT_CHARS - 1]}…"
