import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.llm.accumulate import Accumulator
from agent_core.messages import Finish, Json, ModelReply, ToolCall, Usage


def fresh_ids() -> Iterator[str]:
    return (f"fresh{number:04}" for number in itertools.count(1))


def accumulated(*chunks: Mapping[str, Json], taken: Sequence[str] = ()) -> ModelReply:
    accumulator = Accumulator()
    ids = fresh_ids()
    said = [accumulator.feed(chunk) for chunk in chunks] + [accumulator.close()]
    reply = accumulator.reply(taken, lambda: next(ids))
    assert "".join(said) == reply.text
    return reply


def chunk(delta: Json, finish: str | None = None) -> Mapping[str, Json]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def part(**fields: Json) -> Mapping[str, Json]:
    """One chunk with one entry of `tool_calls`; `name` and `args` go inside."""
    inner: dict[str, Json] = {key: fields.pop(key) for key in ("name", "arguments") if key in fields}
    return chunk({"tool_calls": [{**fields, "function": inner}]})


READ_A, READ_B = '{"path":"A"}', '{"path":"B"}'


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param(
            [
                part(index=0, id="a", name="read", arguments=READ_A),
                part(index=0, id="b", name="read", arguments=READ_B),
            ],
            id="one index for both",
        ),
        pytest.param(
            [part(id="a", name="read", arguments=READ_A), part(id="b", name="read", arguments=READ_B)],
            id="index missing",
        ),
        pytest.param(
            [
                part(index=None, id="a", name="read", arguments=READ_A),
                part(index=None, id="b", name="read", arguments=READ_B),
            ],
            id="index null",
        ),
        pytest.param(
            [
                part(index=0, id="a", name="read", arguments=""),
                part(index=0, arguments='{"path"'),
                part(index=0, arguments=':"A"}'),
                part(index=0, id="b", name="read", arguments=""),
                part(index=0, arguments='{"path"'),
                part(index=0, arguments=':"B"}'),
            ],
            id="id in the first piece only",
        ),
        pytest.param(
            [
                part(index=0, id="a", name="read", arguments='{"path"'),
                part(index=1, id="b", name="read", arguments='{"path"'),
                part(index=0, id="", name="read", arguments=':"A"}'),
                part(index=1, id="", name="read", arguments=':"B"}'),
            ],
            id="interleaved, name in each piece",
        ),
        pytest.param(
            [
                part(index=0, id="a", name="read", arguments='{"path"'),
                part(index=0, id="b", name="read", arguments='{"path"'),
                part(index=0, id="a", arguments=':"A"}'),
                part(index=0, id="b", arguments=':"B"}'),
            ],
            id="interleaved by id alone",
        ),
        pytest.param(
            [
                part(index=0, name="read", arguments='{"path"'),
                part(index=0, name="read", arguments=':"A"}'),
                part(index=1, name="read", arguments='{"path"'),
                part(index=0, id="a", arguments=""),
                part(index=1, id="b", arguments=':"B"}'),
            ],
            id="id comes late",
        ),
        pytest.param(
            [
                chunk(
                    {
                        "tool_calls": [
                            {"id": "a", "function": {"name": "read", "arguments": '{"path"'}},
                            {"id": "b", "function": {"name": "read", "arguments": '{"path"'}},
                        ]
                    }
                ),
                chunk(
                    {
                        "tool_calls": [
                            {"function": {"arguments": ':"A"}'}},
                            {"function": {"arguments": ':"B"}'}},
                        ]
                    }
                ),
            ],
            id="by position in each chunk",
        ),
    ],
)
def test_parallel_calls_stay_apart(chunks: list[Mapping[str, Json]]) -> None:
    """A10."""
    assert accumulated(*chunks).calls == (ToolCall("a", "read", READ_A), ToolCall("b", "read", READ_B))


@pytest.mark.parametrize("id_", ["", None, "call_0"])
@pytest.mark.parametrize("index", [{}, {"index": 0}, {"index": None}])
@pytest.mark.parametrize("cut", [0, 4])
def test_complete_json_followed_by_a_new_object_is_a_new_call(
    id_: str | None, index: dict[str, Json], cut: int
) -> None:
    """A10, A02: nothing but the name says that a second call begins."""
    reply = accumulated(
        part(**index, id=id_, name="read", arguments=READ_A[:cut]),
        part(**index, id=id_, arguments=READ_A[cut:]),
        part(**index, id=id_, name="read", arguments=READ_B[:cut]),
        part(**index, id=id_, arguments=READ_B[cut:]),
    )

    assert [call.arguments for call in reply.calls] == [READ_A, READ_B]
    assert [call.name for call in reply.calls] == ["read", "read"]
    assert len({call.id for call in reply.calls}) == 2


