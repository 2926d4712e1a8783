"""Finds the time of day and the date in a text."""

import calendar
import re
from collections.abc import Callable, Sequence
from datetime import time
from typing import TypeAlias

from agent_core.schedule.rule import NoSuchTime
from agent_core.schedule.vocabulary import MONTHS, TIMES_OF_DAY

SaidDate: TypeAlias = tuple[int | None, int, int]
"""Year (None where it was not said), month, day."""

_TIME = re.compile(
    r"\b(?P<hour>[01]?\d|2[0-4])(?:"
    r"[:.h](?P<minute>[0-5]\d)(?!\.?\d)(?: ?(?:uhr|h\b))?(?: ?(?P<half>[ap])\.?m\b\.?)?"
    r"| ?uhr(?: (?P<past>[0-5]?\d)\b(?![.:]))?| ?h\b| ?o'?clock\b| ?(?P<alone>[ap])\.?m\b\.?)"
)
_BARE_HOUR = re.compile(
    r"\b(?:at|um|a) (?P<hour>[01]?\d|2[0-4])(?![\d.:/-])\b(?! ?(?:min|hour|heure|stunde))"
)
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})(?:t(?=\d))?")
_DOTTED = re.compile(r"\b(\d{1,2})([./])(\d{1,2})(?:\2(\d{4}))?(?![\d:])\.?")
_DAY_MONTH = re.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th|er|e|\.)?(?: (?:of|de))? ([a-z]{3,9})\b\.?(?: (\d{4})\b)?"
)
_MONTH_DAY = re.compile(r"\b([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?\b(?!:)(?:,? (\d{4})\b)?")


def take_time(text: str) -> tuple[time | None, str]:
    """Return the time of day that a text says, None for none, and the rest of the text.

    Raises:
        NoSuchTime: it says one that no day has.
    """
    for word, hour in TIMES_OF_DAY.items():
        if re.search(rf"\b{word}\b", text):
            return time(hour), re.sub(rf"\b{word}\b", " ", text)
    found = _TIME.search(text) or _BARE_HOUR.search(text)
    if found is None:
        return None, text
    facts = found.groupdict()
    hour, minute = int(facts["hour"]), int(facts.get("minute") or facts.get("past") or 0)
    half = facts.get("half") or facts.get("alone")
    if (half and not 1 <= hour <= 12) or (hour == 24 and minute):
        raise NoSuchTime("words", found[0])
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return time(hour % 24, minute), f"{text[: found.start()]} {text[found.end() :]}"


def take_date(text: str) -> tuple[SaidDate | None, str]:
    """Return the date that a text says, None for none, and the rest of the text."""
    for pattern, read in _DATES:
        for found in pattern.finditer(text):
            day = read(found)
            if day is not None:
                return day, f"{text[: found.start()]} {text[found.end() :]}"
    return None, text


def check_day(month: int, day: int) -> None:
    """Pass if some year has this day.

    Raises:
        NoSuchTime: "never".
    """
    if not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(2000, month)[1]:
        raise NoSuchTime("never", f"{day}.{month}.")


def _dotted(found: re.Match[str]) -> SaidDate | None:
    """Read 24.12., 24.12.2026 and 24/12/2026: the day is in front; "7.30" is a time unless it can't be."""
    if found[2] == "." and found[4] is None and not found[0].endswith("."):
        return None
    return (int(found[4]) if found[4] else None, int(found[3]), int(found[1]))


def _day_month(found: re.Match[str]) -> SaidDate | None:
    month = MONTHS.get(found[2])
    return None if month is None else (int(found[3]) if found[3] else None, month, int(found[1]))


def _month_day(found: re.Match[str]) -> SaidDate | None:
    month = MONTHS.get(found[1])
    return None if month is None else (int(found[3]) if found[3] else None, month, int(found[2]))


_ReadDate = Callable[[re.Match[str]], SaidDate | None]
_DATES: Sequence[tuple[re.Pattern[str], _ReadDate]] = (
    (_ISO, lambda found: (int(found[1]), int(found[2]), int(found[3]))),
    (_DOTTED, _dotted),
    (_DAY_MONTH, _day_month),
    (_MONTH_DAY, _month_day),
)
