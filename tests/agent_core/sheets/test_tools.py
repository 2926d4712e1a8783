"""The seven tools of spreadsheets from a chat turn: proposed, approved, looked at on the disk."""

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agent_core.errors import LoreKeeperError, NotPermitted, NotYourBatch
from agent_core.events import ConfirmationAsked
from agent_core.lore.answers import CardLine
from agent_core.messages import Json
from agent_core.people.model import SeriesRole
from agent_core.pipeline.model import CallStatus
from agent_core.tools.sheets import SHEETS
from agent_core.tools.spec import Risk
from tests.agent_core.sheets import raw
from tests.agent_core.sheets.raw import changed, related
from tests.agent_core.vault.test_paths import ATTACKS
from tests.emulators.model_endpoint import Call
from tests.house import House

PLAN = "Tables/Plan.xlsx"
SHEET = "xl/worksheets/sheet1.xml"
CHART = b'<d><a:graphicFrame x="http://schemas.openxmlformats.org/drawingml/2006/chart"/></d>'


async def told(house: House, tool: str, **arguments: Json) -> Any:  # any JSON: what the model reads
    """Let the model look something up; return what it is told."""
    house.endpoint.reply(Call(tool, arguments))
    house.endpoint.reply("I see.")
    heard = await house.say("Look.")
    assert heard.of(ConfirmationAsked) == []
    return json.loads(house.endpoint.requests[-1].messages[-1]["content"])


async def done(house: House, tool: str, **arguments: Json) -> tuple[CardLine, Mapping[str, Json]]:
    """Let the model propose a write, approve it; return the card and what the model is told."""
    house.endpoint.reply(Call(tool, arguments))
    batch = await house.card(await house.say("Do it."))
    house.endpoint.reply("Done.")
    decided, _ = await house.decide(batch.id)
    assert [call.status for call in decided.calls] == [CallStatus.DONE]
    result = json.loads(house.endpoint.requests[-1].messages[-1]["content"])
    return batch.calls[0].card, result


async def refused(house: House, tool: str, **arguments: Json) -> str:
    """Let the model ask for something that is refused; return what it is told."""
    house.endpoint.reply(Call(tool, arguments))
    house.endpoint.reply("That did not work.")
    heard = await house.say("Do it.")
    assert heard.of(ConfirmationAsked) == []
    return str(house.endpoint.requests[-1].messages[-1]["content"])


def test_there_are_seven_tools_and_their_risks() -> None:
    assert {tool.name: tool.risk for tool in SHEETS} == {
        "list_xlsx_sheets": Risk.READ, "xlsx_to_markdown": Risk.READ, "search_workbook": Risk.READ,
        "analyze_range": Risk.READ, "update_xlsx_cells": Risk.WRITE, "append_xlsx_rows": Risk.WRITE,
        "edit_xlsx_structure": Risk.WRITE,
    }  # fmt: skip
    assert not any(tool.for_readers for tool in SHEETS)


async def test_model_reads_a_workbook(house: House) -> None:
    sheets = (await told(house, "list_xlsx_sheets", path=PLAN))["data"]
    assert [one["name"] for one in sheets["sheets"]] == ["Plan", "Other"]
    read = (await told(house, "xlsx_to_markdown", path=PLAN, sheet="Plan", range="A1:C2"))["data"]
    assert read["text"].splitlines()[2:] == ["| 1 | 10 |  | =A1*2 |", "| 2 | 20 |  | =A2*2 |"]
    assert (read["uncalculated"], read["version"]) == (["C1", "C2"], sheets["version"])
    hits = (await told(house, "search_workbook", path="Cast.xlsx", query="chart"))["data"]
    assert [(one["sheet"], one["cell"]) for one in hits["items"]] == [("Secrets", "B2")]
    stats = (await told(house, "analyze_range", path=PLAN, sheet="Plan", range="A1:A5"))["data"]
    assert stats["columns"] == [
        {
            "column": "A", "count": 5, "blanks": 0, "numbers": 5, "sum": 150, "mean": 30, "min": 10,
            "max": 50, "median": 30, "distinct": 5,
        }
    ]  # fmt: skip
    words = (await told(house, "xlsx_to_markdown", path="Words.csv"))["data"]
    assert words["text"].splitlines()[2:] == [
        "| 1 | Chapter | Words |",
        "| 2 | 1 | 1200 |",
        "| 3 | =2 | -5 |",
        "| 4 | -3% | 007 |",
    ]


