"""Knows which words of three languages mean the same detail: "Augenfarbe" asks for `eyes`."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict
from rapidfuzz import fuzz

from agent_core.llm.offline.plain import word_key

ALIKE = 82.0

_IN_NAMES = frozenset({"faction", "leader", "home", "location", "family", "master", "character"})


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kin: str
    words: Mapping[str, str]
    events: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Concepts:
    by_word: Mapping[str, frozenset[str]]
    events: Mapping[str, frozenset[str]]
    kin: frozenset[str]


def concepts_of(word: str) -> frozenset[str]:
    """Return the details that a word may mean; empty for a word that is not known."""
    by_word = _concepts().by_word
    key = word_key(word)
    return by_word.get(key) or by_word.get(key.removesuffix("s")) or frozenset()


def is_concept(word: str) -> bool:
    """Tell whether the word names a detail that is known."""
    return bool(concepts_of(word))


def is_plain_detail(word: str) -> bool:
    """Tell whether the word names a detail and can't begin a name, as "order" or "house" can."""
    meant = concepts_of(word)
    return bool(meant) and meant.isdisjoint(_IN_NAMES)


def is_kin(word: str) -> bool:
    """Tell whether the word is a tie between two ("brother", "friend")."""
    return not concepts_of(word).isdisjoint(_concepts().kin)


def best_key(asked: str, keys: Iterable[str]) -> str | None:
    """Return the key that `asked` means: the same word, one of the same meaning, or one much alike."""
    listed = list(keys)
    found = _same_key(asked, listed)
    if found is not None:
        return found
    scored = [(fuzz.ratio(word_key(asked), word_key(key)), key) for key in listed]
    score, best = max(scored, default=(0.0, ""))
    return best if score >= ALIKE else None


def leading_key(words: str, keys: Sequence[str]) -> str | None:
    """Return the key that the first words of a phrase mean, the longest run first: "eyes are green"."""
    split = words.split()
    for length in range(min(len(split), 4), 0, -1):
        found = best_key(" ".join(split[:length]), keys)
        if found is not None:
            return found
    return None


def key_in(words: str, keys: Sequence[str]) -> str | None:
    """Return the key that a phrase means, wherever it stands: "have grey eyes"; what comes first counts."""
    split = words.split()
    runs = (
        " ".join(split[start : start + length])
        for start in range(len(split))
        for length in range(min(len(split) - start, 4), 0, -1)
    )
    meant = (_same_key(run, keys) for run in runs)
    return leading_key(words, keys) or next((key for key in meant if key), None)


def speaks_of(text: str, words: Iterable[str]) -> bool:
    """Tell whether a detail ("status: dead") speaks of what a question asks ("when does she die")."""
    said = word_key(text).replace(":", " ").split()
    meant = {meaning for word in said for meaning in _meanings(word)}
    for asked in map(word_key, words):
        stem = asked[: max(4, len(asked) - 2)]
        same = asked in said or (len(asked) > 3 and any(word.startswith(stem) for word in said))
        if same or _meanings(asked) & meant:
            return True
    return False


def _same_key(asked: str, keys: Sequence[str]) -> str | None:
    """Return the key that is the same word, or else one of the same meaning."""
    wanted, meant = word_key(asked), concepts_of(asked)
    same = (key for key in keys if word_key(key) == wanted)
    return next(same, None) or next((key for key in keys if meant & concepts_of(key)), None)


def _meanings(word: str) -> frozenset[str]:
    return concepts_of(word) | _concepts().events.get(word, frozenset())


@cache
def _concepts() -> _Concepts:
    source = resources.files(__package__).joinpath("rules", "concepts.toml").read_text("utf-8")
    file = _File.model_validate(tomllib.loads(source))
    return _Concepts(_by_word(file.words), _by_word(file.events), frozenset(file.kin.split()))


def _by_word(meanings: Mapping[str, str]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for meaning, words in meanings.items():
        for word in (meaning, *words.split(",")):
            found.setdefault(word_key(word), set()).add(meaning)
    return {word: frozenset(meant) for word, meant in found.items()}
