"""What fits an option while somebody types it: names, places, details, edits; bounded as all they see."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from adapters.commands import BY_NAME
from adapters.commands.model import Kind
from agent_core.core import Core
from agent_core.lore.answers import (
    Contents,
    EntryList,
    EntryRef,
    EntryState,
    History,
    HistoryItem,
    SearchResult,
)
from agent_core.lore.fold import name_key
from agent_core.lore.model import EntityType
from agent_core.people.model import SeriesRole
from agent_core.texts import say
from agent_core.tools.spec import Asker

MOST = 25
LONGEST = 100

Suggestion = tuple[str, str]
"""What is shown, and what stands for it."""

_TYPED: Mapping[Kind, tuple[str, tuple[str, ...]]] = {
    Kind.TYPE: ("type", tuple(kind.value for kind in EntityType)),
    Kind.ROLE: ("role", tuple(role.value for role in SeriesRole)),
}
_PLACES = frozenset({Kind.POSITION, Kind.TOLD, Kind.BOOK})
_NAMES = frozenset({Kind.ENTRY, Kind.ENTRIES})


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Asks the core by `peek`, which never waits long and leaves no trace."""

    core: Core

    async def of(
        self, command: str, option: str, typed: str, others: Mapping[str, str], asker: Asker
    ) -> Sequence[Suggestion]:
        """Return at most 25 suggestions for an option; nothing for one that can't be completed."""
        known = BY_NAME.get(command)
        wanted = known.option(option) if known else None
        if wanted is None:
            return ()
        if wanted.kind in _TYPED:
            section, values = _TYPED[wanted.kind]
            pairs: Iterable[Suggestion] = (
                (say(asker.language, f"{section}.{value}"), value) for value in values
            )
        elif wanted.kind in _NAMES:
            pairs = await self._names(typed, asker)
            return _short(pairs)
        elif wanted.kind in _PLACES:
            pairs = await self._places(asker, books=wanted.kind is Kind.BOOK)
        elif wanted.kind is Kind.DETAIL:
            pairs = await self._details(others.get("entity", ""), asker)
        elif wanted.kind is Kind.NUMBER and command == "undo":
            pairs = await self._edits(asker)
        else:
            return ()
        return _short(_fitting(pairs, typed))

    async def _names(self, typed: str, asker: Asker) -> Iterable[Suggestion]:
        """Return names that begin as typed, then others that hold it; of twins what tells them apart."""
        named = await (self._fitting_entries(typed, asker) if typed.strip() else self._entries(asker))
        times = Counter(entry.name for entry in named)
        return [
            (_choice(entry, asker.language), entry.id if times[entry.name] > 1 else entry.name)
            for entry in named
        ]

    async def _entries(self, asker: Asker) -> Sequence[EntryRef]:
        found = await self.core.peek("list_entries", {}, asker)
        return found.entries if isinstance(found, EntryList) else ()

    async def _fitting_entries(self, typed: str, asker: Asker) -> Sequence[EntryRef]:
        found = await self.core.peek("search_lore", {"query": typed}, asker)
        if not isinstance(found, SearchResult):
            return ()
        key = name_key(typed)
        named = (hit.entry for hit in found.entries if hit.why != "scene")
        return sorted(named, key=lambda entry: not name_key(entry.name).startswith(key))

    async def _places(self, asker: Asker, *, books: bool) -> Iterable[Suggestion]:
        found = await self.core.peek("list_chapters", {}, asker)
        if not isinstance(found, Contents):
            return ()
        if books:
            return [(book.place.title or book.place.label, book.place.label) for book in found.books]
        several = len(found.books) > 1
        return [
            (
                say(
                    asker.language,
                    "chat.place_choice",
                    book=book.place.title if several else "",
                    place=place.label,
                    title=place.title,
                ),
                place.label,
            )
            for book in found.books
            for chapter in book.chapters
            for place in (chapter.place, *(scene.place for scene in chapter.scenes))
        ]

    async def _details(self, entity: str, asker: Asker) -> Iterable[Suggestion]:
        found = await self.core.peek("get_entity_state", {"entityId": entity}, asker) if entity else None
        return [(key, key) for key in found.state] if isinstance(found, EntryState) else ()

    async def _edits(self, asker: Asker) -> Iterable[Suggestion]:
        found = await self.core.peek("get_history", {}, asker)
        if not isinstance(found, History):
            return ()
        return [
            (say(asker.language, "chat.edit_choice", edit=item.edit, about=_about(item)), str(item.edit))
            for item in found.items
        ]


def _choice(entry: EntryRef, language: str) -> str:
    return say(language, "chat.entry_choice", name=entry.name, type=entry.type.value, hint=entry.hint)


def _about(edit: HistoryItem) -> tuple[str, ...]:
    """Return what an edit was about: "Mara: eyes"."""
    names = ((line.entry.name if line.entry else "", line.key) for line in edit.lines)
    return tuple(dict.fromkeys(": ".join(filter(None, pair)) for pair in names if any(pair)))


def _fitting(pairs: Iterable[Suggestion], typed: str) -> Iterable[Suggestion]:
    """Return those that begin as typed, then those that hold it anywhere."""
    key = name_key(typed)
    keyed = [(name_key(label), name_key(value), (label, value)) for label, value in pairs]
    begins = [pair for label, value, pair in keyed if label.startswith(key) or value.startswith(key)]
    holds = [pair for label, _, pair in keyed if key in label and pair not in begins]
    return [*begins, *holds] if key else [pair for _, _, pair in keyed]


def _short(pairs: Iterable[Suggestion]) -> Sequence[Suggestion]:
    """Return the first ones that fit: a value that is cut would name nothing."""
    fitting: dict[str, str] = {}
    for label, value in pairs:
        if 0 < len(value) <= LONGEST and len(fitting) < MOST:
            fitting.setdefault(value, label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…")
    return [(label, value) for value, label in fitting.items()]
