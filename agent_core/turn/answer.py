"""The end of a turn: an answer that is never empty, its sources, and what the place is owed."""

import json
import re
from collections.abc import Sequence

from agent_core.messages import ModelReply, ToolCall, parse_json
from agent_core.pipeline.redaction import Redaction
from agent_core.texts.catalogue import say
from agent_core.tools.registry import Registry
from agent_core.turn.model import Step, Turn
from agent_core.turn.sources import sources_of
from agent_core.turn.stream import without_thinking
from agent_core.turn.trace import trace_of


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
