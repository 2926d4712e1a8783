"""What goes to a model and comes back: the neutral form that every model client speaks."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeAlias

Json: TypeAlias = "Mapping[str, Json] | Sequence[Json] | str | int | float | bool | None"

MAX_NESTING = 200


def parse_json(text: str) -> Any:  # Any: who reads it looks at what it is
    """Return the value of a JSON text that somebody else wrote.

    Raises:
        ValueError: it is none, or nested deeper than what walks through it can follow.
    """
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    if text.count("[") + text.count("{") > MAX_NESTING and _is_deep(value):
        raise ValueError("nested too deep")
    return value


def _is_deep(value: Json) -> bool:
    level: list[Json] = [value]
    for _ in range(MAX_NESTING):
        level = [inner for one in level for inner in _inner(one)]
        if not level:
            return False
    return True


def _inner(value: Json) -> Sequence[Json]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else ()


class Role(StrEnum):
    """Who speaks in a model's history."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to run a tool; `arguments` is the raw text as the provider sent it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One entry of the history.

    `raw` is the assistant message as the provider sent it; it is replayed verbatim to `provider`
    (thought signatures) and dropped for any other.
    """

    role: Role
    content: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    raw: Mapping[str, Json] | None = None
    provider: str = ""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as a model sees it; `parameters` is a JSON schema in the subset all providers take."""

    name: str
    description: str
    parameters: Mapping[str, Json]


class Finish(StrEnum):
    """Why a reply ended; `calls` are decided by their presence, never by this."""

    STOP = "stop"
    LENGTH = "length"
    FILTER = "filter"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them; 0 where it did not say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens, self.completion_tokens + other.completion_tokens
        )


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One question to a model. `tool_choice` "none" keeps the tools declared but forbids calling them."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSchema, ...] = ()
    tool_choice: Literal["auto", "none"] = "auto"
    temperature: float = 0.3
    max_tokens: int = 8192


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What came back: text, calls or both, and the raw assistant message for replay."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    finish: Finish = Finish.STOP
    usage: Usage = field(default_factory=Usage)
    raw: Mapping[str, Json] | None = None
