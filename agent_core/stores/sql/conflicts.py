"""Which changes touched what a draft touches, found without comparing every pair of keys."""

from collections.abc import Collection, Iterable, Iterator


def overlapping(keys: Collection[str], touched: Iterable[tuple[int, str]]) -> tuple[int, ...]:
    """Return the numbers, ascending, of the changes with a key equal to, above or below one of `keys`.

    Keys are paths such as `entity/<id>/detail/<name>`; one is above another where it is its beginning.
    """
    own = frozenset(keys)
    above = frozenset(path for key in own for path in _parents(key))
    found = {
        number
        for number, path in touched
        if path in own or path in above or any(parent in own for parent in _parents(path))
    }
    return tuple(sorted(found))


def _parents(key: str) -> Iterator[str]:
    while "/" in key:
        key = key.rpartition("/")[0]
        yield key
