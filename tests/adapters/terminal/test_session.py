"""Sessions at the keyboard, from typed lines to what stands on the screen."""

import asyncio
import os
import signal

from agent_core.people.model import SeriesRole
from tests.adapters.terminal.conftest import Terminal
from tests.emulators.model_endpoint import Call
from tests.emulators.model_replies import Raw, Reply


def proposes(terminal: Terminal, *patches: dict[str, object], chapter: str | None = "2.1") -> None:
    place = {"chapterId": chapter} if chapter else {}
    calls = [
        Call("record_lore_state", {"entityId": "Mara", "statePatch": patch, **place}) for patch in patches
    ]
    terminal.house.endpoint.reply(*calls)


async def test_an_answer_follows_its_trace(terminal: Terminal) -> None:
    terminal.house.endpoint.reply("Let me look.", Call("get_entity_state", {"entityId": "Mara"}))
    terminal.house.endpoint.reply("Her eyes are **green** (1.1).")

    shown = await terminal.type("What colour are her eyes?")

    assert "› What colour are her eyes?\n2 steps · 0.0 s\n\nHer eyes are green (1.1).\n" in shown
    assert "Let me look." not in shown


async def test_a_full_trace_shows_its_steps(terminal: Terminal) -> None:
    terminal.house.endpoint.reply("Let me look.", Call("get_entity_state", {"entityId": "Mara"}))
    terminal.house.endpoint.reply("Green.")

    shown = await terminal.type("/settings trace full", "What colour are her eyes?")

    assert "  … Let me look.\n  ✓ look up an entry · Mara" in shown


async def test_a_card_is_saved_and_taken_back(terminal: Terminal) -> None:
    proposes(terminal, {"scarf": "lost"})
    terminal.house.endpoint.reply("It is noted.")

    shown = await terminal.type("Note that her scarf is lost.", "y", "/undo 7", "/state Mara @2.1")

    assert "1.  from 2.1 on · changed in the story\n      scarf  lost\n" in shown
    assert "decision › y\nSaved, edit no. 7 by Ann\n" in shown
    assert shown.index("Saved, edit no. 7") < shown.index("It is noted.")
    assert "take back edit no. 7\n      scarf  lost → not noted (from 2.1 on)\n" in shown
    assert "scarf" not in shown.split("/state Mara @2.1")[1]


async def test_no_search_of_today_answers_for_earlier_notes(terminal: Terminal) -> None:
    shown = await terminal.type("/lore Mara ~2020-01-01")

    assert "As our notes stood then, there was no entry “Mara” yet." in shown
    assert "Search:" not in shown


async def test_only_picked_lines_are_saved(terminal: Terminal) -> None:
    proposes(terminal, {"scarf": "lost"}, {"hat": "red"}, {"boots": "new"})
    terminal.house.endpoint.reply("Two of them.")

    shown = await terminal.type("Note all that.", "4", "1,3")

    assert "There is no line 4 on this card." in shown
    assert "Saved 2 of 3, edit no. 7 by Ann" in shown
    assert await terminal.house.state("Mara", asOf="2.1") == {
        "eyes": "green",
        "scarf": "lost",
        "boots": "new",
    }


async def test_a_discarded_card_writes_nothing(terminal: Terminal) -> None:
    proposes(terminal, {"scarf": "lost"})
    terminal.house.endpoint.reply("As you wish.")

    shown = await terminal.type("Note it.", "n")

    assert "Discarded by Ann. Nothing was written." in shown
    assert await terminal.house.state("Mara", asOf="2.1") == {"eyes": "green"}


async def test_other_words_below_a_card_are_the_new_instruction(terminal: Terminal) -> None:
    proposes(terminal, {"scarf": "lost"})
    terminal.house.endpoint.reply("Then not.")

    shown = await terminal.type("Note it.", "no, wait, it was her hat")

    assert "Set aside, since the conversation went on. Nothing was written." in shown
    assert "Then not." in shown


