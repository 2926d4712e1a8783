"""Makes of what people have edited in Directus the rows of an edit: nothing they did is lost, or goes unsaid.

A value that the canon can't hold (a name left blank, a kind that there is none of) stays where it is and is
told of; it is never put right in silence.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from agent_core.clock import NewId
from agent_core.lore.model import Row
from agent_core.stores.directus.edited_entries import EditedEntries
from agent_core.stores.directus.edited_nodes import EditedNodes
from agent_core.stores.directus.layout import ENTITIES
from agent_core.stores.directus.picture import Picture
from agent_core.stores.directus.shown import ShownRow, Unfit, digest


@dataclass(frozen=True, slots=True)
class Adoption:
    """The rows that say what people have edited, and what can't be said."""

    rows: tuple[Row, ...]
    unfit: tuple[Unfit, ...]


def token_of(rows: Iterable[ShownRow]) -> str:
    """Return the token of the edit that adopts these rows: the same for every process that sees them."""
    seen = sorted(
        (
            row.id,
            row.changed_at or "",
            *(f"{name} {digest(row.values[name])}" for name in sorted(row.edited())),
        )
        for row in rows
    )
    return f"directus-{sha256(repr(seen).encode()).hexdigest()[:32]}"


def adopt(rows: Sequence[ShownRow], picture: Picture, new_id: NewId) -> Adoption:
    """Return what was edited in these rows and differs from the canon."""
    nodes, entries = EditedNodes(picture, new_id), EditedEntries(picture, new_id)
    nodes.add([row for row in rows if row.collection is not ENTITIES])
    for row in rows:
        if row.collection is ENTITIES:
            entries.add(row)
    return Adoption((*nodes.rows, *entries.rows), (*nodes.unfit, *entries.unfit))
