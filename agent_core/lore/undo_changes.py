"""What entries look like before and after an edit is taken back."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from pydantic import JsonValue

from agent_core.lore.answers import KeyChange
from agent_core.lore.before_after import key_changes
from agent_core.lore.canon import Canon
from agent_core.lore.history_lines import top_key
from agent_core.lore.lens import Lens
from agent_core.lore.model import (
    Asserted,
    Author,
    Created,
    Merged,
    Named,
    Recorded,
    Retired,
    Withdrawn,
)
from agent_core.lore.timeline import Entry

_SHOWN = 40


@dataclass(frozen=True, slots=True)
class EntryChanges:
    """The entries that change and their details; with several entries each key begins with its name."""

    entries: tuple[Entry, ...]
    changes: tuple[KeyChange, ...]


async def entry_changes(canon: Canon, after: Canon, rows: Iterable[Recorded]) -> EntryChanges:
    """Return what the effect of these rows changes between two views."""
    places = await _touched(canon, rows)
    old = await canon.entries(list(places), bound=Author())
    new = await after.entries(list(places), bound=Author())
    found: dict[str, tuple[Entry, dict[str, KeyChange]]] = {}
    for entity, keys in places.items():
        entry = old.get(entity) or new.get(entity)
        changes = list(_changes(canon, old.get(entity), new.get(entity), keys))
        if entry is not None and changes:
            _, own = found.setdefault(entry.entity, (entry, {}))
            own.update({change.model_dump_json(): change for change in changes})
    return EntryChanges(tuple(entry for entry, _ in found.values()), tuple(_shown(found.values())))


def _shown(found: Collection[tuple[Entry, Mapping[str, KeyChange]]]) -> Iterator[KeyChange]:
    changes = ((entry, change) for entry, own in found for change in own.values())
    for entry, change in islice(changes, _SHOWN):
        key = f"{entry.name}: {change.key}" if len(found) > 1 else change.key
        yield change.model_copy(update={"key": key})


async def _touched(canon: Canon, rows: Iterable[Recorded]) -> Mapping[str, Mapping[str | None, set[str]]]:
    """Return for each entity the places where details may differ, with those details."""
    touched: defaultdict[str, dict[str | None, set[str]]] = defaultdict(lambda: defaultdict(set))
    for one in rows:
        match one.row:
            case Asserted() as row:
                touched[row.entity][row.at].update(row.patch)
            case Withdrawn() as row:
                target = await _target(canon, row)
                if target is not None:
                    touched[row.entity][target.at].add(top_key(row.pointer))
                else:
                    touched[row.entity].setdefault(None, set())
            case Created() | Named() | Retired() as row:
                touched[row.entity].setdefault(None, set())
            case Merged() as row:
                for entity in (row.entity, row.into):
                    touched[entity].setdefault(None, set())
            case _:
                pass
    return touched


async def _target(canon: Canon, row: Withdrawn) -> Asserted | None:
    for one in await canon.rows([row.entity]):
        if isinstance(one.row, Asserted) and one.row.id == row.target:
            return one.row
    return None


def _changes(
    canon: Canon, old: Entry | None, new: Entry | None, places: Mapping[str | None, Iterable[str]]
) -> Iterator[KeyChange]:
    """Yield what differs; of an entry that comes or goes only its name."""
    before, after = old.name if old else None, new.name if new else None
    if before != after:
        yield KeyChange(key="name", before=before, after=after)
    if old is None or new is None:
        return
    if _aliases(old) != _aliases(new):
        yield KeyChange(key="aliases", before=_aliases(old), after=_aliases(new))
    lens = Lens(canon, Author())
    for at, keys in places.items():
        yield from key_changes(old, new, at, sorted(keys), lens, {})


def _aliases(entry: Entry) -> list[JsonValue]:
    return [one.name for one in entry.names if one.alias]
