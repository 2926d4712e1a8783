"""Argument texts of models become validated arguments or an error that says what to do, never a guess."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.errors import InvalidArguments
from agent_core.messages import Json
from agent_core.pipeline.arguments import MAX_DEPTH, SHOWN_CHARS, parse, shown, validate
from agent_core.pipeline.redaction import Redaction
from agent_core.tools.spec import Args

NONE = Redaction()


class Sample(Args):
    """Every field has a default."""

    path: str = ""
    page_count: int = 1


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", {}),
        ("  \n", {}),
        ("{}", {}),
        ('{"x": 3}', {"x": 3}),
        ('{"x":3}{"x":3}', {"x": 3}),
        ('{}{"stock":"MSFT"}', {"stock": "MSFT"}),
        ('"{\\"x\\": 3}"', {"x": 3}),
        ('{"x": 1, "x": 1}', {"x": 1}),
        ('{"hat": "\\ud83c\\udfa9", "half": "\\ud83c"}', {"hat": "🎩", "half": "\ufffd"}),
        ('{"\\ud83c": 1}', {"\ufffd": 1}),
    ],
)
def test_what_providers_do_to_one_object_is_read_as_meant(text: str, meant: Json) -> None:
    assert parse("tool", text, NONE) == meant


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "a.md",',
        '""',
        "null",
        "[1]",
        '"text"',
        '{"n": NaN}',
        '{"n": -Infinity}',
        '{"n": 1e999}',
        '{"x": 1, "x": 2}',
        '{"x": 1}{"x": 2}',
        '{"x": 1} and more',
        "{} null",
        '{"n": ' + "9" * 5_000 + "}",
        '{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1),
        "[" * 100_000,
    ],
)
def test_anything_but_one_object_is_refused_naming_the_problem(text: str) -> None:
    """A09: broken, empty, foreign or ambiguous JSON never becomes `{}`."""
    with pytest.raises(InvalidArguments) as refused:
        parse("vault_read", text, NONE)

    assert refused.value.facts["tool"] == "vault_read"
    assert "arguments: " in refused.value.for_model()
    assert len(refused.value.for_model()) < SHOWN_CHARS + 300


def test_refusal_can_be_encoded_even_if_the_text_holds_half_an_emoji() -> None:
    with pytest.raises(InvalidArguments) as refused:
        parse("tool", "\ud83c{", NONE)

    assert refused.value.for_model().encode()
    assert shown("\ud83c{", NONE) == {"raw": "\ufffd{"}


@given(st.dictionaries(st.text(max_size=9), st.none() | st.booleans() | st.integers() | st.text(max_size=9)))
def test_every_object_survives_encoding_once_or_twice(value: dict[str, Json]) -> None:
    text = json.dumps(value)

    assert parse("tool", text, NONE) == json.loads(text)
    assert parse("tool", json.dumps(text), NONE) == json.loads(text)


@given(st.text(max_size=40))
def test_no_text_brings_anything_but_an_object_or_a_refusal(text: str) -> None:
    try:
        assert isinstance(parse("tool", text, NONE), dict)
    except InvalidArguments:
        assert text.strip()


def test_secret_in_a_broken_text_is_not_given_away_by_the_cut() -> None:
    redaction = Redaction(["correct-horse-battery"])
    for start in range(150, 210):
        text = "{" + "x" * start + "correct-horse-battery"
        with pytest.raises(InvalidArguments) as refused:
            parse("tool", text, redaction)
        assert "corr" not in refused.value.for_model()
        assert "corr" not in str(shown(text, redaction))


def test_validation_fills_defaults_and_names_every_field_that_does_not_fit() -> None:
    assert validate("t", Sample, {"pageCount": 2}) == Sample(path="", page_count=2)
    with pytest.raises(InvalidArguments) as refused:
        validate("t", Sample, {"pageCount": "many", "colour": "red"})

    problems = " ".join(refused.value.facts["problems"])  # type: ignore[arg-type]  # a tuple of sentences
    assert "pageCount" in problems
    assert "colour" in problems


def test_audit_shows_the_object_or_the_beginning_of_what_is_none() -> None:
    assert shown('{"x": 1}', NONE) == {"x": 1}
    assert shown({"x": 1}, NONE) == {"x": 1}
    assert shown("{" * 1_000, NONE) == {"raw": "{" * SHOWN_CHARS}
