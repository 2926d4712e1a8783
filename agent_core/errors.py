"""One tree of errors. Each carries facts; people read them through `texts`, models through `for_model`.

LoreKeeperError
├── Refusal                  decided before anything ran; nothing has happened
│   ├── InvalidArguments     the arguments do not fit the tool's schema
│   ├── UnknownTool
│   ├── NotPermitted         role, place or risk forbid it
│   ├── RateLimited
│   ├── BudgetSpent
│   ├── BatchClosed          decided, expired or superseded already
│   ├── NotYourBatch         the person may not decide this batch
│   ├── NotLinked            the thread is bound to no book
│   ├── UnknownMessage       a message that is not in this thread
│   ├── NoteRefusal          the notes folder says no
│   ├── DocumentRefusal      nothing that a document could be made of
│   ├── OutboundRefusal      a web address that may not be reached
│   ├── WebRefusal           nothing to read there, or nobody to search
│   ├── ForgeRefusal         the git host has no such thing, or takes nothing more for now
│   ├── ScheduleRefusal      no such time, or too many tasks
│   ├── NotifyRefusal        no such channel, or a text that none takes
│   └── LoreRefusal          the canon says no
│       ├── UnknownEntity · AmbiguousEntity · DuplicateEntity
│       ├── UnknownPosition · AmbiguousPosition · UnknownScene
│       ├── BadPatch · BadInterval · StoryCycle · NothingToDo
│       └── UnknownChange · PlaceGone
├── Conflict                 a later change touched what this proposal touches
└── Failure                  went wrong while running
    ├── StoreFailure         locked, read-only, full or damaged (`cause`)
    ├── ModelFailure         the model endpoint (`cause`)
    ├── OutboundFailure      a web address gave no answer (`sent`)
    ├── WebFailure           a site answered with an error, or nothing of use
    ├── ToolTimeout
    │   └── UnknownOutcome   sent, and nobody says whether it arrived
    ├── ForgeFailure         the git host refuses the token, or answers what it should not
    ├── NotifyFailure        a message was not taken
    └── ImportFailure        a file that cannot be read as a manuscript
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import ClassVar

Fact = str | int | float | tuple[str, ...] | None


class LoreKeeperError(Exception):
    """Root of the tree; `facts` fill the sentence stored in the text catalogue under `key`."""

    key: ClassVar[str] = "error.internal"

    def __init__(self, **facts: Fact) -> None:
        self.facts: Mapping[str, Fact] = facts
        super().__init__(self.for_model())

    @property
    def text_key(self) -> str:
        """The catalogue key of the sentence for people; a `reason` fact selects a variant."""
        reason = self.facts.get("reason")
        return f"{self.key}.{reason}" if isinstance(reason, str) else self.key

    def for_model(self) -> str:
        """Return one compact English line: the error's name and its facts."""
        return _line(type(self).__name__, self.facts)


def _line(name: str, facts: Mapping[str, Fact]) -> str:
    parts = [f"{fact}={_shown(value)}" for fact, value in facts.items() if value is not None]
    return f"{name}: {', '.join(parts)}" if parts else name


def _shown(value: Fact) -> str:
    return "[" + "; ".join(value) + "]" if isinstance(value, tuple) else str(value)


class Refusal(LoreKeeperError):
    """Decided before anything ran."""

    key = "error.refused"


class InvalidArguments(Refusal):
    """Facts: `tool`, `problems` (tuple of "field: what is wrong").

    For people also what is wrong first: `reason` (long, short, text, form, number, truth, small, large,
    missing, extra, choice), `field`, `got`, and by reason `choices`, `least`, `most`, `above` or `below`.
    """

    key = "error.arguments"

    def for_model(self) -> str:
        """Return one compact English line: all that is wrong."""
        facts = {name: self.facts[name] for name in ("tool", "problems") if name in self.facts}
        return _line(type(self).__name__, facts)


class UnknownTool(Refusal):
    """Facts: `tool`, `nearest` (tuple of names)."""

    key = "error.unknown_tool"


class NotPermitted(Refusal):
    """Facts: `reason` (role, reader, place)."""

    key = "error.not_permitted"


class NeedsYes(Refusal):
    """A look-up that a person has to agree to first, by its arguments."""

    key = "error.needs_yes"


class RateLimited(Refusal):
    """Facts: `retry_after_s`."""

    key = "error.rate_limited"


class BudgetSpent(Refusal):
    """Facts: `reason` (calls)."""

    key = "error.budget"


class BatchClosed(Refusal):
    """Facts: `status` of the batch (approved, declined, expired, superseded)."""

    key = "error.batch_closed"


class NotYourBatch(Refusal):
    """Facts: `who` may decide."""

    key = "error.not_your_batch"


class NotLinked(Refusal):
    """The thread is bound to no book."""

    key = "error.not_linked"


class UnknownMessage(Refusal):
    """Facts: `message`."""

    key = "error.unknown_message"


class OutboundRefusal(Refusal):
    """Facts: `site` (scheme and host, never more).

    `reason` (url, scheme, userinfo, port, address, downgrade, carried).
    """

    key = "error.outbound_refusal"


class WebRefusal(Refusal):
    """Facts: `site`, `kind`.

    `reason` (no_search, search_format, extra, kind, locked, no_text, empty, robots).
    """

    key = "error.web_refusal"


class NoteRefusal(Refusal):
    """The notes folder says no. Facts: `reason`, `path`, and what a model needs to do better."""

    key = "error.note"


