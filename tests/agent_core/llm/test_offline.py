"""The offline responder over whole turns with scripted tools: what it looks up, proposes and says."""

import json
import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from agent_core.errors import AmbiguousEntity, BadPatch, UnknownEntity, UnknownPosition
from agent_core.llm.offline import OfflineResponder, results
from agent_core.llm.offline.transcript import NOTICES
from agent_core.lore import answers
from agent_core.messages import ChatMessage, Json, ModelRequest, Role, ToolCall, ToolSchema
from agent_core.texts.catalogue import LANGUAGES, has, say
from agent_core.turn.opening import MEANWHILE
from agent_core.turn.talk import GO_ON, NUDGE
from tests.agent_core.llm.offline_cast import (
    PROMPT,
    READS,
    WRITES,
    Answers,
    cast_answer,
    data,
    done,
    entry,
    error,
    place,
    speak,
    state_of,
)

EDDA, HOB = entry("Edda"), entry("Hob")
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-")


def instead(**answers_by_tool: str) -> Answers:
    """Answer some tools with these texts and all others from the cast."""
    return lambda tool, arguments: answers_by_tool.get(tool) or cast_answer(tool, arguments)


async def test_look_up_starts_with_a_search_and_claims_only_what_tools_say() -> None:
    spoken = await speak("What colour are Edda's eyes?")

    assert [call.name for call in spoken.calls] == ["search_lore", "get_entity_state"]
    assert spoken.answer.startswith("Edda Marrick – eyes: grey (from 1.2 on).")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Who is Edda?", "- rank: warden (1.2)"),
        ("Wer ist Edda?", "- rank: warden (1.2)"),
        ("Welche Augenfarbe hat Edda?", "Edda Marrick – eyes: grey (ab 1.2)."),
        ("De quelle couleur sont les yeux d'Edda ?", "Edda Marrick – eyes\u00a0: grey (à partir de 1.2)."),
        ("Where is Edda?", "Edda Marrick – home: Hallin Gate (from 1.2 on)."),
        (
            "What is Edda's favourite dish?",
            say("en", "offline.no_detail", key="favourite dish", name="Edda Marrick"),
        ),
    ],
)
async def test_answer_names_details_with_their_scenes(text: str, line: str) -> None:
    assert line in (await speak(text)).answer


async def test_scope_of_a_question_reaches_the_tool() -> None:
    spoken = await speak("What was Edda's rank in chapter 2 as we knew it last May?")

    [arguments] = spoken.called("get_entity_state")
    assert arguments == {"entityId": EDDA.id, "asOf": "2", "knownAt": "last May"}


async def test_name_that_begins_like_a_detail_is_found_as_a_name() -> None:
    spoken = await speak("What is the Law of the third bell?")

    assert "**Law of the third bell**" in spoken.answer


async def test_always_true_details_stand_apart() -> None:
    state = state_of(EDDA)
    state["facts"] = [{"id": "fact-eyes", "patch": {"eyes": "grey"}, "static": True}]

    spoken = await speak("Who is Edda?", instead(get_entity_state=data("get_entity_state", state)))

    before, _, after = spoken.answer.partition(say("en", "offline.reply.always_true"))
    assert "eyes" not in before
    assert "eyes: grey" in after


async def test_ambiguous_name_lists_the_candidates() -> None:
    twins: list[Json] = [
        {"entry": {"id": f"{n}", "type": "character", "name": "Ann Lee", "hint": hint}, "why": "name"}
        for n, hint in enumerate(("smith", "queen"))
    ]

    spoken = await speak(
        "Who is Ann Lee?", instead(search_lore=data("search_lore", {"query": "", "entries": twins}))
    )

    assert "Ann Lee (character · smith), Ann Lee (character · queen)" in spoken.answer


async def test_name_without_entry_is_quoted_with_counts() -> None:
    found: dict[str, Json] = {
        "query": "Mombi",
        "noEntry": {
            "name": "Mombi",
            "scenes": 12,
            "first": place("1.2"),
            "quotes": [{"scene": place("1.2"), "text": "Old Mombi was no witch.", "paragraph": 3}],
        },
    }

    spoken = await speak("Who is Mombi?", instead(search_lore=data("search_lore", found)))

    assert "12 scenes, first in 1.2" in spoken.answer
    assert "> Old Mombi was no witch. (1.2)" in spoken.answer


