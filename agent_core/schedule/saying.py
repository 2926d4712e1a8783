"""Says a rule in words: what a cron line means is explained back, with what people are apt to misread."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

from cronsim import CronSim

from agent_core.schedule.rule import Cron, Days, Every, Months, Once, Rule, Unreadable
from agent_core.texts import say

LAST = CronSim.LAST
LAST_WORKDAY = CronSim.LAST_WEEKDAY
MOST_TIMES = 6
_WORKDAYS, _WEEKEND = frozenset(range(1, 6)), frozenset({0, 6})


def rule_text(rule: Rule, zone: ZoneInfo, language: str) -> str:
    """Return when a rule is due, as a part of a sentence."""
    match rule:
        case Once(at):
            return say(language, "schedule.once", moment=moment_text(at, zone, language))
        case Every(seconds, _) if seconds % 3600 == 0:
            return say(language, "schedule.hours", n=seconds // 3600)
        case Every(seconds, _):
            return say(language, "schedule.minutes", n=seconds // 60)
        case Days(step, first, at) if step % 7 == 0:
            day = say(language, f"weekday.{first.isoweekday() % 7}")
            return say(language, "schedule.weeks", n=step // 7, day=day, time=_clock(at))
        case Days(step, _, at):
            return say(language, "schedule.days", n=step, time=_clock(at))
        case Months(step, first, day, at) if step % 12 == 0:
            key = "schedule.years_leap" if (first.month, day) == (2, 29) else "schedule.years"
            date = {"day": _day(day, language), "time": _clock(at)}
            return say(language, key, n=step // 12, month=first.month, **date)
        case Months(step, _, day, at):
            end = "_end" if day > 28 else ""
            return say(language, f"schedule.months{end}", n=step, day=_day(day, language), time=_clock(at))
        case Cron() | Unreadable():
            return _line_text(rule, language)


def moment_text(at: datetime, zone: ZoneInfo, language: str) -> str:
    """Return an instant as the clock of the zone shows it, with its weekday."""
    local = at.astimezone(zone)
    moment = say(
        language,
        "date.moment",
        day=say(language, "date.first") if local.day == 1 else local.day,
        month=local.month,
        year=local.year,
        time=f"{local.hour:02}:{local.minute:02}",
    )
    return say(language, "schedule.moment", weekday=local.isoweekday() % 7, moment=moment)


def runs_text(runs: Sequence[datetime], zone: ZoneInfo, language: str) -> str:
    """Return when the next runs are, with the name of the zone."""
    moments = tuple(moment_text(run, zone, language) for run in runs)
    return say(language, "schedule.next", moments="; ".join(moments), zone=zone.key, n=len(moments))


def _line_text(rule: Cron | Unreadable, language: str) -> str:
    if isinstance(rule, Unreadable):
        return say(language, "schedule.unreadable")
    return _cron_text(rule.line, language)


def _cron_text(line: str, language: str) -> str:
    cron = CronSim(line, datetime(2000, 1, 1, tzinfo=UTC))
    minute, hour, day, _, weekday = line.split()
    parts = [_days_text(cron, day, weekday, language)]
    if len(cron.months) < 12:
        months = tuple(say(language, f"month.{month}") for month in sorted(cron.months))
        parts.append(say(language, "schedule.in_months", months=months))
    parts.append(_times_text(cron, minute, hour, language))
    return " ".join(parts)


def _times_text(cron: CronSim, minute: str, hour: str, language: str) -> str:
    times = [time(h, m) for h in sorted(cron.hours) for m in sorted(cron.minutes)]
    if len(times) <= MOST_TIMES:
        return say(language, "schedule.at", times=tuple(map(_clock, times)))
    minutes = tuple(map(str, sorted(cron.minutes)))
    if hour == "*" and minute.startswith("*") and len(minutes) > MOST_TIMES:
        step = int(minute.partition("/")[2] or 1)
        return say(language, "schedule.each_minutes", n=step)
    if hour == "*":
        return say(language, "schedule.each_hour", minutes=minutes)
    hours = tuple(f"{one:02}" for one in sorted(cron.hours))
    return say(language, "schedule.at_minutes", hours=hours, minutes=minutes)


def _days_text(cron: CronSim, day: str, weekday: str, language: str) -> str:
    on_days, on_weekdays = _dates(cron.days, language), _weekdays(cron.weekdays, language)
    if day.startswith("*") and weekday.startswith("*"):
        plain = day == "*" and weekday == "*"
        return say(language, "schedule.daily") if plain else f"{on_days} {on_weekdays}".strip()
    if day == "*":
        return on_weekdays
    if weekday == "*":
        return on_days
    both = "both" if cron.day_and else "either"
    return say(language, f"schedule.{both}", dates=on_days, weekdays=on_weekdays)


def _dates(days: Collection[int], language: str) -> str:
    if days == {LAST}:
        return say(language, "schedule.month_end")
    if days == {LAST_WORKDAY}:
        return say(language, "schedule.month_last_workday")
    shown = tuple(_day(day, language) for day in sorted(one for one in days if one > 0))
    some = "_some" if min(days) > 28 else ""
    return say(language, f"schedule.on_dates{some}", days=shown)


def _weekdays(found: Collection[int | tuple[int, int]], language: str) -> str:
    plain = frozenset(one % 7 for one in found if isinstance(one, int))
    if plain == _WORKDAYS:
        return say(language, "schedule.workdays")
    if plain == _WEEKEND:
        return say(language, "schedule.weekend")
    named = [say(language, f"weekday.{one}") for one in sorted(plain, key=lambda one: (one - 1) % 7)]
    numbered = [one for one in found if isinstance(one, tuple)]
    parts = [say(language, "schedule.on_weekdays", days=tuple(named))] if named else []
    for weekday, number in sorted(numbered):
        which = "last" if number == LAST else str(number)
        day = say(language, f"weekday.{weekday % 7}")
        parts.append(say(language, f"schedule.nth_{which}", day=day))
    return ", ".join(parts)


def _day(day: int, language: str) -> str:
    return say(language, "schedule.first") if day == 1 else say(language, "schedule.nth", n=day)


def _clock(at: time) -> str:
    return f"{at.hour:02}:{at.minute:02}"
