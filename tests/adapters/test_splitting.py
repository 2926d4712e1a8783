import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from wcwidth import iter_graphemes

from adapters.splitting import split, utf16_length

FENCE = re.compile(r"^[ \t]{0,40}(`{3,20}|~{3,20})[^\n`~]{0,80}$", re.MULTILINE)
INVISIBLE = re.compile(r"[\s\u200b-\u200f\u2060\ufeff]")

WORDS = st.sampled_from(
    [
        "Mara",
        "crossed",
        "the",
        "river.",
        "Später",
        "夜は静か。",
        "👩‍👩‍👧",
        "🐉",
        "e\u0301",
        "a" * 30,
        "- item",
        "# Head",
    ]
)
PROSE = st.lists(st.tuples(WORDS, st.sampled_from([" ", "\n", "\n\n", "  "])), min_size=1, max_size=40).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)
BLOCK = st.tuples(
    st.sampled_from(["```", "~~~", "````"]), st.sampled_from(["", "python", "md"]), PROSE, st.booleans()
).map(lambda one: f"{one[0]}{one[1]}\n{one[2]}" + (f"\n{one[0]}\n" if one[3] else "\n"))
MARKED = st.tuples(st.sampled_from(["**", "*", "_", "~~", "||", "`"]), PROSE).map(
    lambda one: f"{one[0]}{' '.join(one[1].split())}{one[0]} "
)
TEXT = st.lists(st.one_of(PROSE, BLOCK, MARKED), min_size=1, max_size=5).map("".join)


def letters(text: str) -> str:
    """What a reader must not lose: everything but space, and the marks a cut may close and open again."""
    return INVISIBLE.sub("", re.sub(r"[`~*_|]", "", re.sub(r"(?m)^([`~]{3,})[^\n]*$", "", text)))


@given(TEXT, st.integers(40, 200))
def test_every_part_is_within_the_limit_and_not_blank(text: str, limit: int) -> None:
    for measure in (len, utf16_length):
        for part in split(text, limit, measure):
            assert 0 < measure(part) <= limit
            assert INVISIBLE.sub("", part)


def test_emphasis_that_goes_on_makes_no_code_block_of_other_marks() -> None:
    parts = split("Mara " * 15 + "a" * 30 + " ~~~\nMara \n~~Mara~~ ", 60)
    assert parts[1:] == ["Mara Mara Mara " + "a" * 30 + " ~~~\nMara", "~~Mara~~"]


