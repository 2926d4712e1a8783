"""Rows, columns and sheets that come, go or get another name: looked at in the XML that is written."""

import re
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook
from openpyxl.formatting.rule import Rule
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table

from agent_core.errors import NoteRefusal
from agent_core.sheets.outcome import Outcome
from agent_core.sheets.structure import Action, Task, restructure
from tests.agent_core.sheets import books, raw


def edited(
    content: bytes, action: Action, *, sheet: str = "", at: str = "", count: int = 1, name: str = ""
) -> Outcome:
    return restructure("a.xlsx", content, Task(action, sheet, at, count, name), as_copy=False)


def notices(outcome: Outcome) -> Mapping[str, str | int]:
    return {one.code: one.facts.get("places", one.facts.get("n", 0)) for one in outcome.notices}


def refusal(content: bytes, action: Action, **task: str) -> tuple[str, object]:
    with pytest.raises(NoteRefusal) as refused:
        edited(content, action, sheet=task.get("sheet", ""), at=task.get("at", ""), name=task.get("name", ""))
    return str(refused.value.facts["reason"]), refused.value.facts.get("blocked")


def test_inserted_row_moves_all_that_is_bound_to_places() -> None:
    """A37."""
    made = edited(books.plan(), Action.INSERT_ROWS, sheet="plan", at="1")
    plan = raw.values(made.content, "Plan")
    assert (plan["A8"], plan["C4"]) == ("=SUM(A2:A6)", "=A4*2")
    assert raw.values(made.content, "Other")["A1"] == "=Plan!A8+SUM(Plan!$A$2:A4)"
    assert raw.refs(made.content, "Plan", "mergeCell", "ref") == ["A11:B11"]
    assert raw.refs(made.content, "Plan", "dataValidation", "sqref") == ["G2"]
    assert raw.texts(made.content, "Plan", "formula1") == ["$A$2:$A$6"]
    assert raw.refs(made.content, "Plan", "conditionalFormatting", "sqref") == ["A2:A6"]
    assert raw.texts(made.content, "Plan", "formula")[0] == "$A2>20"
    assert raw.refs(made.content, "Plan", "autoFilter", "ref") == ["A2:C6"]
    assert raw.refs(made.content, "Plan", "hyperlink", "ref") == ["B4"]
    assert raw.names(made.content) == {
        "total": "Plan!$A$8", "_xlnm._FilterDatabase": "'Plan'!$A$2:$C$6",
        "_xlnm.Print_Titles": "'Plan'!$2:$3", "_xlnm.Print_Area": "'Plan'!$A$2:$C$11",
    }  # fmt: skip
    assert b'r="8" ht="33"' in raw.sheet_parts(made.content)["Plan"]
    assert made.facts == {"action": "insert_rows", "moved": 10, "at": "1", "count": 1}


def test_deleted_row_shrinks_ranges_and_breaks_only_what_pointed_to_it() -> None:
    """A37."""
    made = edited(books.plan(), Action.DELETE_ROWS, sheet="Plan", at="3")
    plan = raw.values(made.content, "Plan")
    assert (plan["A6"], plan["C3"]) == ("=SUM(A1:A4)", "=A3*2")
    assert raw.refs(made.content, "Plan", "mergeCell", "ref") == ["A9:B9"]
    assert raw.refs(made.content, "Plan", "hyperlink", "ref") == []
    assert made.before == "30 | https://example.org/ | =A3*2"
    assert "sheet_references" not in notices(made)
    gone = edited(books.plan(), Action.DELETE_ROWS, sheet="Plan", at="7")
    assert notices(gone)["sheet_references"] == "name total, Other!A1"
    assert raw.values(gone.content, "Other")["A1"] == "=#REF!+SUM(Plan!$A$1:A3)"


def test_columns_come_and_go() -> None:
    made = edited(books.plan(), Action.INSERT_COLUMNS, sheet="Plan", at="b", count=2)
    assert raw.values(made.content, "Plan")["E2"] == "=A2*2"
    assert raw.refs(made.content, "Plan", "mergeCell", "ref") == ["A10:D10"]
    assert raw.refs(made.content, "Plan", "col", "min") == ["5"]
    gone = edited(books.plan(), Action.DELETE_COLUMNS, sheet="Plan", at="C")
    assert not any(name.startswith("C") for name in raw.values(gone.content, "Plan"))
    assert raw.refs(gone.content, "Plan", "dataValidation", "sqref") == ["F1"]
    assert gone.facts["cells"] == 5


