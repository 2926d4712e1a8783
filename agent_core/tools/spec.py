"""What a tool is: a frozen record. Declaring one touches one file."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from agent_core.clock import Clock, NewId
from agent_core.conversation.files import KeptFile
from agent_core.conversation.model import Conversation
from agent_core.conversation.store import ConversationStore
from agent_core.importing.uploads import Uploads
from agent_core.lore.answers import Answer, CardLine
from agent_core.lore.canon import Canon
from agent_core.lore.model import Bound, Row, Series
from agent_core.lore.store import SeriesStore
from agent_core.messages import Json
from agent_core.people.linking import Linking
from agent_core.people.model import Membership, Person, SeriesRole
from agent_core.people.spending import Spending
from agent_core.people.store import OperatorStore, PeopleStore
from agent_core.tools.services import Services
from agent_core.vault.notes import Notes, Vaults


class Risk(StrEnum):
    """READ runs at once; WRITE waits for a confirmation; DANGEROUS also needs the right to destroy."""

    READ = "read"
    WRITE = "write"
    DANGEROUS = "dangerous"


class Family(StrEnum):
    """Tools are switched on by family."""

    LORE = "lore"
    PLACE = "place"
    VAULT = "vault"
    VAULT_WRITE = "vault_write"
    DUPLICATES = "duplicates"
    WEB = "web"
    DOCUMENTS = "documents"
    SHEETS = "sheets"
    FORGE = "forge"
    SCHEDULE = "schedule"
    NOTIFY = "notify"


SWITCHED = (
    Family.WEB,
    Family.DOCUMENTS,
    Family.SHEETS,
    Family.FORGE,
    Family.SCHEDULE,
    Family.NOTIFY,
)
"""Families that are off in a place until somebody switches them on there."""


class Origin(StrEnum):
    """Who asks: a model in a turn, or a person by a command."""

    MODEL = "model"
    COMMAND = "command"


class Args(BaseModel):
    """Base of all arguments: camelCase outside, snake_case inside.

    Unknown fields are refused; a number where text is due is taken as text.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        coerce_numbers_to_str=True,
        populate_by_name=True,
        alias_generator=to_camel,
    )


class NoArgs(Args):
    """No arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who asks, where, and how much they may see. `families` are open to them for what the series has."""

    person: Person
    conversation: Conversation
    membership: Membership | None
    bound: Bound
    language: str
    families: frozenset[Family] = frozenset()


Heard = Callable[[str], Awaitable[str]]
KnownHosts = Callable[[], Awaitable[frozenset[str]]]
Attach = Callable[[str, str, bytes], Awaitable[KeptFile]]


async def _no_hosts() -> frozenset[str]:
    return frozenset()


def is_lead(asker: Asker) -> bool:
    """Return whether the asker leads the series of the thread."""
    return asker.membership is not None and asker.membership.role is SeriesRole.OWNER


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """What a handler may use. `canon` is None where the thread is bound to no series.

    `heard` returns the exact text of a person's message in this thread: by the platform's id, or "this"
    (that started the turn) or "last" (the one before it). `notes` are the notes folders of the series.
    `attach` keeps a file (name, media type, content) that is sent to the conversation with the answer.
    `known_hosts` are the hosts that the asker, the canon, the notes or a search have named in the thread.
    """

    asker: Asker
    origin: Origin
    canon: Canon | None
    open_canon: Callable[[Series], Awaitable[Canon]]
    series: SeriesStore
    people: PeopleStore
    conversations: ConversationStore
    linking: Linking
    operators: OperatorStore
    spending: Spending
    heard: Heard
    notes: Notes
    vaults: Vaults
    uploads: Uploads
    services: Services
    attach: Attach
    clock: Clock
    new_id: NewId
    max_chars: int
    known_hosts: KnownHosts = _no_hosts


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A write as it would happen: what the card shows, what exactly will run, what it touches.

    `arguments` are resolved: planning again with them gives the same effect. `rows` go into the canon as
    part of one change; a tool that writes elsewhere has none and brings `effect`. `unasked` marks a write
    that needs no card where it is typed (one's own position or progress).
    """

    arguments: Mapping[str, Json]
    card: CardLine
    rows: tuple[Row, ...] = ()
    keys: frozenset[str] = frozenset()
    effect: Callable[[], Awaitable[str]] | None = None
    overwrites: bool = False
    unasked: bool = False


A = TypeVar("A", bound=Args)

Read = Callable[[ToolContext, A], Awaitable[Answer]]
Propose = Callable[[ToolContext, A], Awaitable[Proposal]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Generic[A]):
    """A tool. `read` is set for READ, `propose` for the others; one that may `escalate` from READ has both.

    `escalate` gives the risk by the arguments, `weigh` by what the conversation knows besides; `in_canon`
    says that its effect is rows of a change, so that a crash can be settled; `needs_series` refuses unlinked
    threads; `for_readers` opens it to bounded readers, `for_models` to models; `untrusted` marks results
    that come from outside.
    """

    name: str
    family: Family
    risk: Risk
    args: type[A]
    description: str
    read: Read[A] | None = None
    propose: Propose[A] | None = None
    escalate: Callable[[A, Origin], Risk] | None = None
    weigh: Callable[[ToolContext, A], Awaitable[Risk]] | None = None
    in_canon: bool = False
    needs_series: bool = True
    for_models: bool = True
    for_readers: bool = False
    timeout_s: float = 30.0
    untrusted: bool = False


# Any: a tool's handlers take its own arguments type, which its record pairs with them.
AnyTool: TypeAlias = Tool[Any]
