"""What is streamed is what people may read: no thinking, no call in disguise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.events import Delta, Event
from agent_core.pipeline.redaction import Redaction
from agent_core.turn.stream import Stream, looks_like_call, without_thinking

SECRET = ("correct-horse-ba", "ttery")
WORDS = st.sampled_from(
    ["<think>", "</think>", "<thi", "nk>", "a", " b ", "<", "\n", "correct-horse-ba", "ttery"]
)


async def streamed(text: str, cuts: list[int], redaction: Redaction) -> str:
    heard: list[str] = []

    async def emit(event: Event) -> None:
        assert isinstance(event, Delta)
        assert event.text
        heard.append(event.text)

    stream = Stream(redaction, "r1", emit)
    places = sorted(place for place in cuts if place <= len(text))
    for start, end in zip([0, *places], [*places, len(text)], strict=True):
        await stream.take(text[start:end])
    await stream.end()
    return "".join(heard)


@given(st.lists(WORDS, max_size=12), st.lists(st.integers(0, 60), max_size=8))
async def test_pieces_add_up_to_the_text_without_thinking_and_secrets(
    words: list[str], cuts: list[int]
) -> None:
    text = "".join(["So: ", *words])
    redaction = Redaction(["".join(SECRET)])

    assert await streamed(text, cuts, redaction) == redaction.own(without_thinking(text))


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ('{"name": "x"}', True),
        ('  {"tool": "x"', True),
        ("<tool_call>x", True),
        ('```json\n{"name": "x"}\n```', True),
        ("```\ncode\n```", False),
        ('{"mood": "sad"}', False),
        ("The {name} of the rose", False),
    ],
)
async def test_call_in_disguise_is_never_streamed(text: str, call: bool) -> None:
    assert looks_like_call(text) is call
    shown = await streamed(text, [1, 2, 5], Redaction())
    assert shown in ("", text)
    assert shown == "" or not call


async def test_answer_is_streamed_from_its_first_word() -> None:
    heard: list[str] = []

    async def emit(event: Event) -> None:
        assert isinstance(event, Delta)
        heard.append(event.text)

    stream = Stream(Redaction(), "r1", emit)
    for piece in ("\n", "Her", " eyes"):
        await stream.take(piece)

    assert heard == ["\nHer", " eyes"]
