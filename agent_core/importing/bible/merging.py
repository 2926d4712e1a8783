"""Several notes about one thing become one entry; where they say different things, none of it is taken."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agent_core.importing.bible.model import BibleEntry, Detail, Path, Remark
from agent_core.importing.bible.values import same_value
from agent_core.lore.fold import name_key


def united(entries: Sequence[BibleEntry], remarks: list[Remark]) -> tuple[BibleEntry, ...]:
    """Return one entry a name; notes that make another kind of the same name are left out and listed.

    Aliases that are the name of another entry, or another one's alias too, go to neither.
    """
    by_name: dict[str, BibleEntry] = {}
    for entry in entries:
        key = name_key(entry.name)
        first = by_name.get(key)
        if first is None:
            by_name[key] = entry
        elif first.kind is not entry.kind and not (first.assumed or entry.assumed):
            facts = {"name": entry.name, "type": entry.kind.value, "other": str(first.spot)}
            remarks.append(Remark("two_kinds", entry.spot, facts))
        else:
            remarks.append(Remark("same_name", entry.spot, {"name": entry.name, "other": str(first.spot)}))
            by_name[key] = _united(first, entry, remarks)
    owners: dict[str, list[BibleEntry]] = {}
    for entry in by_name.values():
        for key in dict.fromkeys(map(name_key, (entry.name, *entry.aliases))):
            owners.setdefault(key, []).append(entry)
    return tuple(_with_own_aliases(entry, owners, remarks) for entry in by_name.values())


def _united(one: BibleEntry, other: BibleEntry, remarks: list[Remark]) -> BibleEntry:
    details: dict[Path, Detail] = dict(one.details)
    for path, detail in other.details.items():
        there = details.get(path)
        if there is None and not any(_is_within(path, known) for known in details):
            details[path] = detail
        elif there is None or not same_value(there.value, detail.value):
            facts = {"key": ".".join(path), "other": str(there.spot if there else one.spot)}
            remarks.append(Remark("notes_differ", detail.spot, facts))
            details.pop(path, None)
    return replace(
        one,
        kind=other.kind if one.assumed else one.kind,
        assumed=one.assumed and other.assumed,
        aliases=tuple(dict.fromkeys((*one.aliases, *other.aliases))),
        hint=one.hint or other.hint,
        details=details,
    )


def _is_within(path: Path, other: Path) -> bool:
    shorter = min(len(path), len(other))
    return path[:shorter] == other[:shorter]


def _with_own_aliases(
    entry: BibleEntry, owners: Mapping[str, Sequence[BibleEntry]], remarks: list[Remark]
) -> BibleEntry:
    own: dict[str, str] = {}
    for alias in entry.aliases:
        key = name_key(alias)
        other = next((one for one in owners[key] if one is not entry), None)
        if other is not None:
            remarks.append(Remark("alias_taken", entry.spot, {"alias": alias, "name": other.name}))
        elif key and key != name_key(entry.name):
            own.setdefault(key, alias)
    return replace(entry, aliases=tuple(own.values()))
