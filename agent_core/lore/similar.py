"""When two folded names look alike: one holds the other, or their words differ by a slip of the fingers.

Both questions are decided by the pair alone, never by what other names there are.
"""

from collections.abc import Iterator

from rapidfuzz.distance import OSA

ALIKE = 60.0

_SHORTEST, _LONGEST = 3, 24
_WORDS_ALIKE = 0.6


def likeness(query: str, key: str) -> float:
    """Return 0..100: how well a query matches a name key; names from `ALIKE` on are worth showing."""
    if query in key:
        starts = key.startswith(query) or f" {query}" in key
        return round((80 if starts else 70) + 20 * len(query) / len(key), 2)
    whole = OSA.normalized_similarity(query, key, score_cutoff=_WORDS_ALIKE)
    return round(100 * max(whole, 0.95 * _words_likeness(query.split(), key.split())), 2)


def trigrams(key: str) -> Iterator[str]:
    """Yield all runs of three characters: a name that holds the key has all of its runs."""
    spaceless = key.replace(" ", "_")
    return (spaceless[i : i + 3] for i in range(len(spaceless) - 2))


def slips(word: str) -> Iterator[str]:
    """Yield a word of a key, as it is and with one letter left out; nothing for very short words.

    Two words that share one of these differ by one letter that was added, left out or mistaken, or by two
    that changed places.
    """
    if _SHORTEST <= len(word) <= _LONGEST:
        yield word
        yield from dict.fromkeys(word[:i] + word[i + 1 :] for i in range(len(word)))


def _words_likeness(query: list[str], key: list[str]) -> float:
    """Return the mean over the query's words of the likeness of the best word on the other side."""
    best = (
        max((OSA.normalized_similarity(word, other, score_cutoff=_WORDS_ALIKE) for other in key), default=0.0)
        for word in query
    )
    return sum(best) / len(query) if query else 0.0
