import json

import pytest

from adapters.wire import batch_json, event_json
from agent_core.events import (
    ConfirmationAsked,
    Delta,
    Done,
    Event,
    Failed,
    Message,
    Thought,
    ToolFinished,
    ToolStarted,
    TraceStep,
)
from agent_core.messages import Json, Usage
from tests.adapters import samples


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (Thought("hm", "r1"), {"event": "thought", "text": "hm", "replyId": "r1"}),
        (
            ToolStarted("c1", "why", "Mara"),
            {"event": "tool", "state": "started", "callId": "c1", "tool": "why", "summary": "Mara"},
        ),
        (Delta("r1", "x"), {"event": "delta", "replyId": "r1", "text": "x"}),
        (ConfirmationAsked("b1"), {"event": "confirmation", "state": "asked", "batchId": "b1"}),
        (Failed("no"), {"event": "error", "text": "no"}),
        (
            Message("r1", "Yes", ("1.2",), "7.3", (7,)),
            {
                "event": "message",
                "replyId": "r1",
                "markdown": "Yes",
                "sources": ["1.2"],
                "asOf": "7.3",
                "edits": [7],
            },
        ),
    ],
)
def test_events_have_the_names_and_fields_of_the_stream(event: Event, expected: dict[str, Json]) -> None:
    assert event_json(event) == expected


def test_the_end_of_a_turn_carries_its_trace() -> None:
    step = TraceStep("tool", "why", "Mara", "done", 5)
    line = event_json(Done("t1", "done", trace=(step,), usage=Usage(prompt_tokens=7)))
    assert line["trace"] == [
        {"kind": "tool", "label": "why", "detail": "Mara", "outcome": "done", "durationMs": 5}
    ]
    assert line["usage"] == {"promptTokens": 7, "completionTokens": 0}


def test_a_batch_is_plain_data() -> None:
    line = batch_json(samples.batch(samples.EYES, samples.HOME))
    assert json.loads(json.dumps(line))["calls"][1]["tool"] == "record_lore_state"


def test_finished_calls_say_how_they_ended() -> None:
    line = event_json(ToolFinished("c1", "why", "failed", "timeout", 30))
    assert (line["state"], line["outcome"], line["durationMs"]) == ("finished", "failed", 30)
