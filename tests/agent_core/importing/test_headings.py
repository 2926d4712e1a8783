"""Headings as authors write them, in several languages."""

import pytest

from agent_core.importing.headings import HeadingKind, parse_heading
from agent_core.importing.numerals import as_number


@pytest.mark.parametrize(
    ("text", "number", "title"),
    [
        ("Chapter 3: The Crossing", "3", "The Crossing"),
        ("Chapter 3 The Crossing", "3", "The Crossing"),
        ("CHAPTER III", "3", ""),
        ("Chapter Twenty-One — Salt", "21", "Salt"),
        ("Chapter One\nSalt", "1", "Salt"),
        ("The Third Chapter", "3", ""),
        ("Kapitel 3", "3", ""),
        ("3. Kapitel: Die Furt", "3", "Die Furt"),
        ("Drittes Kapitel", "3", ""),
        ("Kapitel einundzwanzig", "21", ""),
        ("Chapitre 3 : La Traversée", "3", "La Traversée"),
        ("Chapitre premier", "1", ""),
        ("Capítulo 4. La sal", "4", "La sal"),
        ("第三章 渡河", "3", "渡河"),
        ("第二十三章", "23", ""),
        ("제12장 강", "12", "강"),
        ("III.", "3", ""),
        ("IV — The Storm", "4", "The Storm"),
        ("I", "1", ""),
        ("12", "12", ""),
        ("3. The Crossing", "3", "The Crossing"),
        ("٣", "3", ""),
    ],
)
def test_number_and_title_of_a_chapter_are_found(text: str, number: str, title: str) -> None:
    heading = parse_heading(text)
    assert (heading.kind, heading.number, heading.title) == (HeadingKind.CHAPTER, number, title)


@pytest.mark.parametrize(
    "text",
    [
        "The Crossing",
        "1984",
        "12 Angry Men",
        "L. Frank Baum",
        "Chapter Mix",
        "Part of the Plan",
        "Book Club",
        "MIX",
        "",
    ],
)
def test_title_that_only_looks_numbered_stays_whole(text: str) -> None:
    heading = parse_heading(text)
    assert (heading.kind, heading.number, heading.title) == (HeadingKind.PLAIN, "", text)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Part Two", "Part Two"),
        ("PART II: The Country", "PART II: The Country"),
        ("Part II\nThe Country", "Part II: The Country"),
        ("Zweiter Teil", "Zweiter Teil"),
        ("Première partie", "Première partie"),
        ("Book One", "Book One"),
    ],
)
def test_part_keeps_its_printed_label(text: str, label: str) -> None:
    heading = parse_heading(text)
    assert (heading.kind, heading.label) == (HeadingKind.PART, label)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Prologue", HeadingKind.STORY),
        ("Prologue: The Fall", HeadingKind.STORY),
        ("Épilogue", HeadingKind.STORY),
        ("Zwischenspiel 2", HeadingKind.STORY),
        ("Author’s Note", HeadingKind.PREFATORY),
        ("VORWORT", HeadingKind.PREFATORY),
        ("Remerciements", HeadingKind.PREFATORY),
        ("Table of Contents", HeadingKind.SILENT),
        ("Impressum", HeadingKind.SILENT),
        ("Introduction to Rope", HeadingKind.PLAIN),
    ],
)
def test_what_is_no_counted_chapter_is_known_by_name(text: str, kind: HeadingKind) -> None:
    assert parse_heading(text).kind is kind


def test_roman_numbers_are_read_up_to_three_hundred() -> None:
    units = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"]
    tens = ["", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"]
    for n in range(1, 300):
        assert as_number("C" * (n // 100) + tens[n // 10 % 10] + units[n % 10]) == n


@pytest.mark.parametrize("text", ["IIII", "VX", "IC", "", "zero", "十一百x"])
def test_letters_that_make_no_number_are_none(text: str) -> None:
    assert as_number(text) is None


@pytest.mark.timeout(5)
@pytest.mark.parametrize("text", ["Chapter " * 50_000, "I" * 500_000, " \n" * 100_000 + "x", "第" * 100_000])
def test_endless_heading_is_read_at_once(text: str) -> None:
    assert parse_heading(text).kind is HeadingKind.PLAIN
