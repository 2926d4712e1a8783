"""The offline responder behind the real turn, pipeline and canon."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.clock import new_id
from agent_core.events import Message
from agent_core.llm.offline import OfflineResponder
from agent_core.people.model import SeriesRole
from agent_core.texts.catalogue import say
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import House, open_house


@pytest.fixture
async def house(tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock) -> AsyncIterator[House]:
    async with open_house(tmp_path, endpoint, clock, new_id, model=OfflineResponder()) as opened:
        await opened.found()
        yield opened


async def test_answer_comes_from_the_canon_and_is_labelled(house: House) -> None:
    heard = await house.say("What colour are Mara's eyes?")

    [message] = heard.of(Message)
    assert message.markdown.startswith("Mara – eyes: green.")
    assert say("en", OfflineResponder().label) in message.as_of


async def test_approved_fact_is_written_and_told_in_no_more_than_a_line(house: House) -> None:
    card = await house.card(await house.say("Note that Mara's eyes are grey from chapter 2 on"))

    batch, heard = await house.decide(card.id)

    assert heard.answer == f"Saved as edit no. {batch.edit}."
    assert (await house.state("Mara", asOf="2"))["eyes"] == "grey"
    assert (await house.state("Mara", asOf="1"))["eyes"] == "green"


async def test_declined_fact_leaves_the_canon_as_it_was(house: House) -> None:
    card = await house.card(await house.say("Notiere, dass Mara schon immer graue Augen hatte"))

    _, heard = await house.decide(card.id, approve=False)

    assert heard.answer.startswith("Nicht übernommen: Mara – eyes: grau.")
    assert (await house.state("Mara"))["eyes"] == "green"


async def test_name_without_an_entry_is_quoted_from_the_scenes(house: House) -> None:
    heard = await house.say("Qui est Tom ?")

    assert heard.answer.startswith(say("fr", "error.unknown_entity", name="Tom", nearest=()))
    assert "> Tom, the smith, is a thief. (2.2)" in heard.answer


async def test_new_entry_and_its_fact_are_one_edit(house: House) -> None:
    card = await house.card(await house.say("Create a character called Tom and note that his eyes are brown"))

    await house.decide(card.id)

    assert len(card.calls) == 2
    assert (await house.state("Tom", asOf="2"))["eyes"] == "brown"


async def test_question_in_a_group_is_read_without_its_speaker(house: House) -> None:
    heard = await house.say("Who is Mara?", private=False)

    assert "**Mara** is noted as" in heard.answer


async def test_reader_reads_no_later_than_they_have_finished_and_writes_nothing(house: House) -> None:
    await house.write("record_lore_state", entityId="Mara", statePatch={"scarf": "lost"}, chapterId="2.1")
    await house.join("bob", SeriesRole.READER, "1")

    told = await house.say("Who is Mara?", user="bob")
    refused = await house.say("Note that Mara is dead", user="bob")

    assert "scarf" not in told.answer
    assert refused.answer == say("en", "offline.reply.no_writes")


async def test_german_name_that_looks_like_a_genitive_is_read_by_the_entries_there_are(house: House) -> None:
    for name in ("Hans", "Hans Meier"):
        await house.write("create_lore_entity", type="character", name=name, staticTraits={})
    card = await house.card(await house.say("Notiere, dass Hans Meier krank ist"))

    await house.decide(card.id)

    assert (await house.state("Hans Meier"))["Zustand"] == "krank"
    assert await house.state("Hans") == {}
    assert "**Hans Meier**" in (await house.say("Wer ist Hans Meier?")).answer


@pytest.mark.parametrize(
    "asked", ["Who changed Mara's eyes?", "Wer hat Maras Augen geändert?", "Qui a changé les yeux de Mara ?"]
)
async def test_who_changed_a_detail_is_answered_with_its_edits_and_who_made_them(
    house: House, asked: str
) -> None:
    await house.write("record_lore_state", entityId="Mara", statePatch={"scarf": "lost"}, chapterId="2.1")
    await house.write("record_lore_state", entityId="Mara", statePatch={"eyes": "grey"}, chapterId="2.1")

    heard = await house.say(asked)

    assert "eyes" in heard.answer
    assert "grey" in heard.answer
    assert "Ann" in heard.answer
    assert "scarf" not in heard.answer


@pytest.mark.parametrize(
    "asked",
    [
        "Where do we first meet Mara?",
        "In which chapter does Mara first appear?",
        "Wo treffen wir Mara zum ersten Mal?",
        "Wann taucht Mara zuerst auf?",
        "Où rencontre-t-on Mara pour la première fois ?",
        "Où apparaît Mara pour la première fois ?",
    ],
)
async def test_where_somebody_is_met_first_is_answered_with_the_first_passage(
    house: House, asked: str
) -> None:
    heard = await house.say(asked)

    assert heard.answer.count("\n> ") == 1
    assert "(1.1)" in heard.answer
