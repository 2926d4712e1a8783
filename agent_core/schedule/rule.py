"""When a task runs: a small set of rules, each with its next instant in a time zone.

The rule of time, for all of them: a local time that a clock change skips is meant as the first valid minute
after the gap; one that comes twice is meant as the first. Hours and minutes are elapsed time.
"""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import MAXYEAR, UTC, date, datetime, time, timedelta
from itertools import count, islice, pairwise
from typing import TypeAlias
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

LONGEST_GAP = timedelta(days=2)
FAREST = timedelta(days=366 * 10)
"""A rule that gives nothing for so long is one that never runs."""


class NoSuchTime(ValueError):
    """No time is meant by this; `reason` says why: cron, never, past, words, too_often."""

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        self.detail = detail
        super().__init__(f"{reason}: {detail}" if detail else reason)


@dataclass(frozen=True, slots=True)
class Once:
    """One instant."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Every:
    """So many seconds of elapsed time after each other, from `start` on (which is not one of them)."""

    seconds: int
    start: datetime


@dataclass(frozen=True, slots=True)
class Days:
    """Every so many calendar days from `first` on, at a local time."""

    step: int
    first: date
    at: time


@dataclass(frozen=True, slots=True)
class Months:
    """Every so many months from that of `first` on, on its day; a shorter month has it on its last."""

    step: int
    first: date
    day: int
    at: time


@dataclass(frozen=True, slots=True)
class Cron:
    """A cron line of five fields; weekday 0 is Sunday."""

    line: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What was stored and can't be read any more; it is never due."""

    text: str


Rule: TypeAlias = Once | Every | Days | Months | Cron | Unreadable


def next_run(rule: Rule, zone: ZoneInfo, after: datetime) -> datetime | None:
    """Return the first instant after `after` at which the rule is due, in UTC; None where none comes."""
    try:
        for run in _runs(rule, zone, after):
            if run > after:
                return run.astimezone(UTC) if run - after < FAREST or isinstance(rule, Once) else None
    except OverflowError:  # beyond the last year that a date can say
        return None
    return None


def next_runs(rule: Rule, zone: ZoneInfo, after: datetime, number: int) -> tuple[datetime, ...]:
    """Return up to so many of the next instants, in UTC."""

    def following() -> Iterator[datetime]:
        last: datetime | None = after
        while last is not None:
            last = next_run(rule, zone, last)
            if last is not None:
                yield last

    return tuple(islice(following(), number))


def runs_between(rule: Rule, zone: ZoneInfo, after: datetime, until: datetime, most: int) -> int:
    """Return how often the rule is due after one instant and up to another, `most` at most."""
    return sum(1 for run in next_runs(rule, zone, after, most) if run <= until)


def instant_of(local: datetime, zone: ZoneInfo) -> datetime:
    """Return the instant of a local time without zone, by the rule of time."""
    first = local.replace(tzinfo=zone, fold=0)
    instant = first.astimezone(UTC)
    if instant.astimezone(zone).replace(tzinfo=None) == local:
        return instant
    return _end_of_gap(instant, zone)


def least_gap(rule: Rule, zone: ZoneInfo, after: datetime, runs: int) -> timedelta | None:
    """Return the shortest time between two of the next runs, None for a rule with one at most."""
    coming = next_runs(rule, ZoneInfo("UTC") if isinstance(rule, Cron) else zone, after, runs)
    gaps = [later - earlier for earlier, later in pairwise(coming)]
    return min(gaps, default=None)


def check_cron(line: str) -> Cron:
    """Return the rule of a cron line, in one form.

    Raises:
        NoSuchTime: "cron" where it can't be read, "never" where no day fits it.
    """
    fields = line.upper().split()
    if len(fields) != 5:
        raise NoSuchTime("cron", line)
    try:
        parsed = CronSim(" ".join(fields), datetime(2000, 1, 1, tzinfo=UTC))
        next(parsed)
    except CronSimError as error:
        impossible = "day-of-month" in str(error) and re.fullmatch(r"[\d,\-/]+", fields[2]) is not None
        raise NoSuchTime("never" if impossible and _days_exist(fields[2]) else "cron", line) from error
    except StopIteration as error:
        raise NoSuchTime("never", line) from error
    return Cron(" ".join(fields))


