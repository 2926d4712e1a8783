"""What a reader sees of answers, traces and cards on Telegram, every message within its limits."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from telegram import InlineKeyboardMarkup, MessageEntity

from adapters.cards import Action, Button, Card, Field, Line, Style
from adapters.splitting import utf16_length
from adapters.surface import Said, Trace
from adapters.telegram.harmless import JOINER, without_joiners
from adapters.telegram.markdown import markdown_parts
from adapters.telegram.part import MAX_ENTITIES, MAX_TEXT, Part
from adapters.telegram.render import MAX_PARTS, block_parts, card_part, plain_part

HEBREW = "הים קורא לה הביתה!"


def shown(markdown: str) -> str:
    return "\n".join(part.text for part in markdown_parts(markdown))


def inside(part: Part, entity: MessageEntity) -> str:
    units = part.text.encode("utf-16-le")
    return units[entity.offset * 2 : (entity.offset + entity.length) * 2].decode("utf-16-le")


def styled(part: Part) -> list[tuple[str, str]]:
    return [(str(entity.type), inside(part, entity)) for entity in part.entities]


def is_within_limits(parts: Sequence[Part]) -> bool:
    return all(
        0 < utf16_length(part.text) <= MAX_TEXT
        and len(part.entities) <= MAX_ENTITIES
        and all(entity.length > 0 and inside(part, entity) for entity in part.entities)
        and part.text.encode("utf-8")
        for part in parts
    )


WORDS = st.text("abcdefghijklmnop", min_size=1, max_size=8)
PLAIN = st.text(
    st.characters(
        exclude_categories=("Cs", "Cc", "Zl", "Zp"), exclude_characters="\u202a\u202b\u202c\u202d\u202e"
    )
)
MARKED = st.lists(
    st.one_of(
        WORDS,
        st.sampled_from([
            *("**", "*", "_", "`", "\n```\n", "\n```py\n", "~~", "~", "||", "|", "<", ">", "</b>", "<b>"),
            *("$$", "\n", "\n\n", "# ", "- ", "1. ", "> ", "[", "](http://a.bc)", "]: ", "\\", "&amp;"),
            *("<!--", "$", "    "),
            *("| a | b |\n|--|--|\n| c | d |\n", "![", "\U0001f409", "\ud83c", "ש", "---\n", "[^1]"),
        ]),
    ),
    max_size=60,
).map(" ".join)  # fmt: skip


@given(MARKED)
@settings(max_examples=300)
def test_any_markdown_keeps_every_word_in_order_and_every_limit(markdown: str) -> None:
    parts = markdown_parts(markdown)
    assert is_within_limits(parts)
    seen = re.findall(r"[a-p]+|\U0001f409|ש", " ".join(part.text for part in parts))
    source = re.sub(r"\]\(http://a\.bc\)|&amp;|```py", " ", markdown)
    left = iter(seen)
    lost = [word for word in re.findall(r"[a-p]+|\U0001f409|ש", source) if word not in left]
    assert lost == []


@given(st.lists(PLAIN, max_size=5).map(" ".join))
def test_text_without_markup_arrives_character_by_character(text: str) -> None:
    plain = re.sub(r"[\\`*_{}\[\]()#+\-.!|<>~$&^=:\d]", "", text)
    unseen = re.compile(r"[\u2060\u2068\u2069\s]+")
    seen = unseen.sub("", shown(plain))
    assert seen == unseen.sub("", plain) or not seen


@given(st.text(st.sampled_from("a\U0001f409é \n*"), max_size=12_000), st.integers(300, MAX_TEXT))
@settings(max_examples=25)
def test_long_text_is_cut_within_limits_and_loses_nothing(text: str, limit: int) -> None:
    parts = markdown_parts(text, limit)
    assert is_within_limits(parts)
    whole = "".join(part.text for part in parts)
    assert re.sub(r"[^aé\U0001f409]", "", whole) == re.sub(r"[^aé\U0001f409]", "", text)


def test_halves_of_an_emoji_are_joined_before_they_are_measured() -> None:
    """C02."""
    parts = markdown_parts("a" * 4095 + "\ud83c\udfa9")
    assert is_within_limits(parts)
    assert "".join(part.text for part in parts) == "a" * 4095 + "\U0001f3a9"
    assert shown("lone \ud83c half") == "lone \ufffd half"


def test_formatting_that_runs_over_a_cut_is_whole_in_every_part() -> None:
    """C03."""
    parts = markdown_parts("**Index**\n```\n" + "x" * 6000 + "\n```")
    assert is_within_limits(parts)
    assert [kind for part in parts for kind, _ in styled(part)] == ["bold", "pre", "pre"]
    assert "".join(text for part in parts for kind, text in styled(part) if kind == "pre") == "x" * 6000
    escaped = markdown_parts("a" * 4094 + "&amp;&amp;")
    assert is_within_limits(escaped)


def test_length_counts_utf16_units() -> None:
    """C04."""
    parts = markdown_parts("\U0001f409" * 2049)
    assert is_within_limits(parts)
    assert "".join(part.text for part in parts) == "\U0001f409" * 2049


@pytest.mark.parametrize(
    "text",
    [
        "Saved ch_03_red_door.md for @edda_k_2",
        "v1.2 (draft) - cost: 5+3=8!",
        "Mara <mara@example.org>: 1 < 2 & 3 > 2",
        "Use /lore <name>",
        "<div>not a tag</div>",
        "costs $5 and $6, a || b || c",
        "[note]: http://x.example is no definition",
    ],
)
def test_readers_see_exactly_these_characters(text: str) -> None:
    """C05, C06."""
    [part] = markdown_parts(text)
    assert part.text.replace(JOINER, "") == text
    assert plain_part(part).text == part.text


def test_text_of_others_pings_nobody_and_holds_no_commands() -> None:
    [part] = markdown_parts("**@ann** and a@b.cd: /start (/new) and/or https://a.bc/@ann/x `@ann /new`")
    expected = "@~ann and a@b.cd: /~start (/~new) and/or https://a.bc/@ann/x @ann /new"
    assert part.text == expected.replace("~", JOINER)
    assert styled(part) == [("bold", f"@{JOINER}ann"), ("code", "@ann /new")]
    assert without_joiners(part.text) == expected.replace("~", "")


def test_links_lead_to_the_web_and_where_they_claim_to() -> None:
    [part] = markdown_parts(
        "[Ann](tg://user?id=5) [x](http://[) [\U0001f409 bank.com](https://evil.example/bank.com)!"
    )
    assert part.text == "Ann x \U0001f409 bank.com (evil.example)!"
    assert styled(part) == [("text_link", "\U0001f409 bank.com")]
    [honest] = markdown_parts("[www.bank.com/a](https://bank.com/a) [here](https://evil.example)")
    assert honest.text == "www.bank.com/a here"


def test_a_label_before_right_to_left_text_keeps_its_own_direction() -> None:
    """C39."""
    assert shown(f"Mara: {HEBREW}") == f"Mara: \u2068{HEBREW}\u2069"
    assert shown("- الملف\n- `map_03.md`") == "• الملف\n• map_03.md"
    card = Card(title="Mara", lines=(Line(label="Motto", text=HEBREW),))
    assert card_part(card).text == f"Mara\n\nMotto: \u2068{HEBREW}\u2069"


@given(st.integers(0, 4000))
@settings(max_examples=20)
def test_a_cut_never_parts_a_pair_of_isolates(before: int) -> None:
    """C39."""
    parts = markdown_parts("a" * before + f"\n\nMara: {HEBREW * 40}\n\n" + "b " * 2000)
    assert is_within_limits(parts)
    assert all(part.text.count("\u2068") == part.text.count("\u2069") for part in parts)


@pytest.mark.parametrize("nothing", ["", "\u200b\u2060\ufeff", "\n \n", "\u2068\u2069"])
def test_answer_in_which_nothing_is_visible_says_so(nothing: str) -> None:
    """C38."""
    [part] = block_parts(Said(markdown=nothing), "en", final=True)
    assert part.text.startswith("I could not find an answer.")
    assert block_parts(Said(markdown=nothing), "en", final=False) == []


def test_blank_stretches_lose_nothing_else() -> None:
    """C38."""
    parts = markdown_parts("a" * 2000 + "\n" * 4000 + "end")
    assert "".join(part.text for part in parts).replace("\n", "") == "a" * 2000 + "end"


def test_more_than_a_hundred_entities_go_into_several_messages() -> None:
    parts = markdown_parts("**a** `b` " * 120)
    assert is_within_limits(parts)
    assert sum(len(part.entities) for part in parts) == 240


def test_a_very_long_answer_comes_as_its_beginning_and_a_file() -> None:
    text = "\n\n".join(f"Paragraph {number}. " + "word " * 100 for number in range(60))
    parts = block_parts(Said(markdown=text, as_of="as of 3.1"), "en", final=True)
    assert len(parts) == 2
    assert parts[0].text.startswith("Paragraph 0.")
    document = parts[1].document
    assert document is not None
    assert document.name == "answer.md"
    assert document.content.decode() == text.rstrip() + "\n\nas of 3.1\n"


def test_a_growing_long_answer_shows_its_beginning_only() -> None:
    parts = block_parts(Said(markdown="word " * 20_000), "en", final=False)
    assert 0 < len(parts) <= MAX_PARTS
    assert all(part.document is None for part in parts)


def test_sources_and_position_stand_below_the_answer_unless_it_names_them() -> None:
    [part] = block_parts(Said(markdown="Green.", sources=("1.1",), as_of="as of 3.1"), "en", final=True)
    assert part.text == "Green.\n\nSources: 1.1 · as of 3.1"
    assert styled(part) == [("italic", "Sources: 1.1 · as of 3.1")]
    [named] = block_parts(Said(markdown="Green (1.1).", sources=("1.1",)), "en", final=True)
    assert named.text == "Green (1.1)."


def test_a_card_reads_from_title_to_footer() -> None:
    card = Card(
        title="Proposal (1 fact)",
        head="The Salt Roads · The Heron",
        lines=(Line(text="also at 3.1", style=Style.WARNING),),
        fields=(
            Field(
                title="Mara",
                lines=(
                    Line(text="grey", before="green", label="eyes", mark="7.3", number=1),
                    Line(text="Her eyes are green.", style=Style.QUOTE, depth=1),
                ),
            ),
        ),
        footer=("Ann decides",),
    )
    part = card_part(card)
    assert part.text == (
        "Proposal (1 fact)\nThe Salt Roads · The Heron\n\n⚠️ also at 3.1\n\n"
        "Mara\n1. eyes: green → grey (7.3)\n\u2003Her eyes are green.\n\nAnn decides"
    ).replace("eyes: green", "eyes green")
    assert styled(part) == [
        ("bold", "Proposal (1 fact)"),
        ("italic", "The Salt Roads · The Heron"),
        ("bold", "Mara"),
        ("strikethrough", "green"),
        ("blockquote", "Her eyes are green."),
        ("italic", "Ann decides"),
    ]


def test_a_trace_is_one_line_and_a_quote_that_opens() -> None:
    steps = tuple(Line(label="✓", text=f"look up {n}", mark="0.1 s", style=Style.STEP) for n in range(3))
    trace = Trace(
        card=Card(title="3 steps · 0.3 s", fields=(Field(title="how", lines=steps),)), is_open=False
    )
    [part] = block_parts(trace, "en", final=True)
    assert styled(part) == [
        ("italic", "3 steps · 0.3 s"),
        ("expandable_blockquote", "✓ look up 0 (0.1 s)\n✓ look up 1 (0.1 s)\n✓ look up 2 (0.1 s)"),
    ]


def test_a_trace_of_any_length_fits_one_message() -> None:
    steps = tuple(Line(label="✓", text="x" * 300, style=Style.STEP) for _ in range(40))
    trace = Trace(card=Card(title="40 steps", fields=(Field(title="how", lines=steps),)), is_open=True)
    for final in (False, True):
        assert is_within_limits(block_parts(trace, "en", final=final))


def test_buttons_stand_in_rows_and_carry_at_most_64_bytes() -> None:
    batch = "0f8fad5b-d9cb-469f-a165-70867728950e"
    toggles = tuple(Button(action=Action.TOGGLE, label=str(n), batch=batch, line=n) for n in range(1, 10))
    answers = tuple(
        Button(action=Action.ANSWER, label=f"from chapter {n} on, always", batch=batch, line=1, value=str(n))
        for n in range(3)
    )
    card = Card(
        title="Proposal",
        buttons=(
            Button(action=Action.SAVE, label="Save", batch=batch),
            Button(action=Action.DISCARD, label="Discard", batch=batch),
            *toggles,
            *answers,
        ),
    )
    keys = card_part(card).keyboard
    assert isinstance(keys, InlineKeyboardMarkup)
    assert [len(row) for row in keys.inline_keyboard] == [2, 6, 3, 1, 1, 1]
    carried = [key.callback_data for row in keys.inline_keyboard for key in row]
    assert len(set(carried)) == len(carried)
    assert all(isinstance(data, str) and len(data.encode()) <= 64 for data in carried)


def test_commands_in_our_own_words_can_be_tapped_and_a_models_can_not() -> None:
    [ours] = block_parts(Said(markdown="Write /help, @ann."), "en", final=True)
    [models] = block_parts(Said(markdown="Write /help, @ann.", by_model=True), "en", final=True)

    assert ours.text == "Write /help, @ann."
    assert "/help" not in models.text
    assert "@ann" not in models.text
    assert without_joiners(models.text) == ours.text