async def test_model_changes_cells_after_a_yes(house: House, notes: Path) -> None:
    cells: list[Json] = [
        {"cell": "A1", "value": 11}, {"cell": "B1", "value": "=no"}, {"cell": "C1"},
        {"cell": "D1", "value": "=A1", "type": "formula"},
    ]  # fmt: skip
    before = raw.values((notes / PLAN).read_bytes(), "Plan")
    card, result = await done(house, "update_xlsx_cells", path=PLAN, sheet="plan", cells=cells)
    assert [(one.key, one.before, one.after) for one in card.changes] == [
        ("A1", "10", "11"), ("B1", None, "=no"), ("C1", "=A1*2", None), ("D1", None, "=A1"),
    ]  # fmt: skip
    assert (card.kind, card.title, card.facts["sheet"]) == ("sheet", PLAN, "Plan")
    after = raw.cells((notes / PLAN).read_bytes(), "Plan")
    assert (after["A1"].text, after["B1"].kind, after["D1"].formula) == ("11", "s", "=A1")
    assert "C1" not in after
    assert (
        raw.values((notes / PLAN).read_bytes(), "Plan").items()
        >= {name: text for name, text in before.items() if name not in {"A1", "C1"}}.items()
    )
    assert result["path"] == PLAN


async def test_model_adds_rows_after_a_yes(house: House, notes: Path) -> None:
    rows: list[Json] = [["Oru", 7, 0.5, "2001-02-03", False], ["=x"]]
    card, _ = await done(house, "append_xlsx_rows", path="Cast.xlsx", sheet="Cast", rows=rows, dates=True)
    assert [(one.key, one.after) for one in card.changes] == [
        ("5", "Oru | 7 | 0.5 | 2001-02-03 | FALSE"),
        ("6", "=x"),
    ]
    found = raw.cells((notes / "Cast.xlsx").read_bytes())
    assert [found[name].text for name in ("A5", "B5", "D5", "E5", "A6")] == ["Oru", "7", "36925", "0", "=x"]


async def test_model_changes_the_structure_after_a_yes(house: House, notes: Path) -> None:
    """A37, A39."""
    await done(house, "edit_xlsx_structure", path=PLAN, sheet="Plan", action="insert_rows", at="1")
    assert raw.values((notes / PLAN).read_bytes(), "Plan")["A8"] == "=SUM(A2:A6)"
    card, result = await done(
        house, "edit_xlsx_structure", path=PLAN, sheet="Plan", action="rename_sheet", name="a/b"
    )
    assert (card.facts["name"], result["name"]) == ("a-b", "a-b")
    assert raw.values((notes / PLAN).read_bytes(), "Other")["A1"].startswith("='a-b'!A8")


async def test_deleting_is_for_those_who_may_destroy(house: House, notes: Path) -> None:
    await house.join("cole", SeriesRole.EDITOR)
    before = (notes / PLAN).read_bytes()
    asker = await house.asker("cole")
    for action in ("delete_rows", "delete_columns", "delete_sheet"):
        arguments: Mapping[str, Json] = {"path": PLAN, "sheet": "Plan", "action": action, "at": "7"}
        if action == "delete_columns":
            arguments = {**arguments, "at": "C"}
        batch = await house.core.propose([("edit_xlsx_structure", arguments)], asker, complete=False)
        assert batch.calls[0].risk is Risk.DANGEROUS
        with pytest.raises(NotYourBatch):
            await house.decide(batch.id, user="cole")
    insert: Mapping[str, Json] = {"path": PLAN, "sheet": "Plan", "action": "insert_rows", "at": "7"}
    batch = await house.core.propose([("edit_xlsx_structure", insert)], asker, complete=False)
    assert batch.calls[0].risk is Risk.WRITE
    assert (notes / PLAN).read_bytes() == before
    card, _ = await done(house, "edit_xlsx_structure", path=PLAN, sheet="Plan", action="delete_rows", at="7")
    assert (card.facts["cells"], card.before_text) == (1, "=SUM(A1:A5)")
    assert [one.facts["places"] for one in card.warnings if one.code == "sheet_references"] == [
        "name total, Other!A1"
    ]


