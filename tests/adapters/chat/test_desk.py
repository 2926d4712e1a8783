"""What people do on a chat platform, and what the desk does with it."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from adapters.cards import Action
from adapters.chat.keeping import Keeping
from adapters.chat.model import Attached, Heard, Quoted, Speaker
from adapters.surface import Mark
from agent_core.conversation.model import Audience
from agent_core.errors import ImportFailure
from agent_core.lore.model import Author
from agent_core.pipeline.model import BatchStatus
from agent_core.tools.spec import Asker
from tests.adapters.chat.paper import Paper, PaperRoom
from tests.emulators.model_endpoint import Call, ModelEndpoint, Raw

SCARF = Call("record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "lost"}, "chapterId": "2.1"})
HARBOUR = Call("record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "lost"}, "chapterId": "1.1"})
TWO = (
    SCARF,
    Call("record_lore_state", {"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "2.1"}),
)


async def ask_for_card(paper: Paper, endpoint: ModelEndpoint, user: str = "ben", *calls: Call) -> None:
    """Let the model propose what the calls say."""
    endpoint.reply("I would note that:", *(calls or (SCARF,)))
    await paper.say(user, "Note that she loses her scarf.")


async def test_fresh_platform_hears_only_who_has_the_code(fresh: Paper, endpoint: ModelEndpoint) -> None:
    room = await fresh.say("sam", "Who is Mara?", "@sam")
    assert "no operator yet" in room.texts[-1]
    await fresh.say("sam", "Who is Mara?", "@sam")
    assert len(room.texts) == 1

    code = await fresh.house.app.pairing.new_code()
    await fresh.say("ann", f"/start {code}", "@ann")

    assert "You are the operator" in fresh.rooms.at("@ann").texts[-1]
    assert endpoint.requests == []


async def test_wrong_code_opens_nothing(fresh: Paper) -> None:
    room = await fresh.say("sam", "/start 000000", "@sam")

    assert await fresh.house.app.pairing.is_paired("paper") is False
    assert "operator here" not in room.texts[-1]


async def test_stranger_gets_one_line_and_costs_nothing(paper: Paper, endpoint: ModelEndpoint) -> None:
    room = await paper.say("eve", "Who is Mara?", "9")

    assert room.texts == ["I have sent it to you privately."]
    assert "not open to everybody" in paper.rooms.at("@eve").texts[-1]
    await paper.say("eve", "Hello?", "9")
    assert len(paper.rooms.at("@eve").texts) == 1
    assert endpoint.requests == []


async def test_question_is_answered_with_one_silent_trace(paper: Paper, endpoint: ModelEndpoint) -> None:
    endpoint.reply(Call("search_lore", {"query": "Mara"}))
    endpoint.reply("Her eyes are green (1.1).")

    room = await paper.say("ben", "What colour are her eyes?")

    answer = next(sent for sent in room.sent.values() if "green" in sent.part.text)
    trace = room.with_button(Action.OPEN)
    assert answer.reply_to == f"m{paper.updates}"
    assert trace.silent
    assert "one step" in trace.part.text
    assert room.marks[-1][1] is Mark.DONE
    assert await paper.house.core.owed() == ()


async def test_steps_open_for_who_is_here(paper: Paper, endpoint: ModelEndpoint) -> None:
    endpoint.reply(Call("search_lore", {"query": "Mara"}))
    endpoint.reply("Green.")
    room = await paper.say("ben", "Her eyes?")

    await paper.restarted().press("ben", room.with_button(Action.OPEN), Action.OPEN)

    assert (
        "looked" in paper.rooms.at("@ben").texts[-1].lower()
        or "search" in paper.rooms.at("@ben").texts[-1].lower()
    )


async def test_chatter_starts_nothing_and_is_context_of_the_next_question(
    paper: Paper, endpoint: ModelEndpoint
) -> None:
    await paper.chat("ann", "I think she is forty by now.")
    assert endpoint.requests == []

    endpoint.reply("Perhaps.")
    await paper.say("ben", "Is that so?", quoted=(Quoted(author="Bea", text="She is twelve."),))

    asked = str(endpoint.requests[-1].messages[-1]["content"])
    assert "Ann: I think she is forty by now." in asked
    assert "(in answer to Bea:) She is twelve." in asked
    assert asked.endswith("Ben: Is that so?")


async def test_quoted_message_that_is_gone_is_said_to_be(paper: Paper, endpoint: ModelEndpoint) -> None:
    """C26."""
    endpoint.reply("I can't see it.")

    await paper.say("ben", "Shorten this", quoted=(Quoted(author="Bea", text=None),))

    assert "a message of Bea that is gone" in str(endpoint.requests[-1].messages[-1]["content"])


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


async def test_edited_message_is_read_as_edited(paper: Paper, endpoint: ModelEndpoint) -> None:
    endpoint.reply("Noted in mind.")
    await paper.say("ben", "She is forty.", message="m-age")

    await paper.desk.amend(paper.spot("7"), "m-age", "She is fourteen.")
    endpoint.reply("Fourteen.")
    await paper.say("ben", "How old?")

    sent = str(endpoint.requests[-1].messages)
    assert "fourteen" in sent
    assert "forty" not in sent


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


async def test_other_reactions_are_no_decision(paper: Paper, endpoint: ModelEndpoint) -> None:
    """C17."""
    await ask_for_card(paper, endpoint)
    card = paper.rooms.at("7").with_button(Action.SAVE)

    for emoji in ("🔥", "❤", "❤️", "🤔"):
        await paper.react("ann", card, emoji)

    assert len(await paper.house.core.open_batches((await seat(paper, "ann")).conversation.id)) == 1


async def test_thumb_down_discards(paper: Paper, endpoint: ModelEndpoint) -> None:
    await ask_for_card(paper, endpoint)
    card = paper.rooms.at("7").with_button(Action.SAVE)
    endpoint.reply("Then not.")

    await paper.react("ben", card, "👎")

    assert "scarf" not in await paper.house.state("Mara")
    assert "iscarded" in card.part.text


async def test_reaction_taken_away_afterwards_undoes_nothing(paper: Paper, endpoint: ModelEndpoint) -> None:
    """C16."""
    await ask_for_card(paper, endpoint)
    room = paper.rooms.at("7")
    card = room.with_button(Action.SAVE)
    await paper.react("bea", card, "✅", added=False)
    await paper.react("ann", card, "✅", added=False)
    assert "scarf" not in await paper.house.state("Mara")
    endpoint.reply("Noted.")
    await paper.react("ann", card, "✅")

    await paper.react("ben", card, "✅", added=False)
    before = len(room.texts)
    await paper.react("ann", card, "✅", added=False)

    assert "decided and done" in room.texts[-1]
    assert len(room.texts) == before + 1
    assert (await paper.house.state("Mara"))["scarf"] == "lost"


async def test_numbers_choose_lines_and_yes_saves_only_those(paper: Paper, endpoint: ModelEndpoint) -> None:
    await ask_for_card(paper, endpoint, "ben", *TWO)
    card = paper.rooms.at("7").with_button(Action.SAVE)

    await paper.react("ben", card, "2️⃣")
    endpoint.reply("Noted.")
    await paper.restarted().react("ben", card, "✅")

    state = await paper.house.state("Mara")
    assert state["hat"] == "red"
    assert "scarf" not in state


async def test_button_leaves_a_line_out(paper: Paper, endpoint: ModelEndpoint) -> None:
    await ask_for_card(paper, endpoint, "ben", *TWO)
    room = paper.rooms.at("7")

    await paper.press("ben", room.with_button(Action.TOGGLE), Action.TOGGLE, 0)
    endpoint.reply("Noted.")
    await paper.press("ben", room.with_button(Action.SAVE_SELECTION), Action.SAVE_SELECTION)

    state = await paper.house.state("Mara")
    assert (state["hat"], "scarf" in state) == ("red", False)


async def test_button_of_a_decided_card_is_answered(paper: Paper, endpoint: ModelEndpoint) -> None:
    """C18: never silence."""
    await ask_for_card(paper, endpoint)
    room = paper.rooms.at("7")
    card = room.with_button(Action.SAVE)
    save = next(carried for carried, button in card.part.buttons if button.action is Action.SAVE)
    endpoint.reply("Noted.")
    await paper.press("ben", card, Action.SAVE)

    later = paper.restarted()
    await later.press_id("ann", card.ref, save)
    assert "saved already" in room.texts[-1]
    await later.press_id("ann", card.ref, "lks0:no-such-batch")
    assert "no longer exists" in room.texts[-1]
    await later.press_id("ann", card.ref, "something else")
    assert "too old" in room.texts[-1]


async def test_card_decided_elsewhere_shows_it(paper: Paper, endpoint: ModelEndpoint) -> None:
    await ask_for_card(paper, endpoint)
    card = paper.rooms.at("7").with_button(Action.SAVE)
    [batch] = await paper.house.core.open_batches((await seat(paper, "ann")).conversation.id)
    await paper.house.core.decisions.close(batch, BatchStatus.EXPIRED)

    await keep(paper)

    assert "ran out" in card.part.text
    assert card.part.buttons == ()


async def test_due_card_is_closed_by_itself(paper: Paper, endpoint: ModelEndpoint) -> None:
    await ask_for_card(paper, endpoint)
    card = paper.rooms.at("7").with_button(Action.SAVE)

    paper.house.clock.advance(days=8)
    await keep(paper)

    assert "ran out" in card.part.text


async def test_take_back_by_button_and_by_reaction(paper: Paper, endpoint: ModelEndpoint) -> None:
    await ask_for_card(paper, endpoint)
    room = paper.rooms.at("7")
    card = room.with_button(Action.SAVE)
    endpoint.reply("Noted.")
    await paper.press("ben", card, Action.SAVE)

    await paper.react("ben", card, "↩️")

    assert "scarf" not in await paper.house.state("Mara")
    assert "take back edit no." in room.texts[-1]


async def test_yes_in_answer_to_a_card_saves_it(paper: Paper, endpoint: ModelEndpoint) -> None:
    """C19."""
    await ask_for_card(paper, endpoint)
    card = paper.rooms.at("7").with_button(Action.SAVE)
    endpoint.reply("Noted.")

    await paper.say("ann", "yes", answers=card.ref)

    assert (await paper.house.state("Mara"))["scarf"] == "lost"


async def test_command_is_done_at_once_and_a_forwarded_one_asks(paper: Paper) -> None:
    room = await paper.say("ben", "/record Mara coat=grey @1.1 told start")
    assert "Saved, edit no." in room.texts[-1]

    await paper.say("ben", "/record Mara boots=red @1.1 told start", original=False)

    assert room.with_button(Action.SAVE).part.text == room.texts[-1]
    assert "boots" not in await paper.house.state("Mara")


async def test_command_delivered_twice_writes_once(paper: Paper) -> None:
    """C34."""
    for _ in range(2):
        await paper.restarted().say("ben", "/record Mara coat=grey @1.1 told start", update="900")

    coats = [line for line in await paper.house.audit() if line.tool == "record_lore_state"]
    assert len(coats) == 1
    assert len(paper.rooms.at("7").with_button(Action.TAKE_BACK).texts) >= 1


async def test_question_delivered_twice_is_answered_once(paper: Paper, endpoint: ModelEndpoint) -> None:
    """C34."""
    endpoint.reply("Green.")
    for _ in range(2):
        await paper.restarted().say("ben", "Her eyes?", update="900")

    assert len(endpoint.requests) == 1
    assert paper.rooms.at("7").texts.count("Green.") == 1


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


async def test_thread_takes_over_the_book_of_its_channel(paper: Paper) -> None:
    room = await paper.say("ben", "/lore Mara", "7-1", "7")
    assert "not linked" not in room.texts[-1]
    assert "green" in room.texts[-1]


async def test_answer_that_could_not_be_shown_is_shown_later(paper: Paper, endpoint: ModelEndpoint) -> None:
    room = paper.rooms.at("7")
    room.refusing = "closed"
    endpoint.reply("Green.")
    await paper.say("ben", "Her eyes?")
    assert room.texts == []

    room.refusing = ""
    await keep(paper.restarted())
    await keep(paper.restarted())

    assert [text for text in room.texts if "Green." in text] == [room.texts[-1]]
    assert "Perhaps a repetition" in room.texts[-1]


async def test_answer_for_a_place_that_is_gone_is_given_up(paper: Paper, endpoint: ModelEndpoint) -> None:
    """C10."""
    paper.rooms.at("7").refusing = "gone"
    endpoint.reply("Green.")
    await paper.say("ben", "Her eyes?")
    paper.rooms.closed.add("7")

    await keep(paper)

    assert await paper.house.core.owed() == ()


async def test_turn_left_by_a_crash_is_answered_later(paper: Paper, endpoint: ModelEndpoint) -> None:
    asker = await seat(paper, "ben")
    core = paper.house.core
    incoming = paper.house.incoming(asker, "Her eyes?")
    turn = core._new_turn(incoming, asker, deep=False, mode="general")
    await core.runtime.turns.receive(incoming, turn)
    endpoint.reply("Green.")

    again = paper.restarted()
    await again.desk.catch_up()
    await keep(again)

    assert "Green." in paper.rooms.at("7").texts[-1]


async def test_bare_call_is_answered_without_the_model(paper: Paper, endpoint: ModelEndpoint) -> None:
    """C27."""
    room = await paper.say("ben", "")

    assert "/help" in room.texts[-1]
    assert endpoint.requests == []


async def test_failing_model_is_told_where_it_was_asked(paper: Paper, endpoint: ModelEndpoint) -> None:
    """C09."""
    endpoint.reply(Raw(status=401, body={"error": {"message": "no", "code": "invalid_api_key"}}))

    await paper.say("ben", "Her eyes?", "7-5", "7")

    assert len(paper.rooms.at("7-5").texts) == 1
    assert paper.rooms.at("7").texts == []


async def test_cards_of_inline_names_are_three_at_most(paper: Paper) -> None:
    await paper.say("ben", "/entry new character Tom trade=smith told start", "@ben")
    room = paper.rooms.at("7")
    heard_text = "Do [[Mara]] and [[Tom]] and [[Mara@1.1]] and [[Vel]] meet?"
    await inline(paper, heard_text)

    assert len(room.sent) == 3


async def test_language_of_a_place_is_kept(paper: Paper) -> None:
    room = await paper.say("ann", "/settings language de")
    await paper.restarted().say("ben", "/lore Niemand")

    assert "keinen Eintrag" in room.texts[-1] or "Suche" in room.texts[-1]


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


async def test_two_of_one_name_are_chosen_from_a_list(paper: Paper) -> None:
    """C21."""
    await paper.house.write(
        "create_lore_entity",
        type="character",
        name="Mara",
        disambiguator="the elder",
        staticTraits={"age": 70},
    )
    room = await paper.say("ben", "/lore Mara")
    choosing = room.with_button(Action.CHOOSE)
    carried = [one for one, _ in choosing.part.buttons]
    assert len(set(carried)) == len(carried) == 2
    assert max(map(len, carried)) <= 64

    await paper.restarted().press("ben", choosing, Action.CHOOSE, 1)

    assert "Mara" in room.texts[-1]
    assert "Which" not in room.texts[-1]


async def test_later_scene_is_one_press_away(paper: Paper) -> None:
    await paper.say("ann", "/record Mara scarf=lost @2.1 told 2.1", "@ann")
    room = await paper.say("ben", "/lore Mara @1.1")
    card = room.with_button(Action.LATER)
    assert "scarf" not in card.part.text

    await paper.restarted().press("ben", card, Action.LATER)

    assert "scarf" in room.texts[-1] or "1.2" in room.texts[-1]


async def test_question_through_a_form_is_asked(paper: Paper, endpoint: ModelEndpoint) -> None:
    endpoint.reply("Green.")
    await paper.call("ben", "ask", question="Her eyes?")

    assert "Green." in paper.rooms.at("7").texts


async def test_private_form_is_answered_to_the_person_alone(paper: Paper) -> None:
    await paper.call("ben", "lore", entity="Mara", private=True)

    assert "green" in paper.rooms.at("@ben").texts[-1]
    assert "green" not in "".join(paper.rooms.at("7").texts)


async def test_cancel_stops_the_turn_of_this_place(paper: Paper) -> None:
    room = await paper.say("ben", "/cancel")

    assert "Nothing is running" in room.texts[-1]


async def test_chatter_of_yesterday_is_no_context(paper: Paper, endpoint: ModelEndpoint) -> None:
    await paper.chat("ann", "She is forty.")
    paper.house.clock.advance(hours=30)
    endpoint.reply("Yes.")

    await paper.say("ben", "So?", at=paper.house.clock.now() + timedelta(seconds=1))

    assert "forty" not in str(endpoint.requests[-1].messages)


async def test_book_that_is_sent_is_imported_once_its_card_is_saved(paper: Paper) -> None:
    paper.rooms.contents["f1"] = b"# The Tern\n\n## Chapter 1\n\nIlse counts the crates.\n"
    book = Attached(name="../tern.md", size=40, media_type="text/markdown", ref="f1")
    room = await paper.say("ben", "/import", files=(book,))
    card = room.with_button(Action.SAVE)
    assert "The Tern" in card.part.text

    await paper.restarted().press("ben", card, Action.SAVE)

    contents = await paper.say("ben", "/book contents")
    assert "The Tern" in contents.texts[-1]


async def test_import_needs_a_file_of_a_size_that_can_be_sent(paper: Paper) -> None:
    room = await paper.say("ben", "/import")
    assert "together with the file" in room.texts[-1]

    book = Attached(name="tern.epub", size=60_000_000, media_type="", ref="f1")
    await paper.say("ben", "/import", files=(book,))
    assert "too large" in room.texts[-1]


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


async def test_card_that_can_not_be_edited_now_is_edited_later(paper: Paper, endpoint: ModelEndpoint) -> None:
    await ask_for_card(paper, endpoint)
    room = paper.rooms.at("7")
    card = room.with_button(Action.SAVE)
    endpoint.reply("Noted.")
    room.stiff = "no_right"
    await paper.react("ben", card, "✅")
    assert "Saved" not in card.part.text

    room.stiff = ""
    await keep(paper)
    assert "Saved" not in card.part.text
    paper.house.clock.advance(minutes=1)
    await keep(paper)

    assert "Saved" in card.part.text
    assert len([text for text in room.texts if "scarf" in text]) == 1


async def test_owed_answer_waits_until_its_place_is_open_again(paper: Paper, endpoint: ModelEndpoint) -> None:
    room = paper.rooms.at("7")
    room.refusing = "closed"
    endpoint.reply("Green.")
    await paper.say("ben", "Her eyes?")

    await keep(paper)
    assert len(await paper.house.core.owed()) == 1
    room.refusing = ""
    paper.house.clock.advance(minutes=20)
    await keep(paper)

    assert "Green." in room.texts[-1]
    assert await paper.house.core.owed() == ()


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


async def test_yes_to_another_selection_than_the_card_shows_saves_nothing(
    paper: Paper, endpoint: ModelEndpoint
) -> None:
    await ask_for_card(paper, endpoint, "ben", *TWO)
    room = paper.rooms.at("7")
    card = room.with_button(Action.SAVE)
    [batch] = await paper.house.core.open_batches((await seat(paper, "ann")).conversation.id)
    await paper.house.core.select(batch.id, {1}, await seat(paper, "ann"))  # elsewhere, not drawn yet

    await paper.react("ben", card, "✅")

    state = await paper.house.state("Mara")
    assert ("hat" in state, "scarf" in state) == (False, False)
    assert "has changed" in "".join(room.texts)


async def test_steps_are_for_those_who_see_as_much_as_it_did(paper: Paper, endpoint: ModelEndpoint) -> None:
    endpoint.reply(Call("search_lore", {"query": "Tom"}))
    endpoint.reply("He is a thief.")
    room = await paper.say("ben", "Who is Tom?")
    trace = room.with_button(Action.OPEN)

    await paper.press("bea", trace, Action.OPEN)
    await paper.press("sam", trace, Action.OPEN)

    assert "Tom" not in "".join(paper.rooms.at("@bea").texts + paper.rooms.at("@sam").texts)


async def test_thread_follows_its_channel_until_it_has_a_link_of_its_own(paper: Paper) -> None:
    await paper.say("ben", "/lore Mara", "7-1", "7")
    await readers_up_to(paper, "1")

    await paper.say("ben", "/lore Mara", "7-1", "7")
    followed = (await seat(paper, "ben", "7-1")).conversation
    assert followed.audience is Audience.READERS

    changed = replace(followed, audience=Audience.TEAM, audience_up_to=None)
    await paper.house.core.askers.conversations.save_conversation(changed)
    await paper.say("ben", "/lore Mara", "7-1", "7")

    assert (await seat(paper, "ben", "7-1")).conversation.audience is Audience.TEAM


async def test_forged_press_shows_no_card_of_another_place(paper: Paper, endpoint: ModelEndpoint) -> None:
    await ask_for_card(paper, endpoint)
    [batch] = await paper.house.core.open_batches((await seat(paper, "ann")).conversation.id)
    mine = await paper.say("sam", "/help", "@sam")
    ref = next(iter(mine.sent))

    for code in "pstdau":
        await paper.press_id("sam", ref, f"lk{code}0:{batch.id}")

    assert "scarf" not in "".join(text for sent in mine.sent.values() for text in sent.texts)
    assert "scarf" not in await paper.house.state("Mara")


async def test_forwarded_yes_decides_nothing(paper: Paper, endpoint: ModelEndpoint) -> None:
    endpoint.reply("I would note that:", SCARF)
    await paper.say("ann", "Note that she loses her scarf.", "@ann")
    endpoint.reply("What is ok?")

    await paper.say("ann", "ok", "@ann", original=False)

    assert "scarf" not in await paper.house.state("Mara")


async def test_buttons_of_a_private_card_go_on(paper: Paper) -> None:
    await paper.say("ann", "/record Mara scarf=lost @2.1 told 2.1", "@ann")
    await paper.say("ben", "/lore Mara @1.1")
    await paper.call("ben", "lore", entity="Mara", at="1.1", private=True)
    alone = paper.rooms.at("@ben")

    await paper.restarted().press("ben", alone.with_button(Action.LATER), Action.LATER)

    assert "too old" not in alone.texts[-1]
    assert "Mara" in alone.texts[-1]


async def test_deleted_question_takes_its_open_card_along(paper: Paper, endpoint: ModelEndpoint) -> None:
    """C29."""
    endpoint.reply("I would note that:", SCARF)
    await paper.say("ben", "At 12 Elm Road she loses her scarf.", message="m-secret")
    await paper.desk.amend(paper.spot("7"), "m-secret", None)
    await keep(paper)

    endpoint.reply("Nothing.")
    await paper.say("ben", "What did I say?")

    assert "Elm Road" not in str(endpoint.requests[-1].messages)
    assert await paper.house.core.open_batches((await seat(paper, "ben")).conversation.id) == ()


async def test_deleted_chatter_leaves_the_questions_that_were_told_of_it(
    paper: Paper, endpoint: ModelEndpoint
) -> None:
    """C29."""
    await paper.chat("ann", "I live at 12 Elm Road.", message="m-secret")
    endpoint.reply("Well.")
    await paper.say("ben", "Where?")

    await paper.desk.amend(paper.spot("7"), "m-secret", None)
    endpoint.reply("Nothing.")
    await paper.say("ben", "What did she say?")

    assert "Elm Road" not in str(endpoint.requests[-1].messages)


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


def labels(room: PaperRoom) -> list[str]:
    return [button.label for sent in room.sent.values() for _, button in sent.part.buttons]


async def seat(paper: Paper, user: str, place: str = "7") -> Asker:
    return await paper.desk.exchange.reception.seat(speaker_of(user), paper.spot(place))


def speaker_of(user: str) -> Speaker:
    return Speaker(user=user, name=user.title())


async def keep(paper: Paper) -> None:
    """One round of what is kept up to date, to its end."""
    async with asyncio.TaskGroup() as tasks:
        await Keeping(paper.desk.exchange).tick(tasks)


async def readers_up_to(paper: Paper, place: str) -> None:
    """Let readers up to a place read along in room 7."""
    asker = await seat(paper, "ann")
    canon = await paper.house.core.askers.canon(asker.conversation)
    assert canon is not None
    node = canon.outline.finished(canon.outline.find(place, book=None, here=None, bound=Author()))
    changed = replace(asker.conversation, audience=Audience.READERS, audience_up_to=node)
    await paper.house.core.askers.conversations.save_conversation(changed)


async def inline(paper: Paper, text: str) -> None:
    heard = Heard(
        update="inline",
        message="inline",
        speaker=speaker_of("ben"),
        spot=paper.spot("7"),
        text=text,
        at=paper.house.clock.now(),
    )
    await paper.desk.inline(heard, paper.desk.reply_in(paper.rooms.at("7"), heard))
