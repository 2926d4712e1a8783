"""Cards on a chat platform: decided by button, reaction and word, wherever they stand."""

from adapters.cards import Action
from adapters.chat.model import Attached
from agent_core.pipeline.model import BatchStatus
from tests.adapters.chat.acts import SCARF, TWO, ask_for_card, keep, seat
from tests.adapters.chat.paper import Paper
from tests.emulators.model_endpoint import ModelEndpoint


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


async def test_book_that_is_sent_is_imported_once_its_card_is_saved(paper: Paper) -> None:
    paper.rooms.contents["f1"] = b"# The Tern\n\n## Chapter 1\n\nIlse counts the crates.\n"
    book = Attached(name="../tern.md", size=40, media_type="text/markdown", ref="f1")
    room = await paper.say("ben", "/import", files=(book,))
    card = room.with_button(Action.SAVE)
    assert "The Tern" in card.part.text

    await paper.restarted().press("ben", card, Action.SAVE)

    contents = await paper.say("ben", "/book contents")
    assert "The Tern" in contents.texts[-1]


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
