"""A turn that looks something up in the notes, proposes a change and makes it once it is approved."""

import json
from pathlib import Path

from agent_core.events import ToolFinished
from agent_core.pipeline.model import CallStatus
from tests.agent_core.vault.conftest import NOTES
from tests.emulators.model_endpoint import Call
from tests.house import House


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
