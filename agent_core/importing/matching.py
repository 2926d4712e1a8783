"""Finds the scenes and chapters of a book again in a newer manuscript of it, so that they keep their ids.

Pure. The same text is the same scene, wherever it stands. Of what is left, the most similar texts are, where
in doubt those in the same place between scenes that were found; and a scene that was written anew under its
old title in its old place. Each scene is found once at most; what is like nothing is new.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from unicodedata import normalize

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

from agent_core.lore.ranks import kept_in_order

Found = tuple[int | None, ...]
"""For each new one the place of the old one that it is, or None."""

ALIKE = 0.25
"""Share of common shingles from which long texts are one scene; unrelated prose has two in a hundred."""
ALIKE_SHORT = 0.7
"""Likeness letter by letter from which short texts are; unrelated sentences reach half."""
_SAME_PLACE = 0.05
_SHINGLE = 3
_LONG = 40
_CONTAINED = 0.8
_COMMON = 100
_WORTH_A_LOOK = ALIKE / 4


@dataclass(frozen=True, slots=True)
class Sketch:
    """A scene as it is compared. `title` is what people call it, "" where it has no name."""

    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class ChapterSketch:
    """A chapter as it is compared; `scenes` are the places of its scenes in the list of all."""

    number: str
    part: str
    title: str
    scenes: Sequence[int]


def match_scenes(old: Sequence[Sketch], new: Sequence[Sketch]) -> Found:
    """Return for each new scene the place of the old scene that it is, or None; no place comes twice."""
    pairs = dict(_same_texts(old, new))
    gaps = _Gaps(pairs)
    pairs |= _alike(old, new, pairs, gaps)
    pairs |= _same_titles(old, new, pairs)
    return tuple(pairs.get(place) for place in range(len(new)))


def match_chapters(
    old: Sequence[ChapterSketch], new: Sequence[ChapterSketch], scenes: Found, words: Sequence[int]
) -> Found:
    """Return for each new chapter the place of the old chapter that it is, or None; no place comes twice.

    A chapter is the one that most of its words come from; `words` counts those of each new scene. Where it
    shares no scene with any it is the one with its labels.
    """
    home = {scene: place for place, chapter in enumerate(old) for scene in chapter.scenes}
    shares: Counter[tuple[int, int]] = Counter()
    for place, chapter in enumerate(new):
        for scene in chapter.scenes:
            found = scenes[scene]
            if found is not None:
                shares[home[found], place] += 1 + words[scene]
    pairs = _best((share, before, now) for (before, now), share in shares.items())
    pairs |= _same_labels(old, new, pairs)
    return tuple(pairs.get(place) for place in range(len(new)))


class _Gaps:
    """Which scenes stand between the same two scenes that were found in their order."""

    def __init__(self, pairs: Mapping[int, int]) -> None:
        news = sorted(pairs)
        kept = kept_in_order([pairs[new] for new in news])
        self._new = [new for index, new in enumerate(news) if index in kept]
        self._old = [pairs[new] for new in self._new]

    def same(self, old: int, new: int) -> bool:
        return bisect_left(self._old, old) == bisect_left(self._new, new)


def _same_texts(old: Sequence[Sketch], new: Sequence[Sketch]) -> Iterator[tuple[int, int]]:
    """Yield (new, old) of equal texts: as many as can be in their order, then those that were moved."""
    olds, news = [_plain(one.text) for one in old], [_plain(one.text) for one in new]
    numbers: dict[Hashable, int] = {}
    before = [numbers.setdefault(text, len(numbers)) for text in olds]
    now = [numbers.setdefault(text, len(numbers)) for text in news]
    free_old, free_new = set(range(len(old))), set(range(len(new)))
    for block in LCSseq.opcodes(before, now):
        if block.tag == "equal":
            for i, j in zip(
                range(block.src_start, block.src_end), range(block.dest_start, block.dest_end), strict=True
            ):
                free_old.discard(i)
                free_new.discard(j)
                yield j, i
    waiting: defaultdict[int, list[int]] = defaultdict(list)
    for i in sorted(free_old, reverse=True):
        waiting[before[i]].append(i)
    for j in sorted(free_new):
        if waiting[now[j]]:
            yield j, waiting[now[j]].pop()


def _alike(
    old: Sequence[Sketch], new: Sequence[Sketch], pairs: Mapping[int, int], gaps: _Gaps
) -> dict[int, int]:
    taken = set(pairs.values())
    olds = {i: _Shingled(one.text) for i, one in enumerate(old) if i not in taken}
    news = {j: _Shingled(one.text) for j, one in enumerate(new) if j not in pairs}
    scored = (
        (score + _SAME_PLACE * gaps.same(i, j), i, j)
        for i, j in _candidates(olds, news)
        if (score := _likeness(olds[i], news[j])) > 0
    )
    return _best(scored)


class _Shingled:
    """A text as the counts of its runs of three words, or of letters where a script has no spaces."""

    __slots__ = ("shingles", "size", "text")

    def __init__(self, text: str) -> None:
        self.text = _plain(text).casefold()
        words: Sequence[str] = self.text.split()
        if len(self.text) > 12 * (len(words) + 1):
            words = self.text
        runs = max(1, len(words) - _SHINGLE + 1)
        self.shingles = Counter(hash(tuple(words[i : i + _SHINGLE])) for i in range(runs))
        self.size = runs


def _candidates(olds: Mapping[int, _Shingled], news: Mapping[int, _Shingled]) -> Iterator[tuple[int, int]]:
    """Yield the pairs that share so many shingles, those all over the book apart, that they may be alike."""
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for i, one in olds.items():
        for shingle in one.shingles:
            holders[shingle].append(i)
    for j, one in news.items():
        shared: Counter[int] = Counter()
        for shingle in one.shingles:
            found = holders.get(shingle, ())
            if len(found) <= _COMMON:
                shared.update(found)
        for i, count in shared.items():
            if count >= _WORTH_A_LOOK * min(olds[i].size, one.size):
                yield i, j


def _likeness(one: _Shingled, other: _Shingled) -> float:
    """Return how like two texts are, 0 where they are not one scene; a part of a text is like the whole."""
    if min(one.size, other.size) < _LONG:
        return fuzz.ratio(one.text, other.text, score_cutoff=100 * ALIKE_SHORT) / 100
    common = (one.shingles & other.shingles).total()
    dice = 2 * common / (one.size + other.size)
    contained = _CONTAINED * common / min(one.size, other.size)
    score = max(dice, contained if contained > _CONTAINED / 2 else 0)
    return score if score >= ALIKE else 0


def _same_titles(old: Sequence[Sketch], new: Sequence[Sketch], pairs: Mapping[int, int]) -> dict[int, int]:
    """Return the scenes that were written anew under a title of their own in their old place."""
    gaps = _Gaps(pairs)
    before, now = _only_titles(old), _only_titles(new)
    taken = set(pairs.values())
    return {
        j: before[title]
        for title, j in now.items()
        if title in before and j not in pairs and before[title] not in taken and gaps.same(before[title], j)
    }


def _only_titles(scenes: Sequence[Sketch]) -> dict[str, int]:
    titles = [_plain(one.title).casefold() for one in scenes]
    counts = Counter(titles)
    return {title: place for place, title in enumerate(titles) if title and counts[title] == 1}


def _same_labels(
    old: Sequence[ChapterSketch], new: Sequence[ChapterSketch], pairs: Mapping[int, int]
) -> dict[int, int]:
    taken = set(pairs.values())
    free: defaultdict[tuple[str, str, str], list[int]] = defaultdict(list)
    for i in reversed(range(len(old))):
        if i not in taken:
            free[_labels(old[i])].append(i)
    found: dict[int, int] = {}
    for j, chapter in enumerate(new):
        labels = _labels(chapter)
        if j not in pairs and any(labels) and free[labels]:
            found[j] = free[labels].pop()
    return found


def _labels(chapter: ChapterSketch) -> tuple[str, str, str]:
    return chapter.number, _plain(chapter.part).casefold(), _plain(chapter.title).casefold()


def _best(scored: Iterable[tuple[float, int, int]]) -> dict[int, int]:
    """Return {new: old} of the best pairs; of equals the one whose places differ least, then the first."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, old, new in sorted(scored, key=lambda one: (-one[0], abs(one[1] - one[2]), one[1], one[2])):
        if old not in taken and new not in found:
            found[new] = old
            taken.add(old)
    return found


def _plain(text: str) -> str:
    return " ".join(normalize("NFC", text).split())
