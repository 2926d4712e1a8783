from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from adapters.cards import Action, Button, Card, Field, Line, Style, answer_card, proposal_card
from adapters.discord import part as limits
from adapters.discord.markup import adapted, escaped, is_blank, shortened
from adapters.discord.panel import line_text
from adapters.discord.part import Key, Part, Pick
from adapters.discord.render import MAX_PARTS, block_parts, card_fits, card_part
from adapters.splitting import utf16_length
from adapters.surface import Said, Trace
from tests.adapters import samples

CARDS = [
    answer_card(samples.STATE, samples.VIEW),
    answer_card(samples.SEARCH, samples.VIEW),
    answer_card(samples.WHY, samples.VIEW),
    answer_card(samples.CONTENTS, samples.VIEW),
    proposal_card(samples.batch(*samples.EVERY_KIND), samples.VIEW),
]

pieces = st.sampled_from(
    [
        "The Heron waits. ",
        "**bold words** and ",
        "\n\n",
        "\n",
        "# Heading\n",
        "\n```python\nx = 1\n```\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "👩‍👩‍👧‍👦",
        "🇩🇪",
        "é",
        "\u2067שלום עולם\u2069 ",
        "العربية ",
        "@everyone ",
        "<@4242> ",
        "[the map](https://maps.example/vel) ",
        "x" * 700,
        "- point\n",
    ]
)
texts = st.lists(pieces, max_size=60).map("".join)
words = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=300)


def shown(part: Part) -> Iterator[str]:
    yield part.content
    if part.panel is not None:
        yield from (part.panel.title, part.panel.description, part.panel.footer)
        yield from (text for field in part.panel.fields for text in field)


def contents(markdown: str, **said: object) -> list[str]:
    block = Said(markdown=markdown, **said)  # type: ignore[arg-type]  # fields of a block
    return [part.content for part in block_parts(block, "en", final=True)]


def assert_within_limits(part: Part) -> None:
    assert utf16_length(part.content) <= limits.MAX_CONTENT
    assert len(part.rows) <= limits.MAX_ROWS
    ids = [key.id for row in part.rows if isinstance(row, tuple) for key in row]
    ids += [row.id for row in part.rows if isinstance(row, Pick)]
    assert len(ids) == len(set(ids))
    assert all(0 < len(one) <= 100 for one in ids)
    for row in part.rows:
        if isinstance(row, Pick):
            assert 0 < len(row.choices) <= limits.MAX_CHOICES
            assert len({choice.value for choice in row.choices}) == len(row.choices)
        else:
            assert 0 < len(row) <= limits.MAX_KEYS
    if part.panel is None:
        return
    panel = part.panel
    assert 0 < utf16_length(panel.title) <= limits.MAX_TITLE
    assert utf16_length(panel.description) <= limits.MAX_DESCRIPTION
    assert len(panel.fields) <= limits.MAX_FIELDS
    assert all(0 < utf16_length(title) <= limits.MAX_TITLE for title, _ in panel.fields)
    assert all(0 < utf16_length(text) <= limits.MAX_FIELD for _, text in panel.fields)
    assert sum(map(utf16_length, shown(part))) <= limits.MAX_PANEL


@given(texts)
def test_every_part_of_an_answer_is_within_the_limit_and_shows_something(markdown: str) -> None:
    for final in (True, False):
        for part in block_parts(Said(markdown=markdown, as_of="as of 7"), "en", final=final):
            assert_within_limits(part)
            assert not is_blank(part.content)


@given(texts)
def test_no_visible_character_of_an_answer_is_lost(markdown: str) -> None:
    parts = block_parts(Said(markdown=markdown), "en", final=True)
    if any(part.file for part in parts):
        [part] = parts
        assert part.file is not None
        assert part.file.content.decode() == markdown
        return
    drawn = "".join(part.content for part in parts)
    for char in {char for char in markdown if char.isalnum() or char in "@<👩🇩"}:
        assert drawn.count(char) >= markdown.count(char)


@given(texts)
def test_code_blocks_are_whole_in_every_part(markdown: str) -> None:
    for part in block_parts(Said(markdown=markdown), "en", final=True):
        fences = [line for line in part.content.split("\n") if line.startswith("```")]
        assert len(fences) % 2 == 0