REFUSALS: Mapping[str, tuple[Mapping[str, Json], str]] = {
    "list_xlsx_sheets": ({"path": "Mara.md"}, "sheet_kind"),
    "xlsx_to_markdown": ({"path": PLAN, "sheet": "Plam"}, "sheet_unknown"),
    "search_workbook": ({"path": "Plam.xlsx", "query": "x"}, "unknown"),
    "analyze_range": ({"path": PLAN, "sheet": "Plan", "range": "all of it"}, "sheet_range"),
    "update_xlsx_cells": (
        {"path": PLAN, "sheet": "Plan", "cells": [{"cell": "A1", "value": 1}, {"cell": "B10", "value": 1}]},
        "sheet_merged",
    ),
    "append_xlsx_rows": ({"path": "Words.csv", "rows": [[1]]}, "sheet_"),
    "edit_xlsx_structure": (
        {"path": PLAN, "sheet": "Plan", "action": "delete_columns", "at": "A"},
        "merged range A10:B10",
    ),
}


async def test_refused_call_says_why_and_changes_nothing(house: House, notes: Path) -> None:
    """A38."""
    before = tree(notes)
    assert REFUSALS.keys() == {tool.name for tool in SHEETS}
    for name, (arguments, reason) in REFUSALS.items():
        assert reason in await refused(house, name, **arguments), name
    assert tree(notes) == before


async def test_no_tool_leaves_the_folder_by_any_path(house: House, notes: Path) -> None:
    """A23."""
    before = tree(notes.parent / "novel")
    asker = await house.asker()
    fine: dict[str, Mapping[str, Json]] = {
        "search_workbook": {"query": "x"},
        "update_xlsx_cells": {"cells": [{"cell": "A1", "value": 1}]},
        "append_xlsx_rows": {"rows": [[1]]},
        "edit_xlsx_structure": {"action": "add_sheet"},
    }
    for attack in (*(one for one in ATTACKS if not one.startswith("\ud800")), ".obsidian/a.xlsx"):
        for tool in SHEETS:
            calls = [{**fine.get(tool.name, {}), "path": attack}]
            if tool.propose is not None:
                calls.append({**fine[tool.name], "path": PLAN, "sheet": "Plan", "asCopy": attack})
            for arguments in calls:
                with pytest.raises(LoreKeeperError) as refusal:
                    await (
                        house.core.lookup(tool.name, arguments, asker)
                        if tool.propose is None
                        else house.core.propose([(tool.name, arguments)], asker, complete=False)
                    )
                assert refusal.value.facts.get("reason") == "path", (tool.name, attack)
    assert tree(notes) == before


async def test_chart_is_not_lost_and_a_copy_says_that_it_lacks_it(house: House, notes: Path) -> None:
    content = related(
        (notes / PLAN).read_bytes(), "xl/worksheets/sheet2.xml", "drawing", "xl/drawings/d.xml", CHART
    )
    (notes / PLAN).write_bytes(content)
    change: dict[str, Json] = {"path": PLAN, "sheet": "Plan", "cells": [{"cell": "A1", "value": 99}]}
    said = await refused(house, "update_xlsx_cells", **change)
    assert "1 charts in Other" in said
    assert "as_copy" in said
    card, result = await done(house, "update_xlsx_cells", **change, asCopy="Tables/Plan 2.xlsx")
    assert (notes / PLAN).read_bytes() == content
    assert raw.values((notes / "Tables/Plan 2.xlsx").read_bytes(), "Plan")["A1"] == "99"
    with zipfile.ZipFile(notes / "Tables/Plan 2.xlsx") as archive:
        assert "xl/drawings/d.xml" not in archive.namelist()
    assert [one.facts["kind"] for one in card.warnings if one.code == "sheet_lacks"] == ["charts"]
    assert (card.facts["source"], result["path"]) == (PLAN, "Tables/Plan 2.xlsx")
    assert "exists" in await refused(house, "update_xlsx_cells", **change, asCopy="Tables/plan 2.xlsx")
    assert "sheet_kind" in await refused(house, "update_xlsx_cells", **change, asCopy="Tables/Plan.md")


