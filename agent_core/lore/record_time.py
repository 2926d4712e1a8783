"""Reads record times as people write them: "yesterday", "1 November", "edit 12"."""

import asyncio
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from agent_core.errors import LoreRefusal, UnknownChange
from agent_core.lore import fold
from agent_core.lore.canon import Canon
from agent_core.lore.model import Author, Bound

READER_FORMS = ("2026-11-01", "1 November", "1.11.2026", "yesterday", "last May", "May 2026", "now")
FORMS = (*READER_FORMS, "edit 12")

_AUTHOR = Author()

_MONTHS = (
    "january januar janner jan janvier janv",
    "february februar feb fevrier fevr fev",
    "march marz maerz mar mars",
    "april apr avril avr",
    "may mai",
    "june juni jun juin",
    "july juli jul juillet juil",
    "august aug aout",
    "september sept sep septembre",
    "october oktober oct okt octobre",
    "november nov novembre",
    "december dezember dec dez decembre",
)
_MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_NOW = frozenset(["", "now", "jetzt", "maintenant"])
_DAYS_AGO = {
    "today": 0, "heute": 0, "aujourd'hui": 0,
    "yesterday": 1, "gestern": 1, "hier": 1,
}  # fmt: skip

_EDIT = re.compile(
    r"(?:(?:edit|change|bearbeitung|modification)\s*)?(?:(?:no\.?|nr\.?|n[o°]|#)\s*)?(\d{1,9})"
)
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(?:(\d{4}))?")
_DAY_MONTH = re.compile(r"(\d{1,2})(?:\.|st|nd|rd|th|er)?\s+([^\W\d]+)\.?,?(?:\s+(\d{4}))?")
_MONTH_DAY = re.compile(r"([^\W\d]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?(?:\s+(\d{4}))?")
_MONTH_ONLY = re.compile(r"(?:(last|letzte[nr]?|in|im|en)\s+)?([^\W\d]+)\.?(?:\s+(\d{4}|dernier))?")


async def known_from_text(
    text: str, now: datetime, time_zone: str, canon: Canon, *, bound: Bound = _AUTHOR
) -> int:
    """Return the number of the newest change at the record time that `text` means.

    A day or month means its end in the given time zone; one without a year is the last that has begun.
    Readers know no edit numbers: to them "edit 12" is no record time, whether there is one or not.

    Raises:
        UnknownChange: there is no edit of that number.
        LoreRefusal: reason "record_time"; `forms` lists what is understood.

    """
    words = " ".join(fold.fold(text).split())
    if words in _NOW:
        return canon.head
    edit = _EDIT.fullmatch(words)
    if edit is not None and not isinstance(bound, Author):
        raise LoreRefusal(reason="record_time", text=text, forms=READER_FORMS)
    if edit is not None:
        return _existing(int(edit[1]), canon)
    zone = await asyncio.to_thread(ZoneInfo, time_zone)
    instant = _instant(text.strip(), words, now.astimezone(zone))
    if instant is None:
        forms = FORMS if isinstance(bound, Author) else READER_FORMS
        raise LoreRefusal(reason="record_time", text=text, forms=forms)
    return min(canon.head, await canon.store.change_at(canon.series.id, instant))


def _existing(number: int, canon: Canon) -> int:
    if not 1 <= number <= canon.head:
        raise UnknownChange(change=number, last=canon.head)
    return number


def _instant(text: str, words: str, now: datetime) -> datetime | None:
    """Return the last instant of what is meant, in UTC; `now` is in the time zone of the reader."""
    try:
        written = datetime.fromisoformat(text)
    except ValueError:
        day = _day(words, now.date())
    else:
        if len(text) > len("2026-11-01"):
            return (written if written.tzinfo else written.replace(tzinfo=now.tzinfo)).astimezone(UTC)
        day = written.date()
    return None if day is None else _end_of(day, now)


def _end_of(day: date, now: datetime) -> datetime | None:
    try:
        following = datetime.combine(day + timedelta(days=1), time.min, now.tzinfo)
        return following.astimezone(UTC) - timedelta(microseconds=1)
    except OverflowError:
        return None


def _day(words: str, today: date) -> date | None:
    if words in _DAYS_AGO:
        return today - timedelta(days=_DAYS_AGO[words])
    readings: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], date | None]], ...] = (
        (_DOTTED, lambda match, day: _dated(match[1], match[2], match[3], day)),
        (_DAY_MONTH, lambda match, day: _dated(match[1], match[2], match[3], day)),
        (_MONTH_DAY, lambda match, day: _dated(match[2], match[1], match[3], day)),
        (_MONTH_ONLY, _month_end),
    )
    found = ((pattern.fullmatch(words), read) for pattern, read in readings)
    return next((day for match, read in found if match and (day := read(match, today))), None)


def _dated(day: str, month: str, year: str | None, today: date) -> date | None:
    number = int(month) if month.isdecimal() else _MONTH.get(month, 0)
    years = [int(year)] if year else [today.year, today.year - 1]
    days = (_date(one, number, int(day)) for one in years)
    return next((one for one in days if one is not None and (year or one <= today)), None)


def _month_end(match: re.Match[str], today: date) -> date | None:
    number = _MONTH.get(match[2], 0)
    if match[3] and match[3].isdecimal():
        return _last_of(int(match[3]), number)
    years = (today.year, today.year - 1)
    if (match[1] or "").startswith(("last", "letzte")) or match[3]:
        ends = (_last_of(year, number) for year in years)
        return next((end for end in ends if end is not None and end < today), None)
    begun = (year for year in years if (first := _date(year, number, 1)) and first <= today)
    return _last_of(next(begun, 0), number)


def _last_of(year: int, month: int) -> date | None:
    following = _date(year + 1, 1, 1) if month == 12 else _date(year, month + 1, 1)
    return following - timedelta(days=1) if following and month else None


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
