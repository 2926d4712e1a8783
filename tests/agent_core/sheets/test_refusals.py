"""What people read where a spreadsheet says no."""

import re
from pathlib import Path

import pytest

import agent_core.sheets
from agent_core.errors import Fact
from agent_core.texts import LANGUAGES, has, say

SOURCES = [*sorted(Path(agent_core.sheets.__file__).parent.glob("*.py"))]
TEXT = "".join(path.read_text("utf-8") for path in SOURCES)
REASONS = sorted({*re.findall(r'reason="(\w+)"', TEXT), "sheet_encrypted"})
FACTS: dict[str, Fact] = {
    "path": "a.xlsx", "nearest": ("Plan",), "sheet": "Plam", "cell": "B1", "merged": "A1:B1", "first": "A1",
    "blocked": ("x",), "lost": ("1 charts",), "problem": "no", "range": "x", "at": "x", "found": 5, "most": 3,
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", REASONS)
def test_each_refusal_has_its_sentence(reason: str, language: str) -> None:
    assert has(f"error.note.{reason}")
    assert "{" not in say(language, f"error.note.{reason}", **FACTS)


def test_refusals_were_found_in_the_code() -> None:
    assert len(REASONS) > 14