async def test_write_is_refused_where_the_file_changed_since(house: House, notes: Path) -> None:
    change: Mapping[str, Json] = {"path": PLAN, "sheet": "Plan", "cells": [{"cell": "A1", "value": 99}]}
    batch = await house.core.propose([("update_xlsx_cells", change)], await house.asker(), complete=False)
    other = changed((notes / PLAN).read_bytes(), {"docProps/thumbnail.jpeg": b"x"})
    (notes / PLAN).write_bytes(other)
    decided, _ = await house.decide(batch.id)
    assert decided.calls[0].status is not CallStatus.DONE
    assert (notes / PLAN).read_bytes() == other
    assert "changed" in await refused(house, "update_xlsx_cells", **change, version="0123456789abcdef")


async def test_card_warns_of_a_file_that_is_open_elsewhere_or_a_protected_sheet(
    house: House, notes: Path
) -> None:
    change: Mapping[str, Json] = {"path": PLAN, "sheet": "Plan", "cells": [{"cell": "A1", "value": 99}]}
    for mark in ("~$Plan.xlsx", ".~lock.Plan.xlsx#"):
        (notes / "Tables" / mark).write_bytes(b"")
        batch = await house.core.propose([("update_xlsx_cells", change)], await house.asker(), complete=False)
        assert batch.calls[0].card.warnings[0].code == "sheet_open"
        (notes / "Tables" / mark).unlink()
    guarded = changed(
        (notes / PLAN).read_bytes(), {}, (SHEET, "</sheetData>", '</sheetData><sheetProtection sheet="1"/>')
    )
    (notes / PLAN).write_bytes(guarded)
    batch = await house.write("update_xlsx_cells", "ann", **change)
    assert batch.calls[0].card.warnings[0].code == "sheet_protected"
    assert b"sheetProtection" in raw.sheet_parts((notes / PLAN).read_bytes())["Plan"]


async def test_lines_of_one_proposal_follow_one_another_in_a_file(house: House, notes: Path) -> None:
    calls: list[tuple[str, Mapping[str, Json]]] = [
        ("update_xlsx_cells", {"path": PLAN, "sheet": "Plan", "cells": [{"cell": "A1", "value": 1}]}),
        ("edit_xlsx_structure", {"path": PLAN, "sheet": "Plan", "action": "insert_rows", "at": "1"}),
        ("update_xlsx_cells", {"path": PLAN, "sheet": "Other", "cells": [{"cell": "B1", "value": 2}]}),
    ]
    batch = await house.core.propose(calls, await house.asker(), complete=False)
    decided, _ = await house.decide(batch.id)
    assert [call.status for call in decided.calls] == [CallStatus.DONE] * 3
    content = (notes / PLAN).read_bytes()
    assert raw.values(content, "Plan")["A2"] == "1"
    assert raw.values(content, "Other") == {"A1": "=Plan!A8+SUM(Plan!$A$2:A4)", "B1": "2"}


async def test_earlier_file_is_put_back_and_a_deleted_one_is_in_the_trash(house: House, notes: Path) -> None:
    before = (notes / PLAN).read_bytes()
    await done(house, "edit_xlsx_structure", path=PLAN, sheet="Plan", action="delete_sheet")
    batch = await house.write("restore_backup", "ann", path=PLAN)
    assert (notes / PLAN).read_bytes() == before
    assert batch.calls[0].card.before_text == batch.calls[0].card.after_text == ""
    await house.write("delete_file", "ann", path=PLAN)
    assert (notes / ".trash" / PLAN).read_bytes() == before


async def test_readers_get_none_of_it(house: House) -> None:
    await house.join("rea", SeriesRole.READER, "1")
    asker = await house.asker("rea")
    assert not {one.name for one in house.app.tools.for_model(asker)} & {tool.name for tool in SHEETS}
    with pytest.raises(NotPermitted):
        await house.core.lookup("list_xlsx_sheets", {"path": PLAN}, asker)


def tree(root: Path) -> dict[str, bytes]:
    return {one.relative_to(root).as_posix(): one.read_bytes() for one in root.rglob("*") if one.is_file()}
