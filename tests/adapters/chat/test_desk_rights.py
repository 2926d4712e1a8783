"""Who is heard on a chat platform, and what readers see of what the team does there."""

import pytest

from adapters.cards import Action
from adapters.chat.model import Attached
from agent_core.errors import ImportFailure
from tests.adapters.chat.acts import (
    SCARF,
    TWO,
    ask_for_card,
    inline,
    keep,
    labels,
    readers_up_to,
    seat,
    speaker_of,
)
from tests.adapters.chat.paper import Paper
from tests.emulators.model_endpoint import Call, ModelEndpoint


async def test_stranger_gets_one_line_and_costs_nothing(paper: Paper, endpoint: ModelEndpoint) -> None:
    room = await paper.say("eve", "Who is Mara?", "9")

    assert room.texts == ["I have sent it to you privately."]
    assert "not open to everybody" in paper.rooms.at("@eve").texts[-1]
    await paper.say("eve", "Hello?", "9")
    assert len(paper.rooms.at("@eve").texts) == 1
    assert endpoint.requests == []


async def test_steps_open_for_who_is_here(paper: Paper, endpoint: ModelEndpoint) -> None:
    endpoint.reply(Call("search_lore", {"query": "Mara"}))
    endpoint.reply("Green.")
    room = await paper.say("ben", "Her eyes?")

    await paper.restarted().press("ben", room.with_button(Action.OPEN), Action.OPEN)

    assert (
        "looked" in paper.rooms.at("@ben").texts[-1].lower()
        or "search" in paper.rooms.at("@ben").texts[-1].lower()
    )


async def test_deleted_message_never_reaches_the_model_again(paper: Paper, endpoint: ModelEndpoint) -> None:
    """C29."""
    endpoint.reply("You live at 12 Elm Road.")
    await paper.say("ben", "I live at 12 Elm Road.", message="m-secret")
    await paper.chat("ann", "Near the Elm Road bakery?", message="m-other")

    await paper.desk.amend(paper.spot("7"), "m-secret", None)
    await paper.desk.amend(paper.spot("7"), "m-other", None)
    endpoint.reply("Nothing.")
    await paper.restarted().say("ben", "What did I say?")

    assert "Elm Road" not in str(endpoint.requests[-1].messages)


async def test_strangers_reaction_counts_nothing_and_a_co_authors_does(
    paper: Paper, endpoint: ModelEndpoint
) -> None:
    """C15: the audit names who decided."""
    await ask_for_card(paper, endpoint)
    room = paper.rooms.at("7")
    card = room.with_button(Action.SAVE)
    assert card.seeded

    await paper.react("bea", card, "✅")
    assert "isn’t yours to decide" in room.texts[-1]
    endpoint.reply("It is noted.")
    await paper.restarted().react("ann", card, "👍🏽")

    assert "Saved, edit no." in card.part.text
    assert "by Ann" in card.part.text
    assert (await paper.house.state("Mara"))["scarf"] == "lost"
    approvers = {line.approver for line in await paper.house.audit() if line.tool == "record_lore_state"}
    assert len(approvers - {None}) == 1


async def test_numbers_choose_lines_and_yes_saves_only_those(paper: Paper, endpoint: ModelEndpoint) -> None:
    await ask_for_card(paper, endpoint, "ben", *TWO)
    card = paper.rooms.at("7").with_button(Action.SAVE)

    await paper.react("ben", card, "2️⃣")
    endpoint.reply("Noted.")
    await paper.restarted().react("ben", card, "✅")

    state = await paper.house.state("Mara")
    assert state["hat"] == "red"
    assert "scarf" not in state


async def test_reader_reads_no_further_and_is_offered_nothing_more(paper: Paper) -> None:
    await paper.say("ann", "/record Tom kin=brother @2.2 told 2.2", "@ann")
    hidden = (await paper.say("bea", "/lore Tom", "7")).texts[-1]
    missing = (await paper.say("bea", "/lore Jan", "7")).texts[-1]

    assert hidden.replace("Tom", "Jan") == missing


async def test_fuller_answer_is_for_the_one_who_may_see_it(paper: Paper) -> None:
    await readers_up_to(paper, "1")
    await paper.say("ann", "/record Mara scarf=lost @2.1 told 2.1", "@ann")
    room = paper.rooms.at("7")
    await paper.say("ben", "/lore Mara")
    card = room.with_button(Action.FULLER)
    assert "scarf" not in card.part.text

    await paper.press("bea", card, Action.FULLER)
    assert "scarf" not in "".join(paper.rooms.at("@bea").texts)
    await paper.press("ben", card, Action.FULLER)

    assert "scarf" in paper.rooms.at("@ben").texts[-1]
    assert "scarf" not in "".join(room.texts)


