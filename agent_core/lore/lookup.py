"""Finds the one entry that a name or id means, or says why there is none."""

import re
from collections.abc import Iterable

from agent_core.errors import AmbiguousEntity, UnknownEntity
from agent_core.lore import fold, search
from agent_core.lore.canon import Canon
from agent_core.lore.model import Bound
from agent_core.lore.timeline import Entry

_HINTED = re.compile(r"(?P<name>.*\S)\s*\((?P<hint>[^()]+)\)\s*")


async def find_entry(canon: Canon, ref: str, bound: Bound) -> Entry:
    """Return the entry with this exact canonical name, alias or id; "Ann (smith)" names one by its hint.

    Raises:
        UnknownEntity: none that the bound may see; the same whether it is hidden or missing.
        AmbiguousEntity: several.

    """
    by_id = await canon.entry(ref.strip(), bound=bound)
    if by_id is not None:
        return by_id
    found = await named(canon, ref, bound) or await _hinted(canon, ref, bound)
    if len(found) > 1:
        raise AmbiguousEntity(name=ref, candidates=tuple(map(_candidate, found)))
    return found[0] if found else await unknown(canon, ref, bound)


async def named(canon: Canon, name: str, bound: Bound) -> tuple[Entry, ...]:
    """Return the entries with this canonical name or alias, oldest first."""
    keys = fold.name_keys(name)
    hits = [hit.entity for key in keys for hit in await canon.index.names(canon.series.id, key)]
    entries = await canon.entries(list(dict.fromkeys(hits)), bound=bound)
    unique = {entry.entity: entry for entry in entries.values() if _is_called(entry, keys)}
    return tuple(sorted(unique.values(), key=lambda entry: (entry.created_change, entry.entity)))


async def unknown(canon: Canon, ref: str, bound: Bound) -> Entry:
    """Refuse with the nearest names that the bound may see.

    Raises:
        UnknownEntity: always.

    """
    raise UnknownEntity(name=ref, nearest=await search.nearest_names(canon, ref, bound))


async def _hinted(canon: Canon, ref: str, bound: Bound) -> tuple[Entry, ...]:
    match = _HINTED.fullmatch(ref)
    if match is None:
        return ()
    hint = fold.name_key(match["hint"])
    found = await named(canon, match["name"], bound)
    return tuple(one for one in found if hint in (fold.name_key(one.disambiguator), one.type.value))


def _is_called(entry: Entry, keys: Iterable[str]) -> bool:
    wanted = frozenset(keys)
    return any(wanted.intersection(fold.name_keys(one.name)) for one in entry.names)


def _candidate(entry: Entry) -> str:
    hint = ", ".join(filter(None, (entry.type.value, entry.disambiguator)))
    return f"{entry.name} ({hint}) {entry.entity}"