def test_another_name_after_complete_json_is_a_new_call() -> None:
    reply = accumulated(
        part(index=0, name="read", arguments="{}"),
        part(index=0, name="write", arguments=""),
        part(index=0, arguments=READ_B),
    )

    assert [(call.name, call.arguments) for call in reply.calls] == [("read", "{}"), ("write", READ_B)]


def test_name_in_each_piece_is_set_once() -> None:
    reply = accumulated(
        part(index=0, id="a", name="read", arguments='{"path"'),
        part(index=0, id="a", name="read", arguments=':"A"}'),
        part(index=0, id="a", name="read", arguments=""),
    )

    assert reply.calls == (ToolCall("a", "read", READ_A),)


def test_glued_arguments_of_one_call_are_left_to_the_pipeline() -> None:
    twice = accumulated(
        part(index=0, id="a", name="add", arguments='{"x":3}'), part(index=0, arguments='{"x":3}')
    )
    leading = accumulated(
        part(index=0, id="a", name="buy", arguments="{}"),
        part(index=0, id="a", name="buy", arguments='{"stock":"M"}'),
    )

    assert [call.arguments for call in twice.calls] == ['{"x":3}{"x":3}']
    assert [call.arguments for call in leading.calls] == ['{}{"stock":"M"}']


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (None, ""),
        ("", ""),
        ({"n": "é"}, '{"n": "é"}'),
        ([1], "[1]"),
        (3, "3"),
        ('"{\\"x\\":1}"', '"{\\"x\\":1}"'),
        ('{"path": "a.md",', '{"path": "a.md",'),
    ],
)
def test_arguments_of_any_kind_become_text(arguments: Json, text: str) -> None:
    """A09: the pipeline decides what to do with them."""
    assert accumulated(part(id="a", name="read", arguments=arguments)).calls[0].arguments == text


def test_ids_that_are_empty_or_repeated_or_taken_are_replaced_in_calls_and_raw() -> None:
    reply = accumulated(
        part(index=0, id="old", name="f", arguments="{}"),
        part(index=1, id="", name="g", arguments="{}"),
        part(index=2, id="new", name="h", arguments="{}"),
        part(index=3, id="new", name="i", arguments="{}"),
        taken=["old", "fresh0001"],
    )

    assert [call.id for call in reply.calls] == ["fresh0002", "fresh0003", "new", "fresh0004"]
    assert raw_calls(reply, "id") == ["fresh0002", "fresh0003", "new", "fresh0004"]


def test_custom_call_keeps_its_input_as_arguments() -> None:
    entry: Json = {"index": 0, "id": "a", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}

    reply = accumulated(chunk({"tool_calls": [entry]}))

    assert reply.calls == (ToolCall("a", "sql", "select 1"),)
    assert raw_calls(reply, "function") == [{"name": "sql", "arguments": "select 1"}]


@pytest.mark.parametrize(
    "delta",
    [
        None,
        {},
        [],
        "text",
        {"content": None},
        {"tool_calls": None},
        {"tool_calls": [None, 3, {}]},
        {"tool_calls": {}},
    ],
)
def test_odd_deltas_say_nothing(delta: Json) -> None:
    assert accumulated(chunk(delta), chunk({"content": "x"})).text == "x"
    assert accumulated(chunk(delta)).calls == ()


@pytest.mark.parametrize("choices", [None, [], [None], "x", {}])
def test_chunk_without_choices_has_not_begun_a_reply(choices: Json) -> None:
    accumulator = Accumulator()

    assert accumulator.feed({"choices": choices}) == ""
    assert not accumulator.has_begun


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", Finish.STOP),
        ("tool_calls", Finish.STOP),
        ("length", Finish.LENGTH),
        ("MAX_TOKENS", Finish.LENGTH),
        ("content_filter", Finish.FILTER),
        ("SAFETY", Finish.FILTER),
        ("whatever", Finish.OTHER),
        ("", Finish.STOP),
        (None, Finish.STOP),
    ],
)
def test_finish_reason_is_translated(reason: str | None, finish: Finish) -> None:
    assert accumulated(chunk({"content": "x"}, reason)).finish is finish


