from collections.abc import Mapping

import pytest

from agent_core.llm.replay import grown, present
from agent_core.messages import Json


def all_grown(key: str, *values: Json) -> Json:
    fields: dict[str, Json] = {}
    for value in values:
        fields = grown(fields, {key: value})
    return fields.get(key)


@pytest.mark.parametrize(
    ("values", "whole"),
    [
        pytest.param(
            [
                [{"type": "reasoning.text", "index": 0, "text": "Look ", "format": "x"}],
                [{"type": "reasoning.text", "index": 0, "text": "up."}],
                [{"type": "reasoning.text", "index": 0, "signature": "SIG"}],
                [{"type": "reasoning.encrypted", "index": 1, "data": "AAA=", "id": "e1"}],
            ],
            [
                {"type": "reasoning.text", "index": 0, "text": "Look up.", "format": "x", "signature": "SIG"},
                {"type": "reasoning.encrypted", "index": 1, "data": "AAA=", "id": "e1"},
            ],
            id="numbered pieces, OpenRouter",
        ),
        pytest.param(
            [
                [{"type": "thinking", "thinking": "Look ", "signature": ""}],
                [{"type": "thinking", "thinking": "up.", "signature": ""}],
                [{"type": "thinking", "thinking": "", "signature": "SIG"}],
                [{"type": "thinking", "thinking": "Next.", "signature": None}],
                [{"type": "redacted", "data": "X"}],
            ],
            [
                {"type": "thinking", "thinking": "Look up.", "signature": "SIG"},
                {"type": "thinking", "thinking": "Next.", "signature": None},
                {"type": "redacted", "data": "X"},
            ],
            id="pieces ended by a signature, LiteLLM",
        ),
        pytest.param([["a"], ["a", "b"], None], ["a", "b"], id="signatures told again"),
        pytest.param(
            [{"google": {"thought_signature": "S"}}, {"google": {"thought_signature": None, "x": 1}}],
            {"google": {"thought_signature": "S", "x": 1}},
            id="records",
        ),
        pytest.param([None, "", "x"], "x", id="nothing first"),
        pytest.param([["a"], "x"], "x", id="another kind"),
        pytest.param(
            [[{"index": 0, "id": "p"}], [{"index": 0, "id": "q"}]],
            [{"index": 0, "id": "p"}, {"index": 0, "id": "q"}],
            id="other id",
        ),
        pytest.param([["a"], [{"type": "t"}], ["b"]], ["a", {"type": "t"}, "b"], id="mixed list"),
    ],
)
def test_pieces_grow_into_what_the_provider_meant(values: list[Json], whole: Json) -> None:
    assert all_grown("details", *values) == whole


@pytest.mark.parametrize(("key", "whole"), [("reasoning_content", "ab"), ("signature", "b"), ("id", "b")])
def test_only_running_text_is_appended(key: str, whole: str) -> None:
    assert all_grown(key, "a", "b") == whole


def test_empty_fields_are_not_sent_back() -> None:
    fields: Mapping[str, Json] = {"a": None, "b": [], "c": "", "d": {}, "e": 0, "f": False}

    assert present(fields) == {"e": 0, "f": False}
