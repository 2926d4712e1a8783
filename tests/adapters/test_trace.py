"""Steps of a turn as people read them."""

from adapters.cards import Step, trace_card


def test_a_step_leaves_no_comma_where_an_id_stood() -> None:
    entry, scene = "7ccb9f1a-6f4c-4b62-9d1f-64e1f0a0c001", "7ccb9f1a-6f4c-4b62-9d1f-64e1f0a0c002"
    step = Step(tool="record_lore_state", arguments=f"{entry}, eyes: green, {scene}, 7.3", outcome="done")
    card = trace_card((step,), "en", duration_ms=10)
    assert card.fields[0].lines[0].text == "note a fact · eyes: green, 7.3"