def test_calls_count_whatever_the_finish_reason_says() -> None:
    reply = accumulated(part(id="a", name="f", arguments="{}"), chunk({}, "stop"))
    empty = accumulated(chunk({"content": ""}, "tool_calls"))

    assert [call.name for call in reply.calls] == ["f"]
    assert (empty.calls, empty.text) == ((), "")


@pytest.mark.parametrize("choices", [[], [{"index": 0, "delta": {}}]])
def test_usage_chunk_ends_nothing(choices: Json) -> None:
    usage: Json = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}

    reply = accumulated(
        chunk({"content": "x"}, "stop"), {"choices": choices, "usage": usage}, {"usage": None}
    )

    assert (reply.text, reply.usage) == ("x", Usage(11, 7))


@pytest.mark.parametrize("usage", [{}, {"prompt_tokens": None}, [], "many"])
def test_odd_usage_counts_nothing(usage: Json) -> None:
    assert accumulated(chunk({"content": "x"}, "stop"), {"usage": usage}).usage == Usage()


def test_refusal_is_the_text_where_there_is_no_other() -> None:
    reply = accumulated(chunk({"refusal": "I can't "}), chunk({"refusal": "write this."}, "stop"))

    assert (reply.text, reply.finish) == ("I can't write this.", Finish.FILTER)
    assert reply.raw == {"role": "assistant", "content": "I can't write this."}


def test_reasoning_alone_is_no_text() -> None:
    reply = accumulated(chunk({"reasoning_content": "Hm, "}), chunk({"reasoning_content": "no."}, "stop"))

    assert reply.text == ""
    assert reply.raw == {"role": "assistant", "content": "", "reasoning_content": "Hm, no."}


def test_content_in_blocks_is_read_as_its_texts() -> None:
    blocks: Json = [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": "Mara"}, {"type": "text"}]

    assert accumulated(chunk({"content": blocks})).text == "Mara"


def test_whole_completion_is_read_like_a_stream() -> None:
    """Some endpoints do not stream though they are asked to."""
    call: Json = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message: Json = {"role": "assistant", "content": None, "tool_calls": [call], "annotations": []}

    reply = accumulated({"choices": [{"message": message, "finish_reason": "tool_calls"}]})

    assert reply.calls == (ToolCall("a", "f", "{}"),)
    assert reply.raw == {"role": "assistant", "content": "", "tool_calls": [call]}


def test_thought_signatures_stay_with_their_call_and_message() -> None:
    reply = accumulated(
        chunk(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "index": 0,
                        "id": "a",
                        "type": "function",
                        "function": {"name": "f", "arguments": '{"x":'},
                        "extra_content": {"google": {"thought_signature": "SIG"}},
                    }
                ],
            }
        ),
        part(index=0, arguments="1}", provider_specific_fields={"thought_signature": "SIG2"}),
        part(index=1, id="b", name="g", arguments="{}"),
        chunk({"extra_content": {"google": {"thought_signature": "END"}}, "provider_specific_fields": None}),
    )

    assert reply.raw == {
        "role": "assistant",
        "content": "",
        "extra_content": {"google": {"thought_signature": "END"}},
        "tool_calls": [
            {
                "id": "a",
                "type": "function",
                "function": {"name": "f", "arguments": '{"x":1}'},
                "extra_content": {"google": {"thought_signature": "SIG"}},
                "provider_specific_fields": {"thought_signature": "SIG2"},
            },
            {"id": "b", "type": "function", "function": {"name": "g", "arguments": "{}"}},
        ],
    }


def test_halves_of_an_emoji_are_joined_everywhere() -> None:
    """C02."""
    reply = accumulated(
        chunk({"content": "\ud83c", "reasoning_content": "\ud83c"}),
        chunk({"content": "\udfa9!", "reasoning_content": "\udfa9"}),
        part(index=0, id="a", name="f", arguments='{"x":"\ud83c'),
        part(index=0, arguments='\udfa9"}'),
        chunk({"content": "\ud83c"}, "stop"),
    )

    assert reply.text == "\U0001f3a9!\ufffd"
    assert reply.calls[0].arguments == '{"x":"\U0001f3a9"}'
    assert json.dumps(reply.raw, ensure_ascii=False).encode()
    assert reply.raw is not None
    assert reply.raw["reasoning_content"] == "\U0001f3a9"


