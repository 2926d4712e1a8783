"""What planning a write gives: the rows, what they touch, and what a person decides on."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent_core.lore.answers import CardLine
from agent_core.lore.model import Row
from agent_core.messages import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A write as it would happen; nothing has happened yet.

    `resolved` are arguments, named as the tool that writes it names them, with everything filled in: planning
    again with them has the same effect. `overwrites` says that something is lost or covered by it: a value
    stands where it would be written or begins later, facts lose their scene, later edits build on it.
    """

    rows: tuple[Row, ...]
    keys: frozenset[str]
    card: CardLine
    resolved: Mapping[str, Json] = field(default_factory=dict)
    overwrites: bool = False
