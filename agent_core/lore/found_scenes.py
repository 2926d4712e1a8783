"""The scenes that a search lists: those with most terms first, then in reading order."""

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Mapping, Sequence

from agent_core.lore.answers import Quote
from agent_core.lore.canon import Canon
from agent_core.lore.found_entries import COUNTED, COUNTED_PARTLY
from agent_core.lore.lens import Lens
from agent_core.lore.mentions import in_reading_order
from agent_core.lore.model import Bound, TextSet
from agent_core.lore.quotes import best_passage

_AT_ONCE = 16

Held = Mapping[str, Mapping[str, frozenset[str]]]
"""The terms that each revision of each scene holds."""


async def scenes_with(
    canon: Canon, terms: Collection[str], bound: Bound, limit: int
) -> tuple[tuple[Quote, ...], int]:
    """Return a quote of each scene with some of the terms, `limit` at most, and how many more there are.

    Current texts of scenes within the bound count; of very many with as many terms the first.
    """
    held: defaultdict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for hit in await canon.index.scenes(canon.series.id, tuple(terms)):
        held[hit.scene][hit.row] = hit.terms
    found = await _best(canon, held, bound, best=len(terms), enough=limit)
    lens = Lens(canon, bound)
    quotes = tuple(_quote(lens, text, held[text.scene][text.id]) for text in found[:limit])
    return tuple(quote for quote in quotes if quote is not None), max(0, len(found) - limit)


async def _best(canon: Canon, held: Held, bound: Bound, *, best: int, enough: int) -> list[TextSet]:
    texts: list[TextSet] = []
    levels: defaultdict[int, list[str]] = defaultdict(list)
    for scene in in_reading_order(canon, held, bound):
        levels[max(map(len, held[scene].values()))].append(scene)
    for level in range(max(levels, default=0), 0, -1):
        found: list[TextSet] = []
        async for text in _current(canon, in_reading_order(canon, levels[level], bound)):
            score = len(held[text.scene].get(text.id, ()))
            if score < level:
                levels[score].append(text.scene)
            else:
                found.append(text)
            if len(found) == (COUNTED if level == best else COUNTED_PARTLY):
                break
        texts += found
        if len(texts) >= enough:
            break
    return texts


async def _current(canon: Canon, scenes: Sequence[str]) -> AsyncIterator[TextSet]:
    for start in range(0, len(scenes), _AT_ONCE):
        some = scenes[start : start + _AT_ONCE]
        texts = await canon.texts(some)
        for scene in some:
            if scene in texts:
                yield texts[scene]


def _quote(lens: Lens, text: TextSet, terms: Collection[str]) -> Quote | None:
    place, passage = lens.place(text.scene), best_passage(text.text, terms)
    if place is None or passage is None:
        return None
    return Quote(scene=place, text=passage.text, paragraph=passage.paragraph)
