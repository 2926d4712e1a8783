from hypothesis import given
from hypothesis import strategies as st

from agent_core.llm.surrogates import TextMender, mend, mend_json

# Text in which halves of pairs are frequent, lone or not.
HALVES = st.text(st.sampled_from("a\u2028é\ud83c\udfa9😀"), max_size=12)


def test_two_halves_become_one_emoji() -> None:
    """C02."""
    assert mend("\ud83c\udfa9") == "\U0001f3a9"


def test_lone_half_becomes_replacement_character() -> None:
    """C02."""
    assert mend("a\ud83cb\udfa9") == "a\ufffdb\ufffd"


def test_halves_in_two_deltas_are_joined_behind_a_long_text() -> None:
    """C02, the input of the report."""
    mender = TextMender()

    pieces = [mender.feed("a" * 4095), mender.feed("\ud83c"), mender.feed("\udfa9"), mender.flush()]

    assert pieces == ["a" * 4095, "", "\U0001f3a9", ""]


def test_half_at_the_end_is_replaced_on_flush() -> None:
    mender = TextMender()

    assert mender.feed("x\ud83c") + mender.flush() == "x\ufffd"


@given(st.lists(HALVES))
def test_cutting_text_anywhere_mends_it_alike(pieces: list[str]) -> None:
    mender = TextMender()

    mended = "".join([mender.feed(piece) for piece in pieces]) + mender.flush()

    assert mended == mend("".join(pieces))
    assert mended.encode().decode() == mended


@given(st.recursive(HALVES, lambda inner: st.lists(inner) | st.dictionaries(HALVES, inner)))
def test_any_mended_json_can_be_stored(value: object) -> None:
    assert repr(mend_json(value)).encode()  # type: ignore[arg-type]  # hypothesis has no type for JSON
