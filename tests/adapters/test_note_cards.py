"""Cards of the notes folder as people read them: compared with a text that was looked at, in three languages.

`LOREKEEPER_WRITE_GOLDEN=1` writes the texts anew.
"""

import os
import re
from dataclasses import replace

import pytest

from adapters.cards import outcome_card, proposal_card
from adapters.cards.sentence import NOTE_KINDS
from agent_core.lore.answers import CardLine, Warn
from agent_core.pipeline.model import CallStatus
from agent_core.texts import LANGUAGES, has
from agent_core.tools.spec import Risk
from tests.adapters import samples
from tests.adapters.test_cards import GOLDEN, text_of

LINES = (
    CardLine(kind="note_create", title="Scenes/First.md", after_text="# First\nIt begins."),
    CardLine(kind="note_folder", title="Maps"),
    CardLine(kind="note_append", title="Mara.md", after_text="She lied."),
    CardLine(kind="note_edit", title="Mara.md", before_text="Pilot", after_text="Captain"),
    CardLine(kind="note_edit", title="Tom.md", before_text="a", after_text="b", facts={"count": 3}),
    CardLine(kind="note_restore", title="Mara.md", before_text="Captain", after_text="Pilot"),
    CardLine(kind="note_delete", title="Vel.md", warnings=(Warn(code="links_break", facts={"n": 2}),)),
    CardLine(kind="note_folder_delete", title="Old", facts={"notes": 3, "files": 300, "links": 0}),
    CardLine(kind="note_move", title="A.md", facts={"to": "B.md", "files": 0, "links": 1, "notes": 1}),
    CardLine(kind="note_move", title="Places", facts={"to": "Atlas", "files": 4, "links": 2, "notes": 2}),
    CardLine(
        kind="note_replace",
        title="**",
        before_text="The Heron sails.",
        after_text="The Gull sails.",
        facts={"count": 5, "notes": 2, "listed": "a.md (3), b.md (2)"},
    ),
    CardLine(
        kind="note_merge",
        title="Storm.md",
        facts={"notes": 1, "listed": "Storm copy.md", "links": 1, "differing": "age (Storm copy.md)"},
        warnings=(Warn(code="fields_differ", facts={"fields": "age (Storm copy.md)"}),),
    ),
    CardLine(kind="notes", title="novel", facts={"access": "write", "series": "The Salt Road"}),
    CardLine(kind="notes", title="novel", facts={"access": "read", "series": "The Salt Road"}),
    CardLine(kind="notes", title="novel", facts={"access": "none", "series": "The Salt Road"}),
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_card_of_notes_reads_as_it_did(language: str) -> None:
    view = replace(samples.VIEW, language=language)
    batch = samples.batch(*LINES, tool="edit_file", risk=Risk.DANGEROUS)
    done = samples.approved(*LINES, statuses=(CallStatus.DONE,) * len(LINES), edit=None)
    shown = (
        f"{text_of(proposal_card(batch, view), language)}\n\n{text_of(outcome_card(done, view), language)}"
    )
    path = GOLDEN / f"notes.{language}.txt"
    if os.environ.get("LOREKEEPER_WRITE_GOLDEN"):
        path.write_text(shown, "utf-8")
    assert shown == path.read_text("utf-8")
    assert not re.search(r"[{}]|\bNone\b|\bTrue\b|_", shown)


def test_every_kind_of_write_has_its_sentence() -> None:
    assert {line.kind for line in LINES} == {*NOTE_KINDS, "notes"}
    assert all(has(f"proposal.{kind}") for kind in NOTE_KINDS)