async def test_lone_similar_name_is_shown_and_said_to_be_another() -> None:
    found: dict[str, Json] = {"query": "Eda", "entries": [{"entry": EDDA.ref(), "why": "similar"}]}

    spoken = await speak("Who is Eda?", instead(search_lore=data("search_lore", found)))

    assert spoken.answer.startswith(say("en", "offline.reply.nearest", name="Eda", nearest="Edda Marrick"))


async def test_why_asks_for_the_detail_in_the_words_of_the_canon() -> None:
    spoken = await speak("Warum sind Eddas Augen grau?")

    assert spoken.called("why") == [{"entityId": EDDA.id, "key": "eyes"}]


async def test_moment_is_found_in_the_timeline_across_languages() -> None:
    items: list[Json] = [
        {"entry": HOB.ref(), "at": place("1.1"), "kind": "begins", "patch": {"trade": "warden"}},
        {"entry": HOB.ref(), "at": place("1.2"), "kind": "begins", "patch": {"status": "dead"}},
    ]
    timeline = data("get_timeline", {"order": "story", "items": items})

    spoken = await speak("Wann starb Hob?", instead(get_timeline=timeline))

    assert "- 1.2: status: dead" in spoken.answer
    assert "trade" not in spoken.answer


async def test_scene_that_is_asked_for_is_read_alone() -> None:
    scenes: list[Json] = [
        {"place": place(f"1.{n}", f"Scene {n}"), "title": f"Scene {n}", "text": f"Text {n}.", "total": 7}
        for n in (1, 2)
    ]
    chapter = data("fetch_chapter_scenes", {"chapter": place("1"), "scenes": scenes})

    spoken = await speak("Show scene 1.2", instead(fetch_chapter_scenes=chapter))

    assert "Text 2." in spoken.answer
    assert "Text 1." not in spoken.answer


async def test_long_chapter_is_cut_and_says_where_to_go_on() -> None:
    scenes: list[Json] = [{"place": place("1.1"), "text": "word " * 4000, "total": 20_000}]
    chapter = data("fetch_chapter_scenes", {"chapter": place("1"), "scenes": scenes})

    spoken = await speak("Show chapter 1", instead(fetch_chapter_scenes=chapter))

    assert spoken.answer.endswith("/scene read 1 +6000")


async def test_list_that_was_cut_on_the_way_is_still_read() -> None:
    found: dict[str, Json] = {
        "query": "bell",
        "entries": [{"entry": EDDA.ref(), "why": "fact"}, "(cut, 1 of 9 items)"],
    }

    spoken = await speak("search for bell", instead(search_lore=data("search_lore", found)))

    assert "Edda Marrick" in spoken.answer


async def test_write_looks_up_the_entry_and_uses_its_own_word_for_the_detail() -> None:
    spoken = await speak("Notiere, dass Eddas Augenfarbe ab Kapitel 3 grün ist")

    assert [call.name for call in spoken.written()] == ["record_lore_state"]
    [arguments] = spoken.called("record_lore_state")
    assert arguments == {"entityId": EDDA.id, "statePatch": {"eyes": "grün"}, "chapterId": "3"}
    assert spoken.answer == "Übernommen als Bearbeitung Nr. 12."


async def test_facts_of_one_message_are_one_batch() -> None:
    spoken = await speak("Record that Edda's eyes are green and Hob's hair is red. Take back edit 3.")

    batches = [
        [call.name for call in reply.calls]
        for reply in spoken.replies
        if set(WRITES) & {c.name for c in reply.calls}
    ]
    assert batches == [["undo", "record_lore_state", "record_lore_state"]]


async def test_facts_of_one_entry_at_one_place_are_one_line() -> None:
    spoken = await speak("Note that Edda's eyes are green and her hair is red from chapter 2 on")

    [arguments] = spoken.called("record_lore_state")
    assert arguments["statePatch"] == {"eyes": "green", "hair": "red"}


async def test_new_entry_can_be_written_about_in_the_same_batch() -> None:
    spoken = await speak("Create a character called Ann and note that her eyes are green")

    assert spoken.called("create_lore_entity") == [{"type": "character", "name": "Ann", "staticTraits": {}}]
    assert spoken.called("record_lore_state") == [{"entityId": "Ann", "statePatch": {"eyes": "green"}}]


async def test_fact_about_somebody_unknown_writes_nothing_and_says_how() -> None:
    spoken = await speak("Record that Zebediah's eyes are green and Edda's hair is red")

    assert spoken.written() == []
    assert spoken.answer == say("en", "offline.reply.unknown_to_note", name="Zebediah", nearest=())