@given(st.integers(1, 4000), st.integers(0, 3))
def test_clusters_are_never_cut(count: int, before: int) -> None:
    """C02, C04: no half of an emoji, and its length is counted in the stricter unit."""
    family = "👩‍👩‍👧‍👦"
    parts = block_parts(Said(markdown="a" * before + family * count), "en", final=True)
    for part in parts:
        assert utf16_length(part.content) <= limits.MAX_CONTENT
        clusters = set(iter_graphemes(part.content.split("\n")[0]))
        assert clusters <= {family, "a"}


def test_emoji_heavy_answer_arrives_whole_in_parts_within_the_limit() -> None:
    """C04 for Discord: 2,049 emoji that are two UTF-16 units each."""
    parts = block_parts(Said(markdown="🐉" * 2049), "en", final=True)
    assert len(parts) >= 3
    assert sum(part.content.count("🐉") for part in parts) == 2049


def test_blank_answer_becomes_a_sentence_and_blank_parts_are_not_sent() -> None:
    """C38: invisible characters are no answer; newlines between words lose no word."""
    [empty] = contents("\u200b\u2060\ufeff")
    assert empty.startswith("I could not find an answer")
    assert block_parts(Said(markdown="\u200b"), "en", final=False) == ()
    parts = contents("a" * 2000 + "\n" * 2000 + "end")
    assert [part.strip() for part in parts] == ["a" * 2000, "end"]


def test_unclosed_code_block_is_split_within_a_second() -> None:
    """C01: the splitter always makes progress."""
    parts = block_parts(Said(markdown="```markdown\n" + "x" * 6000), "en", final=True)
    assert sum(part.content.count("x") for part in parts) == 6000
    assert all(part.content.endswith("```") for part in parts)


def test_long_answer_is_a_file_with_its_beginning() -> None:
    markdown = "\n\n".join(f"Paragraph {number}: " + "word " * 150 for number in range(20))
    [part] = block_parts(Said(markdown=markdown, as_of="as of 7"), "en", final=True)
    assert part.file is not None
    assert part.file.name.endswith(".md")
    assert part.file.content.decode() == markdown
    assert part.content.startswith("Paragraph 0")
    assert part.content.endswith("-# the whole answer is in the file\n-# as of 7")
    growing = block_parts(Said(markdown=markdown), "en", final=False)
    assert len(growing) == MAX_PARTS
    assert not any(one.file for one in growing)


def test_sources_and_place_stand_small_below_the_last_part() -> None:
    answer = contents("Green.", sources=("1.2", "edit no. 3"), as_of="as of 7")
    assert answer == ["Green.\n-# Sources: 1.2, edit no. 3 · as of 7"]
    assert contents("Green (1.2).", sources=("1.2", "3.1")) == ["Green (1.2)."]


def test_tables_are_drawn_in_columns() -> None:
    [drawn] = contents("Look:\n| name | eyes |\n|:--|---|\n| Mara | green |\n| ש | a\\|b |\nSo.")
    assert drawn.split("\n") == [
        "Look:",
        "```",
        "name | eyes",
        "-----|------",
        "Mara | green",
        "ש    | a|b",
        "```",
        "So.",
    ]


def test_what_discord_cannot_show_is_written_otherwise() -> None:
    assert adapted("#### Eyes\n![map](https://m.example/a.png)") == "**Eyes**\n[map](https://m.example/a.png)"
    assert adapted("```\n#### Eyes\n| a |\n|---|\n```") == "```\n#### Eyes\n| a |\n|---|\n```"


@pytest.mark.parametrize(
    "text",
    [
        "ch_03_red_door.md",
        "*not bold*",
        "# 1",
        "- dash",
        "1. first",
        "<@4242>",
        "a `b` [c](d)",
        "> quote",
        "||x||",
    ],
)
def test_plain_texts_are_shown_as_they_stand(text: str) -> None:
    """C05 for Discord: every sign that would format is escaped once."""
    shown_text = escaped(text)
    assert shown_text != text
    assert shown_text.replace("\\", "") == text


@given(words)
def test_escaping_loses_nothing(text: str) -> None:
    bare = escaped(text)
    for char in {char for char in text if char.isalnum()}:
        assert bare.count(char) == text.count(char)


def test_right_to_left_values_stand_in_isolates() -> None:
    """C39 for Discord: the label's direction is not the value's, and no cut parts the pair."""
    line = Line(label="Mara", text="שלום עולם!")
    assert line_text(line) == "**Mara**: \u2068שלום עולם!\u2069"
    long = Card(title="x", fields=(Field(title="t", lines=(replace(line, text="שלום " * 500),)),))
    panel = card_part(long, "en").panel
    assert panel is not None
    assert len(panel.fields) > 1
    for _, text in panel.fields:
        assert text.count("\u2068") == text.count("\u2069")


