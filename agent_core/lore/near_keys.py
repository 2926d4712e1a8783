"""Points out a new detail that is probably another spelling of one in use."""

import re
from collections.abc import Collection, Iterable

from rapidfuzz import fuzz

from agent_core.lore import fold
from agent_core.lore.answers import Warn
from agent_core.lore.canon import Canon
from agent_core.lore.model import EntityType
from agent_core.lore.timeline import Entry

_ALIKE = 85.0
_WORD_ALIKE = 75.0
_STEM = 3
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\W]+")


async def near_key_warnings(
    canon: Canon, kind: EntityType, own: Entry | None, keys: Iterable[str]
) -> tuple[Warn, ...]:
    """Return a warning for each key that no entry of this kind uses while one much like it is in use."""
    known = {key for fact in own.facts for key in fact.patch} if own is not None else set()
    fresh = [key for key in keys if key not in known]
    in_use = (await canon.key_census()).in_use(kind, canon.undone()) if fresh else frozenset[str]()
    found = ((key, nearest(key, in_use)) for key in fresh)
    return tuple(Warn(code="near_key", facts={"key": key, "near": near}) for key, near in found if near)


def nearest(key: str, in_use: Collection[str]) -> str:
    """Return the key in use that `key` looks like a variant of, or "" (also if `key` itself is in use)."""
    if key in in_use:
        return ""
    scored = ((_likeness(key, other), other) for other in in_use)
    best = max(scored, default=(0.0, ""))
    return best[1] if best[0] >= _ALIKE else ""


def words_of(key: str) -> list[str]:
    """Return the folded words of a key: "eyeColour" and "eye_colour" give eye and colour."""
    return [fold.fold(word) for word in _HUMPS.split(key) if word]


def same_word(one: str, other: str) -> bool:
    """Return whether two folded words are forms of one: "eye" and "eyes", "color" and "colour"."""
    short, long = sorted((one, other), key=len)
    begins = len(short) >= _STEM and long.startswith(short) and len(long) - len(short) <= 2
    return short == long or begins or (len(short) > _STEM and fuzz.ratio(one, other) >= _WORD_ALIKE)


def _likeness(key: str, other: str) -> float:
    mine, theirs = words_of(key), words_of(other)
    whole = fuzz.ratio("".join(mine), "".join(theirs))
    fewer, more = sorted((mine, theirs), key=len)
    held = all(any(same_word(word, candidate) for candidate in more) for word in fewer)
    return max(whole, 90.0 if fewer and held else 0.0)
