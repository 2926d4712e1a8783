"""The rule of time, against a count of minutes that knows nothing of it."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.schedule.rule import (
    Cron,
    Days,
    Every,
    Months,
    NoSuchTime,
    Once,
    Rule,
    Unreadable,
    check_cron,
    instant_of,
    least_gap,
    next_run,
    next_runs,
    rule_from_text,
    rule_to_text,
    runs_between,
    stored_rule,
)
from agent_core.schedule.words import read_when

NEW_YORK, BERLIN = ZoneInfo("America/New_York"), ZoneInfo("Europe/Berlin")
MINUTE = timedelta(minutes=1)
ZONES = sorted(name for name in available_timezones() if "/" in name and not name.startswith("Etc/"))
LATEST = date(2036, 1, 1)

zones = st.sampled_from(ZONES).map(ZoneInfo)
times = st.builds(time, st.integers(0, 23), st.sampled_from([0, 1, 15, 30, 59]))
days = st.dates(date(2012, 6, 1), LATEST)


def local(text: str, zone: ZoneInfo) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def shown(rule: Rule, zone: ZoneInfo, after: datetime, number: int) -> list[str]:
    return [run.astimezone(zone).isoformat("T", "minutes") for run in next_runs(rule, zone, after, number)]


def changes(zone: ZoneInfo, day: date) -> list[date]:
    """Return the days of the year after this one before which the clock of the zone was changed."""
    midnights = [datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=n) for n in range(366)]
    offsets = [(midnight, midnight.astimezone(zone).utcoffset()) for midnight in midnights]
    return [at.date() for (_, before), (at, behind) in pairwise(offsets) if before != behind]


def counted(day: date, at: time, zone: ZoneInfo) -> datetime:
    """Return the first minute at which the clock on the wall shows the time or more, minute by minute."""
    wanted = datetime.combine(day, at)
    minute = datetime.combine(day, time(), UTC) - timedelta(hours=16)
    while minute.astimezone(zone).replace(tzinfo=None) < wanted:
        minute += MINUTE
    return minute


@given(zones, times, days)
def test_daily_time_is_the_first_minute_that_the_clock_shows_it_or_more(
    zone: ZoneInfo, at: time, day: date
) -> None:
    """A47: what a gap skips runs once, at its end; what comes twice runs at the first."""
    for around in [
        day,
        *(near for change in changes(zone, day) for near in (change, change - MINUTE * 1440)),
    ]:
        expected = counted(around, at, zone)
        rules: tuple[Rule, ...] = (
            Cron(f"{at.minute} {at.hour} * * *"),
            Days(1, around - timedelta(days=40), at),
        )
        for rule in rules:
            assert next_run(rule, zone, expected - MINUTE) == expected


@given(zones, times, days)
def test_daily_rule_runs_once_on_every_calendar_day(zone: ZoneInfo, at: time, day: date) -> None:
    """A48: none is skipped and none doubled, whatever the clocks do."""
    begin = instant_of(datetime.combine(day, time()), zone) - MINUTE
    for rule in (Cron(f"{at.minute} {at.hour} * * *"), Days(1, day, at)):
        runs = next_runs(rule, zone, begin, 370)
        assert [run.astimezone(zone).date() for run in runs] == [day + timedelta(days=n) for n in range(370)]


@given(
    zones,
    st.datetimes(datetime(2013, 1, 1), datetime(2035, 1, 1)),
    st.one_of(
        st.builds(Every, st.integers(1, 500_000), st.just(datetime(2020, 1, 1, tzinfo=UTC))),
        st.builds(Days, st.integers(1, 40), days, times),
        st.builds(
            Months, st.integers(1, 14), days.map(lambda day: day.replace(day=1)), st.integers(1, 31), times
        ),
        st.sampled_from(["*/7 * * * *", "0 */5 * * *", "30 2 * * 0", "0 0 L * *", "15 1 13 * 5"]).map(Cron),
    ),
)
def test_no_time_comes_twice_and_each_comes_whenever_one_asks(
    zone: ZoneInfo, naive: datetime, rule: Rule
) -> None:
    after = naive.replace(tzinfo=UTC)
    runs = next_runs(rule, zone, after, 12)

    assert all(earlier < later for earlier, later in pairwise((after, *runs)))
    for earlier, later in pairwise(runs):
        assert next_run(rule, zone, later - timedelta(seconds=1)) == later
        assert next_run(rule, zone, earlier + (later - earlier) / 2) == later


@given(
    st.one_of(
        st.datetimes(timezones=st.just(UTC)).map(Once),
        st.builds(Every, st.integers(1, 10**8), st.datetimes(timezones=st.just(UTC))),
        st.builds(Days, st.integers(1, 400), days, times),
        st.builds(Months, st.integers(1, 40), days, st.integers(1, 31), times),
        st.just(Cron("0 9 13 * 5")),
    )
)
def test_rule_is_stored_in_one_line_and_comes_back(rule: Rule) -> None:
    text = rule_to_text(rule)

    assert "\n" not in text
    assert rule_from_text(text) == rule


@pytest.mark.parametrize(
    ("zone", "after", "expected"),
    [
        (NEW_YORK, "2026-03-07T12:00", ["2026-03-08T03:00-04:00", "2026-03-09T02:30-04:00"]),
        (BERLIN, "2026-03-28T12:00", ["2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00"]),
        (NEW_YORK, "2026-10-31T12:00", ["2026-11-01T02:30-05:00", "2026-11-02T02:30-05:00"]),
        (BERLIN, "2026-10-24T12:00", ["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"]),
    ],
)
def test_time_in_the_gap_runs_at_its_end_once_and_as_ever_the_next_day(
    zone: ZoneInfo, after: str, expected: list[str]
) -> None:
    """A47: `30 2 * * *` over the changes of two zones."""
    for rule in (Cron("30 2 * * *"), Days(1, date(2026, 1, 1), time(2, 30))):
        assert shown(rule, zone, local(after, zone), 2) == expected


@pytest.mark.parametrize(
    ("line", "after", "expected"),
    [
        ("0 0 * * *", "2026-03-07T12:00", ["03-08T00:00-05:00", "03-09T00:00-04:00", "03-10T00:00-04:00"]),
        ("0 12 * * 0", "2026-03-07T12:00", ["03-08T12:00-04:00", "03-15T12:00-04:00", "03-22T12:00-04:00"]),
        ("0 8 * * 1-5", "2026-03-06T12:00", ["03-09T08:00-04:00", "03-10T08:00-04:00", "03-11T08:00-04:00"]),
        ("0 9 * * 0", "2026-02-07T12:00", ["02-08T09:00-05:00", "02-15T09:00-05:00", "02-22T09:00-05:00"]),
    ],
)
def test_cron_line_runs_on_its_days_and_weekday_0_is_sunday(
    line: str, after: str, expected: list[str]
) -> None:
    """A48."""
    runs = shown(check_cron(line), NEW_YORK, local(after, NEW_YORK), 3)

    assert runs == [f"2026-{one}" for one in expected]


def test_monthly_keeps_the_day_of_its_anchor() -> None:
    """A50: 31, 28, 31, 30, 31, and 29 February on the 28th of other years."""
    monthly = Months(1, date(2026, 1, 1), 31, time(9))
    runs = next_runs(monthly, BERLIN, local("2026-01-30T12:00", BERLIN), 5)
    yearly = Months(12, date(2026, 2, 1), 29, time(9))
    leaps = next_runs(yearly, BERLIN, local("2026-01-30T12:00", BERLIN), 3)

    assert [run.day for run in runs] == [31, 28, 31, 30, 31]
    assert [(run.month, run.day) for run in leaps] == [(2, 28), (2, 28), (2, 29)]


@pytest.mark.parametrize(
    "rule",
    [
        Months(12 * 9999, date(2026, 1, 1), 1, time(9)),
        Days(10**9, date(2026, 1, 1), time(9)),
        Every(10**13, datetime(2026, 1, 1, tzinfo=UTC)),
        Days(1, date(9999, 12, 31), time(9)),
        Unreadable("nonsense"),
    ],
)
def test_rule_without_a_time_that_a_date_can_say_is_never_due(rule: Rule) -> None:
    assert next_run(rule, BERLIN, datetime(2026, 1, 2, tzinfo=UTC)) is None


@pytest.mark.parametrize(
    "text", ["", "nonsense", "days 0 2026-01-01 09:00", "every 0 2026-01-01", "cron 99 9 * * *", "once soon"]
)
def test_stored_rule_that_means_nothing_is_kept_as_it_stands(text: str) -> None:
    assert stored_rule(text) == Unreadable(text)
    assert rule_to_text(stored_rule(text)) == text


@pytest.mark.parametrize("line", ["0 9 30 2 *", "0 9 31 2,4,6 *", "0 0 31 11 *"])
def test_cron_line_that_no_day_fits_is_refused(line: str) -> None:
    """A50."""
    with pytest.raises(NoSuchTime) as refused:
        check_cron(line)

    assert refused.value.reason == "never"


@pytest.mark.parametrize(
    "line", ["* * * * * *", "61 9 * * *", "0 9 32 * *", "@daily", "0 9 * *", "0 9 * * 8"]
)
def test_cron_line_that_means_nothing_is_refused(line: str) -> None:
    """A50: six fields are no seconds here."""
    with pytest.raises(NoSuchTime) as refused:
        check_cron(line)

    assert refused.value.reason == "cron"


def test_day_of_month_and_weekday_of_a_cron_line_are_either_or() -> None:
    """A50: `0 9 13 * 5`."""
    runs = next_runs(check_cron("0 9 13 * 5"), BERLIN, local("2026-03-10T12:00", BERLIN), 6)

    assert [run.day for run in runs] == [13, 20, 27, 3, 10, 13]


def test_daily_time_stays_the_same_on_the_wall_whatever_the_zone_of_the_server() -> None:
    """C52: 09:00 in Berlin is 23 and 25 hours later after the changes."""
    rule = read_when("every day 09:00", datetime(2027, 3, 1, tzinfo=UTC), BERLIN)
    spring = next_run(rule, BERLIN, local("2027-03-27T09:00", BERLIN))
    autumn = next_run(rule, BERLIN, local("2027-10-30T09:00", BERLIN))

    assert spring == local("2027-03-28T09:00", BERLIN)
    assert autumn == local("2027-10-31T09:00", BERLIN)
    assert spring is not None
    assert spring - local("2027-03-27T09:00", BERLIN).astimezone(UTC) == timedelta(hours=23)


def test_in_two_hours_is_elapsed_time() -> None:
    """C52: said at 01:30 in the night of the change, when the clock goes from 2 to 3."""
    now = local("2027-03-28T01:30", BERLIN).astimezone(UTC)
    rule = read_when("in 2 hours", now, BERLIN)

    assert rule == Once(now + timedelta(hours=2))
    assert next_run(rule, BERLIN, now) == local("2027-03-28T04:30", BERLIN)


def test_hours_are_elapsed_time_over_both_changes() -> None:
    every = Every(7200, local("2026-10-25T00:00", BERLIN).astimezone(UTC))
    gaps = {
        later - earlier
        for day in ("2026-10-24T20:00", "2026-03-28T20:00")
        for earlier, later in pairwise(next_runs(every, BERLIN, local(day, BERLIN), 8))
    }

    assert gaps == {timedelta(hours=2)}


def test_day_that_a_zone_left_out_has_no_run() -> None:
    apia = ZoneInfo("Pacific/Apia")  # went over the date line: 30 December 2011 never was

    runs = shown(Days(1, date(2011, 12, 1), time(9)), apia, local("2011-12-29T12:00", apia), 2)

    assert runs == ["2011-12-31T09:00+14:00", "2012-01-01T09:00+14:00"]


def test_how_close_runs_are_and_how_many_are_missed() -> None:
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)

    assert least_gap(Cron("0,3 9 * * *"), BERLIN, noon, 10) == timedelta(minutes=3)
    assert least_gap(Once(noon + MINUTE), BERLIN, noon, 10) is None
    assert runs_between(Every(300, noon), BERLIN, noon, noon + timedelta(hours=1), 1000) == 12
    assert runs_between(Every(300, noon), BERLIN, noon, noon + timedelta(hours=99), 50) == 50
