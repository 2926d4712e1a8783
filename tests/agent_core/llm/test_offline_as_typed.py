"""Sentences as people type them in a chat: with greetings, reasons and asides, in haste, unmarked."""

from collections.abc import Sequence

import pytest

from agent_core.llm.offline.language import languages_of
from agent_core.llm.offline.reading import read
from agent_core.llm.offline.wishes import (
    Asked,
    Create,
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
from agent_core.texts.catalogue import say
from tests.agent_core.llm.offline_cast import entry, speak


def wishes(text: str) -> tuple[Wish, ...]:
    return read(text, languages_of(text, "en"))


def question(text: str) -> Question:
    [wish] = wishes(text)
    assert isinstance(wish, Question), wish
    return wish


def writes(text: str) -> tuple[Write, ...]:
    [wish] = wishes(text)
    assert isinstance(wish, Writes), wish
    return wish.writes


def facts(text: str) -> list[tuple[str, str, Json]]:
    made = [one for one in writes(text) if isinstance(one, Record)]
    return [(one.fact.names[0], one.fact.key, one.fact.value) for one in made]


@pytest.mark.parametrize(
    ("text", "asks", "name"),
    [
        ("Hello, who is Mara?", Asked.ENTRY, "Mara"),
        ("hello who is mara", Asked.ENTRY, "mara"),
        ("Thanks, and where does Mara live?", Asked.DETAIL, "Mara"),
        ("Hallo, wer ist Mara?", Asked.ENTRY, "Mara"),
        ("Danke, und wo wohnt Mara?", Asked.DETAIL, "Mara"),
        ("Bonjour, qui est Mara ?", Asked.ENTRY, "Mara"),
        ("Merci, et où habite Mara ?", Asked.DETAIL, "Mara"),
    ],
)
def test_greeting_before_a_question_does_not_hide_it(text: str, asks: Asked, name: str) -> None:
    asked = question(text)

    assert (asked.asks, asked.names[0]) == (asks, name)


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("Hello there, please note that Mara is dead", ("Mara", "status", "dead")),
        ("Hallo, notiere bitte, dass Mara tot ist", ("Mara", "Zustand", "tot")),
        ("Bonjour, peux-tu noter que Mara est morte ?", ("Mara", "état", "morte")),
        ("Merci, note aussi que Mara est morte", ("Mara", "état", "morte")),
        ("I need you to record that Mara is dead", ("Mara", "status", "dead")),
        ("Note that Mara is dead, would you?", ("Mara", "status", "dead")),
        ("Notiere, dass Mara tot ist, ja?", ("Mara", "Zustand", "tot")),
        ("Note que Mara est morte, s'il te plaît ?", ("Mara", "état", "morte")),
        ("Plz write down that Mara is dead", ("Mara", "status", "dead")),
        ("Merk dir bite: Mara ist tot", ("Mara", "Zustand", "tot")),
    ],
)
def test_polite_words_around_a_wish_to_write_do_not_hide_it(text: str, noted: tuple[str, str, Json]) -> None:
    assert facts(text) == [noted]


@pytest.mark.parametrize(
    "text", ["Hello, Mara!", "Danke, das war toll", "Merci, c'est parfait", "Thanks, great"]
)
def test_greeting_and_thanks_alone_are_no_question(text: str) -> None:
    assert all(isinstance(wish, Said) and wish.remark is not Remark.UNCLEAR for wish in wishes(text))


