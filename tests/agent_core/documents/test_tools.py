"""Documents asked for in a chat turn: proposed, approved, kept in the notes folder and sent."""

import asyncio
import json
import sys
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import docx
import pytest
from openpyxl import load_workbook
from pypdf import PdfReader

from agent_core.documents.exports import stem_of
from agent_core.errors import NotPermitted, UnknownPosition
from agent_core.events import ConfirmationAsked
from agent_core.importing.docx import read_docx
from agent_core.importing.epub import read_epub
from agent_core.importing.markdown import read_markdown
from agent_core.lore.answers import CardLine
from agent_core.messages import Json
from agent_core.people.model import SeriesRole
from agent_core.pipeline.model import CallStatus
from tests.agent_core.documents.conftest import with_documents
from tests.emulators.model_endpoint import Call
from tests.house import House

Told = Mapping[str, Json]


async def made(house: House, tool: str, **arguments: Json) -> tuple[CardLine, Told, bytes]:
    """Let the model ask for a document, approve it; return its card, what the model hears, and the file."""
    house.endpoint.reply(Call(tool, arguments))
    batch = await house.card(await house.say("Make it."))
    house.endpoint.reply("Here it is.")
    decided, _ = await house.decide(batch.id)
    assert [call.status for call in decided.calls] == [CallStatus.DONE]
    [answer] = [one for one in house.endpoint.requests[-1].messages if one["role"] == "tool"][-1:]
    told = json.loads(answer["content"])
    content = await house.core.askers.files.store.content(told["attached"])
    assert content is not None
    return batch.calls[0].card, told, content


async def refused(house: House, tool: str, **arguments: Json) -> str:
    """Let the model ask for a document that is refused; return what it is told."""
    house.endpoint.reply(Call(tool, arguments))
    house.endpoint.reply("That did not work.")
    heard = await house.say("Make it.")
    assert heard.of(ConfirmationAsked) == []
    return str(house.endpoint.requests[-1].messages[-1]["content"])


async def test_pdf_of_a_text_is_kept_and_sent(house: House, notes: Path) -> None:
    text = "# Vel\n\n![[chart.png]]\n\nA harbour[^1].\n\n[^1]: Of salt."
    card, told, sent = await made(house, "create_pdf", title="The harbour: Vel?", text=text, author="Ann")

    assert (card.kind, card.title) == ("document", "The harbour- Vel.pdf")
    assert card.facts == {"pages": 1, "folder": "exports"}
    assert (notes / "exports" / card.title).read_bytes() == sent
    page = PdfReader(BytesIO(sent)).pages[0]
    assert "Of salt." in page.extract_text()
    assert len(page.images) == 1
    assert told["path"] == f"exports/{card.title}"


async def test_docx_of_a_note_is_kept_and_sent(house: House, notes: Path) -> None:
    card, _, sent = await made(house, "create_docx", title="Vel", note="Maps/Vel.md")

    assert (notes / "exports" / "Vel.docx").read_bytes() == sent
    document = docx.Document(BytesIO(sent))
    assert [one.text for one in document.paragraphs if one.text] == ["Vel", "Vel", "A harbour."]
    assert len(document.inline_shapes) == 1
    assert card.facts["about_pages"] == 1


async def test_workbook_is_kept_and_sent_and_its_changed_names_are_told(house: House, notes: Path) -> None:
    """A39, A41."""
    sheets: list[Json] = [{"name": "Ch: 1", "header": ["Name", "Age"], "rows": [["=1+1", 34], ["Tom", None]]}]
    card, told, sent = await made(house, "create_xlsx", title="Cast", sheets=sheets)

    assert (notes / "exports" / "Cast.xlsx").read_bytes() == sent
    page = load_workbook(BytesIO(sent))["Ch- 1"]
    assert [[cell.value for cell in row] for row in page.rows] == [
        ["Name", "Age"],
        ["=1+1", 34],
        ["Tom", None],
    ]
    assert page["A2"].data_type == "s"
    assert told["sheetNamesChanged"] == {"Ch: 1": "Ch- 1"}
    assert [one.code for one in card.warnings] == ["document_names"]
    assert card.facts["rows"] == 2


