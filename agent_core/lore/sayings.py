"""Finds the sentences of scenes that say a value of an entry."""

from collections.abc import Iterator, Mapping, Sequence

from agent_core.lore import fold, search
from agent_core.lore.answers import Quote
from agent_core.lore.canon import Canon
from agent_core.lore.model import Bound
from agent_core.lore.timeline import Entry
from agent_core.messages import Json

_LOOKED_AT = 40


async def quotes_about(
    canon: Canon, entry: Entry, value: Json, bound: Bound, *, limit: int
) -> tuple[Quote, ...]:
    """Return quotes that hold the value's words, those that also name the entry first."""
    found = [
        quote
        for words in dict.fromkeys(_words(value))
        for quote in await search.quotes_of(canon, words, bound, _LOOKED_AT)
    ]
    unique = {(quote.scene.id, quote.paragraph, quote.text): quote for quote in found}
    ranked = sorted(unique.values(), key=lambda quote: not _names(quote, entry))
    return tuple(ranked[:limit])


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


def _names(quote: Quote, entry: Entry) -> bool:
    return any(fold.spans(quote.text, name.name) for name in entry.names)