@pytest.mark.parametrize(
    ("text", "asks", "name", "words"),
    [
        ("whats maras eye color", Asked.DETAIL, "mara", "eye color"),
        ("wheres Mara living these days", Asked.DETAIL, "Mara", "home"),
        ("was weisst du ueber Mara", Asked.ENTRY, "Mara", ""),
        ("dis moi ou vit Alia", Asked.DETAIL, "Alia", "domicile"),
        ("quest ce qu on sait d Alia", Asked.ENTRY, "Alia", ""),
        ("cest qui déjà, Mara ?", Asked.ENTRY, "Mara", ""),
        ("Mara, c'est qui ?", Asked.ENTRY, "Mara", ""),
        ("Elle habite où, Mara ?", Asked.DETAIL, "Mara", "domicile"),
        ("où est Mara", Asked.DETAIL, "Mara", "lieu"),
        ("Mara, who is that again?", Asked.ENTRY, "Mara", ""),
        ("Mara, wer war das nochmal?", Asked.ENTRY, "Mara", ""),
        ("What happened to Mara in the end?", Asked.TIMELINE, "Mara", ""),
        ("Was ist mit Mara am Ende passiert?", Asked.TIMELINE, "Mara", ""),
        ("Qu'est-il arrivé à Mara à la fin ?", Asked.TIMELINE, "Mara", ""),
        ("What did our notes say about Mara?", Asked.ENTRY, "Mara", ""),
        ("Got anything on Mara?", Asked.ENTRY, "Mara", ""),
        ("Haben wir schon was zu Mara?", Asked.ENTRY, "Mara", ""),
        ("On a quelque chose sur Mara ?", Asked.ENTRY, "Mara", ""),
        ("Who changed something about Mara last?", Asked.HISTORY, "Mara", ""),
        ("Wer hat zuletzt was an Mara geändert?", Asked.HISTORY, "Mara", ""),
        ("Qui a modifié quelque chose sur Mara ?", Asked.HISTORY, "Mara", ""),
        ("L'historique des modifs de Mara", Asked.HISTORY, "Mara", ""),
        ("Did anyone note that Mara is dead?", Asked.ENTRY, "Mara", "dead"),
        ("Hat jemand notiert, dass Mara tot ist?", Asked.ENTRY, "Mara", "tot ist"),
        ("Est-ce qu'on a noté que Mara est morte ?", Asked.ENTRY, "Mara", "morte"),
        ("Sag mir, wem der Schlüssel gehört", Asked.DETAIL, "der Schlüssel", "Besitzer"),
        ("Can I see the history of Mara?", Asked.HISTORY, "Mara", ""),
    ],
)
def test_hasty_question_is_read(text: str, asks: Asked, name: str, words: str) -> None:
    asked = question(text)

    assert (asked.asks, asked.names[0], asked.words) == (asks, name, words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Where's the bit with the pear?", "pear"),
        ("Wo ist die Stelle mit der Birne?", "Birne"),
        ("Où est le passage avec la poire ?", "poire"),
    ],
)
def test_passage_is_looked_for_by_what_is_in_it(text: str, words: str) -> None:
    asked = question(text)

    assert asked.asks is Asked.SEARCH
    assert asked.words.removeprefix("la ") == words


@pytest.mark.parametrize(
    "text", ["Zeig mal bite die Zeitleiste", "Show the timeline pls", "Montre moi la frise stp"]
)
def test_timeline_is_asked_for_in_haste(text: str) -> None:
    assert question(text).asks is Asked.TIMELINE


@pytest.mark.parametrize(
    "text",
    [
        "Undo the last edit please, that was nonsense",
        "That was wrong, undo the last edit",
        "Scrap my last change",
        "Mach die letzte Änderung rückgängig, ich hab mich vertan",
        "Das war Quatsch, mach die letzte Änderung rückgängig",
        "Lösch die letzte Änderung",
        "Annule ma dernière modification, je me suis trompée",
        "C'est faux, annule la dernière modif",
        "Supprime ma dernière modif stp",
    ],
)
def test_edit_is_taken_back_whatever_the_reason(text: str) -> None:
    assert writes(text) == (TakeBack(),)


def test_reason_never_swallows_the_number_of_an_edit() -> None:
    assert not any(isinstance(wish, Writes) for wish in wishes("Undo it, that is, edit 12"))