# How endpoints cut a reply into chunks: everything that is known to vary.


@dataclass(frozen=True)
class Habit:
    index: str
    id_in_each: bool
    name_in_each: bool
    mixed: bool
    usage_choices: bool


HABITS = st.builds(
    Habit,
    st.sampled_from(["right", "zero", "none", "null"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
TEXTS = st.text(st.sampled_from('ab {}"\\é😀\n'), max_size=12)
ARGUMENTS = st.dictionaries(TEXTS, TEXTS | st.integers() | st.lists(TEXTS, max_size=2), max_size=3).map(
    json.dumps
)
CALLS = st.lists(st.tuples(st.sampled_from(["read", "write"]), ARGUMENTS), max_size=3)


def cut(data: st.DataObject, text: str) -> list[str]:
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


def streamed_call(data: st.DataObject, habit: Habit, place: int, name: str, arguments: str) -> list[Json]:
    shapes: dict[str, dict[str, Json]] = {
        "right": {"index": place},
        "zero": {"index": 0},
        "null": {"index": None},
    }
    index = shapes.get(habit.index, {})
    entries: list[Json] = []
    for number, piece in enumerate(cut(data, arguments)):
        inner: dict[str, Json] = {"arguments": piece}
        if habit.name_in_each or not number:
            inner["name"] = name
        id_: dict[str, Json] = {"id": f"id{place}"} if habit.id_in_each or not number else {}
        extra: dict[str, Json] = (
            {} if number else {"extra_content": {"google": {"thought_signature": f"S{place}"}}}
        )
        entries.append({**index, **id_, **extra, "function": inner})
    return entries


@given(TEXTS, TEXTS, CALLS, HABITS, st.data())
def test_a_reply_cut_in_any_way_is_the_same_reply(
    text: str, thought: str, calls: list[tuple[str, str]], habit: Habit, data: st.DataObject
) -> None:
    streams: list[list[Json]] = [
        [{"content": piece} for piece in cut(data, text)],
        [{"reasoning_content": piece} for piece in cut(data, thought)],
    ]
    lists = [streamed_call(data, habit, place, *call) for place, call in enumerate(calls)]
    told_apart = habit.index == "right" or habit.id_in_each
    if not (habit.mixed and told_apart):
        lists = [list(itertools.chain(*lists))]
    streams += [[{"tool_calls": [entry]} for entry in entries] for entries in lists]
    order = data.draw(st.permutations([number for number, stream in enumerate(streams) for _ in stream]))
    deltas = [streams[number].pop(0) for number in order]

    reply = accumulated(*map(chunk, deltas), chunk({}, "stop"))

    by_id = {call.id: (call.name, call.arguments) for call in reply.calls}
    assert by_id == {f"id{place}": call for place, call in enumerate(calls)}
    assert (reply.text, reply.finish) == (text, Finish.STOP)
    assert reply.raw is not None
    assert reply.raw.get("reasoning_content", "") == thought
    assert len(raw_calls(reply, "id")) == len(calls)
    for call in reply.raw.get("tool_calls", ()):  # type: ignore[union-attr]  # a list of calls, as just counted
        assert call["extra_content"] == {"google": {"thought_signature": f"S{call['id'][2:]}"}}  # type: ignore[index,call-overload]  # JSON


@given(CALLS.filter(lambda calls: all(arguments != "{}" for _, arguments in calls)), HABITS, st.data())
def test_calls_without_ids_stay_apart_by_index_or_by_complete_json(
    calls: list[tuple[str, str]], habit: Habit, data: st.DataObject
) -> None:
    """A10."""
    chunks = []
    for place, call in enumerate(calls):
        for entry in streamed_call(data, habit, place, *call):
            assert isinstance(entry, dict)
            chunks.append(chunk({"tool_calls": [{**entry, "id": ""}]}))

    reply = accumulated(*chunks)

    assert [(call.name, call.arguments) for call in reply.calls] == calls
    assert len({call.id for call in reply.calls}) == len(calls)


def raw_calls(reply: ModelReply, key: str) -> list[Json]:
    assert reply.raw is not None
    calls = reply.raw.get("tool_calls", [])
    assert isinstance(calls, list)
    return [call[key] for call in calls if isinstance(call, dict)]
