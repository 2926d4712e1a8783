"""What a write changes at its own place, detail by detail."""

from collections.abc import Iterable, Mapping

from agent_core.lore import merge, timeline
from agent_core.lore.answers import KeyChange, Place
from agent_core.lore.lens import Lens, json_value
from agent_core.lore.model import Change, When
from agent_core.lore.outline import Outline
from agent_core.lore.timeline import ActiveFact, Entry
from agent_core.messages import Json


def facts_at(entry: Entry | None, at: str | None, outline: Outline) -> tuple[ActiveFact, ...]:
    """Return the facts that hold once the scene `at` has ended, in fold order; None is the beginning."""
    if entry is None:
        return ()
    if at is None:
        return tuple(fact for fact in entry.facts if fact.at is None)
    return timeline.at_position(entry, at, When.END, outline)


def state_at(entry: Entry | None, at: str | None, outline: Outline) -> dict[str, Json]:
    """Return what these facts give."""
    return timeline.fold_entry(facts_at(entry, at, outline)).state


def key_changes(
    before: Entry | None,
    after: Entry | None,
    at: str | None,
    keys: Iterable[str],
    lens: Lens,
    changes: Mapping[int, Change],
) -> tuple[KeyChange, ...]:
    """Return each of these details that differs at `at`, with the stored change that gave the old value."""
    facts = facts_at(before, at, lens.outline)
    old = timeline.fold_entry(facts)
    new = state_at(after, at, lens.outline)
    place = lens.place(at)
    return tuple(
        _key_change(key, old.state.get(key), new.get(key), place, changes.get(source(key, old, facts)))
        for key in dict.fromkeys(keys)
        if not merge.same(old.state.get(key), new.get(key))
    )


def source(key: str, fold: merge.Fold, facts: Iterable[ActiveFact]) -> int:
    """Return the number of the latest change behind the value of a top-level detail, or 0."""
    pointer = "/" + key.replace("~", "~0").replace("/", "~1")
    behind = {
        fact for leaf, fact in fold.sources.items() if leaf == pointer or leaf.startswith(f"{pointer}/")
    }
    return max((fact.change for fact in facts if fact.id in behind), default=0)


def _key_change(key: str, before: Json, after: Json, place: Place | None, change: Change | None) -> KeyChange:
    return KeyChange(
        key=key,
        before=json_value(before),
        after=json_value(after),
        place=place,
        replaces_edit=change.number if change else None,
        replaces_by=change.proposed_by if change else None,
    )
