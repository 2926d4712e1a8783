"""The end of a turn: an answer that is never empty, its sources, and what the place is owed."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from agent_core.messages import Json, ModelReply, Role, ToolCall, parse_json
from agent_core.pipeline.redaction import Redaction
from agent_core.texts.catalogue import say
from agent_core.tools.registry import Registry
from agent_core.turn.model import Step, Turn
from agent_core.turn.stream import without_thinking
from agent_core.turn.trace import trace_of

MAX_SOURCES = 12
_PLACES = frozenset({"from", "scene", "first"})


def spoken(reply: ModelReply) -> str:
    """Return the text of a reply as people may read it; "" where there is none (reasoning only, blank)."""
    return without_thinking(reply.text).strip()


def leaked_call(text: str, tools: Registry, new_id: str) -> ToolCall | None:
    """Return the READ call that a model wrote as text instead of calling it, or None."""
    body = re.sub(r"^\s*(?:<tool_call>|```(?:json)?)|(?:</tool_call>|```)\s*$", "", text).strip()
    try:
        parsed = parse_json(body)
    except ValueError:
        return None
    if not isinstance(parsed, dict) or not isinstance(parsed.get("name"), str):
        return None
    arguments = parsed.get("arguments", parsed.get("parameters", {}))
    if not isinstance(arguments, dict) or not tools.is_read(parsed["name"]):
        return None
    return ToolCall(new_id, parsed["name"], json.dumps(arguments))


def built_answer(turn: Turn, steps: Sequence[Step], redaction: Redaction) -> str:
    """Return an answer made without the model: what was done and which sources were found."""
    trace = trace_of(steps, redaction, turn.language)
    done = [step for step in trace if step.kind == "tool" and step.outcome == "done"]
    if not done:
        return say(turn.language, "answer.nothing")
    lines = [say(turn.language, "answer.built", n=len(done))]
    lines += [f"- {say(turn.language, f'tool.{step.label}')}: {step.detail}" for step in done]
    sources = sources_of(steps)
    if sources:
        lines += ["", say(turn.language, "answer.sources", sources=", ".join(sources))]
    return "\n".join(lines)


def sources_of(steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the labels of scenes and facts that the tools of this turn answered with, first seen first."""
    return tuple(cited(steps))


def cited(steps: Sequence[Step]) -> Mapping[str, int]:
    """Return the labels of `sources_of`, each with the edit of a fact there, 0 where none is known."""
    found: dict[str, int] = {}
    for step in steps:
        if step.message.role is Role.TOOL and step.outcome == "done":
            try:
                parsed = parse_json(step.message.content)
            except ValueError:
                continue
            for label, edit in _labels(parsed.get("data") if isinstance(parsed, dict) else None):
                found[label] = found.get(label) or edit
    return dict(list(found.items())[:MAX_SOURCES])


def _labels(value: Json, key: str = "", edit: int = 0) -> Iterator[tuple[str, int]]:
    if isinstance(value, dict):
        label, own = value.get("label"), value.get("edit")
        if key in _PLACES and isinstance(label, str):
            yield label, edit
        for name, item in value.items():
            if isinstance(item, dict | list):
                yield from _labels(item, name, own if isinstance(own, int) else 0)
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list):
                yield from _labels(item, key, edit)
