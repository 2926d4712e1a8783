"""What sentences mean: which look-up, of whom, bound to what; what is to be noted, and what is not."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.llm.offline.language import languages_of, ordered_language
from agent_core.llm.offline.reading import read
from agent_core.llm.offline.rules import LANGUAGES, rules_of
from agent_core.llm.offline.scope import Scope
from agent_core.llm.offline.wishes import (
    Asked,
    Create,
    Guess,
    Question,
    Record,
    Remark,
    Rename,
    Said,
    TakeBack,
    Wish,
    Write,
    Writes,
)
from agent_core.messages import Json


def wishes(text: str) -> tuple[Wish, ...]:
    return read(text, languages_of(text, "en"))


def question(text: str) -> Question:
    [wish] = wishes(text)
    assert isinstance(wish, Question), wish
    return wish


def records(text: str) -> list[Record]:
    [wish] = wishes(text)
    assert isinstance(wish, Writes), wish
    return [one for one in wish.writes if isinstance(one, Record)]


def facts(text: str) -> list[tuple[str, str, Json]]:
    return [(one.fact.names[0], one.fact.key, one.fact.value) for one in records(text)]


@pytest.mark.parametrize(
    ("text", "asks", "name", "words"),
    [
        ("Who is Mara?", Asked.ENTRY, "Mara", ""),
        ("tell me about mara", Asked.ENTRY, "mara", ""),
        ("What do we know about the Heron?", Asked.ENTRY, "the Heron", ""),
        ("What are Mara's eyes like?", Asked.DETAIL, "Mara", "eyes"),
        ("Who is the brother of Mara?", Asked.DETAIL, "Mara", "brother"),
        ("How old is Tom Reed?", Asked.DETAIL, "Tom Reed", "age"),
        ("Where is Mara now?", Asked.DETAIL, "Mara", "location"),
        ("Is Mara still alive?", Asked.DETAIL, "Mara", "status"),
        ("Who owns the silver key?", Asked.DETAIL, "the silver key", "owner"),
        ("What happened to Mara?", Asked.TIMELINE, "Mara", ""),
        ("When did Mara lose her key?", Asked.WHEN, "Mara", "lose her key"),
        ("Since when is Mara a captain?", Asked.SINCE, "Mara", "captain"),
        ("Why do we say that Mara's eyes are green?", Asked.WHY, "Mara", "eyes are green"),
        ("Show me the history of Mara, please", Asked.HISTORY, "Mara", ""),
        ("Wer ist Mara?", Asked.ENTRY, "Mara", ""),
        ("Was wissen wir über Mara?", Asked.ENTRY, "Mara", ""),
        ("Wie heißt Maras Bruder?", Asked.DETAIL, "Mara", "Bruder"),
        ("Welche Augenfarbe hat Mara?", Asked.DETAIL, "Mara", "Augenfarbe"),
        ("Wo wohnt Mara?", Asked.DETAIL, "Mara", "Wohnort"),
        ("Was geschah mit Mara?", Asked.TIMELINE, "Mara", ""),
        ("Warum sind Maras Augen grün?", Asked.WHY, "Mara", "Augen grün"),
        ("Was hat sich bei Mara geändert?", Asked.HISTORY, "Mara", ""),
        ("Qui est Mara ?", Asked.ENTRY, "Mara", ""),
        ("Que sait-on d'Alia ?", Asked.ENTRY, "Alia", ""),
        ("De quelle couleur sont les yeux d'Alia ?", Asked.DETAIL, "Alia", "yeux"),
        ("Quelle est la couleur des yeux de Mara ?", Asked.DETAIL, "Mara", "yeux"),
        ("Qu'est-il arrivé à Mara ?", Asked.TIMELINE, "Mara", ""),
        ("Depuis quand Mara est-elle capitaine ?", Asked.SINCE, "Mara", "capitaine"),
        ("Pourquoi les yeux de Mara sont-ils verts ?", Asked.WHY, "Mara", "yeux"),
    ],
)
def test_question_is_read(text: str, asks: Asked, name: str, words: str) -> None:
    read_as = question(text)

    assert (read_as.asks, read_as.names[0], read_as.words) == (asks, name, words)


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("What are Mara's eyes in chapter 3?", Scope(place="3")),
        ("Where is Mara at the end of chapter three of book 2?", Scope(place="b2:3")),
        ("Where is Mara in scene 3 of chapter 7?", Scope(place="7.3")),
        ("Where is Mara @b2:7.3?", Scope(place="b2:7.3")),
        ("What are Mara's eyes before chapter 7?", Scope(place="7.1", starts=True)),
        ("What were Mara's eyes as we knew it last May?", Scope(known="last May")),
        ("What were Mara's eyes as of edit 12?", Scope(known="12")),
        ("Who is Mara for a reader who has finished chapter 5?", Scope(reader="5")),
        ("Welche Augenfarbe hat Mara im dritten Kapitel?", Scope(place="3")),
        ("Welche Augenfarbe hatte Mara, Stand 1. November?", Scope(known="1. November")),
        ("Wer ist Mara für eine Leserin, die Kapitel 5 gelesen hat?", Scope(reader="5")),
        ("Quels sont les yeux de Mara à la fin du chapitre 2 ?", Scope(place="2")),
        ("Que savait-on de Mara en mai dernier ?", Scope(known="mai dernier")),
        ("Qui est Mara pour un lecteur qui a fini le chapitre 5 ?", Scope(reader="5")),
    ],
)
def test_question_is_bound_to_a_place_to_notes_or_to_a_reader(text: str, scope: Scope) -> None:
    assert question(text).scope == scope


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("show chapter 3", "3"),
        ("Read me scene 7.3", "7.3"),
        ("What happens in chapter IV?", "4"),
        ("Zeig Kapitel 3", "3"),
        ("Was passiert im dritten Kapitel?", "3"),
        ("Lis-moi la scène 2 du chapitre 4", "4.2"),
        ("Que se passe-t-il au chapitre 3 ?", "3"),
    ],
)
def test_chapter_is_asked_for(text: str, place: str) -> None:
    read_as = question(text)

    assert (read_as.asks, read_as.scope.place) == (Asked.CHAPTER, place)


@pytest.mark.parametrize("text", ["List the chapters", "Welche Kapitel gibt es?", "Liste les chapitres"])
def test_contents_are_asked_for(text: str) -> None:
    assert question(text).asks is Asked.CONTENTS


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("Record that Mara's eyes are green.", [("Mara", "eyes", "green")]),
        ("Could you please note that Mara has green eyes?", [("Mara", "eyes", "green")]),
        ("I want you to remember that Mara lives in Vel", [("Mara", "home", "Vel")]),
        ("Change Mara's eyes from green to blue", [("Mara", "eyes", "blue")]),
        ("Set Alia's age to 16 and Tom's age to 40", [("Alia", "age", 16), ("Tom", "age", 40)]),
        (
            "Note that Mara's eyes are green and her hair is red",
            [("Mara", "eyes", "green"), ("Mara", "hair", "red")],
        ),
        ("Note that Mara and Tom are dead", [("Mara", "status", "dead"), ("Tom", "status", "dead")]),
        ("Record that Mara is Tom's sister", [("Tom", "sister", "Mara")]),
        ("Note that Mara lost her scarf in chapter 2.", [("Mara", "event", "lost her scarf")]),
        ("Notiere, dass Mara ihren Schal verlor", [("Mara", "Ereignis", "ihren Schal verlor")]),
        ("Record that Tip is Ozma", [("Tip", "is", "Ozma")]),
        ("Note that Tip is a boy", [("Tip", "sex", "boy")]),
        ("Record that Mara has no brother", [("Mara", "brother", {"$none": True})]),
        ("Note that Mara no longer lives in Vel", [("Mara", "home", None)]),
        ("Mara's eyes are green. Please note that.", [("Mara", "eyes", "green")]),
        ("Ann: note that Mara is dead", [("Mara", "status", "dead")]),
        ("Notiere, dass Maras Augen grün sind.", [("Mara", "Augen", "grün")]),
        ("Kannst du bitte festhalten, dass Mara dunkle Augen hat?", [("Mara", "Augen", "dunkel")]),
        ("Merk dir, dass Orsan Crewe krank ist", [("Orsan Crewe", "Zustand", "krank")]),
        (
            "Halte fest, dass Maras Augen grün und ihre Haare rot sind.",
            [("Mara", "Augen", "grün"), ("Mara", "Haare", "rot")],
        ),
        ("Trage bei Mara ein: Augen grün", [("Mara", "Augen", "grün")]),
        ("Ändere Maras Augenfarbe auf blau", [("Mara", "Augenfarbe", "blau")]),
        ("Peux-tu noter que Mara a les yeux verts ?", [("Mara", "yeux", "verts")]),
        ("Note que le frère d'Alia s'appelle Tom", [("Alia", "frère", "Tom")]),
        ("Enregistre que Mara n'habite plus à Vel", [("Mara", "domicile", None)]),
        (
            "Note que les yeux de Mara sont verts et que ses cheveux sont roux",
            [("Mara", "yeux", "verts"), ("Mara", "cheveux", "roux")],
        ),
    ],
)
def test_facts_are_read_from_a_request(text: str, noted: Sequence[tuple[str, str, Json]]) -> None:
    assert facts(text) == noted


@pytest.mark.parametrize(
    ("text", "scope", "retcon"),
    [
        ("Note that Tom is dead from chapter 7.3 on", Scope(place="7.3", since=True), False),
        ("Note that Mara wears a coat until chapter 6", Scope(until="6"), False),
        ("Note that Mara's eyes were always green", Scope(), True),
        ("Correct Mara's eyes to grey", Scope(), True),
        ("Notiere, dass Tom ab Kapitel 3 tot ist", Scope(place="3", since=True), False),
        ("Notiere, dass Mara schon immer grüne Augen hatte", Scope(), True),
        ("Note que Tom est mort à partir du chapitre 3", Scope(place="3", since=True), False),
        ("Note que Mara a toujours eu les yeux verts", Scope(), True),
    ],
)
def test_fact_is_bound_to_its_place_or_was_always_so(text: str, scope: Scope, *, retcon: bool) -> None:
    [record] = records(text)

    assert (record.scope, record.retcon) == (scope, retcon)


def test_place_that_is_named_once_holds_for_both_facts() -> None:
    both = records("Note that Mara is a captain and lives in Vel from chapter 2 on")

    assert [one.scope.place for one in both] == ["2", "2"]


@pytest.mark.parametrize(
    ("text", "writes"),
    [
        ("Create a character called Ann.", [Create(type="character", name="Ann")]),
        ("Lege einen Ort namens Vel an", [Create(type="location", name="Vel")]),
        ("Crée un personnage nommé Ann", [Create(type="character", name="Ann")]),
        (
            "Create a character called Ann with green eyes",
            [Create(type="character", name="Ann", traits={"eyes": "green"})],
        ),
        ("Take back edit 12", [TakeBack(number=12)]),
        ("Mach die letzte Änderung rückgängig", [TakeBack()]),
        ("Annule la modification nº 12", [TakeBack(number=12)]),
        ("Rename Mara to Mara Vell", [Rename(names=("Mara",), new="Mara Vell")]),
        ("Note that Mara is also called the Heron", [Rename(names=("Mara",), new="the Heron", beside=True)]),
    ],
)
def test_entries_and_edits_are_written(text: str, writes: Sequence[Write]) -> None:
    assert wishes(text) == (Writes(writes=tuple(writes)),)


@pytest.mark.parametrize(
    "text",
    [
        "Mara is 17.",
        "Don't record that Mara is dead.",
        "Record that?",
        "Should I record that Mara is dead?",
        "Remember when Mara died?",
        "Did you note that Mara is dead?",
        "What did we record about Mara?",
        "Note that Mara is dead in chapter 3, so why does she speak in 4?",
        "Write a scene where Mara is dead.",
        "Mara set the table.",
        'Ann said: "Record that Mara is dead."',
        "Notiere nicht, dass Mara tot ist.",
        "Hast du gespeichert, dass Mara tot ist?",
        "Ich merke, dass Mara lügt.",
        "Maras Augen sind grün.",
        "Ne note pas que Mara est morte.",
        "Dois-je noter que Mara est morte ?",
        "Je note que Mara est morte.",
        "Les yeux de Mara sont verts.",
    ],
)
def test_nothing_is_written_without_an_explicit_wish(text: str) -> None:
    assert not any(isinstance(wish, Writes) for wish in wishes(text))


@pytest.mark.parametrize(
    "text", ["Who is she?", "Wer ist ihr Bruder?", "Qui est son frère ?", "Note that she is dead"]
)
def test_pronoun_without_a_name_is_not_followed(text: str) -> None:
    [wish] = wishes(text)

    assert isinstance(wish, Said)
    assert wish.remark is Remark.PRONOUN


def test_pronoun_is_followed_within_one_message() -> None:
    asked = [wish for wish in wishes("Who is Mara and where does she live?") if isinstance(wish, Question)]

    assert [(one.asks, one.names) for one in asked] == [(Asked.ENTRY, ("Mara",)), (Asked.DETAIL, ("Mara",))]


@pytest.mark.parametrize(
    "text", ["hello", "How are you?", "Danke!", "Comment vas-tu ?", "Write me a poem about rain"]
)
def test_chatter_wants_no_look_up(text: str) -> None:
    assert all(isinstance(wish, Said) for wish in wishes(text))


def test_what_is_not_understood_is_looked_up_by_its_name() -> None:
    [wish] = wishes("Honestly, I keep wondering about Mara Vell and her ways.")

    assert isinstance(wish, Guess)
    assert wish.names == ("Mara Vell",)


@pytest.mark.parametrize(
    ("text", "language"),
    [("Who is Mara?", "en"), ("Wer ist Mara?", "de"), ("Où est l'épée ?", "fr"), ("Mara", "de")],
)
def test_language_is_told_by_small_words_else_by_the_default(text: str, language: str) -> None:
    assert languages_of(text, "de")[0] == language


def test_default_language_stands_in_the_prompt() -> None:
    assert ordered_language("You are LoreKeeper.\nYou answer authors in French.\n") == "fr"
    assert ordered_language("") == "en"


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_of_every_language_know_every_kind_of_question_and_fact(language: str) -> None:
    rules, english = rules_of(language), rules_of("en")

    assert {one.group.kind for one in rules.question_forms} == set(Asked)
    assert {one.group.kind for one in rules.statement_forms} == {
        one.group.kind for one in english.statement_forms
    }
    assert rules.statement.keys.keys() == english.statement.keys.keys()


ENGLISH = ("who", "is", "Mara", "Tom", "'s", "eyes", "green", "the", "of", "in", "chapter", "3", "has", "and")
GERMAN = ("ist", "sind", "hat", "der", "die", "dass", "Augen", "grün", "von", "und", "nicht")
FRENCH = ("est", "les", "yeux", "de", "verts", "que", "à", "a", "et")
WORDS = st.sampled_from((*ENGLISH, *GERMAN, *FRENCH, "?", ".", ",", ":"))


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_words_without_a_verb_of_noting_never_write(text: str) -> None:
    assert not any(isinstance(wish, Writes) for wish in wishes(text))


@given(st.text(max_size=300))
def test_any_text_is_read_as_something_and_always_the_same(text: str) -> None:
    assert wishes(text)
    assert wishes(text) == wishes(text)