async def test_csv_is_kept_and_sent(house: House, notes: Path) -> None:
    """A41, A42."""
    _, _, sent = await made(
        house, "create_csv", title="Cast", header=["n", "v"], rows=[["=A1", -5], ["-5", 1.5]]
    )

    assert (notes / "exports" / "Cast.csv").read_bytes() == sent
    assert sent == b'\xef\xbb\xbf"n","v"\r\n"\'=A1",-5\r\n"-5",1.5\r\n'


async def test_control_characters_are_told(house: House) -> None:
    """A40."""
    card, told, _ = await made(house, "create_docx", title="A\x0bB", text="c\x1bd")
    assert told["controlCharactersRemoved"] == 2
    assert [one.code for one in card.warnings] == ["document_removed"]


async def test_second_file_of_a_name_gets_a_free_one(house: House, notes: Path) -> None:
    for _ in range(2):
        await made(house, "create_csv", title="Cast", rows=[[1]])
    assert sorted(one.name for one in (notes / "exports").iterdir()) == ["Cast 2.csv", "Cast.csv"]


async def test_overwriting_is_said_on_the_card_and_keeps_a_backup(house: House, notes: Path) -> None:
    _, _, before = await made(house, "create_csv", title="Cast", rows=[[1]])
    card, _, after = await made(house, "create_csv", title="Cast", rows=[[2]], overwrite=True)

    assert [one.code for one in card.warnings] == ["document_overwrites"]
    assert (notes / "exports" / "Cast.csv").read_bytes() == after != before
    vault = house.app.core.askers.vaults.vaults["novel"]
    kept = await asyncio.to_thread(vault.backups.all, "exports/Cast.csv")
    assert [one.size for one in kept] == [len(before)]


async def test_file_is_only_sent_where_no_notes_folder_may_be_written(house: House, notes: Path) -> None:
    await house.write("attach_notes", name="novel", access="read")
    card, told, sent = await made(house, "create_csv", title="Cast", rows=[[1]])
    assert sent.endswith(b"1\r\n")
    assert "folder" not in card.facts
    assert told["path"] == ""
    assert not (notes / "exports").exists()


async def test_declined_document_leaves_nothing(house: House, notes: Path) -> None:
    house.endpoint.reply(Call("create_csv", {"title": "Cast", "rows": [[1]]}))
    batch = await house.card(await house.say("Make it."))
    house.endpoint.reply("Fine.")
    await house.decide(batch.id, approve=False)
    assert not (notes / "exports").exists()
    assert await house.core.askers.files.store.due_files() == ()


async def test_picture_outside_the_notes_folder_is_not_shown(house: House) -> None:
    _, told, sent = await made(
        house, "create_pdf", title="A", text="![x](../secret.png)\n\n![y](/etc/logo.png)"
    )
    assert told["picturesNotShown"] == ["../secret.png", "/etc/logo.png"]
    assert not PdfReader(BytesIO(sent)).pages[0].images


@pytest.mark.parametrize("tool", ["create_pdf", "create_docx"])
async def test_document_of_nothing_is_refused(house: House, notes: Path, tool: str) -> None:
    assert "reason=empty" in await refused(house, tool, title="A", text=" ")
    assert "reason=both" in await refused(house, tool, title="A", text="a", note="Maps/Vel.md")
    assert "reason=unknown" in await refused(house, tool, title="A", note="Maps/Val.md")
    assert not (notes / "exports").exists()


async def test_tables_of_nothing_and_unknown_folders_are_refused(house: House, notes: Path) -> None:
    assert "reason=empty" in await refused(
        house, "create_xlsx", title="A", sheets=[{"name": "A", "rows": []}]
    )
    assert "reason=empty" in await refused(house, "create_csv", title="A", rows=[])
    assert "reason=vault" in await refused(house, "create_csv", title="A", rows=[[1]], vault="other")
    assert not (notes / "exports").exists()


async def test_readers_make_no_documents(house: House) -> None:
    await house.join("ben", SeriesRole.READER, "1")
    await with_documents(house, "ben")
    house.endpoint.reply(Call("create_pdf", {"title": "A", "note": "Maps/Vel.md"}))
    house.endpoint.reply("That did not work.")

    heard = await house.say("Make it.", "ben")

    assert heard.of(ConfirmationAsked) == []
    assert "create_pdf" not in house.endpoint.requests[0].tools
    with pytest.raises(NotPermitted):
        await house.write("create_pdf", "ben", title="A", text="b")


