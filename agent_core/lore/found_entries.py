"""The entries that a search lists, each checked against what its bound may see before it counts.

The index knows rows, hidden and outdated ones too. So candidates are walked in an order that no hidden row
can change, and the walk ends after a number of visible entries, never after a number of candidates.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from itertools import islice
from typing import Literal, get_args

from agent_core.lore.answers import Quote
from agent_core.lore.canon import Canon
from agent_core.lore.details import Detail, details, patch_text
from agent_core.lore.fold import atoms, document, fold, name_keys, terms
from agent_core.lore.model import Bound, EntityType, JsonObject, Told, ToldKind
from agent_core.lore.outline import Outline
from agent_core.lore.quotes import MAX_CHARS, best_passage, is_spelled_like, occurrences
from agent_core.lore.store import NameHit
from agent_core.lore.timeline import ActiveFact, ActiveName, Entry

COUNTED, COUNTED_PARTLY = 50, 20
"""So many hits with all terms, and so many with the same part of them, are ranked and counted."""

_AT_ONCE = 32
_ALIKE_AT_ONCE = 32
_DETAILS = 3


Why = Literal["name", "alias", "word_in_name", "fact", "scene", "similar"]
_WHYS: tuple[Why, ...] = get_args(Why)


class Kind(IntEnum):
    """How an entry matched, the best way first."""

    NAME = 0
    ALIAS = 1
    WORD_IN_NAME = 2
    FACT = 3
    SCENE = 4
    SIMILAR = 5

    @property
    def why(self) -> Why:
        """The word that answers use for it."""
        return _WHYS[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """An entry that matched: how and how well (terms hit, or likeness), where it is read, what to show."""

    entry: Entry
    kind: Kind
    score: float
    read_at: int
    detail: str = ""
    quote: Quote | None = None

    @property
    def rank(self) -> tuple[Kind, float, int, str]:
        """What matches are sorted by: kind, score, reading order, id."""
        return self.kind, -self.score, self.read_at, self.entry.entity


Check = Callable[[Entry], Match | None]


class EntryFinder:
    """Finds the entries of a series that a bound may see, of one type if one is asked for."""

    def __init__(self, canon: Canon, bound: Bound, only: EntityType | None = None) -> None:
        self._canon = canon
        self._index = canon.index
        self._series = canon.series.id
        self._bound = bound
        self._only = only
        self._merges = canon.merges()

    async def by_name(self, keys: Collection[str]) -> list[Match]:
        """Return the entries that have a name with one of these keys."""
        wanted = frozenset(keys)
        hits = [hit for key in keys for hit in await self._index.names(self._series, key)]

        def check(entry: Entry) -> Match | None:
            called = next((one for one in entry.names if wanted.intersection(name_keys(one.name))), None)
            if called is None:
                return None
            return self._called(entry, Kind.ALIAS if called.alias else Kind.NAME, called, 1)

        return await self._walk({self._final(hit.entity): 1 for hit in hits}, check, best=1, enough=1)

    async def by_words(self, terms: Collection[str], *, enough: int) -> list[Match]:
        """Return the entries that have a name with some of the terms."""
        wanted = frozenset(terms)
        most: dict[str, int] = {}
        for hit in await self._index.name_terms(self._series, tuple(terms)):
            entity, folded = self._final(hit.entity), fold(hit.name) if len(wanted) > 1 else ""
            # A term may be but a part of a word here: this is fast, and the walk looks closer.
            most[entity] = max(most.get(entity, 1), len([term for term in wanted if term in folded]))

        def check(entry: Entry) -> Match | None:
            counts = [(_count(one.name, wanted), one) for one in entry.names]
            score, called = max(counts, key=lambda pair: pair[0])
            return self._called(entry, Kind.WORD_IN_NAME, called, score) if score else None

        return await self._walk(most, check, best=len(wanted), enough=enough)

    async def by_facts(self, terms: Collection[str], *, enough: int) -> list[Match]:
        """Return the entries whose facts hold some of the terms."""
        wanted = frozenset(terms)
        hits = await self._index.facts(self._series, tuple(terms))
        rows = {hit.row for hit in hits}
        held: dict[str, frozenset[str]] = {}
        for hit in hits:
            entity = self._final(hit.entity)
            held[entity] = held[entity] | hit.terms if entity in held else hit.terms

        def check(entry: Entry) -> Match | None:
            return self._says(entry, (fact for fact in entry.facts if fact.id in rows), wanted)

        most = {entity: len(terms) for entity, terms in held.items()}
        return await self._walk(most, check, best=len(wanted), enough=enough)

    async def by_quotes(self, quotes: Iterable[Quote]) -> list[Match]:
        """Return the entries whose name stands in one of the quotes, each with the first that gives it."""
        found: dict[str, Match] = {}
        for quote in quotes:
            words = frozenset(document(quote.text).split())
            hits = await self._index.name_terms(self._series, _large_words(quote.text))
            given = {self._final(hit.entity): 1 for hit in hits if words.issuperset(_words(hit.name))}
            check = partial(self._given, quote=quote)
            for match in await self._walk(given, check, best=1, enough=1):
                found.setdefault(match.entry.entity, match)
        return list(found.values())

    async def by_likeness(self, key: str, *, enough: int) -> list[Match]:
        """Return the entries with the names most like a key, best first, `enough` at most."""
        size = _ALIKE_AT_ONCE
        while True:
            hits = await self._index.similar_names(self._series, key, size)
            found = [match async for match in self._alike(hits, enough)]
            if len(found) >= enough or len(hits) < size:
                return found
            size *= 8

    async def _alike(self, hits: Sequence[NameHit], enough: int) -> AsyncIterator[Match]:
        """Yield the entries whose names these are, in this order, each once."""
        found: set[str] = set()
        for start in range(0, len(hits), _AT_ONCE):
            some = hits[start : start + _AT_ONCE]
            entries = {
                entry.entity: entry
                async for entry in self._visible(sorted({self._final(hit.entity) for hit in some}))
            }
            for hit in some:
                entry = entries.get(self._final(hit.entity))
                name = next((one for one in entry.names if one.id == hit.row), None) if entry else None
                if entry is None or name is None or entry.entity in found:
                    continue
                if len(found) == enough:
                    return
                found.add(entry.entity)
                yield Match(
                    entry=entry, kind=Kind.SIMILAR, score=hit.score, read_at=len(found), detail=name.name
                )

    async def _walk(
        self, candidates: Mapping[str, int], check: Check, *, best: int, enough: int
    ) -> list[Match]:
        """Return the matches among candidates, which are given with the score they have at most.

        `best` is the score of a full hit. Those that score less than `enough` others do are left out, and of
        very many that score the same those with the highest ids.
        """
        matches: list[Match] = []
        levels: defaultdict[int, list[str]] = defaultdict(list)
        for entity, level in candidates.items():
            levels[level].append(entity)
        for level in range(max(candidates.values(), default=0), 0, -1):
            found: list[Match] = []
            async for entry in self._visible(sorted(levels[level])):
                match = check(entry)
                if match is not None and match.score < level:
                    levels[int(match.score)].append(entry.entity)
                elif match is not None:
                    found.append(match)
                if len(found) == (COUNTED if level == best else COUNTED_PARTLY):
                    break
            matches += found
            if len(matches) >= enough:
                break
        return matches

    async def _visible(self, entities: Sequence[str]) -> AsyncIterator[Entry]:
        for start in range(0, len(entities), _AT_ONCE):
            some = entities[start : start + _AT_ONCE]
            entries = await self._canon.entries(some, bound=self._bound)
            for entity in some:
                entry = entries.get(entity)
                if entry is not None and self._only in (None, entry.type):
                    yield entry

    def _final(self, entity: str) -> str:
        return self._merges.get(entity, entity)

    def _called(self, entry: Entry, kind: Kind, name: ActiveName, score: float) -> Match:
        read_at = _read_at(name.told, name.at, self._canon.outline)
        return Match(entry=entry, kind=kind, score=score, read_at=read_at, detail=name.name)

    def _says(self, entry: Entry, facts: Iterable[ActiveFact], wanted: frozenset[str]) -> Match | None:
        hits = [
            (held, _read_at(fact.told, fact.at, self._canon.outline), fact)
            for fact in facts
            if (held := wanted.intersection(_words(patch_text(fact.patch))))
        ]
        if not hits:
            return None
        held, read_at, fact = min(hits, key=lambda hit: (-len(hit[0]), hit[1]))
        score = len(frozenset().union(*(held for held, _, _ in hits)))
        detail = _detail(fact.patch, held)
        return Match(entry=entry, kind=Kind.FACT, score=score, read_at=read_at, detail=detail)

    def _given(self, entry: Entry, quote: Quote) -> Match | None:
        for name in entry.names:
            if any(is_spelled_like(name.name, one.text) for one in occurrences(quote.text, name.name)):
                read_at = self._canon.outline.reading[quote.scene.id]
                return Match(
                    entry=entry, kind=Kind.SCENE, score=1, read_at=read_at, detail=name.name, quote=quote
                )
        return None


def _words(text: str) -> list[str]:
    return document(text).split()


def _count(name: str, wanted: frozenset[str]) -> int:
    return sum(word in wanted for word in _words(name))


def _large_words(text: str) -> tuple[str, ...]:
    """Return the terms of a quote that may be of a name: no stop words, none that begins small."""
    small = {form for atom in atoms(text) if text[atom.start].islower() for form in atom.forms}
    return tuple(term for term in terms(text) if term not in small)


def _read_at(told: Told, at: str | None, outline: Outline) -> int:
    """Return the reading order at which something is told, else of its place, else one after everything."""
    if told.kind is ToldKind.START:
        return -1
    places = (place for place in (told.node, at) if place is not None and not outline.is_gone(place))
    return next((outline.reading[place] for place in places), len(outline.nodes))


def _detail(patch: JsonObject, held: frozenset[str]) -> str:
    """Return what a fact says with the terms it holds, a long value cut to the passage around them."""
    told = (one for one in details(patch) if not held.isdisjoint(_words(str(one))))
    return "; ".join(_short(one, held) for one in islice(told, _DETAILS))


def _short(detail: Detail, held: frozenset[str]) -> str:
    text = str(detail)
    if len(text) <= MAX_CHARS:
        return text
    passage = best_passage(text, held)
    return passage.text if passage is not None else text[:MAX_CHARS]
