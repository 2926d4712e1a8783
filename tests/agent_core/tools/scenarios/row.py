"""A row of the table: what a model asks for, and where its effect is looked for."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from agent_core.messages import Json
from tests.agent_core.tools.world import World

Arguments = Mapping[str, Json]
Prepared = Callable[[World], Awaitable[Arguments]]


@dataclass(frozen=True, kw_only=True)
class Row:
    """A tool's two scenarios.

    `arguments` are those of the happy one, or what prepares them. Of a look-up, `tells` is what the model has
    to be sent, known from the bytes and rows it was made of, and `outside` looks at what was asked of others.
    Of a write, `outside` looks at bytes, rows or requests after the yes. `refused` are arguments and what the
    reason says.
    """

    tool: str
    arguments: Arguments | Prepared
    refused: tuple[Arguments, str]
    tells: tuple[str, ...] = ()
    outside: Callable[[World], Awaitable[None]] | None = None
    says: str = "Do it."
    mentions_site: bool = field(default=False)