class DocumentRefusal(Refusal):
    """No document is made. Facts: what helps, and `reason`.

    `reason` (extra, empty, both, too_long, rows, columns, book).
    """

    key = "error.document"


class ScheduleRefusal(Refusal):
    """What can't be scheduled. Facts: `text`, and by `reason` also `minutes`, `most` or `tasks`.

    `reason` (words, cron, never, past, too_often, many, unknown, one_of, tool, thread, zone, over, broken).
    """

    key = "error.schedule"


class LoreRefusal(Refusal):
    """The canon says no."""

    key = "error.lore"


class UnknownEntity(LoreRefusal):
    """Facts: `name`, `nearest` (tuple of names visible to the asker), `reason` (not_yet)."""

    key = "error.unknown_entity"


class AmbiguousEntity(LoreRefusal):
    """Facts: `name`, `candidates` (tuple of "name (type, hint) id")."""

    key = "error.ambiguous_entity"


class DuplicateEntity(LoreRefusal):
    """Facts: `name`, `existing`, `id` of the entity that has the name."""

    key = "error.duplicate_entity"


class UnknownPosition(LoreRefusal):
    """Facts: `position`. Says the same whether it is missing or beyond the asker's bound."""

    key = "error.unknown_position"


class AmbiguousPosition(LoreRefusal):
    """Facts: `position`, `candidates` (tuple of full positions such as `b1:p2.3`)."""

    key = "error.ambiguous_position"


class UnknownScene(LoreRefusal):
    """Facts: `scene`, `reason` (missing, gap, other_chapter)."""

    key = "error.unknown_scene"


class BadPatch(LoreRefusal):
    """Facts: `pointer`.

    `reason` (dollar_key, blank_key, not_object, too_deep, too_large, not_a_list, not_finite).
    """

    key = "error.bad_patch"


class BadInterval(LoreRefusal):
    """Facts: `reason` (empty, reversed)."""

    key = "error.bad_interval"


class StoryCycle(LoreRefusal):
    """Facts: `node`, the node whose story place would close on itself."""

    key = "error.story_cycle"


class NothingToDo(LoreRefusal):
    """The same thing stands in the canon already. Facts: `reason` (same_fact, already_undone, same_text)."""

    key = "error.nothing_to_do"


class UnknownChange(LoreRefusal):
    """Facts: `change`, `last` (number)."""

    key = "error.unknown_change"


class PlaceGone(LoreRefusal):
    """An outline edit cannot be taken back because its place is gone. Facts: `node`."""

    key = "error.place_gone"


class Conflict(LoreKeeperError):
    """A later change touched what this proposal touches. Facts: `changes` (tuple of numbers as text)."""

    key = "error.conflict"


class Failure(LoreKeeperError):
    """Went wrong while running."""

    key = "error.failure"


class StoreCause(StrEnum):
    """Why the store could not do its work."""

    BUSY = "busy"
    READ_ONLY = "read_only"
    FULL = "full"
    DAMAGED = "damaged"
    UNREACHABLE = "unreachable"
    OTHER = "other"


class StoreFailure(Failure):
    """Facts: `reason` (a `StoreCause`)."""

    key = "error.store"


class ModelCause(StrEnum):
    """Why the model endpoint gave no usable reply."""

    AUTH = "auth"
    RATE = "rate"
    QUOTA = "quota"
    CONTEXT = "context"
    NO_TOOLS = "no_tools"
    BAD_HISTORY = "bad_history"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    FILTER = "filter"
    NOT_FOUND = "not_found"
    BAD_REQUEST = "bad_request"


class ModelFailure(Failure):
    """Facts: `reason` (a `ModelCause`), `retry_after_s`."""

    key = "error.model"

    @property
    def cause(self) -> ModelCause:
        """The cause as an enum."""
        return ModelCause(str(self.facts["reason"]))


class OutboundFailure(Failure):
    """Facts: `site` (scheme and host, never more). `sent` says whether the request may have arrived.

    `reason` (resolve, connect, tls, timeout, dropped, encoding).
    """

    key = "error.outbound"

    def __init__(self, *, reason: str, site: str, sent: bool = False) -> None:
        self.sent = sent
        super().__init__(reason=reason, site=site)


class WebFailure(Failure):
    """Facts: `site`, `status`. `reason` (status, redirects, damaged, too_large, search)."""

    key = "error.web"


class ToolTimeout(Failure):
    """Facts: `tool`, `timeout_s`."""

    key = "error.tool_timeout"


class FileTooLarge(Failure):
    """A file that was made is too large to be sent. Facts: `name`, `limit` (in megabytes)."""

    key = "error.file_too_large"


class ImportFailure(Failure):
    """Facts: `file`, `reason` (not_found, too_large, bomb, damaged, unsupported, empty, encrypted, name)."""

    key = "error.import"


class ForgeRefusal(Refusal):
    """A git host has no such thing, or takes nothing more for now. Facts: `reason`, and what helps on."""

    key = "error.forge"


class ForgeFailure(Failure):
    """A git host did not do its part. Facts: `reason` (token, status, shape), `site`, `status`."""

    key = "error.forge"


class NotifyRefusal(Refusal):
    """Nothing was sent. Facts: `reason` (none, channel, empty, too_long, extra), `channel`, what helps."""

    key = "error.notify"


class NotifyFailure(Failure):
    """A message was not taken. Facts: `reason`, `channel`, `status` or `retry_after_s`."""

    key = "error.notify"


class UnknownOutcome(ToolTimeout):
    """Sent, and nobody says whether it arrived: never to be repeated unasked. Facts: as ToolTimeout."""
