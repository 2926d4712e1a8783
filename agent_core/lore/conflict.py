"""What a write touches, as keys that can be compared without knowing what was written.

A key is a path of parts joined by "/". Two keys overlap where one is the other or stands above it: an
entry is above its details and its name, a node above its order and above each fact that names it. Facts
that name the same node do not overlap by that.
"""

from collections.abc import Iterable, Iterator

from agent_core.lore import fold
from agent_core.lore.model import (
    Asserted,
    Created,
    Merged,
    Named,
    OutlineEdited,
    Retired,
    Row,
    TextSet,
    ToldKind,
    Withdrawn,
)


def entity_key(entity: str) -> str:
    """Return the key of an entry as a whole (create, merge, retire)."""
    return _path("entity", entity)


def detail_key(entity: str, key: str) -> str:
    """Return the key of a top-level detail of an entry."""
    return _path("entity", entity, "detail", key)


def name_key_of(entity: str) -> str:
    """Return the key of what an entry is called (rename, alias)."""
    return _path("entity", entity, "name")


def called_key(name: str) -> str:
    """Return the key of a name itself, so that two entries cannot take it at the same time."""
    return _path("name", fold.name_key(name))


def node_key(node: str) -> str:
    """Return the key of a node of the outline."""
    return _path("node", node)


def order_key(parent: str | None) -> str:
    """Return the key of the order in which the children of a node stand; None is the series itself."""
    return _path("node", parent, "order") if parent else _path("series", "order")


def text_key(scene: str) -> str:
    """Return the key of a scene's text."""
    return _path("node", scene, "text")


def overlap(ours: Iterable[str], theirs: Iterable[str]) -> frozenset[str]:
    """Return those of `ours` that overlap any of `theirs`."""
    exact = frozenset(theirs)
    above = frozenset(prefix for key in exact for prefix in _prefixes(key))
    return frozenset(key for key in ours if key in above or any(prefix in exact for prefix in _prefixes(key)))


def keys_of(rows: Iterable[Row]) -> frozenset[str]:
    """Return the keys of all rows but `Undone`, whose keys are those of the change it takes back."""
    return frozenset(key for row in rows for key in _keys(row))


def _keys(row: Row) -> Iterator[str]:
    match row:
        case Created() | Retired():
            yield entity_key(row.entity)
        case Merged():
            yield entity_key(row.entity)
            yield entity_key(row.into)
        case Named():
            yield name_key_of(row.entity)
            yield called_key(row.name)
        case Asserted():
            yield from _fact_keys(row)
        case Withdrawn():
            yield detail_key(row.entity, _top(row.pointer)) if row.pointer else name_key_of(row.entity)
        case TextSet():
            yield text_key(row.scene)
        case OutlineEdited():
            yield from _outline_keys(row)
        case _:
            pass


def _fact_keys(row: Asserted) -> Iterator[str]:
    told = row.told.node if row.told.kind is ToldKind.NODE else None
    named = [node for node in (row.at, row.until, told, row.scope_book) if node]
    for key in row.patch:
        yield detail_key(row.entity, key)
        yield from (_path("node", node, "fact", row.entity, key) for node in named)


def _outline_keys(row: OutlineEdited) -> Iterator[str]:
    before, after = row.before, row.after
    yield node_key(after.id)
    if after.place is not None:
        yield _path("node", after.place.node, "place")
    if before is None or (before.parent, before.rank, before.deleted) != (
        after.parent,
        after.rank,
        after.deleted,
    ):
        yield order_key(after.parent)
        if before is not None:
            yield order_key(before.parent)


def _top(pointer: str) -> str:
    return pointer.split("/")[1].replace("~1", "/").replace("~0", "~")


def _path(*parts: str) -> str:
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)


def _prefixes(key: str) -> Iterator[str]:
    """Yield the key itself and every key above it that names something ("node", "entity" alone do not)."""
    parts = key.split("/")
    return ("/".join(parts[:length]) for length in range(2, len(parts) + 1))
