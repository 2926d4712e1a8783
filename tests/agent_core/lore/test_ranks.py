"""Ranks: always one more between two, and short."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.lore.ranks import DIGITS, kept_in_order, rank_between, ranks_after, ranks_between

places = st.lists(st.floats(0, 1, exclude_max=True), max_size=60)


def ranks_made_at(where: list[float]) -> list[str]:
    """Return ranks in order, each inserted at a share of the list so far."""
    ranks: list[str] = []
    for share in where:
        at = int(share * (len(ranks) + 1))
        left, right = ([None, *ranks][at], [*ranks, None][at])
        ranks.insert(at, rank_between(left, right))
    return ranks


@given(places)
def test_ranks_stay_in_the_order_they_were_inserted_in(where: list[float]) -> None:
    ranks = ranks_made_at(where)

    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)
    assert all(set(rank) <= set(DIGITS) and rank[-1] != DIGITS[0] for rank in ranks)


@pytest.mark.parametrize("share", [0.0, 0.5, 0.999999])
def test_a_thousand_insertions_at_one_place_stay_short(share: float) -> None:
    assert max(map(len, ranks_made_at([share] * 1000))) < 210


def test_appending_grows_a_rank_by_one_digit_in_sixty() -> None:
    rank = None
    for _ in range(1000):
        rank = rank_between(rank, None)

    assert rank is not None
    assert len(rank) < 20


@given(places, st.integers(0, 300))
def test_ranks_made_at_once_rise_after_the_last(where: list[float], count: int) -> None:
    last = max(ranks_made_at(where), default=None)

    ranks = ranks_after(last, count)

    assert len(ranks) == count
    assert [last or "", *ranks] == sorted({last or "", *ranks})
    assert all(rank[-1] != DIGITS[0] for rank in ranks)


def test_ranks_made_at_once_are_short_and_leave_room() -> None:
    ranks = ranks_after("V", 2000)

    assert max(map(len, ranks)) <= 5
    assert all(len(rank_between(one, other)) <= 5 for one, other in pairwise(ranks))


@pytest.mark.parametrize(("left", "right"), [("V", "V"), ("W", "V"), ("Va", "V"), (None, "V0"), (None, "")])
def test_there_is_no_rank_between_what_is_not_in_order(left: str | None, right: str) -> None:
    with pytest.raises(ValueError, match="no rank"):
        rank_between(left, right)


@given(st.lists(st.integers(0, 20), unique=True))
def test_what_is_kept_in_order_rises_and_is_as_long_as_can_be(places: list[int]) -> None:
    kept = sorted(kept_in_order(places))
    run = [places[index] for index in kept]
    longest = [1] * len(places)
    for index, place in enumerate(places):
        longest[index] = 1 + max((longest[i] for i in range(index) if places[i] < place), default=0)

    assert run == sorted(run)
    assert len(run) == max(longest, default=0)


@given(st.integers(0, 60), st.integers(0, 60))
def test_many_ranks_fit_between_two_neighbours(before: int, count: int) -> None:
    left, right = ranks_after(None, before + 2)[before : before + 2]
    ranks = ranks_between(left, right, count)

    assert len(ranks) == count
    assert list(ranks) == sorted(set(ranks))
    assert all(left < rank < right for rank in ranks)
    assert all(len(rank) <= len(left) + 4 for rank in ranks)
    assert ranks_between(left, None, count) == ranks_after(left, count)
