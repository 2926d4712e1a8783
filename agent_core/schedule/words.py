"""Reads when a task is to run: a cron line, an interval, a date, or words in English, German or French."""

import calendar
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from agent_core.schedule.dates import SaidDate, check_day, take_date, take_time
from agent_core.schedule.rule import (
    Cron,
    Days,
    Every,
    Months,
    NoSuchTime,
    Once,
    Rule,
    check_cron,
    instant_of,
    next_run,
)
from agent_core.schedule.vocabulary import (
    AHEAD,
    DAY,
    EVERY,
    FIRSTS,
    HOUR,
    LASTS,
    LITTLE,
    MINUTE,
    MONTH,
    MONTH_ENDS,
    NEXTS,
    NUMBERS,
    REPEATED,
    TOMORROWS,
    UNITS,
    WEEK,
    WEEKDAYS,
    WEEKENDS,
    WORKDAYS,
    YEAR,
)

UNSAID = time(9)
"""The time of day that is meant where none is said."""
_SECONDS = {MINUTE: 60, HOUR: 3600, DAY: 86_400, WEEK: 604_800}
_CRON = re.compile(r"[\d*][\d*/,-]* +[\d*][\d*/,-]*( +[\d*l][\d*/,\-a-z#]*| +[a-z]{3}[\d*/,\-a-z#]*){2,4}")
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|e)?")
_RANGE = re.compile(r"\b([a-z]+)(?: ?[-–] ?| (?:to|through|bis|a|au) )([a-z]+)\b")


def read_when(text: str, now: datetime, zone: ZoneInfo) -> Rule:
    """Return the rule that a text means, said at `now` in a zone.

    Raises:
        NoSuchTime: nothing is meant by it, it lies in the past, or never comes.
    """
    said = _plain(text)
    if not said:
        raise NoSuchTime("words", text)
    if _CRON.fullmatch(said):
        return check_cron(said)
    try:
        rule = _Reading(said, now, zone).rule()
    except NoSuchTime:
        raise
    except (OverflowError, ValueError) as beyond:  # no date can say it: the year 0, one after 9999
        raise NoSuchTime("never", text.strip()) from beyond
    if rule is None:
        raise NoSuchTime("words", text.strip())
    if next_run(rule, zone, now) is None:
        raise NoSuchTime("past" if isinstance(rule, Once) else "never", text.strip())
    return rule


def _plain(text: str) -> str:
    """Return the text in lower case without accents, in one line."""
    folded = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    bare = "".join(char for char in folded if not unicodedata.combining(char))
    return (
        " ".join(bare.replace(",", " , ").split()).replace(" , ", ", ") if "*" not in bare else bare.strip()
    )


