"""What notes say of an entry beside what the canon says: the same, something new, or something else."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from agent_core.importing.bible.model import BibleEntry, Detail, Path
from agent_core.importing.bible.values import same_value
from agent_core.lore import timeline
from agent_core.lore.fold import name_keys
from agent_core.lore.lens import Lens
from agent_core.lore.merge import is_object, join_pointer
from agent_core.lore.model import When
from agent_core.lore.outline import Outline
from agent_core.lore.timeline import ActiveFact, Entry
from agent_core.messages import Json


class Verdict(StrEnum):
    """How a note's value stands to the canon's."""

    NEW = "new"
    SAME = "same"
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True)
class Compared:
    """A detail of a note with the canon's value and the fact that gives it; None where nothing does."""

    path: Path
    detail: Detail
    verdict: Verdict
    canon: Json = None
    fact: ActiveFact | None = None


class Called:
    """Which entries of the canon have a name, as name or alias."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        """Take all entries that count."""
        self._by_key: dict[str, dict[str, Entry]] = {}
        for entry in entries:
            for name in entry.names:
                for key in name_keys(name.name):
                    self._by_key.setdefault(key, {})[entry.entity] = entry

    def of(self, name: str, hint: str = "") -> list[Entry]:
        """Return the entries of a name; where a hint tells one of them apart, that one."""
        found = {entity: entry for key in name_keys(name) for entity, entry in self._at(key)}
        hinted = [one for one in found.values() if hint and one.disambiguator == hint]
        return hinted or list(found.values())

    def _at(self, key: str) -> Iterable[tuple[str, Entry]]:
        return self._by_key.get(key, {}).items()


def compared(said: BibleEntry, entry: Entry, at: str | None, outline: Outline) -> Iterator[Compared]:
    """Yield every detail of a note beside the entry as it is at a node; None folds all facts.

    What the canon once said and says no more at that place differs: the note would bring it back.
    """
    facts = timeline.at_position(entry, at, When.END, outline)
    folded = timeline.fold_entry(facts)
    by_id = {fact.id: fact for fact in entry.facts}
    for path, detail in said.details.items():
        value, is_there = _value(folded.state, path)
        if is_there and same_value(value, detail.value):
            yield Compared(path, detail, Verdict.SAME, value)
        elif is_there or any(_speaks_of(fact.patch, path) for fact in entry.facts):
            fact = by_id.get(_source(folded.sources, path))
            yield Compared(path, detail, Verdict.DIFFERS, value, fact)
        else:
            yield Compared(path, detail, Verdict.NEW)


def place_label(one: Compared, lens: Lens) -> str:
    """Return from where the canon's value is true, "" for the beginning."""
    place = lens.place(one.fact.at) if one.fact is not None else None
    return place.label if place else ""


def _value(state: Mapping[str, Json], path: Path) -> tuple[Json, bool]:
    """Return (what stands at the path, or at a part of it that is no object; whether anything does)."""
    value: Json = state
    for key in path:
        if not is_object(value):
            return value, True
        if key not in value:
            return None, False
        value = value[key]
    return value, True


def _speaks_of(patch: Mapping[str, Json], path: Path) -> bool:
    return _value(patch, path)[1]


def _source(sources: Mapping[str, str], path: Path) -> str:
    """Return the fact behind a path, a part of it, or the first of what lies below it."""
    pointers = [join_pointer(path[:length]) for length in range(len(path), 0, -1)]
    exact = next((sources[pointer] for pointer in pointers if pointer in sources), None)
    below = f"{pointers[0]}/"
    return exact or next((fact for pointer, fact in sources.items() if pointer.startswith(below)), "")