async def test_write_among_readers_is_shown_to_who_asked_alone(paper: Paper) -> None:
    await readers_up_to(paper, "1")
    await paper.say("ben", "/record Mara scarf=lost")

    room, alone = paper.rooms.at("7"), paper.rooms.at("@ben")
    assert "scarf" not in "".join(room.texts)
    assert "in private" in room.texts[-1]
    await paper.restarted().press("ben", alone.with_button(Action.SAVE), Action.SAVE)
    assert (await paper.house.state("Mara"))["scarf"] == "lost"
    assert "scarf" not in "".join(room.texts)


async def test_write_of_somebody_who_can_not_be_reached_stays_out_of_the_place(paper: Paper) -> None:
    await readers_up_to(paper, "1")
    paper.rooms.silent.add("ben")

    await paper.say("ben", "/record Mara scarf=lost")
    await keep(paper)

    room = paper.rooms.at("7")
    assert "scarf" not in "".join(room.texts)
    assert "can’t write to you privately" in room.texts[-1]


async def test_model_proposes_nothing_among_readers(paper: Paper, endpoint: ModelEndpoint) -> None:
    await readers_up_to(paper, "1")
    endpoint.reply(SCARF)
    endpoint.reply("Not here: ask me in a thread of the team.")

    room = await paper.say("ben", "Note that she loses her scarf.")

    assert "thread of the team" in room.texts[-1]
    assert await paper.house.core.open_batches((await seat(paper, "ben")).conversation.id) == ()


async def test_card_whose_place_readers_have_joined_moves_to_who_asked(
    paper: Paper, endpoint: ModelEndpoint
) -> None:
    await ask_for_card(paper, endpoint)
    room = paper.rooms.at("7")
    card = room.with_button(Action.SAVE)
    await readers_up_to(paper, "1")
    await paper.house.core.chat.card_gone("paper", card.ref)

    await keep(paper)

    assert "scarf" in paper.rooms.at("@ben").texts[-1]


async def test_cards_of_inline_names_are_three_at_most(paper: Paper) -> None:
    await paper.say("ben", "/entry new character Tom trade=smith told start", "@ben")
    room = paper.rooms.at("7")
    heard_text = "Do [[Mara]] and [[Tom]] and [[Mara@1.1]] and [[Vel]] meet?"
    await inline(paper, heard_text)

    assert len(room.sent) == 3


async def test_reader_can_not_change_the_settings_of_a_place(paper: Paper) -> None:
    room = await paper.say("bea", "/settings language de")

    assert "role" in room.texts[-1]
    assert (await seat(paper, "bea")).conversation.language == "en"


async def test_names_are_suggested_within_what_a_reader_may_see(paper: Paper) -> None:
    await paper.say("ann", "/entry new character Marzipan told 2.2", "@ann")
    speaker, spot = speaker_of("bea"), paper.spot("7")

    found = await paper.desk.suggest("lore", "entity", "mar", {}, speaker, spot)
    everything = await paper.desk.suggest("lore", "entity", "mar", {}, speaker_of("ann"), spot)

    assert [value for _, value in found] == ["Mara"]
    assert {value for _, value in everything} == {"Mara", "Marzipan"}
    assert await paper.desk.suggest("lore", "entity", "mar", {}, speaker_of("eve"), paper.spot("9")) == ()


async def test_entries_are_suggested_before_anything_is_typed(paper: Paper) -> None:
    await paper.say("ann", "/entry new character Marzipan told 2.2", "@ann")
    twin = {"type": "character", "name": "Mara", "disambiguator": "the elder", "toldAt": "2.2"}
    await paper.house.write("create_lore_entity", **twin, staticTraits={})
    spot = paper.spot("7")

    everything = await paper.desk.suggest("lore", "entity", " ", {}, speaker_of("ann"), spot)
    found = await paper.desk.suggest("lore", "entity", "", {}, speaker_of("bea"), spot)

    labels = [label for label, _ in everything]
    assert labels == sorted(labels, key=str.casefold)
    assert [value for _, value in everything if value == "Marzipan"] == ["Marzipan"]
    assert "Mara" not in [value for _, value in everything]  # which of the two would not be told
    assert "Marzipan" not in [value for _, value in found]
    assert "Mara" in [value for _, value in found]
    assert await paper.desk.suggest("lore", "entity", "", {}, speaker_of("eve"), paper.spot("9")) == ()


