"""Cards of documents as people read them, in three languages."""

from dataclasses import replace

import pytest

from adapters.cards import proposal_card
from agent_core.lore.answers import CardLine, Warn
from agent_core.texts import LANGUAGES, has
from agent_core.tools.spec import Risk
from tests.adapters import samples
from tests.adapters.test_cards import text_of

LINES = (
    CardLine(kind="document", title="Vel.pdf", facts={"pages": 3, "folder": "exports"}),
    CardLine(kind="document", title="Vel.docx", facts={"words": 1200, "about_pages": 4}),
    CardLine(
        kind="document",
        title="Cast.xlsx",
        facts={"rows": 1, "sheets": 2, "folder": "exports"},
        warnings=(
            Warn(code="document_overwrites"),
            Warn(code="document_removed", facts={"n": 2}),
            Warn(code="document_pictures", facts={"pictures": "a.png"}),
            Warn(code="document_scripts", facts={"scripts": "Runic, Thai"}),
            Warn(code="document_names", facts={"names": "“a:b” → “a-b”"}),
            Warn(code="document_cut", facts={"cells": "S!A2"}),
        ),
    ),
)


def card_text(language: str) -> str:
    view = replace(samples.VIEW, language=language)
    card = proposal_card(samples.batch(*LINES, tool="create_pdf", risk=Risk.WRITE), view)
    return " ".join(text_of(card, language).split())


def test_card_says_name_size_and_place() -> None:
    text = card_text("en")
    assert "make “Vel.pdf” (3 pages), sent with the answer and kept in exports of the notes folder" in text
    assert "make “Vel.docx” (about 4 pages, 1,200 words), sent with the answer" in text
    assert "make “Cast.xlsx” (one row, 2 sheets), sent with the answer and kept in exports" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_card_warns_of_what_is_not_as_asked(language: str) -> None:
    text = card_text(language)
    for said in ("Runic, Thai", "a.png", "“a:b” → “a-b”", "S!A2"):
        assert said in text


@pytest.mark.parametrize("reason", ["extra", "empty", "both", "too_long", "rows", "columns", "book"])
def test_every_refusal_has_its_sentence(reason: str) -> None:
    assert has(f"error.document.{reason}")
