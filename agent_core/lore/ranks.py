"""Where a node stands among its siblings, as text that always leaves room for one more between two."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BASE = len(DIGITS)
_VALUE = {digit: value for value, digit in enumerate(DIGITS)}


def rank_between(left: str | None, right: str | None) -> str:
    """Return a rank that sorts after `left` and before `right`; None is the open end.

    Ranks are base 62, compare as text and never end in the lowest digit. Appending makes them longer by one
    digit in 61 times, splitting the same gap again and again by one in 5.

    Raises:
        ValueError: if `left` does not sort before `right`, or `right` is no rank of ours.

    """
    if right is None:
        return _after(left or "")
    if (left or "") >= right or right.endswith(DIGITS[0]):
        raise ValueError(f"no rank between {left!r} and {right!r}")
    return _between(left or "", right)


def ranks_after(last: str | None, count: int) -> tuple[str, ...]:
    """Return `count` rising ranks that sort after `last`: short ones for many nodes made at once."""
    prefix = "" if last is None else rank_between(last, None)
    return tuple(prefix + code for code in _spread(count))


def ranks_between(left: str | None, right: str | None, count: int) -> tuple[str, ...]:
    """Return `count` rising ranks that sort after `left` and before `right`; None is the open end.

    Raises:
        ValueError: as `rank_between`.

    """
    if right is None:
        return ranks_after(left, count)
    if count == 0:
        return ()
    middle, half = rank_between(left, right), count // 2
    return (
        *ranks_between(left, middle, half),
        middle,
        *ranks_between(middle, right, count - half - 1),
    )


def kept_in_order(places: Sequence[int]) -> frozenset[int]:
    """Return the indices of a longest run of rising places: what need not be moved."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int | None] = []
    for index, place in enumerate(places):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [index]
        before.append(last[length - 1] if length else None)
    kept: set[int] = set()
    at = last[-1] if last else None
    while at is not None:
        kept.add(at)
        at = before[at]
    return frozenset(kept)


def _after(left: str) -> str:
    for index, digit in enumerate(left):
        if digit != DIGITS[-1]:
            return left[:index] + DIGITS[_VALUE[digit] + 1]
    return left + (DIGITS[1] if left else DIGITS[_BASE // 2])


def _between(left: str, right: str) -> str:
    shared = 0
    while _digit(left, shared) == _digit(right, shared):
        shared += 1
    low, high = _digit(left, shared), _digit(right, shared)
    if high - low > 1:
        return right[:shared] + DIGITS[(low + high) // 2]
    if len(right) > shared + 1:
        return right[: shared + 1]
    return right[:shared] + DIGITS[low] + _halfway_up(left[shared + 1 :])


def _halfway_up(left: str) -> str:
    full = next((index for index, digit in enumerate(left) if digit != DIGITS[-1]), len(left))
    return left[:full] + DIGITS[(_digit(left, full) + _BASE) // 2]


def _digit(rank: str, index: int) -> int:
    return _VALUE[rank[index]] if index < len(rank) else 0


def _spread(count: int) -> Iterator[str]:
    width = 1
    while _BASE**width <= 2 * count:
        width += 1
    step = _BASE**width // (count + 1)
    for number in range(step, step * count + 1, step):
        yield _code(number, width)


def _code(number: int, width: int) -> str:
    digits = []
    for _ in range(width):
        number, value = divmod(number, _BASE)
        digits.append(DIGITS[value])
    code = "".join(reversed(digits))
    return code if code[-1] != DIGITS[0] else code + DIGITS[_BASE // 2]