async def test_private_form_is_answered_to_the_person_alone(paper: Paper) -> None:
    await paper.call("ben", "lore", entity="Mara", private=True)

    assert "green" in paper.rooms.at("@ben").texts[-1]
    assert "green" not in "".join(paper.rooms.at("7").texts)


async def test_reader_imports_nothing_and_another_s_upload_is_out_of_reach(paper: Paper) -> None:
    paper.rooms.contents["f1"] = b"# The Tern\n\n## Chapter 1\n\nIlse.\n"
    book = Attached(name="tern.md", size=40, media_type="text/markdown", ref="f1")
    room = await paper.say("bea", "/import", files=(book,))
    assert "beta readers" in room.texts[-1]
    await paper.say("ann", "/import", files=(book,))
    [batch] = await paper.house.core.open_batches((await seat(paper, "ann")).conversation.id)
    upload = {"source": "upload", "upload": batch.calls[0].arguments["upload"]}

    with pytest.raises(ImportFailure):
        await paper.house.core.propose(
            [("import_manuscript", upload)], await seat(paper, "ben"), complete=True
        )


async def test_names_beyond_the_audience_stay_out_of_the_place(paper: Paper) -> None:
    await paper.say("ann", "/entry new character Marzipan told 2.2", "@ann")
    await paper.house.write(
        "create_lore_entity", type="character", name="Marzipan", disambiguator="the spy", staticTraits={}
    )
    await readers_up_to(paper, "1")

    for text in ("/record Marzipa hat=red @1.1", "/record Marzipan hat=red @1.1"):
        await paper.say("ben", text)

    assert "spy" not in "".join(paper.rooms.at("7").texts)
    assert "arzipan" not in "".join(paper.rooms.at("7").texts)
    assert "the spy" in "".join(paper.rooms.at("@ben").texts + labels(paper.rooms.at("@ben")))


async def test_owed_answer_of_the_team_stays_from_readers(paper: Paper, endpoint: ModelEndpoint) -> None:
    room = paper.rooms.at("7")
    room.refusing = "closed"
    endpoint.reply("Tom is the thief.")
    await paper.say("ben", "Who is the thief?")
    await readers_up_to(paper, "1")
    room.refusing = ""

    await keep(paper)

    assert "thief" not in "".join(room.texts)
    assert "Tom is the thief." in paper.rooms.at("@ben").texts[-1]


async def test_steps_are_for_those_who_see_as_much_as_it_did(paper: Paper, endpoint: ModelEndpoint) -> None:
    endpoint.reply(Call("search_lore", {"query": "Tom"}))
    endpoint.reply("He is a thief.")
    room = await paper.say("ben", "Who is Tom?")
    trace = room.with_button(Action.OPEN)

    await paper.press("bea", trace, Action.OPEN)
    await paper.press("sam", trace, Action.OPEN)

    assert "Tom" not in "".join(paper.rooms.at("@bea").texts + paper.rooms.at("@sam").texts)


async def test_buttons_of_a_private_card_go_on(paper: Paper) -> None:
    await paper.say("ann", "/record Mara scarf=lost @2.1 told 2.1", "@ann")
    await paper.say("ben", "/lore Mara @1.1")
    await paper.call("ben", "lore", entity="Mara", at="1.1", private=True)
    alone = paper.rooms.at("@ben")

    await paper.restarted().press("ben", alone.with_button(Action.LATER), Action.LATER)

    assert "too old" not in alone.texts[-1]
    assert "Mara" in alone.texts[-1]


async def test_only_those_who_write_here_start_a_group_afresh(paper: Paper, endpoint: ModelEndpoint) -> None:
    await paper.chat("ann", "She is forty.")
    room = await paper.say("bea", "/new")
    assert "role" in room.texts[-1]

    await paper.say("ben", "/new")
    endpoint.reply("Hm.")
    await paper.say("ben", "So?")

    assert "forty" not in str(endpoint.requests[-1].messages)


async def test_person_who_can_not_be_written_to_is_told_so(paper: Paper) -> None:
    await readers_up_to(paper, "1")
    paper.rooms.at("@ben").refusing = "closed"

    room = await paper.say("ben", "/record Mara scarf=lost")

    assert "can’t write to you privately" in room.texts[-1]