async def test_enter_leaves_a_card_open_for_a_later_word(terminal: Terminal) -> None:
    proposes(terminal, {"scarf": "lost"})
    terminal.house.endpoint.reply("Saved now.")

    shown = await terminal.type("Note it.", "", "/state Mara @1.1", "y")

    assert "It stays open until 2 May 2026, 12:00." in shown
    assert shown.count("Proposal (one fact)") == 1
    assert "Saved, edit no. 7 by Ann" in shown


async def test_a_card_left_open_is_shown_at_the_next_start(terminal: Terminal) -> None:
    proposes(terminal, {"scarf": "lost"})
    await terminal.type("Note it.")
    terminal.house.endpoint.reply("Saved now.")

    shown = await terminal.type("y")

    assert shown.index("Proposal (one fact)") < shown.index("This proposal is still open from before.")
    assert "Saved, edit no. 7 by Ann" in shown


async def test_a_card_is_shown_again_after_another_one(terminal: Terminal) -> None:
    shown = await terminal.type("/record Mara eyes=blue @2.1", "/record Mara hat=red @2.1", "y")

    cards = [line for line in shown.splitlines() if line.startswith(("Proposal", "Saved"))]
    first = ["Proposal (one fact)", "Saved, edit no. 7 by Ann", "Proposal (one fact)"]
    assert cards[:3] == first
    assert cards[3:] == ["Saved, edit no. 8 by Ann"]


async def test_a_question_mark_below_a_card_shows_the_hints_and_keeps_it(terminal: Terminal) -> None:
    shown = await terminal.type("/record Mara eyes=blue @2.1", "?", "y")

    assert shown.count("y save · n discard") == 2
    assert "Saved, edit no. 7 by Ann" in shown


async def test_a_letter_answers_the_cards_question(terminal: Terminal) -> None:
    await terminal.house.write(
        "record_lore_state", entityId="Mara", statePatch={"hat": "red"}, chapterId="1.1"
    )

    shown = await terminal.type("/record Mara hat=blue @2.1", "b", "y", "/state Mara @1.1")

    assert "b)  was always so (chosen)" in shown
    assert "hat  blue" in shown.split("/state Mara @1.1")[1]


async def test_a_place_typed_below_a_card_answers_from_when(terminal: Terminal) -> None:
    shown = await terminal.type("/record Mara hat=blue", "@1.2", "y")

    assert "1.  from 1.2 on · changed in the story" in shown
    assert await terminal.house.state("Mara", asOf="1.1") == {"eyes": "green"}
    assert await terminal.house.state("Mara", asOf="1.2") == {"eyes": "green", "hat": "blue"}


async def test_a_complete_command_is_done_at_once(terminal: Terminal) -> None:
    shown = await terminal.type("/record Mara hat=red @1.2")

    assert "Saved, edit no. 7 by Ann" in shown
    assert "take back with /undo 7" in shown
    assert "decision" not in shown


async def test_a_later_edit_of_the_same_detail_brings_a_fresh_card(terminal: Terminal) -> None:
    await terminal.house.write(
        "record_lore_state", entityId="Mara", statePatch={"hat": "red"}, chapterId="1.1"
    )

    shown = await terminal.type("/record Mara hat=blue @2.1", "", "/undo 7", "y", "n")

    assert "Meanwhile somebody changed the same thing. Nothing was written" in shown
    assert shown.count("Proposal (one fact)") == 2
    assert "Discarded by Ann" in shown


async def test_a_name_without_an_entry_is_searched_for(terminal: Terminal) -> None:
    shown = await terminal.type("/lore Tom")

    assert "“Tom, the smith, is a thief.” (2.2, paragraph 1)" in shown


