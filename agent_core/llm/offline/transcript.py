"""Reads a request: the question, and what the tools have answered to it so far."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from agent_core.messages import ChatMessage, Json, ModelRequest, Role, parse_json

# Notices that the turn adds as if the person had said them; they ask nothing.
NOTICES = ("While this waited for a decision", "Your last reply was empty.", "Your last reply was cut off.")


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the responder wants made. Equal calls have equal results."""

    tool: str
    arguments: Mapping[str, Json]

    @property
    def key(self) -> tuple[str, str]:
        """The tool and the arguments in one fixed spelling."""
        return self.tool, json.dumps(self.arguments, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Data:
    """What a tool answered."""

    data: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a tool did not do it, as models are told."""

    error: str


@dataclass(frozen=True, slots=True)
class State:
    """How a call stands that has no data: done, declined, not run and the like."""

    status: str
    detail: str = ""


Outcome: TypeAlias = Data | Refused | State


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A question, the tools at hand, and the outcomes of the calls made for it."""

    prompt: str
    question: str
    tools: frozenset[str]
    may_call: bool
    outcomes: Mapping[tuple[str, str], Outcome]


def transcript_of(request: ModelRequest) -> Transcript:
    """Return what a request says."""
    messages = request.messages
    prompt = next((one.content for one in messages if one.role is Role.SYSTEM), "")
    asked = [place for place, one in enumerate(messages) if _asks(one)]
    since = messages[asked[-1] :] if asked else ()
    return Transcript(
        prompt=prompt,
        question=since[0].content if since else "",
        tools=frozenset(tool.name for tool in request.tools),
        may_call=request.tool_choice == "auto",
        outcomes=_outcomes(since),
    )


def _asks(message: ChatMessage) -> bool:
    return message.role is Role.USER and not message.content.startswith(NOTICES)


def _outcomes(messages: Sequence[ChatMessage]) -> Mapping[tuple[str, str], Outcome]:
    results = {one.call_id: one.content for one in messages if one.role is Role.TOOL}
    found: dict[tuple[str, str], Outcome] = {}
    for message in messages:
        for call in message.calls:
            if call.id in results:
                found[Call(call.name, _object(call.arguments)).key] = _outcome(results[call.id])
    return found


def _outcome(content: str) -> Outcome:
    parsed = _object(content)
    data = parsed.get("data")
    if isinstance(data, Mapping):
        return Data(data)
    if "error" in parsed:
        return Refused(str(parsed["error"]))
    return State(str(parsed.get("status", "unknown")), str(parsed.get("detail", "")))


def _object(text: str) -> Mapping[str, Json]:
    try:
        parsed = parse_json(text or "{}")
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
