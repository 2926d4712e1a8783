"""Long texts in parts, and texts that call nobody: rules for any text."""

from hypothesis import given
from hypothesis import strategies as st

from agent_core.notify.parts import in_parts, length
from agent_core.notify.quiet import JOINER, is_blank, quiet


@given(st.text(), st.integers(10, 60))
def test_parts_keep_every_letter_in_order_and_fit(text: str, most: int) -> None:
    parts = in_parts(text, most)
    assert all(0 < length(part) <= most for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_text_is_cut_where_a_paragraph_ends() -> None:
    assert in_parts("One two.\n\nThree four five.", 20) == ("One two.\n\nThree four", "five.")
    assert in_parts("A long line here.\n\nThree four five.", 24) == ("A long line here.", "Three four five.")


@given(st.text(alphabet="@<!#&>ab1 ."))
def test_quiet_text_reads_the_same_and_calls_nobody(text: str) -> None:
    said = quiet(text)
    assert said.replace(JOINER, "") == text
    assert "<@" not in said
    assert "<!" not in said
    assert " @a" not in said
    assert not said.startswith("@a")


def test_address_of_a_mailbox_stays_as_it_is() -> None:
    assert quiet("ann@a.org writes to @bo") == f"ann@a.org writes to @{JOINER}bo"


def test_text_that_nobody_sees_is_blank() -> None:
    assert is_blank(" \n\t\u200b\u2060\u00a0")
    assert not is_blank("\u200b.")
    assert not is_blank("漢")
