"""One fold for everything that is compared."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent_core.lore.fold import atoms, document, fold, name_key, name_keys, spans, term_spans, terms

# Characters that fold in unusual ways, beside anything else that text may hold, lone surrogates included.
awkward = st.sampled_from("ßẞςΣİıŉﬁǅ½①℡㍿ᾳΐ각각がｶﾞ゙้ำก์नी\u0301\u0345\u200d\ufe0f\ud800\0'’ʻ-‐.·_#+ ")
text = st.text(st.one_of(awkward, st.characters(), st.sampled_from("abc .-'+#王小明가나ไท")), max_size=40)


@given(text)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(text)
def test_folded_text_can_be_stored(text: str) -> None:
    assert "\0" not in fold(text)
    fold(text).encode()
    name_key(text).encode()


@given(text)
def test_every_term_asked_for_is_a_term_of_the_document(text: str) -> None:
    assert set(terms(text)) <= set(document(text).split(" "))


@given(text, text)
def test_what_is_in_a_longer_text_stays_findable(text: str, more: str) -> None:
    assert set(document(text).split()) <= set(document(f"{text} {more}").split())


@given(text)
def test_a_name_key_is_its_own_key(text: str) -> None:
    assert name_key(name_key(text)) == name_key(text)


@given(text)
def test_atoms_follow_one_another_inside_the_text(text: str) -> None:
    found = list(atoms(text))
    assert all(0 <= atom.start < atom.end <= len(text) for atom in found)
    assert [atom.start for atom in found] == sorted(atom.start for atom in found)


@given(text)
@example("0:#0 0A# ำ")
def test_terms_stand_where_a_word_or_pair_of_characters_does(text: str) -> None:
    there = list(atoms(text))
    words = [(atom.start, atom.end, form) for atom in there for form in atom.forms]
    pairs = [(a.start, b.end, a.forms[0] + b.forms[0]) for a, b in pairwise(there) if b.start <= a.end]
    expected = [span for span in [*words, *pairs] if span[2] in document(text).split()]
    found = list(term_spans(text, document(text).split()))
    assert all(any(_is_inside(span, around) for around in expected) for span in found)
    assert all(any(_is_inside(span, around) for span in found) for around in expected)


def _is_inside(span: tuple[int, int, str], around: tuple[int, int, str]) -> bool:
    return around[0] <= span[0] and span[1] <= around[1] and span[2] == around[2]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("Άλφα", "αλφα"),
        ("Οδυσσέας", "ΟΔΥΣΣΕΑΣ"),
        ("İstanbul", "istanbul"),
        ("Işık", "ISIK"),
        ("Élodie", "Elodie"),
        ("E\u0301lodie", "Élodie"),
        ("ﬁnch", "finch"),
        ("ＭＡＲＡ", "mara"),
        ("Æthel", "Aethel"),
        ("Łódź", "Lodz"),
        ("Аня", "АНЯ"),
        ("O'Neil", "O’Neil"),
        ("Jean-Luc", "Jean\u2011Luc"),
        ("Jean-Luc", "Jean Luc"),
        ("ʻOumuamua", "Oumuamua"),
        ("  Ann   Lee ", "ann lee"),
        ("ｶﾞﾗｽ", "ガラス"),
        ("soft\u00adhyphen", "softhyphen"),
    ],
)
def test_spellings_of_one_name_share_a_key(one: str, other: str) -> None:
    """A55, A56, A61."""
    assert name_key(one) == name_key(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [("C", "C++"), ("1", "#1"), ("か", "が"), ("Аня", "Ана"), ("ไม", "ไม่"), ("AI", "ain't"), ("???", "!")],
)
def test_different_names_keep_different_keys(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


@pytest.mark.parametrize(
    ("name", "also"),
    [
        ("O'Neil", "oneil"),
        ("Lee, Ann", "ann lee"),
        ("M.A.R.A.", "mara"),
        ("R2-D2", "r2d2"),
        ("王 小明", "王小明"),
    ],
)
def test_a_name_is_found_by_its_other_spellings(name: str, also: str) -> None:
    """A56."""
    assert also in name_keys(name)[1:]


def test_white_space_has_no_key_and_signs_alone_have_one() -> None:
    assert name_keys(" \t\u3000") == ()
    assert name_keys("???") == ("???",)
    assert name_keys("🦊") == ("🦊",)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Who is Mombi?", ("mombi",)),
        ("wer war Mara", ("mara",)),
        ("war of the stars", ("war", "stars")),
        ("die Krone", ("krone",)),
        ("how did he die?", ("die",)),
        ("où est l'épée de d'Artagnan", ("epee", "artagnan")),
        ("the", ("the",)),
        ("war", ("war",)),
        ("X", ("x",)),
        ("王小明", ("王小", "小明")),
        ("王", ("王",)),
        ("C++", ("c++",)),
        ("#1", ("#1",)),
        ("?!", ()),
        ("🦊🦊", ()),
        ("\ud800", ()),
        ("\0", ()),
        ("", ()),
    ],
)
def test_a_question_is_cut_to_what_it_asks_for(question: str, left: tuple[str, ...]) -> None:
    """A61, A66."""
    assert terms(question) == left


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("Maine is also edited, you may well ask", "May", ["may"]),
        ("Maine is also edited, ain't it", "AI", []),
        ("Alas, Alfred", "Al", []),
        ("er traf Jean‐Luc am Tor", "Jean-Luc", ["Jean‐Luc"]),
        ("saw Dr. Watson. Holmes", "Dr. Watson", ["Dr. Watson"]),
        ("He saw Watson. Holmes left", "Watson Holmes", []),
        ("Mara\nVoss", "mara voss", ["Mara\nVoss"]),
        ("他叫王小明，不是王小", "王小明", ["王小明"]),
        ("마라는 성으로 갔다", "마라", ["마라"]),
        ("we use C++, not C", "C++", ["C++"]),
        ("we use C++, not C", "C", ["C"]),
        ("he is #1!", "#1", ["#1"]),
        ("E\u0301lodie's hat", "Élodie", ["E\u0301lodie"]),
        ("in der STRASSE", "Straße", ["STRASSE"]),
        ("die ﬁnch-Bande", "finch", ["ﬁnch"]),
        ("anything", "?!", []),
    ],
)
def test_phrases_stand_between_word_borders(text: str, phrase: str, found: list[str]) -> None:
    """A61, A62."""
    assert [text[start:end] for start, end in spans(text, phrase)] == found
