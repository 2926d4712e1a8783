"""What two persons may do and see once they are one: the higher role, the lower progress."""

from hypothesis import given
from hypothesis import strategies as st

from agent_core.people.linking import united_rights
from agent_core.people.model import Membership, Progress, Rights, SeriesRole

SERIES = ("kansas", "oz")
RANK = [SeriesRole.READER, SeriesRole.EDITOR, SeriesRole.OWNER]
PLACES = st.none() | st.sampled_from("abcde")


async def earlier(series: str, one: str, other: str) -> str:
    return min(one, other)


@st.composite
def rights(draw: st.DrawFn, person: str) -> Rights:
    memberships, progress = [], []
    for series in SERIES:
        if draw(st.booleans()):
            role = draw(st.sampled_from(RANK))
            granted = draw(st.booleans())
            memberships.append(Membership(person=person, series=series, role=role, may_destroy=granted))
        if draw(st.booleans()):
            progress.append(
                Progress(person=person, series=series, finished=draw(PLACES), ceiling=draw(PLACES))
            )
    return Rights(memberships=tuple(memberships), progress=tuple(progress))


def role(side: Rights, series: str) -> Membership | None:
    return next((one for one in side.memberships if one.series == series), None)


def read(side: Rights, series: str) -> Progress | None:
    return next((one for one in side.progress if one.series == series), None)


@given(one=rights("p1"), other=rights("p2"))
async def test_higher_role_and_lower_progress_win_in_each_series(one: Rights, other: Rights) -> None:
    united = await united_rights("p1", one, other, earlier)

    for series in SERIES:
        roles = [found for side in (one, other) if (found := role(side, series))]
        now = role(united, series)
        assert (now is None) == (not roles)
        if now is not None:
            assert now.person == "p1"
            assert now.role is max((found.role for found in roles), key=RANK.index)
            assert now.may_destroy == any(found.may_destroy for found in roles)
        sides = [side for side in (one, other) if role(side, series) or read(side, series)]
        marks = [got.finished if (got := read(side, series)) else None for side in sides]
        ceilings = [got.ceiling for side in sides if (got := read(side, series)) and got.ceiling]
        after = read(united, series)
        if after is None:
            assert marks.count(None) == len(marks)
            continue
        assert after.finished == (None if None in marks else min(mark for mark in marks if mark))
        assert after.ceiling == (min(ceilings) if ceilings else None)


@given(one=rights("p1"), other=rights("p2"))
async def test_it_makes_no_difference_who_asked_for_the_code(one: Rights, other: Rights) -> None:
    assert await united_rights("p", one, other, earlier) == await united_rights("p", other, one, earlier)


async def test_somebody_new_to_a_series_lowers_nothing() -> None:
    known = Rights(progress=(Progress(person="p1", series="oz", finished="c"),))

    assert await united_rights("p1", known, Rights(), earlier) == known
