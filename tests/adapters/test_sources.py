"""Sources below an answer, and as links where a platform can."""

from adapters.chat.linking import linked
from adapters.sources import is_note, is_page, page_label, unnamed
from adapters.surface import Said

PAGE = "https://www.example.org/a_b(c)/?q=1"
ALL = ("Mara", "1.2", "Places/Vel.md:12", PAGE)


def test_each_kind_that_the_answer_does_not_name_stands_below_it() -> None:
    assert unnamed(Said(markdown="Green.", sources=ALL)) == ALL
    assert unnamed(Said(markdown="Mara's are green (1.2).", sources=ALL)) == ("Places/Vel.md:12", PAGE)
    assert unnamed(Said(markdown=f"See {PAGE} and Places/Vel.md:3.", sources=ALL)) == ("Mara", "1.2")


def test_kinds_are_known_by_their_form() -> None:
    assert [one for one in (*ALL, "b2:7.3", "edit no. 3") if is_note(one)] == ["Places/Vel.md:12"]
    assert [one for one in ALL if is_page(one)] == [PAGE]


def test_pages_become_links_and_notes_stay_as_they_are_written() -> None:
    said = linked(Said(markdown="Green.", sources=ALL, edits=(0, 3, 0, 0)), {3: "https://chat/9"}, "en")
    assert said.markdown == (
        "Green.\n\nSources: Mara, [1.2](https://chat/9), `Places/Vel.md:12`, "
        "[example.org/a\\_b(c)](https://www.example.org/a_b%28c%29/?q=1)"
    )
    assert said.sources == ()


def test_an_answer_that_names_a_page_keeps_its_own_words() -> None:
    said = Said(markdown=f"See {PAGE} (1.2).", sources=("1.2", PAGE), edits=(3, 0))
    assert linked(said, {3: "https://chat/9"}, "en").markdown == f"See {PAGE} ([1.2](https://chat/9))."


def test_the_name_of_a_link_is_short() -> None:
    assert page_label("https://www.a.test/b/?c=1") == "a.test/b"
    assert len(page_label("https://a.test/" + "x" * 200)) == 60
