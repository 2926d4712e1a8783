"""What references of formulas become when lines come or go, and sheets are renamed or go."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.sheets.edits import Axis, Edit, Removal, Rename, Shift
from agent_core.sheets.references import LOST, Formulas

SHEETS = ("S", "Q1", "Q2", "Q3", "It's")
INSERT = Shift("S", Axis.ROW, 3, 2)
DELETE = Shift("S", Axis.ROW, 3, -2)


@pytest.mark.parametrize(
    ("before", "inserted", "deleted"),
    [
        ("=SUM(A1:A5)", "=SUM(A1:A7)", "=SUM(A1:A3)"),
        ("=$A$5+B$1", "=$A$7+B$1", "=$A$3+B$1"),
        ("=A:A+3:7", "=A:A+5:9", "=A:A+3:5"),
        ("=A3", "=A5", f"={LOST}"),
        ("=A3:A4", "=A5:A6", f"={LOST}"),
        ("=A4:A9", "=A6:A11", "=A3:A7"),
        ("=A1:A3", "=A1:A5", "=A1:A2"),
        ("=B6:A1", "=B8:A1", "=B4:A1"),
        ("='S'!A5:B6+s!A5", "='S'!A7:B8+s!A7", "='S'!A3:B4+s!A3"),
        ("=S!A5:S!B6", "=S!A7:S!B8", "=S!A3:S!B4"),
        ("=Q1!A5+Q1:Q3!A5+[1]S!A5", "=Q1!A5+Q1:Q3!A5+[1]S!A5", "=Q1!A5+Q1:Q3!A5+[1]S!A5"),
        ('=LOG10(A5)&"A5"', '=LOG10(A7)&"A5"', '=LOG10(A3)&"A5"'),
        ("=A5:INDEX(B:B,7):A9", "=A7:INDEX(B:B,7):A11", "=A3:INDEX(B:B,7):A7"),
        ("=Table1[x]+name5", "=Table1[x]+name5", "=Table1[x]+name5"),
        ("=IF(A5>1,{1,2;3,4},#N/A)", "=IF(A7>1,{1,2;3,4},#N/A)", "=IF(A3>1,{1,2;3,4},#N/A)"),
        ("=A1048576", f"={LOST}", "=A1048574"),
        ("=A1:A1048576", "=A1:A1048576", "=A1:A1048576"),
    ],
)
def test_references_follow_rows_that_come_or_go(before: str, inserted: str, deleted: str) -> None:
    """A37."""
    assert rewritten(before, INSERT) == inserted
    assert rewritten(before, DELETE) == deleted


def test_references_follow_a_sheet_to_its_new_name() -> None:
    edit = Rename("It's", "New 'one'")
    assert rewritten("='It''s'!A1+'it''S'!B:B+S!A1", edit) == "='New ''one'''!A1+'New ''one'''!B:B+S!A1"
    assert rewritten("=SUM(Q1:Q3!A5)", Rename("Q1", "First")) == "=SUM('First:Q3'!A5)"


def test_references_to_a_sheet_that_goes_are_lost_and_told() -> None:
    formulas = Formulas(Removal("Q1", frozenset({"people"})), SHEETS)
    assert formulas.rewrite("=Q1!A1+People[Age]+SUM(People)+S!A1", "S", "S!B1") == (
        f"={LOST}+{LOST}+SUM({LOST})+S!A1"
    )
    assert formulas.followed.lost == ["S!B1"]


def test_what_can_not_follow_is_told() -> None:
    over_sheets = Formulas(Shift("Q2", Axis.ROW, 1, 1), SHEETS)
    assert over_sheets.rewrite("=SUM(Q1:Q3!A5)", "S", "S!B1") == "=SUM(Q1:Q3!A5)"
    assert over_sheets.followed.blocked == ["S!B1"]
    unreadable = Formulas(INSERT, SHEETS)
    unreadable.rewrite("=IF('oops", "S", "S!B2")
    assert unreadable.followed.blocked == ["S!B2"]
    from_text = Formulas(INSERT, SHEETS)
    from_text.rewrite('=INDIRECT("A5")', "S", "S!B3")
    assert from_text.followed.from_text == ["S!B3"]


corner = st.tuples(st.integers(1, 9), st.integers(1, 9), st.booleans(), st.booleans())


@given(
    first=corner,
    last=st.none() | corner,
    axis=st.sampled_from(Axis),
    at=st.integers(1, 9),
    count=st.integers(-4, 4).filter(bool),
)
def test_reference_points_to_the_same_cells_as_before(
    first: tuple[int, int, bool, bool],
    last: tuple[int, int, bool, bool] | None,
    axis: Axis,
    at: int,
    count: int,
) -> None:
    """A37: a grid of labels is edited as a list of lists, and read by the old and the new reference."""
    text = written(first) if last is None else f"{written(first)}:{written(last)}"
    grid: list[list[str | None]] = [[f"r{row}c{column}" for column in range(1, 20)] for row in range(1, 20)]
    wanted = [one for one in labels(grid, text) if one]
    lines = transposed(grid) if axis is Axis.COLUMN else [list(row) for row in grid]
    if count > 0:
        lines[at - 1 : at - 1] = [[None] * 19 for _ in range(count)]
    else:
        del lines[at - 1 : at - 1 - count]
    edited = transposed(lines) if axis is Axis.COLUMN else lines
    kept = {one for line in edited for one in line if one}

    result = rewritten(f"={text}", Shift("S", axis, at, count))[1:]

    expected = [one for one in wanted if one in kept]
    assert (result == LOST) == (not expected)
    if expected:
        assert [one for one in labels(edited, result) if one] == expected
        assert result.count("$") == text.count("$")


def rewritten(formula: str, edit: Edit) -> str:
    return Formulas(edit, SHEETS).rewrite(formula, "S", "S!Z1")


def written(corner: tuple[int, int, bool, bool]) -> str:
    row, column, fixed_row, fixed_column = corner
    return f"{'$' * fixed_column}{chr(64 + column)}{'$' * fixed_row}{row}"


def labels(grid: list[list[str | None]], reference: str) -> list[str | None]:
    """The labels that a reference reads, by nothing but its letters and numbers."""
    places = [
        (ord(letter) - 65, int(number) - 1) for letter, number in re.findall(r"([A-Z])\$?(\d+)", reference)
    ]
    columns, rows = zip(*places, strict=True)
    return [
        grid[row][column]
        for row in range(min(rows), max(rows) + 1)
        for column in range(min(columns), max(columns) + 1)
    ]


def transposed(grid: list[list[str | None]]) -> list[list[str | None]]:
    return [list(line) for line in zip(*grid, strict=True)]