ANSWERS = [
    ("/nope", "There is no command /nope. /help lists what there is."),
    ("/state Mara @99", "There is no place “99” in the book. /book contents lists its chapters."),
    ("/why Morra eyes", "There is no entry “Morra”."),
    ("/undo 99", "There is no edit no. 99. The last one is no. 6. /history lists them."),
    ("/record Mara eyes=green @7.3", "There is no place “7.3” in the book."),
    ("/cancel", "Nothing is running."),
    ("/help undo", "/undo\n\ntakes an edit back\n"),
    ("/settings language xx", "There is no language “xx” here."),
    ("/settings trace loud", "“loud” doesn’t fit. off, short and full do."),
    ("/settings colour red", "There is no such setting."),
    (
        "/settings",
        "trace: short\ntimes in: UTC\nswitched on: nothing more than lore and notes\n/settings · /settings",
    ),
    ("/settings zone europe/berlin", "Times here are in Europe/Berlin from now on; tasks that are planned"),
    ("/settings zone Atlantis", "There is no time zone “Atlantis”. They are written like Europe/Berlin."),
    ("/settings git on", "On here from now on: git."),
    ("/settings Benachrichtigungen aus", "Off here from now on: notifications."),
    ("/settings web maybe", "“maybe” is neither on nor off: /settings web on"),
    ("/here 2.1", "this conversation stands at 2.1"),
    ("/members", "Ann  lead"),
    ("/entries character", "Mara  character"),
    ("/loose", "No loose ends: every fact has its scene."),
]


async def test_commands_say_what_they_did_or_why_not(terminal: Terminal) -> None:
    shown = await terminal.type(*(line for line, _ in ANSWERS))

    for line, said in ANSWERS:
        answer = shown.split(f"› {line}\n")[1].split("\nyou ›")[0]
        assert said in answer, line


async def test_a_failed_turn_is_a_plain_sentence(terminal: Terminal) -> None:
    refusal = {"error": {"message": "bad key", "code": "invalid_api_key"}}
    terminal.house.endpoint.reply(Raw(status=401, body=refusal))

    shown = await terminal.type("Who is Mara?")

    assert "The model refuses our key. Commands still work; the operator has to renew\nthe key.\n" in shown


async def test_the_language_can_be_changed_on_the_way(terminal: Terminal) -> None:
    shown = await terminal.type("/settings language de", "/state Mara @2.1", "/record Mara hut=rot @1.2")

    assert "Ab jetzt auf Deutsch.\ndu › /state Mara @2.1\n" in shown
    assert "Stand bei 2.1 (Ende) · Bearbeitung Nr. 6" in shown
    assert "Übernommen, Bearbeitung Nr. 7 von Ann" in shown
    assert shown.endswith("Auf Wiedersehen.\n")


async def test_an_emptied_conversation_keeps_the_notes(terminal: Terminal) -> None:
    proposes(terminal, {"scarf": "lost"})

    shown = await terminal.type("Note it.", "/new", "/state Mara @1.1")

    assert "Started afresh. The notes stay." in shown
    assert "eyes  green" in shown
    asker = await terminal.host.asker()
    assert await terminal.house.core.open_batches(asker.conversation.id) == ()


async def test_nothing_printed_to_a_pipe_has_colours_or_blanks_at_line_ends(terminal: Terminal) -> None:
    proposes(terminal, {"scarf": "lost"})
    terminal.house.endpoint.reply("# Done\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |")

    shown = await terminal.type("Note it.", "y", "/help", "/history", "/scene list")

    assert "\x1b" not in shown
    assert [line for line in shown.split("\n") if line != line.rstrip() and "› " not in line] == []


async def test_an_answer_that_never_arrived_is_shown_at_the_next_start_once(terminal: Terminal) -> None:
    terminal.house.endpoint.reply("Her eyes are green.")
    await terminal.house.say("What colour are her eyes?")

    first, second = await terminal.type(), await terminal.type()

    assert "\nHer eyes are green.\n" in first
    assert "Her eyes" not in second