@dataclass(slots=True)
class _Reading:
    """A text from which what is understood is taken away, part by part."""

    left: str
    now: datetime
    zone: ZoneInfo
    at: time | None = None
    words: list[str] = field(default_factory=list)

    @property
    def today(self) -> date:
        return self.now.astimezone(self.zone).date()

    def rule(self) -> Rule | None:
        ahead = self._ahead()
        if ahead is not None:
            return ahead
        day = self._date() if not self._repeats() else None
        yearly = self._date() if self._repeats_yearly() else None
        self.at, self.left = take_time(self.left)
        self.words = re.findall(r"[\w'-]+", self.left)
        if yearly is not None:
            return self._yearly(yearly)
        if day is not None:
            return self._finished(lambda: self._once(day))
        for read in (self._month_part, self._repeated, self._weekly, self._near):
            kept = list(self.words)
            rule = read()
            if rule is not None and not self._significant():
                return rule
            self.words = kept
        return self._finished(self._time_alone)

    def _finished(self, make: Callable[[], Rule | None]) -> Rule | None:
        return None if self._significant() else make()

    def _significant(self) -> list[str]:
        return [word for word in self.words if word not in LITTLE]

    def _repeats(self) -> bool:
        words = set(re.findall(r"[\w'-]+", self.left))
        return bool(words & (EVERY | REPEATED.keys()))

    def _repeats_yearly(self) -> bool:
        """Return whether it comes on a date that has its month: "every 24 December"."""
        return self._repeats() and not re.search(r"\b(month|monat|mois)", self.left)

    def _ahead(self) -> Rule | None:
        """Read "in 2 hours", "in 2 Stunden 30 Minuten", "dans un jour": elapsed time."""
        words = re.findall(r"[\w']+", self.left)
        if len(words) < 3 or words[0] not in AHEAD:
            return None
        seconds, place = 0, 1
        while place + 1 < len(words):
            number, unit = _number(words[place]), UNITS.get(words[place + 1])
            if number is None or unit not in _SECONDS:
                return None
            seconds += number * _SECONDS[unit]
            place += 2 + (words[place + 2 : place + 3] in (["and"], ["und"], ["et"]))
        return Once(self.now + timedelta(seconds=seconds)) if place >= len(words) and seconds else None

    def _date(self) -> SaidDate | None:
        found, self.left = take_date(self.left)
        return found

    def _once(self, said: SaidDate) -> Rule:
        year, month, day = said
        check_day(month, day)
        years = [year] if year is not None else range(self.today.year, self.today.year + 9)
        for one in years:
            if day > calendar.monthrange(one, month)[1]:
                continue
            at = self._local(date(one, month, day))
            if year is not None or at > self.now:
                return Once(at)
        raise NoSuchTime("never", f"{day}.{month}.")

    def _yearly(self, said: SaidDate) -> Rule | None:
        self.words = [word for word in self.words if UNITS.get(word) != YEAR and word not in EVERY]
        self.words = [word for word in self.words if REPEATED.get(word) != YEAR]
        _, month, day = said
        check_day(month, day)
        if self._significant():
            return None
        year = self.today.year
        first = date(year, month, min(day, calendar.monthrange(year, month)[1]))
        return Months(12, first.replace(day=1), day, self.at or UNSAID)

    def _month_part(self) -> Rule | None:
        """Read "monthly", "the 31st of every month", "last day of the month", "first Friday of the month"."""
        if not any(UNITS.get(w) == MONTH or REPEATED.get(w) == MONTH or w in MONTH_ENDS for w in self.words):
            return None
        before = zip(self.words, self.words[1:], strict=False)
        step = next((n for w, unit in before if UNITS.get(unit) == MONTH and (n := _number(w))), 1)
        kept = [w for w in self.words if not _is_of_months(w) and not (step > 1 and _number(w) == step)]
        self.words = [w for w in kept if not _is_day_of_month(w)]
        weekday = next((WEEKDAYS[w] for w in kept if w in WEEKDAYS), None)
        last = any(w in LASTS | MONTH_ENDS for w in kept)
        nth = next((FIRSTS[w] for w in kept if w in FIRSTS), None)
        if weekday is not None:
            return self._cron("*", f"{weekday}L" if last else f"{weekday}#{nth}") if last or nth else None
        if last:
            return self._cron("L", "*")
        day = next((int(found[1]) for w in kept if (found := _DAY.fullmatch(w))), nth or self.today.day)
        if not 1 <= day <= 31:
            raise NoSuchTime("never", str(day))
        return Months(step, self.today.replace(day=1), day, self.at or UNSAID)

    def _repeated(self) -> Rule | None:
        """Read "every 2 hours", "daily", "alle 3 Tage", "toutes les deux semaines"."""
        unit = next((REPEATED[w] for w in self.words if w in REPEATED), None)
        step = 1
        if unit is None:
            place = next((i for i, w in enumerate(self.words) if w in UNITS), None)
            if place is None or not set(self.words[:place]) & EVERY:
                return None
            unit = UNITS[self.words[place]]
            given = [number for w in self.words[:place] if (number := _number(w)) is not None]
            step = given[-1] if given else 1
            rest = self.words[place + 1 :]
            if step < 1 or (unit == DAY and any(w in WORKDAYS for w in rest)):
                return None
            self.words = [w for w in self.words[:place] if w not in EVERY and _number(w) is None] + rest
        else:
            self.words = [w for w in self.words if w not in REPEATED]
        return self._each(unit, step)

    def _each(self, unit: str, step: int) -> Rule | None:
        if unit in {MINUTE, HOUR}:
            return Every(step * _SECONDS[unit], self.now.replace(microsecond=0)) if self.at is None else None
        if unit == DAY:
            return self._cron("*", "*") if step == 1 else self._days(step, self.today)
        if unit == WEEK:
            weekday = next((number for w in self.words if (number := _weekday(w)) is not None), None)
            self.words = [w for w in self.words if _weekday(w) is None]
            first = self.today if weekday is None else _coming(self.today, weekday)
            return self._days(7 * step, first) if step > 1 else self._cron("*", str(first.isoweekday() % 7))
        if unit == YEAR:
            return Months(12 * step, self.today.replace(day=1), self.today.day, self.at or UNSAID)
        return None

    def _weekly(self) -> Rule | None:
        """Read "every Friday", "Mondays and Thursdays", "weekdays", "Montag bis Freitag"."""
        if any(w in WORKDAYS for w in self.words):
            return self._taken(WORKDAYS | EVERY | {"days", "jours", "semaine"}, "1-5")
        if any(w in WEEKENDS for w in self.words):
            return self._taken(WEEKENDS | EVERY, "0,6")
        if self.words[:2] == ["en", "semaine"]:
            return self._taken(frozenset({"semaine"}), "1-5")
        span = _RANGE.search(self.left)
        if span is not None and span[1] in WEEKDAYS and span[2] in WEEKDAYS:
            begin, end = WEEKDAYS[span[1]], WEEKDAYS[span[2]]
            days = sorted((begin + n) % 7 for n in range((end - begin) % 7 + 1))
            return self._taken(
                EVERY | {span[0].replace(" ", ""), span[1], span[2], "to", "through", "bis", "au"},
                _listed(days),
            )
        repeats = any(w in EVERY for w in self.words) or any(_plural(w) for w in self.words)
        days = sorted({number for w in self.words if (number := _weekday(w)) is not None})
        if not days or not repeats:
            return None
        self.words = [w for w in self.words if _weekday(w) is None and w not in EVERY]
        return self._cron("*", _listed(days))

    def _near(self) -> Rule | None:
        """Read "tomorrow 9:00", "heute um 18 Uhr", "next Friday", "vendredi 18h": once."""
        ahead = next((TOMORROWS[w] for w in self.words if w in TOMORROWS), None)
        weekday = next((WEEKDAYS[w] for w in self.words if w in WEEKDAYS), None)
        if ahead is None and weekday is None:
            return None
        known = TOMORROWS.keys() | WEEKDAYS.keys() | NEXTS
        self.words = [w for w in self.words if w not in known]
        if ahead is not None:
            return Once(self._local(self.today + timedelta(days=ahead)))
        day = _coming(self.today, weekday or 0)
        at = self._local(day)
        return Once(at if at > self.now else self._local(day + timedelta(days=7)))

    def _time_alone(self) -> Rule | None:
        """Read "18:00": the next one."""
        if self.at is None:
            return None
        at = self._local(self.today)
        return Once(at if at > self.now else self._local(self.today + timedelta(days=1)))

    def _taken(self, words: frozenset[str], weekdays: str) -> Rule:
        self.words = [w for w in self.words if w not in words]
        return self._cron("*", weekdays)

    def _cron(self, day: str, weekdays: str) -> Rule:
        at = self.at or UNSAID
        return Cron(f"{at.minute} {at.hour} {day} * {weekdays}")

    def _days(self, step: int, first: date) -> Rule:
        return Days(step, first, self.at or UNSAID)

    def _local(self, day: date) -> datetime:
        return instant_of(datetime.combine(day, self.at or UNSAID), self.zone)


