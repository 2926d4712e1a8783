"""What a turn tells its listener while it runs; the names are also the names of the SSE events."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal

from agent_core.messages import Usage


@dataclass(frozen=True, slots=True)
class Thought:
    """A note of the model between its tool calls; takes over the deltas sent under `reply_id`."""

    text: str
    reply_id: str


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool call begins. `summary` is the short form of its arguments."""

    call_id: str
    tool: str
    summary: str


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool call ended. `outcome` is done, failed, refused, skipped or pending; `summary` is one line."""

    call_id: str
    tool: str
    outcome: str
    summary: str
    duration_ms: int


@dataclass(frozen=True, slots=True)
class ConfirmationAsked:
    """A batch of writes waits for a person; the surface loads and shows its card."""

    batch_id: str


@dataclass(frozen=True, slots=True)
class ConfirmationClosed:
    """An open batch was closed without its card being touched; the surface shows its new state."""

    batch_id: str
    status: str


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of streamed answer text; never stored."""

    reply_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Message:
    """The final answer in Markdown. `sources` are labels such as "1.2", notes with their line, web addresses.

    `edits` are the edits that noted what stands there, source by source, 0 where none is known.
    """

    reply_id: str
    markdown: str
    sources: tuple[str, ...] = ()
    as_of: str = ""
    edits: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file was made; its content lies with the files of the conversation. `size` is in bytes."""

    file_id: str
    name: str
    media_type: str
    size: int


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One line of the trace."""

    kind: Literal["thought", "tool"]
    label: str
    detail: str
    outcome: str
    duration_ms: int


@dataclass(frozen=True, slots=True)
class Done:
    """The turn is over or parked. `status` is done, parked, cancelled or failed."""

    turn_id: str
    status: str
    trace: tuple[TraceStep, ...] = ()
    replies: int = 0
    calls: int = 0
    duration_ms: int = 0
    usage: Usage = field(default_factory=Usage)
    batch_id: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn ended without an answer of the model; `text` is the sentence for the person."""

    text: str


Event = (
    Thought
    | ToolStarted
    | ToolFinished
    | ConfirmationAsked
    | ConfirmationClosed
    | Delta
    | Message
    | Attachment
    | Done
    | Failed
)
Emit = Callable[[Event], Awaitable[None]]


async def ignore(event: Event) -> None:
    """Take an event and do nothing: the sink of work that nobody watches."""