def test_merged_range_is_not_torn_from_its_first_cell() -> None:
    """A37, A38."""
    reason, blocked = refusal(books.plan(), Action.DELETE_COLUMNS, sheet="Plan", at="A")
    assert reason == "sheet_blocked"
    assert blocked == ("merged range A10:B10 (its first cell is A10)", "filter A1:C5")


def test_table_grows_and_shrinks_but_keeps_its_head_and_columns() -> None:
    book = Workbook()
    sheet = books.first(book)
    for row in (["Name", "Age"], ["Mara", 31], ["Tom", 40]):
        sheet.append(row)
    sheet.add_table(Table(displayName="People", ref="A1:B3"))
    sheet["D1"] = "=SUM(People[Age])"
    content = books.saved(book)
    made = edited(content, Action.INSERT_ROWS, at="3")
    assert b'ref="A1:B4"' in part(made.content, "xl/tables/table1.xml")
    assert raw.values(made.content)["D1"] == "=SUM(People[Age])"
    assert refusal(content, Action.DELETE_ROWS, at="1") == ("sheet_blocked", ("table People (A1:B3)",))
    assert refusal(content, Action.INSERT_COLUMNS, at="B") == ("sheet_blocked", ("table People (A1:B3)",))
    copied = edited(content, Action.COPY_SHEET)
    assert b'displayName="People_2"' in part(copied.content, "xl/tables/table2.xml")


def test_array_formula_is_not_stretched() -> None:
    book = Workbook()
    sheet = books.first(book)
    sheet["C1"] = ArrayFormula("C1:C3", "=A1:A3*2")
    sheet["A3"] = 3
    content = books.saved(book)
    assert refusal(content, Action.INSERT_ROWS, at="2") == ("sheet_blocked", ("array formula Sheet!C1",))
    assert raw.values(edited(content, Action.INSERT_ROWS, at="1").content) == {"C2": "=A2:A4*2", "A4": "3"}


def test_rule_that_one_formula_can_not_say_any_more_stands_in_the_way() -> None:
    book = Workbook()
    sheet = books.first(book)
    for row in range(1, 12):
        sheet.cell(row, 2, row)
    sheet.conditional_formatting.add("B1:B10", Rule(type="expression", formula=["B2>B1"]))
    content = books.saved(book)
    assert refusal(content, Action.INSERT_ROWS, at="2") == (
        "sheet_blocked", ("conditional format Sheet!B1:B10",)
    )  # fmt: skip
    below = edited(content, Action.INSERT_ROWS, at="5")
    assert raw.texts(below.content, "Sheet", "formula") == ["B2>B1"]
    assert raw.refs(below.content, "Sheet", "conditionalFormatting", "sqref") == ["B1:B11"]


def test_new_lines_look_like_the_line_before_them() -> None:
    book = Workbook()
    sheet = books.first(book)
    sheet.append([0.5])
    sheet.append([0.6])
    sheet["A1"].number_format = "0%"
    made = edited(books.saved(book), Action.INSERT_ROWS, at="2")
    styles = dict(
        zip(raw.refs(made.content, "Sheet", "c", "r"), raw.refs(made.content, "Sheet", "c", "s"), strict=True)
    )
    assert styles["A2"] == styles["A1"] != styles["A3"]


def test_content_does_not_fall_off_the_sheet() -> None:
    book = Workbook()
    books.first(book)["A1048576"] = "last"
    books.first(book)["XFD1"] = "right"
    assert refusal(books.saved(book), Action.INSERT_ROWS, at="1")[0] == "sheet_blocked"
    assert refusal(books.saved(book), Action.INSERT_COLUMNS, at="A")[0] == "sheet_blocked"


def test_sheet_is_renamed_with_a_legal_name_and_formulas_follow() -> None:
    """A39."""
    made = edited(books.plan(), Action.RENAME_SHEET, sheet="Plan", name="Ch: 1/2")
    assert list(raw.sheet_parts(made.content)) == ["Ch- 1-2", "Other"]
    assert (made.facts["name"], made.facts["wanted"]) == ("Ch- 1-2", "Ch: 1/2")
    assert raw.values(made.content, "Other")["A1"] == "='Ch- 1-2'!A7+SUM('Ch- 1-2'!$A$1:A3)"
    assert raw.names(made.content)["total"] == "'Ch- 1-2'!$A$7"
    case = edited(books.plan(), Action.RENAME_SHEET, sheet="Plan", name="PLAN")
    assert list(raw.sheet_parts(case.content)) == ["PLAN", "Other"]