def test_stem_fits_every_disk() -> None:
    stems = [
        stem_of(name, ".pdf")
        for name in ("a/b", "../x", "CON", "", "x" * 500, "A.pdf", "\u202eabc", "日" * 99)
    ]
    assert stems[:4] == ["a-b", "x", "Document CON", "Document"]
    assert stems[5] == "A"
    assert all(len(one.encode()) <= 130 for one in stems)


@pytest.mark.parametrize("form", ["docx", "epub", "markdown"])
async def test_book_is_taken_out_and_comes_back(house: House, notes: Path, tmp_path: Path, form: str) -> None:
    card, told, sent = await made(house, "export_book", format=form)

    path = notes / str(told["path"])
    assert path.read_bytes() == sent
    assert path.stem == "The Heron"
    assert card.facts == {"chapters": 2, "folder": "exports"}
    book = await asyncio.to_thread(
        {"docx": read_docx, "epub": read_epub, "markdown": read_markdown}[form], path
    )
    assert [(one.number, [scene.text for scene in one.scenes]) for one in book.chapters] == [
        ("1", ["Mara waits at the harbour of Vel. Her eyes are green.", "The Heron sails at dusk."]),
        ("2", ["In Oru, Mara loses her scarf.", "Tom, the smith, is a thief."]),
    ]


async def test_typed_export_is_done_at_once(house: House, notes: Path) -> None:
    batch = await house.core.propose(
        [("export_book", {"format": "epub", "book": "The Heron"})], await house.asker(), complete=True
    )
    assert batch.settled
    assert [one.name for one in (notes / "exports").iterdir()] == ["The Heron.epub"]


async def test_readers_take_no_book_out_and_no_book_is_taken_for_another(house: House, notes: Path) -> None:
    await house.join("ben", SeriesRole.READER, "1")
    with pytest.raises(NotPermitted):
        await house.write("export_book", "ben", format="epub")
    with pytest.raises(UnknownPosition):
        await house.write("export_book", format="epub", book="The Gull")
    assert not (notes / "exports").exists()


async def test_missing_extra_is_one_sentence_that_says_what_helps(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "agent_core.documents.pdf", raising=False)
    monkeypatch.setitem(sys.modules, "typst", None)  # as where it is not installed

    assert "scripts/run --full" in await refused(house, "create_pdf", title="A", text="b")
    card, _, _ = await made(house, "create_docx", title="A", text="b")
    assert card.title == "A.docx"


async def test_text_beyond_all_measure_is_refused(house: House, notes: Path) -> None:
    (notes / "Long.md").write_text("word " * 1_000_001)
    assert "reason=too_long" in await refused(house, "create_docx", title="A", note="Long.md")


async def test_files_of_one_card_get_the_names_that_it_says(house: House, notes: Path) -> None:
    lines: list[tuple[str, Told]] = [("create_csv", {"title": "Cast", "rows": [[n]]}) for n in (1, 2)]
    batch = await house.core.propose(lines, await house.asker(), complete=False)
    assert [call.card.title for call in batch.calls] == ["Cast.csv", "Cast 2.csv"]

    decided, _ = await house.decide(batch.id)

    assert [call.status for call in decided.calls] == [CallStatus.DONE] * 2
    assert [(notes / "exports" / name).read_bytes()[-3:] for name in ("Cast.csv", "Cast 2.csv")] == [
        b"1\r\n",
        b"2\r\n",
    ]


async def test_file_that_would_take_the_place_of_another_is_asked_for_anew(house: House, notes: Path) -> None:
    arguments: Told = {"title": "Cast", "rows": [[1]], "overwrite": True}
    batch = await house.core.propose([("create_csv", arguments)], await house.asker(), complete=False)
    assert batch.calls[0].card.warnings == ()
    (notes / "exports").mkdir()
    (notes / "exports/Cast.csv").write_text("made by Ann in a spreadsheet")

    fresh, _ = await house.decide(batch.id)

    assert [one.code for one in fresh.calls[0].card.warnings] == ["document_overwrites"]
    assert (notes / "exports/Cast.csv").read_text() == "made by Ann in a spreadsheet"
    await house.decide(fresh.id)
    assert (notes / "exports/Cast.csv").read_bytes().endswith(b"1\r\n")
