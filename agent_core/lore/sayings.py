"""Finds the sentences of scenes that say a value of an entry."""

from collections.abc import Iterator, Mapping, Sequence

from agent_core.lore import fold, search
from agent_core.lore.answers import Quote
from agent_core.lore.canon import Canon
from agent_core.lore.model import Bound
from agent_core.lore.near_keys import same_word, words_of
from agent_core.lore.timeline import Entry
from agent_core.messages import Json

_LOOKED_AT = 200


async def quotes_about(
    canon: Canon, entry: Entry, key: str, value: Json, bound: Bound, *, limit: int
) -> tuple[Quote, ...]:
    """Return quotes that hold the value's words, at most `limit`, those that name the detail first.

    From paragraphs that name the entry; only if there are none, from any that name the detail, or from all.
    """
    phrases = list(dict.fromkeys(_words(value)))
    names = [name.name for name in entry.names]
    near = await _quotes(canon, phrases, bound, beside=names)
    if near:
        return tuple(sorted(near, key=lambda quote: not _names_detail(quote, key))[:limit])
    found = await _quotes(canon, phrases, bound)
    return tuple([quote for quote in found if _names_detail(quote, key)] or found)[:limit]


async def _quotes(
    canon: Canon, phrases: Sequence[str], bound: Bound, *, beside: Sequence[str] = ()
) -> list[Quote]:
    found: dict[tuple[str, int, str], Quote] = {}
    for phrase in phrases:
        for quote in await search.quotes_of(canon, phrase, bound, _LOOKED_AT, beside=beside):
            found.setdefault((quote.scene.id, quote.paragraph, quote.text), quote)
    return list(found.values())


def _words(value: Json) -> Iterator[str]:
    """Yield the texts of a value that a scene could say; numbers and yes or no stand everywhere."""
    if isinstance(value, str):
        yield from [value] if fold.terms(value) else []
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _words(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _words(item)


def _names_detail(quote: Quote, key: str) -> bool:
    said = fold.terms(quote.text)
    return any(same_word(word, other) for word in words_of(key) for other in said)
