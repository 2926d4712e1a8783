"""A fact in words: what the index finds it by, and what a hit shows of it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agent_core.messages import Json

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")


@dataclass(frozen=True, slots=True)
class Detail:
    """One leaf of a patch: the keys that lead to it and what is said there; "" where there is no value."""

    keys: tuple[str, ...]
    value: str = ""

    def __str__(self) -> str:
        name = " ".join(map(_spaced, self.keys))
        return f"{name}: {self.value}" if self.value else name


def details(patch: Json, keys: tuple[str, ...] = ()) -> Iterator[Detail]:
    """Yield the leaves of a patch in order; a list gives one per item, what it removes is left out."""
    if isinstance(patch, Mapping):
        yield from _of_object(patch, keys)
    elif isinstance(patch, str):
        yield Detail(keys, patch)
    elif isinstance(patch, bool):
        yield Detail(keys, "true" if patch else "false")
    elif isinstance(patch, int | float):
        yield Detail(keys, f"{patch:g}" if isinstance(patch, float) else str(patch))
    elif patch is None:
        yield Detail(keys)
    else:
        for item in patch:
            yield from details(item, keys)


def patch_text(patch: Json) -> str:
    """Return all that a patch says, keys and values, one detail a line."""
    return "\n".join(map(str, details(patch)))


def _of_object(patch: Mapping[str, Json], keys: tuple[str, ...]) -> Iterator[Detail]:
    if not any(key.startswith("$") for key in patch):
        for key, value in patch.items():
            yield from details(value, (*keys, key))
    elif "$add" in patch:
        yield from details(patch["$add"], keys)
    else:
        yield Detail(keys)


def _spaced(key: str) -> str:
    return _HUMP.sub(" ", key).strip()