@given(TEXT, st.integers(60, 200))
def test_no_letter_is_lost_or_doubled(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert "".join(map(letters, parts)) == letters(text)


@given(TEXT, st.integers(60, 200))
def test_code_blocks_are_closed_in_every_part(text: str, limit: int) -> None:
    for part in split(text, limit):
        opened = ""
        for line in part.split("\n"):
            fence = FENCE.fullmatch(line)
            if not fence:
                continue
            if not opened:
                opened = fence[1]
            elif fence[1][0] == opened[0] and len(fence[1]) >= len(opened) and line.strip() == fence[1]:
                opened = ""
        assert not opened


@given(st.text(alphabet="ab🐉👩‍👧e\u0301\U0001f1e9\U0001f1ea ", min_size=1, max_size=300))
def test_no_character_as_people_see_it_is_torn(text: str) -> None:
    limit = 24
    assume(all(len(cluster) <= limit for cluster in iter_graphemes(text)))
    shown = [cluster for cluster in iter_graphemes(text) if INVISIBLE.sub("", cluster)]
    parts = [cluster for part in split(text, limit) for cluster in iter_graphemes(part)]
    assert [cluster for cluster in parts if INVISIBLE.sub("", cluster)] == shown


@given(st.text(max_size=200), st.integers(0, 12))
def test_any_limit_ends_in_parts_or_a_refusal(text: str, limit: int) -> None:
    """C01: it never loops."""
    try:
        parts = split(text, limit)
    except ValueError:
        return
    assert all(0 < len(part) <= limit for part in parts)


@pytest.mark.parametrize("header", ["```markdown\n", "```markdown"])
def test_an_unclosed_block_without_a_break_makes_progress(header: str) -> None:
    """C01: a fence that is never closed, then 6,000 letters without newline or space."""
    parts = split(header + "x" * 6000, 2000)
    assert sum(part.count("x") for part in parts) == 6000
    assert all(len(part) <= 2000 for part in parts)


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_a_limit_too_small_for_block_and_character_is_an_error(limit: int) -> None:
    """C01: limits 0, 1 and 3 are refused, not looped over."""
    with pytest.raises(ValueError, match="too small"):
        split("```markdown\n" + "a" * 6000, limit)


def test_a_plain_text_can_be_cut_into_single_characters() -> None:
    assert split("abc", 1) == ["a", "b", "c"]


def test_halves_of_an_emoji_are_joined_before_they_are_measured() -> None:
    """C02: 4,095 letters, then an emoji that arrived as two escaped halves."""
    parts = split("a" * 4095 + "\ud83c\udfa9", 4096, utf16_length)
    assert parts == ["a" * 4095, "🎩"]
    assert [part.encode("utf-8") for part in parts]


def test_a_lone_half_becomes_the_replacement_character() -> None:
    """C02: a half without its other can be stored and sent."""
    assert split("a\ud83c b", 10) == ["a\ufffd b"]


def test_emoji_are_counted_as_the_platform_counts_them() -> None:
    """C04: 2,049 dragons are 4,098 UTF-16 units."""
    parts = split("🐉" * 2049, 4096, utf16_length)
    assert len(parts) == 2
    assert all(utf16_length(part) <= 4096 for part in parts)
    assert "".join(parts) == "🐉" * 2049


def test_blank_parts_are_not_sent() -> None:
    """C38: 2,000 letters, 2,000 newlines and a last word; a text of invisible characters is nothing."""
    assert split("a" * 2000 + "\n" * 2000 + "end", 2000) == ["a" * 2000, "end"]
    assert split("\u200b\u2060\ufeff", 2000) == []


def test_it_cuts_where_a_reader_would() -> None:
    text = "One paragraph is here.\n\nAnother one. It goes on\nwith a second line."
    assert split(text, 40) == ["One paragraph is here.", "Another one. It goes on", "with a second line."]
    assert split("First sentence. Second sentence goes on.", 30) == [
        "First sentence.",
        "Second sentence goes on.",
    ]


def test_a_code_block_is_reopened_with_its_marker_and_language() -> None:
    text = "~~~python\n" + "\n".join(f"line_{n} = {n}" for n in range(12)) + "\n~~~\nAfter."
    parts = split(text, 80)
    assert all(part.startswith("~~~python\n") and part.endswith("\n~~~") for part in parts[:-1])
    assert parts[-1].endswith("After.")


def test_a_block_that_fits_whole_is_not_cut() -> None:
    block = "```\n" + "code line\n" * 6 + "```"
    assert split(f"{'Prose. ' * 6}\n\n{block}\n\nMore.", 80)[1] == f"{block}\n\nMore."


def test_indentation_in_code_survives_a_cut() -> None:
    text = "```\n" + "\n".join("    indented line" for _ in range(10)) + "\n```"
    assert all(line == "    indented line" for part in split(text, 70) for line in part.split("\n")[1:-1])


def test_emphasis_that_a_cut_runs_through_is_closed_and_opened_again() -> None:
    parts = split("Hello **bold text that is long and goes on** and more", 30)
    assert parts == ["Hello **bold text that is**", "**long and goes on** and more"]


def test_names_with_underscores_are_no_emphasis() -> None:
    """C05: saved_names stay as they are when cut."""
    parts = split("Saved ch_03_red_door.md for @edda_k_2 and then some more words", 40)
    assert " ".join(parts) == "Saved ch_03_red_door.md for @edda_k_2 and then some more words"


def test_a_table_is_not_cut_between_rows_if_it_fits() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"
    assert split(f"Some words before it stand here.\n{table}", 50)[-1] == table


def test_a_cluster_wider_than_the_limit_still_arrives() -> None:
    parts = split("e" + "\u0301" * 9000, 4000)
    assert "".join(parts) == "e" + "\u0301" * 9000


@pytest.mark.parametrize("unit", ["**a ", "`", "[", "x\n", "| "])
def test_a_long_hostile_text_is_cut_before_the_test_times_out(unit: str) -> None:
    text = unit * 9000
    parts = split(text, 2000)
    assert "".join("".join(parts).split()).count(unit.strip()[-1]) >= text.count(unit.strip()[-1])