def test_sheet_is_added_copied_and_deleted() -> None:
    added = edited(books.plan(), Action.ADD_SHEET, name="other")
    assert list(raw.sheet_parts(added.content)) == ["Plan", "Other", "other (2)"]
    copied = edited(books.plan(), Action.COPY_SHEET, sheet="Plan", name="Second")
    assert raw.values(copied.content, "Second") == raw.values(copied.content, "Plan")
    for element, attribute in (
        ("mergeCell", "ref"),
        ("dataValidation", "sqref"),
        ("hyperlink", "ref"),
        ("autoFilter", "ref"),
    ):
        assert raw.refs(copied.content, "Second", element, attribute) == raw.refs(
            books.plan(), "Plan", element, attribute
        )
    deleted = edited(books.plan(), Action.DELETE_SHEET, sheet="Plan")
    assert list(raw.sheet_parts(deleted.content)) == ["Other"]
    assert raw.values(deleted.content, "Other")["A1"] == "=#REF!+SUM(#REF!)"
    assert notices(deleted)["sheet_references"] == "name total, Other!A1"
    assert deleted.facts["cells"] == 13
    assert refusal(deleted.content, Action.DELETE_SHEET)[0] == "sheet_last"


@pytest.mark.parametrize(
    ("action", "at", "reason"),
    [
        (Action.INSERT_ROWS, "B", "sheet_line"),
        (Action.INSERT_COLUMNS, "3", "sheet_line"),
        (Action.DELETE_ROWS, "0", "sheet_line"),
        (Action.DELETE_ROWS, "", "sheet_line"),
        (Action.DELETE_ROWS, "999", "same"),
        (Action.RENAME_SHEET, "", "same"),
    ],
)
def test_edit_that_means_nothing_is_refused(action: Action, at: str, reason: str) -> None:
    assert refusal(books.plan(), action, sheet="Plan", at=at, name="Plan")[0] == reason


numbers = st.lists(st.lists(st.integers(0, 99), min_size=3, max_size=3), min_size=4, max_size=6)
spans = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4), st.booleans()), min_size=1, max_size=4)


@settings(max_examples=25, deadline=None)
@given(numbers=numbers, spans=spans, row=st.booleans(), at=st.integers(1, 4), count=st.integers(1, 3))
def test_every_formula_comes_to_the_same_after_an_insert(
    numbers: list[list[int]], spans: list[tuple[int, int, bool]], *, row: bool, at: int, count: int
) -> None:
    """A37: worked out by an evaluator of its own before and after."""
    book = Workbook()
    sheet = books.first(book)
    for line in numbers:
        sheet.append(line)
    for place, (low, high, fixed) in enumerate(spans, 1):
        mark = "$" if fixed else ""
        sheet.cell(place, 6, f"=SUM({mark}A{mark}{low}:C{mark}{max(low, high)})+B{low}")
    before = books.saved(book)
    made = edited(
        before,
        Action.INSERT_ROWS if row else Action.INSERT_COLUMNS,
        at=str(at) if row else "ABCD"[at - 1],
        count=count,
    )
    assert worked_out(made.content) == worked_out(before)


def worked_out(content: bytes) -> list[int]:
    """What each formula of the first sheet comes to, in the order of its place."""
    found = raw.values(content)
    results = []
    for text in found.values():
        match = re.fullmatch(r"=SUM\((.+?)\)\+(.+)", text)
        if match:
            area = [int(found.get(one, "0")) for one in covered(match[1])]
            results.append(sum(area) + int(found[match[2].replace("$", "")]))
    return results


def covered(text: str) -> list[str]:
    (left, top), (right, bottom) = (
        (ord(one[0]) - 64, int(one[1])) for one in re.findall(r"([A-Z])(\d+)", text.replace("$", ""))
    )
    return [f"{chr(64 + column)}{row}" for row in range(top, bottom + 1) for column in range(left, right + 1)]


def part(content: bytes, name: str) -> bytes:
    import io
    import zipfile

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.read(name)
