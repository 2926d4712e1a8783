"""What people read where the notes folder says no."""

import re
from pathlib import Path

import pytest

import agent_core.vault
from agent_core.errors import Fact
from agent_core.texts import LANGUAGES, has, say

SOURCES = sorted(Path(agent_core.vault.__file__).parent.glob("*.py"))
REASONS = sorted(
    {
        reason
        for path in SOURCES
        for reason in re.findall(r'NoteRefusal\(\s*reason="(\w+)"', path.read_text("utf-8"))
    }
    | {"disk", "unreadable", "folder", "kind"}
)
FACTS: dict[str, Fact] = {
    "path": "a.md", "nearest": ("b.md", "c.md"), "heading": "A", "lines": ("1",
    "2"), "found": 3, "expected": 1,
    "cause": "no", "most": 5, "not_allowed": "#",
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("reason", REASONS)
def test_each_refusal_has_its_sentence(reason: str, language: str) -> None:
    assert has(f"error.note.{reason}")
    assert "{" not in say(language, f"error.note.{reason}", **FACTS)


def test_refusals_were_found_in_the_code() -> None:
    assert len(REASONS) > 25
