"""What people say of time, in three languages, and the rule it stands for."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.schedule.rule import NoSuchTime, next_run, rule_to_text
from agent_core.schedule.words import read_when

BERLIN = ZoneInfo("Europe/Berlin")
SATURDAY = datetime(2026, 1, 31, 10, 0, tzinfo=UTC)  # 11:00 in Berlin


def rule(text: str, now: datetime = SATURDAY) -> str:
    return rule_to_text(read_when(text, now, BERLIN))


def once(text: str) -> str:
    """Return when a text is due, as the clock in Berlin shows it."""
    due = next_run(read_when(text, SATURDAY, BERLIN), BERLIN, SATURDAY)
    assert due is not None
    return due.astimezone(BERLIN).strftime("%Y-%m-%d %H:%M")


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        (
            "0 18 * * 5",
            [
                "every Friday 18:00",
                "jeden Freitag 18 Uhr",
                "tous les vendredis à 18h",
                "freitags 18:00",
                "Fridays at 6pm",
                "every Friday at 6 p.m.",
                "chaque vendredi 18 h",
                "jeden Freitag um 18",
            ],
        ),
        (
            "30 18 * * 5",
            ["every Friday at 18.30", "jeden Freitag um 18:30 Uhr", "tous les vendredis à 18h30"],
        ),
        (
            "0 8 * * 1-5",
            [
                "weekdays 8:00",
                "every weekday at 8am",
                "Monday to Friday 8:00",
                "mo-fr 8:00",
                "werktags 8 Uhr",
                "Montag bis Freitag 8 Uhr",
                "du lundi au vendredi à 8h",
                "en semaine à 8h",
            ],
        ),
        (
            "0 9 * * *",
            [
                "every day 09:00",
                "daily",
                "daily at 9",
                "täglich um 9 Uhr",
                "jeden Tag 9:00",
                "tous les jours à 9h",
                "chaque jour à 9h",
                "0 9 * * *",
            ],
        ),
        ("0 0 * * *", ["every day at midnight", "jeden Tag um Mitternacht", "tous les jours à minuit"]),
        (
            "0 9 * * 1,4",
            [
                "Mondays and Thursdays at 9",
                "montags und donnerstags um 9 Uhr",
                "tous les lundis et jeudis à 9h",
            ],
        ),
        ("0 10 * * 0,6", ["weekends at 10:00", "jedes Wochenende 10 Uhr", "le week-end à 10h"]),
        (
            "0 20 L * *",
            [
                "last day of the month at 20:00",
                "letzter Tag des Monats um 20 Uhr",
                "le dernier jour du mois à 20h",
                "0 20 L * *",
            ],
        ),
        (
            "0 9 * * 1#1",
            [
                "first Monday of the month 9:00",
                "jeden ersten Montag im Monat um 9",
                "le premier lundi du mois à 9h",
            ],
        ),
        (
            "0 9 * * 5L",
            ["last Friday of the month", "letzter Freitag im Monat", "le dernier vendredi du mois"],
        ),
        ("0 9 * * MON-FRI", ["0 9 * * mon-fri"]),
    ],
)
def test_words_for_what_cron_can_say(line: str, texts: list[str]) -> None:
    assert {text: rule(text) for text in texts} == dict.fromkeys(texts, f"cron {line}")


@pytest.mark.parametrize(
    ("stored", "texts"),
    [
        (
            "months 1 2026-01-01 31 09:00",
            [
                "monthly on the 31st",
                "monthly",
                "am 31. jedes Monats",
                "monatlich",
                "le 31 de chaque mois",
                "every month on the 31st",
                "tous les mois le 31",
            ],
        ),
        (
            "months 1 2026-01-01 15 18:00",
            ["every month on the 15th at 6pm", "jeden Monat am 15. um 18 Uhr", "tous les mois le 15 à 18h"],
        ),
        (
            "months 12 2026-02-01 29 09:00",
            [
                "yearly on 29 February",
                "jedes Jahr am 29. Februar",
                "chaque année le 29 février",
                "every February 29",
            ],
        ),
        (
            "days 14 2026-02-02 09:00",
            [
                "every 2 weeks on Monday 9:00",
                "alle zwei Wochen montags 9 Uhr",
                "toutes les deux semaines le lundi à 9h",
            ],
        ),
        (
            "days 3 2026-01-31 08:00",
            ["every 3 days at 8:00", "alle 3 Tage um 8 Uhr", "tous les 3 jours à 8h"],
        ),
        ("every 7200 2026-01-31T10:00:00+00:00", ["every 2 hours", "alle 2 Stunden", "toutes les 2 heures"]),
        ("every 3600 2026-01-31T10:00:00+00:00", ["hourly", "every hour", "stündlich", "toutes les heures"]),
        (
            "every 1800 2026-01-31T10:00:00+00:00",
            ["every 30 minutes", "alle 30 Minuten", "toutes les 30 minutes"],
        ),
        (
            "once 2026-01-31T12:00:00+00:00",
            ["in 2 hours", "in 2 Stunden", "dans 2 heures", "dans deux heures"],
        ),
        (
            "once 2026-01-31T12:30:00+00:00",
            ["in 2 hours and 30 minutes", "in 2 Stunden 30 Minuten", "dans 2 heures et 30 minutes"],
        ),
    ],
)
def test_words_for_what_cron_cannot_say(stored: str, texts: list[str]) -> None:
    """A50: monthly means the day on which it was said, or the one named."""
    assert {text: rule(text) for text in texts} == dict.fromkeys(texts, stored)


@pytest.mark.parametrize(
    ("due", "texts"),
    [
        ("2026-02-01 09:00", ["tomorrow 9:00", "morgen um 9", "demain à 9h", "tomorrow"]),
        ("2026-01-31 18:00", ["today 18:00", "heute 18 Uhr", "aujourd'hui à 18h", "18:00", "6pm"]),
        ("2026-02-01 08:00", ["8:00"]),
        (
            "2026-02-06 18:00",
            ["Friday 18:00", "next Friday at 6pm", "nächsten Freitag 18 Uhr", "vendredi 18h"],
        ),
        (
            "2026-12-24 18:00",
            [
                "2026-12-24 18:00",
                "2026-12-24T18:00",
                "24.12.2026 18:00",
                "24.12. um 18 Uhr",
                "24/12/2026 à 18h",
                "24 December 2026 18:00",
                "December 24 at 6pm",
                "24. Dezember um 18 Uhr",
                "24 décembre à 18h",
                "on the 24th of December at 18:00",
            ],
        ),
        ("2027-01-01 09:00", ["1 January", "1. Januar", "1er janvier", "2027-01-01"]),
        ("2028-02-29 09:00", ["29 February"]),
    ],
)
def test_words_for_one_time(due: str, texts: list[str]) -> None:
    assert {text: once(text) for text in texts} == dict.fromkeys(texts, due)


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("never", "30 February"),
        ("never", "every 9999 years"),
        ("never", "alle 9999 Jahre"),
        ("never", "every 9999 months"),
        ("never", "every 9999 weeks"),
        ("never", "1.1.0000 9:00"),
        ("never", "in " + "9999 weeks " * 50),
        ("never", "every 30 February"),
        ("never", "monthly on the 32nd"),
        ("never", "0 9 30 2 *"),
        ("past", "2025-01-01 10:00"),
        ("past", "today 8:00"),
        ("words", "every Friday in the kitchen"),
        ("words", "every morning or so"),
        ("words", "every Friday at 25:00"),
        ("words", "soon"),
        ("words", ""),
        ("cron", "0 9 * * * *"),
    ],
)
def test_what_means_no_time_is_refused_with_the_reason(reason: str, text: str) -> None:
    """A50: impossible rules are refused when they are made."""
    with pytest.raises(NoSuchTime) as refused:
        read_when(text, SATURDAY, BERLIN)

    assert refused.value.reason == reason


WORDS = [
    "every",
    "jeden",
    "tous",
    "les",
    "friday",
    "freitag",
    "lundi",
    "in",
    "2",
    "31",
    "99",
    "hours",
    "wochen",
    "at",
    "um",
    "à",
    "18:00",
    "18h",
    "25:61",
    "monthly",
    "last",
    "day",
    "of",
    "the",
    "month",
    "*",
    "*/5",
    "l",
    "2026-02-30",
    "29.2.",
    "february",
    "morgen",
    "weekdays",
    "0",
    "-",
    "premier",
]


@given(st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join) | st.text(max_size=30))
def test_any_text_gives_a_rule_with_a_time_to_come_or_is_refused(text: str) -> None:
    try:
        read = read_when(text, SATURDAY, BERLIN)
    except NoSuchTime:
        return
    due = next_run(read, BERLIN, SATURDAY)
    assert due is not None
    assert due > SATURDAY
