import pytest

from adapters.cards import View
from adapters.cards.values import key_text, moment_text, part_text, patch_text, value_text
from agent_core.messages import Json


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("green", "green"),
        (17, "17"),
        (1.65, "1.65"),
        (True, "yes"),
        (False, "no"),
        (None, "no longer"),
        ("  ", "(blank)"),
        (["Mara", "the Heron"], "Mara, the Heron"),
        (["Vel, by the sea", "Oru"], "Vel, by the sea; Oru"),
        ([], "none"),
        ({}, "none"),
        ({"city": "Vel", "street": "Kiln Street"}, "city Vel, street Kiln Street"),
        ({"city": {"name": "Vel", "size": 3}}, "city (name Vel, size 3)"),
        ({"$none": True}, "certainly none"),
        ({"$unknown": True}, "left open on purpose"),
        ({"$add": ["Kit"], "$remove": ["Mara"]}, "plus Kit, without Mara"),
        ([{"name": "Tom", "age": 40}], "(name Tom, age 40)"),
        ({"street": None, "city": "Oru"}, "street no longer, city Oru"),
    ],
)
def test_values_are_shown_as_people_write_them(value: Json, shown: str) -> None:
    assert value_text("en", value) == shown


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", "yes; 1.5; certainly none"),
        ("de", "ja; 1,5; sicher keine"),
        ("fr", "oui; 1,5; aucun, c’est établi"),
    ],
)
def test_values_speak_the_language(language: str, shown: str) -> None:
    parts = [value_text(language, value) for value in (True, 1.5, {"$none": True})]
    assert "; ".join(parts) == shown


def test_a_fact_is_one_line() -> None:
    assert patch_text("en", {"eyes": "green", "eye_colour": "grey"}) == "eyes: green, eye colour: grey"
    assert patch_text("fr", {"house": "Vayle", "lost": "at six, at night"}) == (
        "house\u00a0: Vayle; lost\u00a0: at six, at night"
    )


def test_keys_are_read_as_words() -> None:
    assert [key_text(key) for key in ("eye_colour", "eyes", "_")] == ["eye colour", "eyes", "_"]


@pytest.mark.parametrize(
    ("language", "stamp", "shown"),
    [
        ("en", "2026-05-03T12:05:00.000000Z", "3 May 2026, 14:05"),
        ("de", "2026-01-01T00:30:00+00:00", "1. Januar 2026, 01:30 Uhr"),
        ("fr", "2026-01-01T00:30:00+00:00", "1er janvier 2026, 01:30"),
    ],
)
def test_moments_are_shown_in_the_readers_time_zone(language: str, stamp: str, shown: str) -> None:
    assert moment_text(View(language=language, time_zone="Europe/Berlin"), stamp) == shown


@pytest.mark.parametrize(
    ("part", "said"), [("Ebb", "Part: Ebb"), ("Part II: Ebb", "Part II: Ebb"), ("Livre 2", "Livre 2")]
)
def test_a_part_says_once_that_it_is_one(part: str, said: str) -> None:
    assert part_text("en", part) == said
