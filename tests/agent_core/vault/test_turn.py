"""A turn that looks something up in the notes, proposes a change and makes it once it is approved."""

import json
import re
from pathlib import Path

from agent_core.events import ToolFinished
from agent_core.people.model import SeriesRole
from agent_core.pipeline.model import CallStatus
from tests.agent_core.vault.conftest import NOTES
from tests.clock import FakeClock
from tests.emulators.model_endpoint import Call
from tests.house import Heard, House


async def test_model_searches_notes_and_changes_one_after_a_yes(house: House, notes: Path) -> None:
    house.endpoint.reply(Call("search_fulltext", {"query": "forged"}))
    edit = {"path": "Characters/Mara.md", "old": "forged", "new": "drew"}
    house.endpoint.reply(
        Call("edit_file", edit), Call("append_to_file", {"path": "Heron.md", "text": "End."})
    )
    heard = await house.say("She drew it herself.")

    [result] = [
        json.loads(message["content"])
        for message in house.endpoint.requests[1].messages
        if message["role"] == "tool"
    ]
    assert result["data"]["items"][0]["quotes"] == [{"line": 12, "text": "She forged the chart."}]
    batch = await house.card(heard)
    assert [call.card.kind for call in batch.calls] == ["note_edit", "note_append"]
    assert (notes / "Characters/Mara.md").read_text() == NOTES["Characters/Mara.md"]

    house.endpoint.reply("Changed.")
    decided, after = await house.decide(batch.id)

    assert [call.status for call in decided.calls] == [CallStatus.DONE, CallStatus.DONE]
    assert after.answer == "Changed."
    assert (notes / "Characters/Mara.md").read_text() == NOTES["Characters/Mara.md"].replace("forged", "drew")
    assert (notes / "Heron.md").read_text() == f"{NOTES['Heron.md']}End.\n"
    assert {line.outcome for line in await house.audited(decided)} == {"done"}
    assert [event.outcome for event in heard.of(ToolFinished)][:1] == ["done"]


async def test_card_of_a_long_note_holds_the_change_alone(house: House, notes: Path) -> None:
    text = "word " * 40_000
    (notes / "Long.md").write_text(f"{text}\nold end\n")
    await house.write("append_to_file", "ann", path="Long.md", text="new end")
    batch = await house.core.propose(
        [("restore_backup", {"path": "Long.md"})], await house.asker(), complete=False
    )
    card = batch.calls[0].card
    assert len(card.before_text) < 1_000
    assert "new end" in card.before_text
    assert "new end" not in card.after_text


async def prompt(house: House, mode: str, user: str = "ann") -> str:
    """The system message of a turn in this mode."""
    house.endpoint.reply("Fine.")
    asker = await house.asker(user)
    incoming = house.incoming(asker, "What do you know?")
    heard = Heard()
    await house.core.handle(incoming, asker, heard.emit, mode=mode)
    return str(house.endpoint.requests[-1].messages[0]["content"])


async def test_prompt_names_the_notes_folders_and_brings_along_what_its_mode_says(
    house: House, notes: Path, clock: FakeClock
) -> None:
    general = await prompt(house, "general")
    assert "notes folders: novel." in general
    assert "Characters/Mara.md" not in general

    directory = await prompt(house, "directory")
    assert "novel: Characters/Mara.md\n" in directory
    assert "She forged the chart." not in directory

    documents = await prompt(house, "documents")
    assert "=== novel: Characters/Mara.md\n---\ntype: character" in documents
    (notes / "Places/Vel.md").write_text("# Vel\n\nburnt down\n")
    assert "burnt down" not in await prompt(house, "documents")
    clock.advance(seconds=301)
    assert "burnt down" in await prompt(house, "documents")


async def test_prompt_brings_along_as_much_as_fits(house: House, notes: Path) -> None:
    for number in range(250):
        (notes / f"n{number}.md").write_text("word " * 300)
    text = await prompt(house, "documents")
    assert len(text) < 210_000
    cut = re.search(r"\(cut, (\d+) of 257; the tools find the others\)", text)
    assert cut is not None
    assert 125 < int(cut[1]) == text.count("=== novel: ")


async def test_reader_gets_no_notes_with_the_prompt(house: House) -> None:
    await house.join("rea", SeriesRole.READER, "1")
    text = await prompt(house, "documents", "rea")
    assert "novel" not in text.replace("a novel", "")
    assert "forged" not in text
