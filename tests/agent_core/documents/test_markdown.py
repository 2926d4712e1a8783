"""Markdown as blocks: what stands in it, and what is only text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.documents.legible import legible
from agent_core.documents.markdown import read_markdown, read_story
from agent_core.documents.model import (
    Code,
    Heading,
    LineBreak,
    Listing,
    NoteMark,
    Paragraph,
    Quote,
    Rule,
    Table,
    Text,
)
from agent_core.documents.plain import all_text, inline_text, pictures_of


def test_every_kind_of_block_is_read() -> None:
    read = read_markdown(
        "# One\n\ntext\n\n- a\n  1. b\n\n> q\n\n```py\nx\n```\n\n---\n\n| a | b |\n|--:|---|\n| 1 | 2 |\n"
    )
    kinds = [type(block) for block in read.blocks]
    assert kinds == [Heading, Paragraph, Listing, Quote, Code, Rule, Table]
    [table] = [block for block in read.blocks if isinstance(block, Table)]
    assert table.sides == ("right", "")
    assert [inline_text(cell) for cell in table.rows[0]] == ["1", "2"]


def test_nested_lists_keep_their_first_numbers() -> None:
    [listing] = read_markdown("3. a\n4. b\n   - c\n").blocks
    assert isinstance(listing, Listing)
    assert listing.start == 3
    inner = listing.items[1][1]
    assert isinstance(inner, Listing)
    assert inner.start is None


def test_looks_stand_within_one_another() -> None:
    [paragraph] = read_markdown("a **b *c* ~~d~~** `e` [f](https://x.example)").blocks
    assert isinstance(paragraph, Paragraph)
    assert paragraph.inlines == (
        Text(text="a "),
        Text(text="b ", bold=True),
        Text(text="c", bold=True, italic=True),
        Text(text=" ", bold=True),
        Text(text="d", bold=True, struck=True),
        Text(text=" "),
        Text(text="e", code=True),
        Text(text=" "),
        Text(text="f", url="https://x.example"),
    )


def test_footnotes_stand_apart_from_the_text() -> None:
    read = read_markdown("Told[^a], again[^a], inline^[At once.]\n\n[^a]: The note.\n")
    [paragraph] = read.blocks
    assert isinstance(paragraph, Paragraph)
    marks = [one.name for one in paragraph.inlines if isinstance(one, NoteMark)]
    assert marks[0] == marks[1] != marks[2]
    assert all_text((), read.notes) == "The note.\nAt once."


def test_links_of_notes_show_their_text_and_embedded_pictures_are_pictures() -> None:
    read = read_markdown("[[Mara|the gull]] and [[Tom]], ![[Maps/chart.png]] ![c](b%20c.png)")
    assert all_text(read.blocks, {}) == "the gull and Tom,  "
    assert pictures_of(read.blocks, {}) == ["Maps/chart.png", "b%20c.png"]


def test_links_lead_only_to_the_web_and_to_mail() -> None:
    [paragraph] = read_markdown("[a](file:///x) [b](notes/x.md) [c](mailto:a@b.example)").blocks
    assert isinstance(paragraph, Paragraph)
    assert [one.url for one in paragraph.inlines if isinstance(one, Text) and one.url] == [
        "mailto:a@b.example"
    ]


def test_html_is_text_but_for_line_ends_and_comments() -> None:
    [paragraph] = read_markdown("a<br>b <b>c</b> <!-- d -->").blocks
    assert isinstance(paragraph, Paragraph)
    assert LineBreak() in paragraph.inlines
    assert inline_text(paragraph.inlines) == "a\nb <b>c</b> "


def test_lines_run_on_as_their_script_wants() -> None:
    assert all_text(read_markdown("安娜\n走路\n\nAnn\nwalks\n\n안나는\n걷는다").blocks, {}) == (
        "安娜走路\nAnn walks\n안나는 걷는다"
    )


@pytest.mark.parametrize("text", ["- Bonjour, dit-il.", "1984. It was cold.", "    Indented.", "```\nx"])
def test_scene_that_looks_like_a_list_or_code_is_prose(text: str) -> None:
    blocks = read_story(text)
    assert [type(block) for block in blocks] == [Paragraph]
    assert all_text(blocks, {}) == text.strip()


def test_lines_of_a_scene_stay_lines() -> None:
    assert (
        all_text(read_story("Roses are red,\nviolets *are* blue."), {}) == "Roses are red,\nviolets are blue."
    )


@given(st.text())
def test_every_text_can_be_read(text: str) -> None:
    cleaned, _ = legible(text)
    read = read_markdown(cleaned)
    assert len(all_text(read.blocks, read.notes)) <= 8 * len(text) + 8


def test_control_characters_go_and_are_counted() -> None:
    """A40."""
    assert legible("a\0b\x0bc\x0cd\x1be\ufffef\ud800g\r\nh\ti") == ("abcdefg\nh\ti", 6)
