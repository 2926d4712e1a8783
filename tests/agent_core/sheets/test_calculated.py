"""Values of formulas after an edit: kept where they still hold, gone where they may not."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.table import Table

from agent_core.sheets.calculated import Cached, put_back
from agent_core.sheets.cells import Given, Rows, append, update
from agent_core.sheets.structure import Action, Task, restructure
from tests.agent_core.sheets import books, raw


@dataclass(frozen=True)
class Step:
    """The formula of a row: a sum of numbers in A, and the result of an earlier row."""

    low: int
    high: int
    earlier: int | None


def formula(step: Step) -> str:
    return f"=SUM(A{step.low}:A{step.high})" + (f"+B{step.earlier}" if step.earlier else "")


def results(numbers: list[int], steps: list[Step]) -> list[int]:
    found: list[int] = []
    for step in steps:
        found.append(
            sum(numbers[step.low - 1 : step.high]) + (found[step.earlier - 1] if step.earlier else 0)
        )
    return found


def depends(steps: list[Step], row: int) -> set[int]:
    """The rows whose results hang on the number in a row."""
    found: set[int] = set()
    for place, step in enumerate(steps, 1):
        if step.low <= row <= step.high or step.earlier in found:
            found.add(place)
    return found


def book_of(numbers: list[int], steps: list[Step]) -> bytes:
    book = Workbook()
    sheet = books.first(book)
    for row, number in enumerate(numbers, 1):
        sheet.cell(row, 1, number)
    for row, step in enumerate(steps, 1):
        sheet.cell(row, 2, formula(step))
    values = {
        ("Sheet", row, 2): Cached("n", str(value)) for row, value in enumerate(results(numbers, steps), 1)
    }
    return put_back("a.xlsx", books.saved(book), values)


@st.composite
def sheets(draw: st.DrawFn) -> tuple[list[int], list[Step]]:
    numbers = draw(st.lists(st.integers(1, 99), min_size=6, max_size=6))
    steps = []
    for row in range(1, 7):
        low, high = sorted((draw(st.integers(1, 6)), draw(st.integers(1, 6))))
        earlier = draw(st.none() | st.integers(1, row - 1)) if row > 1 else None
        steps.append(Step(low, high, earlier))
    return numbers, steps


@settings(max_examples=15, deadline=None)
@given(sheets(), st.integers(1, 6))
def test_value_is_kept_exactly_where_it_hangs_on_nothing_that_changed(
    made: tuple[list[int], list[Step]], row: int
) -> None:
    numbers, steps = made
    changed = update("a.xlsx", book_of(numbers, steps), "", [Given(f"A{row}", 1_000)], as_copy=False)
    found = raw.cells(changed.content)
    now = results([*numbers[: row - 1], 1_000, *numbers[row:]], steps)
    hanging = depends(steps, row)
    assert {place: found[f"B{place}"].text for place in range(1, 7)} == {
        place: "" if place in hanging else str(now[place - 1]) for place in range(1, 7)
    }
    told = {one.code: one.facts["n"] for one in changed.notices}
    assert told == ({"sheet_recalculated": len(hanging)} if hanging else {})


@settings(max_examples=15, deadline=None)
@given(sheets(), st.integers(1, 6), st.sampled_from([Action.INSERT_ROWS, Action.DELETE_ROWS]))
def test_no_value_is_wrong_after_lines_came_or_went(
    made: tuple[list[int], list[Step]], at: int, action: Action
) -> None:
    """A37."""
    numbers, steps = made
    task = Task(action, "", str(at))
    found = raw.cells(restructure("a.xlsx", book_of(numbers, steps), task, as_copy=False).content)
    by = 1 if action is Action.INSERT_ROWS else -1
    before = results(numbers, steps)
    cut = depends(steps, at) if action is Action.DELETE_ROWS else set()
    for place in range(1, 7):
        if action is Action.DELETE_ROWS and place == at:
            continue
        text = found[f"B{place + by if place >= at else place}"].text
        assert text in {"", str(before[place - 1])}
        assert text == "" or place not in cut
    if action is Action.INSERT_ROWS and at == 1:
        assert all(found[f"B{place}"].text for place in range(2, 8))


def test_values_stay_when_sheets_are_added_copied_or_renamed() -> None:
    content = book_of([1, 2, 3, 4, 5, 6], [Step(1, 3, None), Step(4, 6, 1)])
    added = restructure("a.xlsx", content, Task(Action.ADD_SHEET, name="New"), as_copy=False)
    assert raw.cells(added.content)["B2"].text == "21"
    copied = restructure("a.xlsx", content, Task(Action.COPY_SHEET, name="Twin"), as_copy=False)
    assert [raw.cells(copied.content, name)["B2"].text for name in ("Sheet", "Twin")] == ["21", "21"]
    renamed = restructure("a.xlsx", content, Task(Action.RENAME_SHEET, name="Sums"), as_copy=False)
    assert raw.cells(renamed.content, "Sums")["B1"].text == "6"
    assert [one.code for one in (*added.notices, *copied.notices, *renamed.notices)] == []


@pytest.mark.parametrize(
    "text",
    ['=INDIRECT("A1")', "=OFFSET(A1,1,0)", "=TODAY()", "=SUM(People[Age])", "=total", "=SUM(Sheet:Two!A1)"],
)
def test_what_hangs_on_more_than_its_cells_say_has_no_value_afterwards(text: str) -> None:
    book = Workbook()
    sheet = books.first(book)
    for row in (["Age", None], [30, None], [40, None]):
        sheet.append(row)
    sheet.add_table(Table(displayName="People", ref="A1:A3"))
    sheet["F1"] = text
    sheet["G1"] = "=F1"
    book.defined_names.add(DefinedName("total", attr_text="SUM(Sheet!$A$2:$A$9)"))
    book.create_sheet("Two")
    values = {("Sheet", 1, column): Cached("n", "7") for column in (6, 7)}
    content = put_back("a.xlsx", books.saved(book), values)
    made = append("a.xlsx", content, "Sheet", Rows([[50]], column="A"), as_copy=False)
    found = raw.cells(made.content, "Sheet")
    assert (found["A4"].text, found["F1"].text, found["G1"].text) == ("50", "", "")


def test_kinds_of_values_are_kept() -> None:
    book = Workbook()
    sheet = books.first(book)
    kinds = {1: Cached("str", "text"), 2: Cached("b", "1"), 3: Cached("e", "#N/A"), 4: Cached("str", "")}
    for row in kinds:
        sheet.cell(row, 1, "=C1")
    content = put_back("a.xlsx", books.saved(book), {("Sheet", row, 1): one for row, one in kinds.items()})
    made = update("a.xlsx", content, "", [Given("D1", "x")], as_copy=False)
    found = raw.cells(made.content)
    assert {row: (found[f"A{row}"].kind, found[f"A{row}"].text) for row in kinds} == {
        row: (one.kind, one.text) for row, one in kinds.items()
    }
