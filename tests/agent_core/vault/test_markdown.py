"""What is read in a note: headings, links and tags, never those in code."""

import pytest

from agent_core.errors import NoteRefusal
from agent_core.vault.markdown import read_markup
from agent_core.vault.note import Note


def titles(text: str) -> list[tuple[int, str]]:
    return [(one.level, one.title) for one in read_markup(text).headings]


def test_headings_are_found_in_every_form() -> None:
    """A31."""
    text = (
        "## A\n#### B ##\n\nTitle\n=====\n\nUnder\n---\n\n"
        "# [[link]] **bold** 🎉\n#tag\n####### seven\n- item\n---\n"
    )
    assert titles(text) == [
        (2, "A"), (4, "B"), (1, "Title"), (2, "Under"), (1, "[[link]] **bold** 🎉"),
    ]  # fmt: skip


def test_code_comments_and_frontmatter_hold_no_headings() -> None:
    """A32."""
    text = (
        "---\n# x\n---\n## Setup\n```sh\n# load\n## Setup\n```\n~~~~\n~~~\n# in\n~~~~\n````\n```\n#"
        " deep\n````\n"
        "\n    # indented\n\n<!--\n# comment\n-->\n%%\n# hidden\n%%\n- a\n\n    ```\n    # listed\n   "
        " ```\n## End\n"
    )
    assert titles(text) == [(2, "Setup"), (2, "End")]


def test_text_is_appended_to_the_section_after_its_code() -> None:
    """A31, A32."""
    note = Note("a.md", "## Setup\n```\n# load\n## Setup\n```\n\n## Next\nend\n")
    assert (
        note.appended("more", "Setup").text == "## Setup\n```\n# load\n## Setup\n```\nmore\n\n## Next\nend\n"
    )
    empty = Note("a.md", "## A\n#### B\n## C\n")
    assert empty.appended("x\n", "B").text == "## A\n#### B\nx\n## C\n"
    assert empty.appended("x", "A").text == "## A\n#### B\nx\n## C\n"
    assert empty.appended("x", "A#B").text == "## A\n#### B\nx\n## C\n"
    assert Note("a.md", "# A\nend").appended("x", "A").text == "# A\nend\nx\n"
    with pytest.raises(NoteRefusal, match="nearest"):
        empty.appended("x", "D")
    with pytest.raises(NoteRefusal, match="headings"):
        Note("a.md", "# A\n# A\n").appended("x", "A")


def test_line_ends_and_mark_of_the_file_stay() -> None:
    """A30."""
    note = Note.of("a.md", b"\xef\xbb\xbf---\r\ntags:\r\n  - a\r\n---\r\n\r\nBody\r\n")
    assert note.markup.frontmatter == (5, 19)
    assert note.appended("x\ny").content == note.content + b"x\r\ny\r\n"
    assert note.edited("  - a\n", "  - a\n  - b\n", 1).content == note.content.replace(
        b"- a\r\n", b"- a\r\n  - b\r\n"
    )
    assert Note("a.md", "---\na: 1\n---").markup.frontmatter == (4, 9)
    assert Note("a.md", "---\na: 1\n").markup.frontmatter is None
    assert Note("a.md", "").appended("x").text == "x\n"
    assert Note("a.md", "a").appended("x").text == "a\nx\n"


def test_edit_needs_the_expected_count() -> None:
    """A33, A34."""
    note = Note("a.md", "Ann, Anna, Annika, ANN, Ann")
    for old, new, expected, reason in (
        ("Ann", "Anna", 1, "count"), ("Bo", "x", 1, "count"), ("Ann", "Ann", 1, "same"), ("",
        "x", 1, "empty"),
    ):  # fmt: skip
        with pytest.raises(NoteRefusal) as refusal:
            note.edited(old, new, expected)
        assert refusal.value.facts["reason"] == reason
    assert note.edited("Annika", "Anna", 1).text == "Ann, Anna, Anna, ANN, Ann"
    for new in ("C:\\new", "\\1", "\\g<0>", "$1", "a\\"):
        assert note.edited("Annika", new, 1).text == f"Ann, Anna, {new}, ANN, Ann"


def test_links_are_read_with_their_parts_but_not_in_code() -> None:
    text = (
        "[[a]] [[b|x]] [[c#H|y]] ![[d#^b1]] [[e\\|z]] [t](f%20g.md#h) ![i](<j k.png>)"
        " [u](https://x.y/z.md) [[#own]]"
        " `[[no]]` ``[[no]] ` [[no]]`` [[l]]\n\n```\n[[no]]\n```\n    \n[r]: m.md\n<!-- [[no]] -->"
        " %%[[no]]%%\n"
    )
    links = read_markup(text).links
    assert [(one.path, one.fragment, one.alias, one.embed) for one in links] == [
        ("a", "", "", False), ("b", "", "x", False), ("c", "#H", "y", False), ("d", "#^b1", "", True),
        ("e", "", "z", False), ("f g.md", "#h", "t", False), ("j k.png", "", "i", True), ("l", "", "", False),
        ("m.md", "", "r", False),
    ]  # fmt: skip
    assert [text[one.start : one.end] for one in links][5:7] == ["f%20g.md", "j k.png"]


def test_links_of_the_frontmatter_are_read_where_they_are_text() -> None:
    text = "---\nup: \"[[a]]\"\nsee: '[[Bo''s]]'\nlist: [[no]]\nmany:\n  - \"[[c|d]]\"\n---\n"
    assert [one.path for one in read_markup(text).links] == ["a", "Bo's", "c"]


def test_tags_are_words_that_begin_with_a_sign() -> None:
    text = "#one #two/three x#no #12 (#no) `#no` #drei-ß #🎉 # no [x](#no)\n#end\n"
    assert [tag for tag, _ in read_markup(text).tags] == ["one", "two/three", "drei-ß", "🎉", "end"]


def test_hostile_line_is_read_in_time() -> None:
    for text in ("[" * 200_000, "`" * 3 + "a`b" * 50_000, "![[" * 60_000, "<!--" * 60_000, "#" * 200_000):
        read_markup(text)