async def test_fact_never_goes_to_a_name_that_is_merely_alike() -> None:
    found: dict[str, Json] = {"query": "Eda", "entries": [{"entry": EDDA.ref(), "why": "similar"}]}

    spoken = await speak("Record that Eda is dead", instead(search_lore=data("search_lore", found)))

    assert spoken.written() == []
    assert "Edda Marrick" in spoken.answer


@pytest.mark.parametrize(
    ("held", "patch"),
    [
        (None, {"possessions": ["silver comb"]}),
        ("a lamp", {"possessions": ["a lamp", "silver comb"]}),
        (["a lamp"], {"possessions": {"$add": ["silver comb"]}}),
    ],
)
async def test_thing_joins_what_somebody_has(held: Json, patch: Mapping[str, Json]) -> None:
    state: dict[str, Json] = {**state_of(EDDA), "state": {} if held is None else {"possessions": held}}

    spoken = await speak(
        "Record that Edda has a silver comb", instead(get_entity_state=data("get_entity_state", state))
    )

    assert spoken.called("record_lore_state")[0]["statePatch"] == patch


async def test_thing_leaves_the_list_in_the_words_of_the_list() -> None:
    state: dict[str, Json] = {**state_of(EDDA), "state": {"possessions": ["a lamp", "the silver comb"]}}
    known = instead(get_entity_state=data("get_entity_state", state))

    spoken = await speak("Record that Edda no longer has the silver comb", known)

    assert spoken.called("record_lore_state")[0]["statePatch"] == {
        "possessions": {"$remove": ["the silver comb"]}
    }


async def test_declined_line_is_told_apart_from_the_saved_one() -> None:
    def partly(tool: str, arguments: Mapping[str, Json]) -> str:
        if arguments.get("entityId") == EDDA.id and tool == "record_lore_state":
            return json.dumps({"tool": tool, "status": "declined", "detail": "nothing was written"})
        return cast_answer(tool, arguments)

    spoken = await speak("Record that Edda's eyes are green and Hob's hair is red", partly)

    assert "Saved as edit no. 12: Hob Sallow – hair: red." in spoken.answer
    assert "Not saved: Edda Marrick – eyes: green. Discarded." in spoken.answer


@pytest.mark.parametrize(
    "refusal",
    [
        UnknownPosition(position="99"),
        BadPatch(pointer="/eyes", reason="not_a_list"),
        AmbiguousEntity(name="Ann", candidates=("Ann (character, smith) 1", "Ann (location) 2")),
        UnknownEntity(name="Ann", nearest=()),
        UnknownEntity(name="Ann", reason="not_yet"),
    ],
    ids=lambda refusal: type(refusal).__name__,
)
async def test_refusal_is_told_in_the_words_of_the_catalogue(refusal: UnknownPosition) -> None:
    told = await speak(
        "Who is Edda?", instead(get_entity_state=error("get_entity_state", refusal.for_model()))
    )

    assert told.answer == say("en", refusal.text_key, **{"nearest": (), **refusal.facts})


async def test_failure_of_unknown_kind_is_told_plainly() -> None:
    spoken = await speak("Who is Edda?", instead(search_lore=error("search_lore", "Boom: x=1")))

    assert spoken.answer == say("en", "error.internal")


async def test_reader_who_may_not_write_is_told_so() -> None:
    spoken = await speak("Note that Edda is dead", tools=READS)

    assert spoken.calls == []
    assert spoken.answer == say("en", "offline.reply.no_writes")


async def test_place_without_a_book_says_how_to_link_one() -> None:
    spoken = await speak("Wer ist Edda?", tools=())

    assert spoken.answer == say("de", "error.not_linked")


async def test_no_tool_is_called_where_that_is_forbidden() -> None:
    calls = (ToolCall("a", "search_lore", '{"query": "Edda"}'),)
    messages = (
        ChatMessage(Role.SYSTEM, PROMPT),
        ChatMessage(Role.USER, "Who is Edda?"),
        ChatMessage(Role.ASSISTANT, "", calls),
        ChatMessage(Role.TOOL, cast_answer("search_lore", {"query": "Edda"}), call_id="a"),
    )
    tools = tuple(ToolSchema(name, "", {}) for name in READS)
    request = ModelRequest(messages, tools, tool_choice="none")

    reply = await OfflineResponder().complete(request, hear_nothing)

    assert reply.calls == ()
    assert "**Edda Marrick**" in reply.text


