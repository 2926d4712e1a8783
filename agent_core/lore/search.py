"""Search over names, facts and scenes: one ranking for models, commands and pages."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from agent_core.lore.answers import EntryHit, Quote, SearchResult
from agent_core.lore.canon import Canon
from agent_core.lore.fold import core, name_key, name_keys, terms
from agent_core.lore.found_entries import EntryFinder, Kind, Match
from agent_core.lore.found_scenes import scenes_with
from agent_core.lore.lens import Lens
from agent_core.lore.mentions import first_mention, name_without_entry, quotes_of
from agent_core.lore.model import Bound, EntityType
from agent_core.lore.similar import likeness

__all__ = ["first_mention", "nearest_names", "quotes_of", "search"]

_MAX_CHARS = 1_000
_MAX_TERMS = 24
_SIMILAR = 5
_QUOTES_LOOKED_INTO = 3


@dataclass(frozen=True, slots=True)
class Question:
    """A query cut to what is looked for: its terms, the keys it may be a name by, its part that tells."""

    text: str
    terms: tuple[str, ...]
    keys: tuple[str, ...]
    core: str
    hint: Literal["", "no_words", "cut"]

    @classmethod
    def of(cls, query: str) -> "Question":
        """Return the question that a query asks."""
        # Answers are JSON, which takes no lone surrogates.
        text = query[:_MAX_CHARS].encode("utf-8", "replace").decode().strip()
        found, part = terms(text), core(text)
        keys = tuple(dict.fromkeys([*name_keys(text), *name_keys(part)]))
        is_cut = len(query) > _MAX_CHARS or len(found) > _MAX_TERMS
        return cls(
            text=text,
            terms=found[:_MAX_TERMS],
            keys=keys,
            core=part,
            hint="no_words" if not found else "cut" if is_cut else "",
        )


async def search(
    canon: Canon,
    query: str,
    *,
    type: EntityType | None = None,  # noqa: A002 - what the tool calls it
    bound: Bound,
    limit: int = 10,
) -> SearchResult:
    """Return what the bound may see of entries and scenes that match, at most `limit` of each.

    Entries by exact name or alias, then by words in a name, facts, the scenes listed, similar names; within
    each by terms hit, reading order, id. A worse way to match is tried only while the list isn't full, and
    only what was tried is counted.
    """
    question = Question.of(query)
    finder = EntryFinder(canon, bound, type)
    scenes, more_scenes = await scenes_with(canon, question.terms, bound, limit)
    matches = await _matches(finder, question, scenes, limit)
    is_named = _give_name(matches, question)
    if type is not None and not is_named:
        is_named = _give_name(await _by_name(EntryFinder(canon, bound), question, limit), question)
    lens = Lens(canon, bound)
    return SearchResult(
        query=question.text,
        entries=tuple(_hit(lens, match) for match in matches[:limit]),
        scenes=scenes,
        more_entries=max(0, len(matches) - limit),
        more_scenes=more_scenes,
        no_entry=None if is_named else await name_without_entry(canon, question.core, bound),
        hint="" if matches and question.hint == "no_words" else question.hint,
    )


async def nearest_names(canon: Canon, name: str, bound: Bound, limit: int = 3) -> tuple[str, ...]:
    """Return names that the bound may see and that are most like this one, best first."""
    question = Question.of(name)
    key = name_key(question.text)
    finder = EntryFinder(canon, bound)
    alike = await finder.by_likeness(key, enough=limit)
    if len(alike) < limit:
        sharing = await finder.by_words(question.terms, enough=limit)
        alike += sorted(sharing, key=lambda match: (-likeness(key, name_key(match.detail)), match.rank))
    return tuple(dict.fromkeys(match.detail for match in alike))[:limit]


async def _matches(
    finder: EntryFinder, question: Question, scenes: Sequence[Quote], limit: int
) -> list[Match]:
    found = await _by_name(finder, question, limit)
    if len(found) < limit:
        found = _with(found, await finder.by_facts(question.terms, enough=limit + len(found)))
    if _give_name(found, question):
        return found
    if len(found) < limit:
        found = _with(found, await finder.by_quotes(scenes[:_QUOTES_LOOKED_INTO]))
    if len(found) < limit:
        key = name_key(question.core or question.text)
        found = _with(found, await finder.by_likeness(key, enough=_SIMILAR))
    return found


async def _by_name(finder: EntryFinder, question: Question, limit: int) -> list[Match]:
    found = _with([], await finder.by_name(question.keys))
    if len(found) < limit:
        found = _with(found, await finder.by_words(question.terms, enough=limit + len(found)))
    return found


def _with(found: list[Match], more: Iterable[Match]) -> list[Match]:
    """Return what was found with the entries among `more` that were not."""
    known = {match.entry.entity for match in found}
    added = (match for match in more if match.entry.entity not in known)
    return [*found, *sorted(added, key=lambda match: match.rank)]


def _give_name(found: Iterable[Match], question: Question) -> bool:
    """Return whether some entry has the name that is asked for, or a name that holds all of it."""
    return any(
        match.kind in (Kind.NAME, Kind.ALIAS)
        or (match.kind is Kind.WORD_IN_NAME and match.score == len(question.terms))
        for match in found
    )


def _hit(lens: Lens, match: Match) -> EntryHit:
    return EntryHit(entry=lens.entry(match.entry), why=match.kind.why, detail=match.detail, quote=match.quote)
