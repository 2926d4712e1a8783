"""What goes in and out as JSON beside the canon's own answers: camelCase outside, snake_case inside."""

from collections.abc import Mapping
from typing import Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, model_validator
from pydantic import Field as JsonField
from pydantic.alias_generators import to_camel

from adapters.cards import Card
from agent_core.lore.answers import Place

A = TypeVar("A")


class Shape(BaseModel):
    """A frozen JSON object; what it doesn't know is passed over."""

    model_config = ConfigDict(
        frozen=True, populate_by_name=True, alias_generator=to_camel, extra="ignore", ser_json_inf_nan="null"
    )


class Shown(Shape, Generic[A]):
    """An answer of the canon, and the card that says the same in words."""

    answer: A
    card: Card


class Said(Shape):
    """A message as the caller's client keeps it."""

    role: Literal["user", "assistant", "system", "tool", "developer"] = JsonField(
        description="Only the last message, a user's, is an instruction; earlier ones are quoted."
    )
    content: str = JsonField(max_length=400_000)


class Question(Shape):
    """What somebody asks. A known `conversationId` counts before `bookId`."""

    messages: tuple[Said, ...] = JsonField(min_length=1, max_length=500)
    book_id: str | None = JsonField(None, description="the book that a new conversation is about")
    conversation_id: str | None = JsonField(None, description="goes on with a conversation of yours")
    max_iterations: int = JsonField(6, ge=1, le=50, description="replies of the model in this turn, at most")

    @model_validator(mode="after")
    def _ends_with_the_user(self) -> "Question":
        if self.messages[-1].role != "user" or not self.messages[-1].content.strip():
            raise ValueError("the last message must be the user's")
        return self


class AgentQuestion(Question):
    """A question to the agent whose answer is streamed."""

    max_iterations: int = JsonField(10, ge=1, le=50, description="replies of the model in this turn, at most")
    mode: Literal["general", "directory", "documents"] = "general"
    deep_research: bool = False


class ToolDone(Shape):
    """A tool call that has ended."""

    name: str
    call_id: str
    arguments: str = JsonField(description="its arguments in one short line")
    outcome: str
    result: str = JsonField(description="its result in one short line")
    duration_ms: int


class CallOut(Shape):
    """One line of a batch."""

    call_id: str
    line: int
    tool: str
    risk: str
    status: str
    selected: bool
    arguments: Mapping[str, JsonValue]
    trouble: str = JsonField("", description="why it failed, as a sentence")


class BatchOut(Shape):
    """A proposal or what became of it. `digest` goes back with a decision about exactly this card."""

    batch_id: str
    status: Literal["open", "approved", "declined", "expired", "superseded"]
    settled: bool
    edit: int | None
    digest: str
    expires: str
    conversation_id: str
    series_id: str | None
    turn_id: str | None
    calls: tuple[CallOut, ...]
    card: Card


class FileOut(Shape):
    """A file that was made; `/api/files/{fileId}` gives it. `size` is in bytes."""

    file_id: str
    name: str
    media_type: str
    size: int


class Reply(Shape):
    """What a turn came to. `pending` is the card that it waits for."""

    reply: str
    tool_calls_executed: tuple[ToolDone, ...]
    thought_process: tuple[str, ...]
    pending: BatchOut | None
    attachments: tuple[FileOut, ...]
    conversation_id: str
    turn_id: str | None
    status: str


class Decided(Reply):
    """What became of a decided batch, and how its turn went on."""

    batch: BatchOut


class BatchIn(Shape):
    """Which batch. With `digest` only exactly the card that was seen is decided."""

    batch_id: str = JsonField(max_length=100)
    digest: str | None = JsonField(None, max_length=100)


class LinesIn(BatchIn):
    """Which lines of a batch."""

    call_ids: tuple[str, ...] = JsonField(min_length=1, max_length=200)


class AnswerIn(Shape):
    """The answer to a question on a card: its `name` and a choice's `value`, or for `at` any position."""

    batch_id: str = JsonField(max_length=100)
    line: int
    name: Literal["at", "kind"]
    value: str = JsonField(max_length=500)


class ConversationIn(Shape):
    """Which conversation."""

    conversation_id: str = JsonField(max_length=100)


class FamilyIn(Shape):
    """A family of tools, and whether the conversation has it."""

    family: Literal["web", "documents", "sheets", "forge", "schedule", "notify"]
    on: bool


class Cancelled(Shape):
    """Whether something was running."""

    cancelled: bool


class BookOut(Shape):
    """A book of a series."""

    id: str
    label: str
    title: str


class SeriesOut(Shape):
    """A series of the caller's. `finished` is how far they have read; writers see all.

    `conversationId` is the conversation about it that is always there.
    """

    id: str
    name: str
    role: str
    bounded: bool
    finished: Place | None
    books: tuple[BookOut, ...]
    conversation_id: str


class PersonOut(Shape):
    """Who makes the request."""

    name: str
    operator: bool


class Me(Shape):
    """Who asks, where things stand."""

    person: PersonOut
    language: str
    model: str | None = JsonField(description="null: the offline responder answers")
    series: tuple[SeriesOut, ...]


class Suggestions(Shape):
    """Names that fit what was typed so far."""

    names: tuple[str, ...]


class StepOut(Shape):
    """One step of how an answer was found. `label` says it in words."""

    kind: Literal["thought", "tool"]
    tool: str
    label: str
    detail: str
    outcome: str
    duration_ms: int


class TurnOut(Shape):
    """A question and what followed."""

    id: str
    conversation_id: str
    question: str
    answer: str
    status: str
    started: str
    deep_research: bool
    mode: str
    replies: int
    calls: int
    steps: tuple[StepOut, ...]
    batches: tuple[BatchOut, ...]


class ConversationOut(Shape):
    """A conversation with its newest turns, oldest first. Listen from `lastEvent` on."""

    id: str
    series_id: str | None
    series: str
    book_id: str | None
    book: str
    position: Place | None
    bounded: bool
    finished: Place | None
    families: tuple[str, ...]
    last_event: int
    turns: tuple[TurnOut, ...]
    open: tuple[BatchOut, ...]


class Proposals(Shape):
    """Open proposals, oldest first."""

    proposals: tuple[BatchOut, ...]


class BookReport(Shape):
    """A book as it was read. `chapters` are labels."""

    title: str
    is_new: bool
    chapters: tuple[str, ...]
    scenes: int
    words: int
    warnings: tuple[str, ...]


class SeriesReport(Shape):
    """What importing would do with a series of the caller's, or that it would begin one."""

    name: str
    exists: bool
    nothing_to_do: bool
    warnings: tuple[str, ...]
    books: tuple[BookReport, ...]


class Report(Shape):
    """A dry run; `importId` imports it within a week."""

    import_id: str
    series: tuple[SeriesReport, ...]


class ImportIn(Shape):
    """How to import what a dry run has shown."""

    series: str = JsonField("", max_length=200, description="as in the dry run")
    delete_gone: bool = JsonField(False, description="scenes that the files no longer hold leave their book")


class Imported(Shape):
    """One batch a series; none for a series in which nothing differs."""

    batches: tuple[BatchOut, ...]
