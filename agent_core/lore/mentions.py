"""Where the scenes of a series say something: quotes, first mentions, names that have no entry yet."""

from collections.abc import AsyncIterator, Collection, Iterable, Iterator
from itertools import chain, islice

from agent_core.lore.answers import NoEntry, Quote
from agent_core.lore.canon import Canon
from agent_core.lore.fold import atoms, spans, terms
from agent_core.lore.lens import Lens
from agent_core.lore.model import Author, Bound, TextSet
from agent_core.lore.quotes import Occurrence, is_spelled_as_name, is_spelled_like, occurrences, passages
from agent_core.lore.stopwords import is_common_word

_AT_ONCE = 16
_QUOTES = 3


async def quotes_of(
    canon: Canon, phrase: str, bound: Bound, limit: int, *, beside: Collection[str] = ()
) -> tuple[Quote, ...]:
    """Return passages that hold the words of a name or value one after the other, in reading order.

    Only whole words count, in any case and with any accents; a name that is a common word too ("Will") must
    be spelled like one. With `beside` the paragraph must give one of these names too. Scenes beyond the
    bound and outdated revisions are not looked at.
    """
    lens = Lens(canon, bound)
    found: list[Quote] = []
    async for text in _texts_with(canon, phrase, bound):
        said = (one for one in _said(text.text, phrase) if not beside or _gives_any(one, beside))
        found += islice(_quotes(lens, text.scene, said), limit - len(found))
        if len(found) == limit:
            break
    return tuple(found)


async def first_mention(canon: Canon, name: str) -> str | None:
    """Return the first scene in reading order whose current text gives the full name as it is spelled.

    None if there is none, or if the name is so short or common a word that it may mean something else.
    """
    if _is_doubtful(name):
        return None
    async for text in _texts_with(canon, name, Author()):
        if any(is_spelled_like(name, one.text) for one in occurrences(text.text, name)):
            return text.scene
    return None


async def name_without_entry(canon: Canon, phrase: str, bound: Bound) -> NoEntry | None:
    """Return in which scenes within the bound a phrase stands as a name; None if it does in none.

    It does where its words begin large, once at least in the midst of a sentence; in scripts without case
    wherever it stands.
    """
    lens = Lens(canon, bound)
    name = ""
    first: list[tuple[str, Occurrence]] = []
    async for text in _texts_with(canon, phrase, bound):
        written = (one for one in occurrences(text.text, phrase) if is_spelled_as_name(one.text))
        for one in islice(written, 1):
            first.append((text.scene, one))
            sure = (each for each in chain([one], written) if _is_surely_name(each))
            name = name or next((" ".join(each.text.split()) for each in sure), "")
    place = lens.place(first[0][0]) if first else None
    if not name or place is None:
        return None
    quotes = (next(_quotes(lens, scene, [one])) for scene, one in first[:_QUOTES])
    return NoEntry(name=name, scenes=len(first), first=place, quotes=tuple(quotes))


async def _texts_with(canon: Canon, phrase: str, bound: Bound) -> AsyncIterator[TextSet]:
    """Yield current texts that hold all terms of a phrase: scenes within the bound, in reading order."""
    wanted = frozenset(terms(phrase))
    hits = await canon.index.scenes(canon.series.id, tuple(wanted))
    rows = {hit.row for hit in hits if hit.terms == wanted}
    scenes = in_reading_order(canon, (hit.scene for hit in hits if hit.row in rows), bound)
    for start in range(0, len(scenes), _AT_ONCE):
        some = scenes[start : start + _AT_ONCE]
        current = await canon.texts(some)
        for scene in some:
            if scene in current and current[scene].id in rows:
                yield current[scene]


def in_reading_order(canon: Canon, scenes: Iterable[str], bound: Bound) -> list[str]:
    """Return the living scenes among these that lie within the bound, each once."""
    outline = canon.outline
    seen = {scene for scene in scenes if not outline.is_gone(scene) and outline.sees(bound, scene)}
    return sorted(seen, key=lambda scene: outline.reading[scene])


def _quotes(lens: Lens, scene: str, said: Iterable[Occurrence]) -> Iterator[Quote]:
    place = lens.place(scene)
    if place is not None:
        yield from (Quote(scene=place, text=one.text, paragraph=one.paragraph) for one in passages(said))


def _said(text: str, phrase: str) -> Iterator[Occurrence]:
    found = occurrences(text, phrase)
    if not _is_doubtful(phrase):
        return found
    return (one for one in found if is_spelled_like(phrase, one.text))


def _gives_any(one: Occurrence, names: Collection[str]) -> bool:
    return any(spans(one.paragraph.text, name) for name in names)


def _is_surely_name(one: Occurrence) -> bool:
    return not one.text[0].isupper() or not one.opens_sentence


def _is_doubtful(name: str) -> bool:
    """Return whether a name is a single word that is common in the language or of two letters at most."""
    words = list(atoms(name))
    if len(words) != 1:
        return not words
    word = words[0].forms[-1]
    return is_common_word(word) or (len(word) < 3 and words[0].forms[0] == word)
