"""Cards of spreadsheets as people read them: compared with a text that was looked at, in three languages.

`LOREKEEPER_WRITE_GOLDEN=1` writes the texts anew.
"""

import os
import re
from dataclasses import replace

import pytest

from adapters.cards import proposal_card
from agent_core.lore.answers import CardLine, KeyChange, Warn
from agent_core.sheets.structure import Action
from agent_core.texts import LANGUAGES, has
from agent_core.tools.spec import Risk
from tests.adapters import samples
from tests.adapters.test_cards import GOLDEN, text_of


def line(action: str, **facts: str | int) -> CardLine:
    return CardLine(kind="sheet", title="Plan.xlsx", facts={"action": action, "sheet": "Plan", **facts})


LINES = (
    CardLine(
        kind="sheet",
        title="Plan.xlsx",
        changes=(
            KeyChange(key="A1", before="10", after="11"),
            KeyChange(key="B1", before=None, after="=no"),
            KeyChange(key="C1", before="=A1*2", after=None),
        ),
        facts={"action": "cells", "sheet": "Plan", "count": 3},
        warnings=(
            Warn(code="sheet_open"),
            Warn(code="sheet_protected", facts={"sheet": "Plan"}),
            Warn(code="sheet_formula_texts", facts={"n": 1}),
            Warn(code="sheet_number_texts", facts={"n": 2}),
            Warn(code="sheet_long_numbers", facts={"n": 1}),
            Warn(code="sheet_cleaned", facts={"n": 4}),
            Warn(code="sheet_recalculated", facts={"n": 1200}),
            Warn(code="sheet_more", facts={"n": 12}),
        ),
    ),
    CardLine(
        kind="sheet",
        title="Cast.xlsx",
        changes=(KeyChange(key="5", after="Oru | 7"), KeyChange(key="6", after="Vel | 8")),
        facts={"action": "rows", "sheet": "Cast", "count": 2, "at": 5},
    ),
    line("insert_rows", at="3", count=1, moved=10),
    line("insert_columns", at="C", count=2, moved=0),
    CardLine(
        kind="sheet",
        title="Plan.xlsx",
        before_text="30 | Mara | =A3*2",
        facts={"action": "delete_rows", "sheet": "Plan", "at": "3", "count": 1, "moved": 4, "cells": 3},
        warnings=(
            Warn(code="sheet_references", facts={"n": 2, "places": "name total, Other!A1"}),
            Warn(code="sheet_from_text", facts={"n": 1, "places": "Other!B1"}),
        ),
    ),
    line("delete_columns", at="C", count=3, moved=1, cells=40),
    line("add_sheet", name="Ch- 1", wanted="Ch: 1"),
    line("copy_sheet", was="Plan", name="Plan (2)"),
    line("rename_sheet", was="Plan", name="Ch- 1", wanted="Ch: 1", moved=7),
    line("delete_sheet", cells=14, moved=2),
    CardLine(
        kind="sheet",
        title="Plan 2.xlsx",
        changes=(KeyChange(key="A1", before="10", after="11"),),
        facts={"action": "cells", "sheet": "Plan", "count": 1, "source": "Plan.xlsm"},
        warnings=(
            Warn(code="sheet_lacks", facts={"kind": "charts", "count": 2, "sheet": "Plan"}),
            Warn(code="sheet_lacks", facts={"kind": "macros", "count": 1, "sheet": ""}),
            Warn(code="sheet_lacks", facts={"kind": "newThing", "count": 1, "sheet": ""}),
        ),
    ),
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_card_of_a_spreadsheet_reads_as_it_did(language: str) -> None:
    batch = samples.batch(*LINES, tool="update_xlsx_cells", risk=Risk.DANGEROUS)
    shown = text_of(proposal_card(batch, replace(samples.VIEW, language=language)), language)
    path = GOLDEN / f"sheets.{language}.txt"
    if os.environ.get("LOREKEEPER_WRITE_GOLDEN"):
        path.write_text(shown, "utf-8")
    assert shown == path.read_text("utf-8")
    assert not re.search(r"[{}]|\bNone\b|_", shown)


def test_every_action_has_its_sentence() -> None:
    assert {str(one.facts["action"]) for one in LINES} == {*Action, "cells", "rows"}
    assert all(has(f"proposal.sheet_{action}") for action in (*Action, "cells", "rows"))
