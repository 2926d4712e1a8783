"""Makes the names of sheets such as every program opens: legal, no longer than 31, each once."""

import re
from collections.abc import Iterable, Mapping

MAX_UNITS = 31
_FORBIDDEN = re.compile(r"[\[\]:*?/\\]")
_RESERVED = "history"
_UNNAMED = "Sheet"


def legal_names(wanted: Iterable[str]) -> list[str]:
    """Return a name for each that was wanted, in order."""
    names: list[str] = []
    taken: set[str] = set()
    for one in wanted:
        name = _free(_legal(one), taken)
        taken.add(name.casefold())
        names.append(name)
    return names


def changed_names(wanted: Iterable[str], names: Iterable[str]) -> Mapping[str, str]:
    """Return what became of those names that could not stay as they were."""
    return {before: after for before, after in zip(wanted, names, strict=True) if before != after}


def _legal(wanted: str) -> str:
    name = _FORBIDDEN.sub("-", " ".join(wanted.split())).strip("' ")
    name = _cut(name, MAX_UNITS).strip("' ")
    if name.casefold() == _RESERVED:
        return f"{name} 1"
    return name or _UNNAMED


def _free(name: str, taken: set[str]) -> str:
    free, place = name, 1
    while free.casefold() in taken:
        place += 1
        mark = f" ({place})"
        free = _cut(name, MAX_UNITS - len(mark)) + mark
    return free


def _cut(text: str, units: int) -> str:
    """Return the beginning of a text; names are measured in units of UTF-16."""
    return text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore")
