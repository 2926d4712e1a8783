"""What is said on a chat platform, and what the desk does with it."""

import io
from dataclasses import replace
from datetime import timedelta

import docx

from adapters.cards import Action
from adapters.chat.model import Attached, Quoted
from adapters.surface import Mark
from agent_core.conversation.model import Audience
from tests.adapters.chat.acts import keep, readers_up_to, seat
from tests.adapters.chat.paper import Paper
from tests.emulators.model_endpoint import Call, ModelEndpoint, Raw


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


async def test_edited_message_is_read_as_edited(paper: Paper, endpoint: ModelEndpoint) -> None:
    endpoint.reply("Noted in mind.")
    await paper.say("ben", "She is forty.", message="m-age")

    await paper.desk.amend(paper.spot("7"), "m-age", "She is fourteen.")
    endpoint.reply("Fourteen.")
    await paper.say("ben", "How old?")

    sent = str(endpoint.requests[-1].messages)
    assert "fourteen" in sent
    assert "forty" not in sent


async def test_question_delivered_twice_is_answered_once(paper: Paper, endpoint: ModelEndpoint) -> None:
    """C34."""
    endpoint.reply("Green.")
    for _ in range(2):
        await paper.restarted().say("ben", "Her eyes?", update="900")

    assert len(endpoint.requests) == 1
    assert paper.rooms.at("7").texts.count("Green.") == 1


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


async def test_language_of_a_place_is_kept(paper: Paper) -> None:
    room = await paper.say("ann", "/settings language de")
    await paper.restarted().say("ben", "/lore Niemand")

    assert "keinen Eintrag" in room.texts[-1] or "Suche" in room.texts[-1]


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


async def test_cancel_stops_the_turn_of_this_place(paper: Paper) -> None:
    room = await paper.say("ben", "/cancel")

    assert "Nothing is running" in room.texts[-1]


async def test_chatter_of_yesterday_is_no_context(paper: Paper, endpoint: ModelEndpoint) -> None:
    await paper.chat("ann", "She is forty.")
    paper.house.clock.advance(hours=30)
    endpoint.reply("Yes.")

    await paper.say("ben", "So?", at=paper.house.clock.now() + timedelta(seconds=1))

    assert "forty" not in str(endpoint.requests[-1].messages)


async def test_import_needs_a_file_of_a_size_that_can_be_sent(paper: Paper) -> None:
    room = await paper.say("ben", "/import")
    assert "together with the file" in room.texts[-1]

    book = Attached(name="tern.epub", size=60_000_000, media_type="", ref="f1")
    await paper.say("ben", "/import", files=(book,))
    assert "too large" in room.texts[-1]


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


async def test_sources_lead_to_where_they_were_decided(paper: Paper, endpoint: ModelEndpoint) -> None:
    await paper.say("ben", "/record Mara scarf=lost @2.1 told start")
    room = paper.rooms.at("7")
    [card] = [sent for sent in room.sent.values() if "Saved" in sent.part.text]
    for answer in ("She lost it (2.1).", "She lost it in Oru."):
        endpoint.reply(Call("get_entity_state", {"entityId": "Mara", "asOf": "2.2"}))
        endpoint.reply(answer)
        await paper.say("ben", "Where is her scarf?")

    link = f"(https://paper.example/{card.ref})"
    named, unnamed = [text for text in room.texts if "She lost it" in text]
    assert f"She lost it ([2.1]{link})." in named
    assert f"[2.1]{link}" in unnamed
    assert "She lost it in Oru." in unnamed


async def test_documents_that_are_sent_along_are_read(paper: Paper, endpoint: ModelEndpoint) -> None:
    paper.rooms.contents |= {
        "d": docx_with("The tern is grey."),
        "p": pdf_with("The heron is white."),
        "i": b"png",
    }
    names = {"d": "a.docx", "p": "b.pdf", "i": "map.png"}
    endpoint.reply("Grey.")

    await paper.say(
        "ben",
        "What do they say?",
        files=tuple(Attached(name=name, size=9, media_type="", ref=ref) for ref, name in names.items()),
    )

    asked = str(endpoint.requests[-1].messages[-1]["content"])
    assert "The tern is grey." in asked
    assert "The heron is white." in asked
    assert "file map.png, unknown type, 9 bytes; its content is not readable here" in asked


async def test_broken_document_is_said_to_be_broken(paper: Paper, endpoint: ModelEndpoint) -> None:
    paper.rooms.contents["b"] = b"%PDF-broken"
    endpoint.reply("I can't read it.")

    await paper.say("ben", "And this?", files=(Attached(name="b.pdf", size=9, media_type="", ref="b"),))

    assert "could not be read: damaged" in str(endpoint.requests[-1].messages[-1]["content"])


def docx_with(text: str) -> bytes:
    document = docx.Document()
    document.add_paragraph(text)
    written = io.BytesIO()
    document.save(written)
    return written.getvalue()


def pdf_with(text: str) -> bytes:
    """Return the smallest PDF of one page with a line of text."""
    drawn = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode()
    font = b"<</Font <</F1 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>>"
    objects = [
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
        b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources " + font + b">>",
        b"<</Length %d>>\nstream\n%b\nendstream" % (len(drawn), drawn),
    ]
    written, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 5\n0000000000 65535 f \n%btrailer <</Size 5 /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n"
    return written + end % (table, len(written))