async def test_notices_of_the_turn_are_no_questions() -> None:
    for notice in (MEANWHILE, NUDGE, GO_ON):
        assert notice.startswith(NOTICES)
    spoken = await speak("Note that Edda's eyes are green")
    messages = [ChatMessage(Role.USER, "Note that Edda's eyes are green")]
    for reply in spoken.replies[:-1]:
        messages.append(ChatMessage(Role.ASSISTANT, "", reply.calls))
        messages += [
            ChatMessage(Role.TOOL, cast_answer(call.name, json.loads(call.arguments)), call_id=call.id)
            for call in reply.calls
        ]
    messages.append(ChatMessage(Role.USER, f"{MEANWHILE}Ann: who is Hob?\nanswer: a warden"))
    tools = tuple(ToolSchema(name, "", {}) for name in (*READS, *WRITES))

    reply = await OfflineResponder().complete(ModelRequest(tuple(messages), tools), hear_nothing)

    assert reply.text.startswith("Saved as edit no. 12")


async def test_earlier_turns_leave_no_trace_in_the_answer() -> None:
    before = (ChatMessage(Role.USER, "Who is Hob?"), ChatMessage(Role.ASSISTANT, "A warden."))

    assert (await speak("Who is Edda?", before=before)).answer == (await speak("Who is Edda?")).answer


async def test_answer_is_in_the_language_of_the_message_else_of_the_prompt() -> None:
    german = PROMPT.replace("English", "German")

    assert "ist festgehalten als" in (await speak("Edda", prompt=german)).answer
    assert "is noted as" in (await speak("Who is Edda?", prompt=german)).answer


@pytest.mark.parametrize(
    "text",
    ["help", "Hilfe", "aide", "", "???", "Thanks!", "Write me a poem", "qwertz", "Record it", "x" * 5000],
)
async def test_answer_is_never_empty(text: str) -> None:
    assert (await speak(text)).answer.strip()


@pytest.mark.parametrize(
    "text",
    [
        "Who is Edda?",
        "Wem gehört tide key?",
        "Note that Edda has no brother",
        "Qui est Zebediah ?",
        "Show chapter 1",
    ],
)
async def test_people_read_neither_ids_nor_json(text: str) -> None:
    answer = (await speak(text)).answer

    assert not ID.search(answer)
    assert not re.search(r"[{}$]|\bNone\b|null", answer)


async def test_streamed_pieces_add_up_to_the_answer() -> None:
    spoken = await speak("Who is Edda?")

    assert len(spoken.deltas) > 1
    assert "".join(spoken.deltas) == spoken.answer


async def test_same_request_gets_the_same_reply() -> None:
    one, other = (
        await speak("Note that Edda's eyes are green"),
        await speak("Note that Edda's eyes are green"),
    )

    assert one.replies == other.replies


async def test_call_ids_differ_within_a_turn() -> None:
    ids = [call.id for call in (await speak("Was ist Eddas Augenfarbe?")).calls]

    assert len(set(ids)) == len(ids) > 2
    assert all(re.fullmatch(r"[A-Za-z0-9]{9}", one) for one in ids)


def test_label_names_a_text_in_every_language() -> None:
    assert has(OfflineResponder().label)
    assert len({say(language, OfflineResponder().label) for language in LANGUAGES}) == 3


NAMED_OTHERWISE: Mapping[str, type[BaseModel]] = {
    "Search": answers.SearchResult,
    "Entry": answers.EntryRef,
    "Hit": answers.EntryHit,
    "Scene": answers.SceneItem,
    "Chapter": answers.ChapterItem,
    "Book": answers.BookItem,
    "Happening": answers.TimelineItem,
    "Edit": answers.HistoryItem,
}


@pytest.mark.parametrize("ours", results.Result.__subclasses__(), ids=lambda kind: kind.__name__)
def test_results_read_what_look_ups_answer(ours: type[BaseModel]) -> None:
    theirs: type[BaseModel] = NAMED_OTHERWISE.get(ours.__name__) or vars(answers)[ours.__name__]

    known = {field.alias for field in theirs.model_fields.values()}
    assert {field.alias for field in ours.model_fields.values()} <= known


@given(st.text(max_size=200), st.sampled_from(["search_lore", "get_entity_state", "record_lore_state"]))
async def test_any_error_of_a_tool_is_answered(text: str, tool: str) -> None:
    spoken = await speak("Note that Edda's eyes are green", instead(**{tool: error(tool, text)}))

    assert spoken.answer.strip()


async def hear_nothing(piece: str) -> None:
    del piece


async def test_saved_line_names_the_edit() -> None:
    spoken = await speak("Take back edit 7", instead(undo=done("undo", 41)))

    assert spoken.called("undo") == [{"change": 7}]
    assert spoken.answer == "Saved as edit no. 41."
