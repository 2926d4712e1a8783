"""Cards as people read them: each is compared with a text that was looked at, in three languages.

`LOREKEEPER_WRITE_GOLDEN=1` writes the texts anew.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import JsonValue

from adapters.cards import (
    Action,
    Card,
    Step,
    View,
    answer_buttons,
    answer_card,
    outcome_card,
    outcome_text,
    proposal_card,
    trace_card,
)
from adapters.cards.edits import MAX_LINES
from adapters.cards.excerpts import excerpts
from adapters.surface import Trace
from adapters.terminal.render import block_renderable, plain_text
from agent_core.lore.answers import (
    Answer,
    CardLine,
    Fact,
    KeyChange,
    LooseEnd,
    LooseEnds,
    OldSaying,
    Place,
    SearchResult,
    Warn,
)
from agent_core.lore.model import NodeKind, Relation
from agent_core.pipeline.model import BatchStatus, CallStatus
from agent_core.texts import LANGUAGES
from agent_core.tools.spec import Risk
from tests.adapters import samples

GOLDEN = Path(__file__).parent / "golden"
DONE, LEFT_OUT, FAILED = CallStatus.DONE, CallStatus.DECLINED, CallStatus.FAILED

STEPS = (
    Step(tool="search_lore", arguments="Mara", outcome="done", result="2 · Mara", duration_ms=120),
    Step(outcome="thought", result="The Heron is\nMara."),
    Step(tool="record_lore_state", arguments="Mara, eyes: green", outcome="pending", duration_ms=1800),
    Step(tool="get_entity_state", arguments="Tom", outcome="failed", duration_ms=30),
    Step(tool="get_timeline", arguments="Mara"),
)

CARDS: Mapping[str, Callable[[View], Card]] = {
    "state": lambda view: answer_card(samples.STATE, view),
    "search": lambda view: answer_card(samples.SEARCH, view),
    "no_entry": lambda view: answer_card(samples.NO_ENTRY, view),
    "contents": lambda view: answer_card(samples.CONTENTS, view),
    "entries": lambda view: answer_card(samples.ENTRIES, view),
    "entries_of_a_kind": lambda view: answer_card(samples.CHARACTERS, view),
    "scenes": lambda view: answer_card(samples.SCENES, view),
    "timeline": lambda view: answer_card(samples.TIMELINE, view, name="Mara"),
    "history": lambda view: answer_card(samples.HISTORY, view),
    "why": lambda view: answer_card(samples.WHY, view),
    "loose_ends": lambda view: answer_card(samples.LOOSE, view),
    "proposal": lambda view: proposal_card(
        samples.batch(samples.EYES, samples.NEW_ENTRY, samples.HOME, samples.NEW_SCENE), view
    ),
    "proposal_of_many_kinds": lambda view: proposal_card(samples.batch(*samples.EVERY_KIND), view),
    "proposal_dangerous": lambda view: proposal_card(
        samples.batch(samples.RETIRE, risk=Risk.DANGEROUS, series="s"), view
    ),
    "saved": lambda view: outcome_card(
        samples.approved(samples.EYES, samples.HOME, statuses=(DONE, DONE)), view, by="Ann"
    ),
    "partly_saved": lambda view: outcome_card(
        samples.approved(
            samples.EYES, samples.NEW_ENTRY, samples.NEW_SCENE, statuses=(DONE, LEFT_OUT, FAILED)
        ),
        view,
        by="Ann",
    ),
    "trace": lambda view: trace_card(STEPS, view.language, duration_ms=2140),
}


def text_of(card: Card, language: str, width: int = 72) -> str:
    block = (
        Trace(card=card, is_open=True)
        if any(line.label == "✓" for f in card.fields for line in f.lines)
        else card
    )
    return plain_text(block_renderable(block, language), width)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", CARDS)
def test_card_reads_as_it_was_looked_at(name: str, language: str) -> None:
    shown = text_of(CARDS[name](replace(samples.VIEW, language=language)), language)
    path = GOLDEN / f"{name}.{language}.txt"
    if os.environ.get("LOREKEEPER_WRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown, "utf-8")
    assert shown == path.read_text("utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", CARDS)
def test_no_card_shows_json_ids_or_marks_of_the_code(name: str, language: str) -> None:
    shown = text_of(CARDS[name](replace(samples.VIEW, language=language)), language)
    assert not re.search(r"\$\w+|[{}]|node-|\bNone\b|\bTrue\b|_", shown)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "answer",
    [samples.BOUNDED, samples.SEARCH, samples.NO_ENTRY, samples.CONTENTS, samples.TIMELINE, samples.WHY],
)
def test_a_bounded_reader_always_reads_how_far_they_are(answer: Answer, language: str) -> None:
    card = answer_card(answer, replace(samples.READER, language=language))
    line = {
        "en": "you have finished chapter b2:4; later things aren’t shown",
        "de": "du hast Kapitel b2:4 beendet; Späteres wird nicht gezeigt",
        "fr": "vous avez fini le chapitre b2:4\u00a0; la suite n’est pas montrée",
    }
    assert card.footer[-1] == line[language]


def test_a_bounded_reader_sees_no_edit_numbers() -> None:
    shown = text_of(answer_card(samples.BOUNDED, samples.READER), "en")
    assert "edit no." not in shown


def test_a_reader_of_nothing_is_told_so() -> None:
    card = answer_card(samples.SEARCH, replace(samples.READER, finished=None))
    assert card.footer[-1] == "you have finished no chapter yet; later things aren’t shown"


@pytest.mark.parametrize(
    ("kind", "line"),
    [(NodeKind.SCENE, "you have finished scene 4.2"), (NodeKind.BOOK, "you have finished book b1")],
)
def test_the_line_names_what_was_finished(kind: NodeKind, line: str) -> None:
    label = line.rsplit(maxsplit=1)[-1]
    view = replace(samples.READER, finished=Place(id="x", label=label, kind=kind))
    assert answer_card(samples.SEARCH, view).footer[-1].startswith(f"{line};")


@pytest.mark.parametrize(
    ("view", "head"),
    [
        (View(series="The Salt Road", book="Low Water"), "The Salt Road · Low Water"),
        (View(series="Low Water", book="Low Water", single_book=True), "Low Water"),
        (View(series="The Salt Road", single_book=True), "The Salt Road"),
        (View(series="Anything", book="Low Water", single_book=True), "Low Water"),
        (View(), ""),
    ],
)
def test_a_novel_that_stands_alone_is_headed_by_its_title(view: View, head: str) -> None:
    assert answer_card(samples.SEARCH, view).head == head


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_novel_that_stands_alone_never_shows_the_word_series(language: str) -> None:
    view = replace(samples.VIEW, language=language, single_book=True)
    for make in CARDS.values():
        shown = text_of(make(view), language).lower()
        assert not re.search(r"\b(series|reihe|cycle)\b", shown)


def test_warnings_come_before_the_lines_and_name_theirs() -> None:
    card = proposal_card(samples.batch(samples.EYES, samples.NEW_ENTRY), samples.VIEW)
    assert [(line.number, line.text) for line in card.lines] == [(2, "Not placed yet: readers don’t see it.")]


def test_the_letters_on_a_card_answer_its_questions_in_order() -> None:
    batch = samples.batch(samples.EYES, samples.HOME)
    letters = [
        line.label
        for field in proposal_card(batch, samples.VIEW).fields
        for line in field.lines
        if line.depth == 2
    ]
    answers = [(button.line, button.name, button.value) for button in answer_buttons(batch, "en")]
    assert letters == ["a", "b", "c", "e"]
    assert answers == [(0, "kind", "record"), (0, "kind", "retcon"), (1, "at", "7.3"), (1, "at", "start")]


def test_a_card_with_dropped_lines_saves_the_selection() -> None:
    batch = samples.batch(samples.EYES, samples.HOME)
    dropped = replace(batch, calls=(batch.calls[0], replace(batch.calls[1], selected=False)))
    actions = [button.action for button in proposal_card(dropped, samples.VIEW).buttons]
    assert actions[:2] == [Action.SAVE_SELECTION, Action.DISCARD]
    assert Action.TOGGLE in actions


def test_a_dangerous_card_is_for_the_lead_to_decide() -> None:
    card = proposal_card(samples.batch(samples.RETIRE, risk=Risk.DANGEROUS), samples.VIEW)
    assert "may decide: the lead" in card.footer


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (BatchStatus.DECLINED, "Discarded by Ann. Nothing was written."),
        (
            BatchStatus.EXPIRED,
            "The time for this proposal ran out. Nothing was written; ask again for a new one.",
        ),
        (
            BatchStatus.SUPERSEDED,
            "Set aside, since the conversation went on. Nothing was written.",
        ),
    ],
)
def test_a_card_that_closed_unwritten_says_so(status: BatchStatus, said: str) -> None:
    card = outcome_card(samples.batch(samples.EYES, status=status), samples.VIEW, by="Ann")
    assert card.title == said
    assert [line.text for line in card.lines] == ["Mara"]
    assert card.buttons == ()


def test_a_card_that_closed_unwritten_names_what_is_about_no_entry() -> None:
    card = outcome_card(samples.batch(samples.NEW_SCENE, status=BatchStatus.EXPIRED), samples.VIEW)
    assert [line.text for line in card.lines] == ["new scene 7.4 “Low tide”"]


def test_an_unknown_outcome_asks_to_look_first() -> None:
    batch = samples.approved(samples.EYES, statuses=(CallStatus.UNKNOWN,), edit=None)
    assert (
        outcome_text(batch, "en")
        == "It isn’t certain whether this happened. Please look before you repeat it."
    )


def test_loose_ends_name_an_entry_once_with_all_that_it_lacks() -> None:
    debt, boat = (
        Fact(id=f"f{edit}", patch=patch, edit=edit)
        for edit, patch in ((20, {"debt": 40}), (21, {"boat": "none"}))
    )
    ends = LooseEnds(
        items=(
            LooseEnd(kind="not_revealed", entry=samples.TOM),
            LooseEnd(kind="not_revealed", entry=samples.TOM, fact=debt),
            LooseEnd(kind="not_revealed", entry=samples.TOM, fact=boat),
            LooseEnd(kind="not_revealed", entry=samples.MARA, fact=debt),
        )
    )
    [waiting] = answer_card(ends, samples.VIEW).fields
    assert [(line.label, line.text, line.mark) for line in waiting.lines] == [
        (samples.TOM.name, "the entry itself · debt: 40 · boat: none", "edit no. 20 · edit no. 21"),
        (samples.MARA.name, "debt: 40", "edit no. 20"),
    ]


def test_a_saved_card_can_be_taken_back() -> None:
    card = outcome_card(samples.approved(samples.EYES, statuses=(DONE,)), samples.VIEW, by="Ann")
    assert [(button.action, button.value) for button in card.buttons] == [(Action.TAKE_BACK, "413")]


@pytest.mark.parametrize("code", ["not_revealed", "cannot_undo"])
def test_a_warning_without_facts_is_a_sentence(code: str) -> None:
    line = samples.HOME.model_copy(update={"warnings": (Warn(code=code),)})
    card = proposal_card(samples.batch(line), samples.VIEW)
    assert card.lines[0].text.endswith(".")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "no longer"),
        (True, "yes"),
        ({"$none": True}, "certainly none"),
        ({"city": "Vel", "gates": 2.5}, "city Vel, gates 2.5"),
        ("word " * 40, "(200 characters in all)"),
    ],
)
def test_values_in_warnings_and_old_sayings_are_written_as_anywhere(value: JsonValue, said: str) -> None:
    later = Warn(code="later_value", facts={"key": "eyes", "place": "8.1"}, values={"value": value})
    saying = OldSaying(quote=samples.QUOTE, key="eyes", value=value)
    line = samples.HOME.model_copy(update={"warnings": (later,), "old_sayings": (saying,)})
    card = proposal_card(samples.batch(line), samples.VIEW)
    assert said in card.lines[0].text
    assert said in " ".join(text_of(card, "en").split("still says")[1].split())


def test_values_that_are_long_are_cut_with_their_length() -> None:
    line = samples.HOME.model_copy(update={"changes": (KeyChange(key="oath", after="word " * 400),)})
    shown = text_of(proposal_card(samples.batch(line), samples.VIEW), "en")
    assert "… (2,000 characters in all)" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (SearchResult(query="?!", hint="no_words"), "There is no word in that to look for."),
        (SearchResult(query="ox " * 300, hint="cut"), "Only the first words of that were looked for."),
        (SearchResult(query="ox " * 300), "Nothing found for “ox ox"),
    ],
)
def test_a_search_says_what_it_could_not_look_for(found: SearchResult, said: str) -> None:
    shown = " ".join(text_of(answer_card(found, samples.VIEW), "en").split())
    assert said in shown
    assert len(shown) < 500


def test_a_detail_that_changes_elsewhere_than_its_line_says_where() -> None:
    changes = tuple(
        KeyChange(key="eyes", before=before, after="green", place=samples.scene(place), replaces_edit=3)
        for before, place in (("blue", "7.3"), ("grey", "9.1"))
    )
    line = samples.EYES.model_copy(update={"kind": "retcon", "at": samples.scene("7.3"), "changes": changes})
    shown = " ".join(text_of(proposal_card(samples.batch(line), samples.VIEW), "en").split())
    assert "eyes blue → green (replaces edit no. 3)" in shown
    assert "eyes grey → green (from 9.1 on · replaces edit no. 3)" in shown


def test_a_story_place_is_named_with_its_neighbours() -> None:
    line = CardLine(
        kind="place",
        at=samples.scene("8.1"),
        relation=Relation.BEFORE,
        facts={"nodes": 1, "anchor": "1.1", "later": "1.1"},
    )
    shown = text_of(proposal_card(samples.batch(line), samples.VIEW), "en")
    assert "8.1 happens before 1.1 · in the story, before 1.1" in " ".join(shown.split())


def test_cards_can_be_sent_as_data() -> None:
    """Platforms and the page take cards apart: every part is plain data."""
    from dataclasses import asdict

    assert json.dumps(asdict(CARDS["proposal"](samples.VIEW)), ensure_ascii=False)


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("", "one two", ("", "one two")),
        ("one", "one two", ("one", "one two")),
        ("a b c d e f g h x j k l m n o p q", "a b c d e f g h y j k l m n o p q",
         ("… c d e f g h x j k l m n o …", "… c d e f g h y j k l m n o …")),
        ("w " * 80, "", ("w " * 50 + "…", "")),
    ],
)  # fmt: skip
def test_of_long_texts_the_changed_words_are_shown(before: str, after: str, shown: tuple[str, str]) -> None:
    assert excerpts(before, after) == shown


def test_a_trace_shows_no_ids_and_survives_an_outcome_it_does_not_know() -> None:
    step = Step(
        tool="why", arguments="0b7d6a52-3f0e-4c0c-9a55-1d2f6f1f0c11, eyes", outcome="vanished", result="gone"
    )
    line = trace_card((step,), "en", duration_ms=0).fields[0].lines[0]
    assert (line.label, line.text) == ("–", "look for the reason · eyes · ended otherwise · gone")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("“Late,” said Tom.", "“Late,” said Tom."),
        ("He said: “You are late.", "He said: “You are late.”"),
        ("You are late,” he said.", "“You are late,” he said."),
        ("Er sagte: „Zu spät.", "Er sagte: „Zu spät.“"),
        ("Il dit : « Trop tard.", "Il dit : « Trop tard.»"),
    ],
)
def test_speech_in_a_quote_keeps_its_own_marks_only(text: str, said: str) -> None:
    quote = samples.QUOTE.model_copy(update={"text": text})
    found = samples.SEARCH.model_copy(update={"entries": (), "scenes": (quote,)})
    texts = [line.text for field in answer_card(found, samples.VIEW).fields for line in field.lines]
    assert said in texts


def test_a_fact_that_was_left_out_is_named() -> None:
    batch = samples.approved(samples.EYES, samples.HOME, statuses=(DONE, LEFT_OUT))
    line = outcome_card(batch, samples.VIEW, by="Ann").fields[1].lines[0]
    assert (line.label, line.text.split(" · ")[0]) == (
        "left out",
        "home: city Vel, street left open on purpose",
    )


def test_a_long_edit_is_cut_and_says_how_much_is_missing() -> None:
    item = samples.HISTORY.items[0]
    details = (item.lines[0].model_copy(update={"key": f"tooth {n}"}) for n in range(MAX_LINES + 3))
    long = item.model_copy(update={"lines": tuple(details)})
    history = samples.HISTORY.model_copy(update={"items": (long,)})
    lines = answer_card(history, samples.VIEW).fields[0].lines
    assert len(lines) == MAX_LINES + 1
    assert lines[-1].text == "… and 3 more"


def test_a_correction_that_strikes_a_value_and_sets_another_is_one_line_of_its_edit() -> None:
    item = samples.HISTORY.items[0]
    fact = item.lines[0].model_copy(update={"place": None})
    corrected = item.model_copy(update={"lines": (fact, fact.model_copy(update={"kind": "struck"}))})
    history = samples.HISTORY.model_copy(update={"items": (corrected,)})

    [line] = answer_card(history, samples.VIEW).fields[0].lines

    assert (line.before, line.text) == ("blue", "green")