@pytest.mark.parametrize(
    ("text", "new", "beside"),
    [
        ("Rename Mara to Maria everywhere, will you", "Maria", False),
        ("Benenne Mara überall in Maria um", "Maria", False),
        ("Renomme Mara en Maria partout", "Maria", False),
        ("Mara is also called the Heron, add that as an alias please", "the Heron", True),
        ("Mara heißt auch „die Stumme“, trag das bitte als Alias ein", "die Stumme", True),
        ("Mara s'appelle aussi la Grue, ajoute-le comme alias", "la Grue", True),
    ],
)
def test_other_name_is_read_without_the_words_around_it(text: str, new: str, *, beside: bool) -> None:
    assert writes(text) == (Rename(names=("Mara",), new=new, beside=beside),)


@pytest.mark.parametrize(
    ("text", "created"),
    [
        ("I want a new location: Marl", Create(type="location", name="Marl")),
        ("Ich brauche einen neuen Ort namens Marl", Create(type="location", name="Marl")),
        ("Bitte neue Figur anlegen: Tam", Create(type="character", name="Tam")),
        ("J'ai besoin d'un nouveau personnage : Tam", Create(type="character", name="Tam")),
    ],
)
def test_entry_is_created_for_who_says_they_need_one(text: str, created: Create) -> None:
    assert writes(text) == (created,)


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("Note that Mara's eyes are green, not blue", [("Mara", "eyes", "green")]),
        ("Change Mara's eyes to green instead of blue", [("Mara", "eyes", "green")]),
        ("Note that maras eyes are green", [("mara", "eyes", "green")]),
        ("Note that in truth Mara is dead", [("Mara", "status", "dead")]),
        ("Korrigier das mal: Mara ist 42 Jahre alt, nicht 40.", [("Mara", "Alter", 42)]),
        ("Notier bitte, dass Maras Augen grün sind, nicht blau", [("Mara", "Augen", "grün")]),
        ("Aendere Maras Augenfarbe auf blau", [("Mara", "Augenfarbe", "blau")]),
        ("Note que les yeux de Mara sont verts, pas bleus", [("Mara", "yeux", "verts")]),
    ],
)
def test_fact_is_noted_without_what_it_is_not(text: str, noted: Sequence[tuple[str, str, Json]]) -> None:
    assert facts(text) == noted


@pytest.mark.parametrize(
    "text",
    [
        "Correct, Mara is dead.",
        "Mara is dead, right?",
        "Hello, Mara is dead.",
        "Hello, did you note that Mara is dead?",
        "Did you record that Mara is dead, please?",
        "Would you mind Mara being dead?",
        "Can I note that Mara is dead?",
        "If I write that Mara is dead, will you?",
        "Please don't undo the last edit, I need it",
        "How do I undo the last edit, please?",
        "Who undid the last edit, please?",
        "maras eyes are green",
        "Mara is also called the Heron, did you add that as an alias?",
        "Mara is also called the Heron, we should add that as an alias",
        "Danke, Mara hat grüne Augen",
        "Hallo, hast du notiert, dass Mara tot ist?",
        "Mara ist tot, ja?",
        "Tom notiert, dass Mara tot ist",
        "Mach die letzte Änderung nicht rückgängig, die war gut",
        "Das war falsch, nimm dir Zeit",
        "Mara heißt auch die Reiherin, das hab ich als Alias eingetragen",
        "Salut, tu as noté que Mara est morte ?",
        "Mara est morte, s'il te plaît ?",
        "Tu veux bien que je note que Mara est morte ?",
        "C'est faux, j'ai annulé la dernière modification",
        "N'annule pas la dernière modification, elle est bonne",
        "Mara s'appelle aussi la Grue, je l'ai ajouté comme alias",
    ],
)
def test_nothing_is_written_for_what_only_sounds_like_a_wish(text: str) -> None:
    assert not any(isinstance(wish, Writes) for wish in wishes(text))