async def test_ctrl_c_stops_the_turn_and_not_the_session(terminal: Terminal) -> None:
    terminal.house.endpoint.reply(Reply(text="Her eyes are green.", hold=1))

    typing = asyncio.create_task(terminal.type("What colour are her eyes?", "/state Mara"))
    await terminal.house.endpoint.received(1)
    os.kill(os.getpid(), signal.SIGINT)
    async with asyncio.timeout(5):
        shown = await typing

    assert "Stopped. Nothing more is looked up or written." in shown
    assert "eyes  green" in shown


async def test_a_bounded_reader_reads_how_far_they_are_and_no_edit_numbers(terminal: Terminal) -> None:
    await terminal.house.write(
        "record_lore_state", entityId="Mara", statePatch={"scarf": "lost"}, chapterId="2.1"
    )
    await terminal.house.asker("ben")
    await terminal.house.join("ben", SeriesRole.READER, finished="1")

    shown = await Terminal(terminal.house, user="ben").type(
        "/state Mara", "/state Mara @2.1", "/history", "/undo 7"
    )

    assert "you have finished chapter 1; later things aren’t shown" in shown
    assert "scarf" not in shown
    assert "There is no place “2.1” in the book." in shown
    assert "edit no." not in shown
    assert "That isn’t open to beta readers." in shown


async def test_names_are_completed_as_the_person_may_see_them(terminal: Terminal) -> None:
    assert await terminal.host.names("ma") == ["Mara"]
    assert await terminal.host.names("") == ()
    assert await terminal.host.names("zz") == []


async def test_a_link_to_another_series_is_asked_for_and_open_cards_keep_their_heading(
    terminal: Terminal,
) -> None:
    shown = await terminal.type("/record Mara scarf=lost", "", "/book link Other Tales", "y", "n")

    asked, _, after = shown.partition("Proposal (one step)")
    assert "Proposal (one fact)\nThe Heron\n" in asked
    assert "begin Other Tales and link this place to it" in after
    assert "Discarded by Ann. Nothing was written.\nThe Heron\n" in after


async def test_accounts_are_joined_and_costs_told_by_command(terminal: Terminal) -> None:
    terminal.house.endpoint.reply("Hello.")

    shown = await terminal.type("Hello.", "/cost", "/access open discord server 17", "/access")
    given = await terminal.type("/identity code")

    assert "last answer one reply of the model · 18 tokens" in " ".join(shown.split())
    assert "discord: server 17 is let in" in shown
    assert "Show it to nobody" in given
    code = given.split("/identity link")[1].split()[0]
    joined = await Terminal(terminal.house, "ann_phone").type(f"/identity link {code}", "y")
    assert "you and Ann become one person" in " ".join(joined.split())
    assert (await terminal.house.asker("ann_phone")).person == (await terminal.house.asker("ann")).person


async def test_operator_reads_a_notice_once(terminal: Terminal) -> None:
    refused = Raw(status=401, body={"error": {"message": "Incorrect API key", "code": "invalid_api_key"}})
    terminal.house.endpoint.reply(refused)
    terminal.house.endpoint.reply(refused)

    shown = await terminal.type("Who is Mara?", "Who is Mara?")

    assert " ".join(shown.split()).count("Put a valid key into LOREKEEPER_MODEL_API_KEY") == 1


async def test_what_nobody_could_read_is_repeated_only_at_its_start(terminal: Terminal) -> None:
    shown = await terminal.type(f"/state Mara @{'x' * 5_000}", f"/{'y' * 5_000}")

    assert "…” " in shown
    assert shown.count("x") < 5_000 + 200
    assert shown.count("y") < 5_000 + 200


async def test_titles_are_limited_and_names_turn_no_letters_round(terminal: Terminal) -> None:
    shown = await terminal.type(
        f"/book link {'S' * 5_000}",
        f"/book link Salt / {'B' * 5_000}",
        "/entry new character To\u202em\ufffey",
        "/entries character",
    )

    assert shown.count("A title can have 200 characters; this one has 5,000.") == 2
    assert "Tomy  character" in shown
    assert "\ufffe" not in shown.split("/entries character")[1]
