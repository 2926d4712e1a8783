from hypothesis import given
from hypothesis import strategies as st

from agent_core.llm.sse import EventReader


def read(*blocks: bytes) -> list[str]:
    reader = EventReader()
    return [event for block in blocks for event in reader.feed(block)] + reader.close()


def test_comments_names_and_ids_are_no_data() -> None:
    stream = b': OPENROUTER PROCESSING\n\nevent: message\nid: 7\nretry: 5\ndata: {"a":1}\n\n: ping\n\n'

    assert read(stream) == ['{"a":1}']


def test_data_in_several_lines_is_one_event() -> None:
    assert read(b'data: {"a":\ndata:1}\n\n') == ['{"a":\n1}']


def test_last_event_without_blank_line_counts() -> None:
    assert read(b"data: one\n\ndata: [DONE]") == ["one", "[DONE]"]


def test_unicode_line_separator_does_not_end_a_line() -> None:
    assert read('data: "a\u2028b\x85c"\n\n'.encode()) == ['"a\u2028b\x85c"']


@given(st.lists(st.text("ab é\u2028😀", min_size=1)), st.sampled_from([b"\n", b"\r\n", b"\r"]), st.data())
def test_blocks_cut_anywhere_give_the_same_events(texts: list[str], end: bytes, data: st.DataObject) -> None:
    stream = b"".join(b"data: " + text.encode() + end + end for text in texts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    blocks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]

    assert read(*blocks) == texts