@pytest.mark.parametrize(
    "text",
    [
        "Why does Edda have grey eyes?",
        "Wieso hat Edda eigentlich graue Augen?",
        "Pourquoi Edda a-t-elle les yeux gris ?",
    ],
)
async def test_reason_is_asked_for_of_a_detail_wherever_it_stands(text: str) -> None:
    spoken = await speak(text)

    assert spoken.called("why") == [{"entityId": entry("Edda").id, "key": "eyes"}]


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        ("Notiere, dass Joss Fenner krank ist", ("Joss Fenner", "Zustand", "krank")),
        ("Notiere, dass Hans Meiers Augen blau sind", ("Hans Meier", "Augen", "blau")),
        ("Trag bei Joss Fenner ein: Alter 50", ("Joss Fenner", "Alter", 50)),
        ("Notiere, dass Maras Lieblingsfarbe blau ist", ("Mara", "Lieblingsfarbe", "blau")),
    ],
)
def test_german_s_within_a_name_is_no_genitive(text: str, noted: tuple[str, str, Json]) -> None:
    assert facts(text) == [noted]


async def test_german_question_names_somebody_whose_first_name_ends_in_s() -> None:
    spoken = await speak("Wer ist Joss Fenner?")

    assert spoken.answer.startswith("**Joss Fenner**")


@pytest.mark.parametrize("text", ["y", "yes", "Yes!", "n", "ja", "oui", "Ann: yes"])
@pytest.mark.parametrize(("language", "tag"), [("English", "en"), ("German", "de"), ("French", "fr")])
async def test_decision_without_a_card_is_told_that_none_is_open(text: str, language: str, tag: str) -> None:
    spoken = await speak(text, prompt=f"You answer authors in {language}.")

    assert spoken.answer == say(tag, "terminal.nothing_open")


@pytest.mark.parametrize("key", ["offline.help", "offline.reply.unclear"])
@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_examples_name_nobody_who_may_not_be_in_the_book(language: str, key: str) -> None:
    text = say(language, key)

    assert "…" in text
    assert "Mara" not in text


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("What characters exist?", "character"), ("Which characters are there?", "character"),
        ("Which entries are there?", None), ("List all characters", "character"),
        ("Who are the main characters?", "character"), ("Which cities are there?", "location"),
        ("Who is there?", "character"), ("How many items do we have?", "object"),
        ("Welche Figuren gibt es?", "character"), ("Welche Einträge gibt es schon?", None),
        ("Liste alle Figuren auf", "character"), ("Wer kommt alles vor?", "character"),
        ("Welche Orte gibt es?", "location"), ("Welche Hauptfiguren gibt es?", "character"),
        ("Quels personnages y a-t-il ?", "character"), ("Quelles fiches existent ?", None),
        ("Liste tous les personnages", "character"), ("Quels sont les personnages ?", "character"),
        ("Quels lieux y a-t-il ?", "location"), ("Quels sont les personnages principaux ?", "character"),
    ],
)  # fmt: skip
async def test_wish_for_a_list_of_entries_is_met(text: str, kind: str | None) -> None:
    spoken = await speak(text)

    assert spoken.called("list_entries") == [{"type": kind} if kind else {}]
    assert ("**Edda Marrick**" in spoken.answer) is (kind in {"character", None})
    assert ("**Long Stones**" in spoken.answer) is (kind in {"location", None})


async def test_question_with_can_is_answered_in_german_about_the_whole_name() -> None:
    spoken = await speak("Kann Mother Tansy sprechen?")

    assert "**Mother Tansy** ist festgehalten" in spoken.answer
    assert spoken.called("search_lore") == [{"query": "Mother Tansy"}]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Where is the word hazel used?", "hazel"),
        ("Where does the word “hazel” appear?", "hazel"),
        ("In which chapters is the phrase grey tide used?", "grey tide"),
        ("Search for the word hazel", "hazel"),
        ("Wo kommt das Wort Laterne vor?", "Laterne"),
        ("Wo steht das Wort „Laterne“?", "Laterne"),
        ("Suche nach dem Wort Laterne", "Laterne"),
        ("Où apparaît le mot lanterne ?", "lanterne"),
        ("Où le mot lanterne apparaît-il ?", "lanterne"),
        ("Cherche le mot lanterne", "lanterne"),
    ],
)
def test_question_for_a_word_looks_for_that_word_alone(text: str, word: str) -> None:
    asked = question(text)

    assert (asked.asks, asked.words) == (Asked.SEARCH, word)