def _number(word: str) -> int | None:
    return int(word) if re.fullmatch(r"\d{1,4}", word) else NUMBERS.get(word)


def _weekday(word: str) -> int | None:
    return WEEKDAYS.get(word, WEEKDAYS.get(word.removesuffix("s")))


def _plural(word: str) -> bool:
    """Return whether a word means a weekday again and again: "Fridays", "freitags"."""
    return word not in WEEKDAYS and word.removesuffix("s") in WEEKDAYS and len(word) > 4


def _coming(today: date, weekday: int) -> date:
    return today + timedelta(days=(weekday - today.isoweekday()) % 7)


def _listed(days: Sequence[int]) -> str:
    """Return weekdays as a cron line has them: a span where they follow each other."""
    if len(days) > 2 and days[-1] - days[0] == len(days) - 1:
        return f"{days[0]}-{days[-1]}"
    return ",".join(map(str, days))


def _is_of_months(word: str) -> bool:
    return UNITS.get(word) == MONTH or REPEATED.get(word) == MONTH or word in EVERY


def _is_day_of_month(word: str) -> bool:
    known = word in LASTS | MONTH_ENDS or word in FIRSTS or word in WEEKDAYS or UNITS.get(word) == DAY
    return known or _DAY.fullmatch(word) is not None