@pytest.mark.parametrize("card", CARDS)
def test_cards_of_every_kind_are_within_the_limits(card: Card) -> None:
    assert card_fits(card)
    assert_within_limits(card_part(card, "en"))


lines = st.builds(
    Line,
    text=words,
    label=st.text("abc", max_size=30),
    before=st.sampled_from(["", "old"]),
    mark=st.sampled_from(["", "5.2"]),
    style=st.sampled_from(Style),
    number=st.integers(0, 12),
    depth=st.integers(0, 2),
)
cards = st.builds(
    Card,
    title=st.text("Mara ש👩‍👩‍👧‍👦", min_size=1, max_size=400),
    head=st.sampled_from(["", "The Salt Road · Low Water"]),
    lines=st.lists(lines, max_size=20).map(tuple),
    fields=st.lists(
        st.builds(Field, title=st.text("abc", max_size=300), lines=st.lists(lines, max_size=8).map(tuple)),
        max_size=30,
    ).map(tuple),
    footer=st.lists(st.text("abc", max_size=50), max_size=3).map(tuple),
)


@given(cards)
def test_any_card_is_within_the_limits(card: Card) -> None:
    assert_within_limits(card_part(card, "en"))


def numbered(count: int, action: Action) -> tuple[Button, ...]:
    return tuple(
        Button(action=action, label=f"Mara {number}", batch="b", line=number) for number in range(count)
    )


@pytest.mark.parametrize("count", [0, 1, 2, 5, 6, 25, 26, 60])
@pytest.mark.parametrize("action", [Action.TOGGLE, Action.ANSWER, Action.CHOOSE, Action.HISTORY])
def test_buttons_fit_in_rows_or_the_card_says_so(count: int, action: Action) -> None:
    """C21: ids are unique, within 100 characters and built from records, not from names."""
    card = Card(title="Mara", buttons=numbered(count, action))
    part = card_part(card, "en")
    assert_within_limits(part)
    seen = sum(len(row) if isinstance(row, tuple) else len(row.choices) for row in part.rows)
    assert card_fits(card) == (seen == count)


def test_two_entries_of_one_name_can_both_be_chosen() -> None:
    """C21: two characters named Mara."""
    buttons = tuple(
        Button(action=Action.CHOOSE, label="Mara", value="record", line=line) for line in range(2)
    )
    [row] = card_part(Card(title="Which?", buttons=buttons), "en").rows
    assert isinstance(row, tuple)
    assert len({key.id for key in row}) == 2


def test_lines_of_a_proposal_are_left_out_by_a_list_that_names_them() -> None:
    card = proposal_card(samples.batch(*samples.EVERY_KIND), samples.VIEW)
    part = card_part(card, "en")
    pick = next(row for row in part.rows if isinstance(row, Pick))
    assert pick.choices[0].label == "1"
    assert pick.choices[0].about
    saves = [row for row in part.rows if isinstance(row, tuple)]
    assert [key.label for key in saves[0][:2]] == ["Save", "Discard"]


def test_trace_is_one_small_line_that_opens() -> None:
    steps = Field(title="how", lines=(Line(label="✓", text="look up Mara", mark="0.1 s", style=Style.STEP),))
    button = Button(action=Action.OPEN, label="how I found this", value="f1")
    card = Card(title="1 step · 0.1 s", fields=(steps,), buttons=(button,))
    [closed] = block_parts(Trace(card=card, is_open=False), "en", final=True)
    assert closed.content == "-# 1 step · 0.1 s"
    assert closed.rows == ((Key(id="lko0:f1", label="how I found this"),),)
    [opened] = block_parts(Trace(card=card, is_open=True), "en", final=True)
    assert opened.content == "-# 1 step · 0.1 s\n-# ✓ look up Mara (0.1 s)"


def test_trace_of_many_steps_keeps_the_newest() -> None:
    steps = tuple(
        Line(label="✓", text=f"step {number} " + "x" * 100, style=Style.STEP) for number in range(99)
    )
    [part] = block_parts(
        Trace(card=Card(title="t", fields=(Field(title="", lines=steps),)), is_open=True), "en", final=False
    )
    assert utf16_length(part.content) <= limits.MAX_CONTENT
    assert "step 98 " in part.content
    assert "step 0 " not in part.content


@given(words, st.integers(1, 100))
def test_shortened_text_is_within_the_limit(text: str, limit: int) -> None:
    assert utf16_length(shortened(text, limit)) <= limit
