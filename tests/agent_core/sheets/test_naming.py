"""Names that sheets can have."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from agent_core.sheets.naming import legal_name
from tests.agent_core.sheets.books import saved


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("Ch: 1/2", "Ch- 1-2"),
        ("x" * 40, "x" * 31),
        ("", "Sheet"),
        ("  ", "Sheet"),
        ("History", "History_"),
        ("plan", "plan (2)"),
        ("'quoted'", "quoted"),
        ("Ann's", "Ann's"),
        ("a\x00b", "a-b"),
        ("🌊" * 20, "🌊" * 15),
    ],
)
def test_name_is_made_legal(wanted: str, name: str) -> None:
    """A39."""
    assert legal_name(wanted, ["Plan"]) == name


def test_names_that_are_equal_after_cutting_stay_apart() -> None:
    """A39."""
    long = "The long road to the harbour of Vel"
    one = legal_name(long, [])
    other = legal_name(long.upper(), [one])
    assert (one, other) == ("The long road to the harbour of", "THE LONG ROAD TO THE HARBOU (2)")


@settings(max_examples=20)
@given(st.lists(st.text(st.sampled_from("aB'é:/?*[]\\ \n🌊ß"), max_size=40), max_size=5))
def test_every_name_is_taken_by_a_workbook_that_opens_again(wanted: list[str]) -> None:
    """A39."""
    book = Workbook()
    for one in wanted:
        book.create_sheet(legal_name(one, book.sheetnames))
    assert load_workbook(io.BytesIO(saved(book))).sheetnames == book.sheetnames
    assert len({name.casefold() for name in book.sheetnames}) == len(wanted) + 1
    assert all(len(name.encode("utf-16-le")) <= 62 for name in book.sheetnames)