def rule_to_text(rule: Rule) -> str:
    """Return the rule in one line, as it is stored."""
    match rule:
        case Once(at):
            return f"once {at.astimezone(UTC).isoformat()}"
        case Every(seconds, start):
            return f"every {seconds} {start.astimezone(UTC).isoformat()}"
        case Days(step, first, at):
            return f"days {step} {first.isoformat()} {at.isoformat('minutes')}"
        case Months(step, first, day, at):
            return f"months {step} {first.isoformat()} {day} {at.isoformat('minutes')}"
        case Cron(line):
            return f"cron {line}"
        case Unreadable(text):
            return text


def stored_rule(text: str) -> Rule:
    """Return the rule that `rule_to_text` wrote, `Unreadable` where it wrote no such text."""
    try:
        return rule_from_text(text)
    except ValueError:
        return Unreadable(text)


def rule_from_text(text: str) -> Rule:
    """Return the rule that `rule_to_text` wrote.

    Raises:
        ValueError: it wrote no such text.
    """
    kind, _, rest = text.partition(" ")
    parts = rest.split()
    match kind, parts:
        case "once", [at]:
            return Once(datetime.fromisoformat(at))
        case "every", [seconds, start]:
            return Every(_step(seconds), datetime.fromisoformat(start))
        case "days", [step, first, at]:
            return Days(_step(step), date.fromisoformat(first), time.fromisoformat(at))
        case "months", [step, first, day, at]:
            return Months(_step(step), date.fromisoformat(first), _step(day), time.fromisoformat(at))
        case "cron", [_, _, _, _, _]:
            return check_cron(rest)
    raise ValueError(f"no rule: {text}")


def _runs(rule: Rule, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """Yield instants in order; some may lie before `after`, and none that comes after it is left out."""
    match rule:
        case Once(at):
            yield at
        case Every(seconds, start):
            passed = max(0, int((after - start).total_seconds()) // seconds)
            yield from (start + timedelta(seconds=seconds * number) for number in count(max(1, passed)))
        case Days():
            yield from _on_days(rule, zone, after)
        case Months():
            yield from _on_months(rule, zone, after)
        case Cron(line):
            yield from _by_cron(line, zone, after)
        case Unreadable():
            return


def _on_days(rule: Days, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    today = after.astimezone(zone).date()
    passed = max(0, (today - rule.first).days // rule.step - 1)
    for number in count(passed):
        day = rule.first + timedelta(days=rule.step * number)
        if _exists(day, zone):
            yield instant_of(datetime.combine(day, rule.at), zone)


def _on_months(rule: Months, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    today = after.astimezone(zone).date()
    months = (today.year - rule.first.year) * 12 + today.month - rule.first.month
    for number in count(max(0, months // rule.step - 1)):
        place = rule.first.month - 1 + rule.step * number
        year, month = rule.first.year + place // 12, place % 12 + 1
        if year > MAXYEAR:
            return
        day = date(year, month, min(rule.day, calendar.monthrange(year, month)[1]))
        if day >= rule.first:
            yield instant_of(datetime.combine(day, rule.at), zone)


def _by_cron(line: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """Yield from the minute before a gap on: what a gap moved may lie behind `after` by its local time."""
    begin = (after - timedelta(hours=3)).astimezone(zone)
    yield from (run.astimezone(UTC) for run in CronSim(line, begin))


def _end_of_gap(instant: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant with the offset that holds after a gap; `instant` is one after it, soon."""
    offset = instant.astimezone(zone).utcoffset()
    before, behind = instant - LONGEST_GAP, instant
    while behind - before > timedelta(seconds=1):
        middle = before + (behind - before) / 2
        if middle.astimezone(zone).utcoffset() == offset:
            behind = middle
        else:
            before = middle
    whole = behind.replace(microsecond=0)
    return whole if whole.astimezone(zone).utcoffset() == offset else whole + timedelta(seconds=1)


def _exists(day: date, zone: ZoneInfo) -> bool:
    """Return whether the zone has this day: where the date line moved, one was left out."""
    midnight, next_midnight = (datetime.combine(day + timedelta(days=n), time()) for n in (0, 1))
    return instant_of(midnight, zone) < instant_of(next_midnight, zone)


def _step(text: str) -> int:
    if int(text) < 1:
        raise ValueError(f"no step: {text}")
    return int(text)


def _days_exist(field: str) -> bool:
    return all(1 <= int(day) <= 31 for day in re.findall(r"\d+", field.partition("/")[0]))
