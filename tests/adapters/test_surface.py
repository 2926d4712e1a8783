"""The choreography of a turn's events, seen by a surface that keeps what it was told."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from adapters.cards import Card
from adapters.surface import Block, Loaded, Mark, Said, Trace, Verbosity, drive_turn, error_text
from agent_core.errors import UnknownEntity
from agent_core.events import (
    ConfirmationAsked,
    ConfirmationClosed,
    Delta,
    Done,
    Emit,
    Event,
    Failed,
    Message,
    Thought,
    ToolFinished,
    ToolStarted,
)
from agent_core.pipeline.model import Batch, BatchStatus
from tests.adapters import samples


@dataclass
class KeptSurface:
    """Keeps the blocks that stand, in order, and the marks; `edits` counts what was shown of each."""

    blocks: dict[str, tuple[Block, bool]] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    settled: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)

    async def post(self, block: Block, *, final: bool) -> str:
        ref = f"m{len(self.shown) + 1}"
        self.shown.append(ref)
        self.blocks[ref] = (block, final)
        return ref

    async def edit(self, ref: str, block: Block, *, final: bool) -> None:
        assert not self.blocks[ref][1] or isinstance(block, Trace)
        self.blocks[ref] = (block, final)

    async def delete(self, ref: str) -> None:
        del self.blocks[ref]

    async def ask(self, card: Card, batch: Batch) -> None:
        self.asked.append(card.title)

    async def settle(self, card: Card, batch: Batch) -> None:
        self.settled.append(card.title)

    async def react(self, mark: Mark) -> None:
        self.marks.append(mark)

    def texts(self) -> list[str]:
        return [block.markdown for block, _ in self.blocks.values() if isinstance(block, Said)]

    def traces(self) -> list[Trace]:
        return [block for block, _ in self.blocks.values() if isinstance(block, Trace)]


async def load(batch: str) -> Loaded | None:
    known = {
        "b1": samples.batch(samples.HOME),
        "b2": samples.batch(samples.HOME, status=BatchStatus.DECLINED),
    }
    return Loaded(known[batch], "Ann") if batch in known else None


async def drive(events: Sequence[Event], verbosity: Verbosity = Verbosity.SHORT) -> KeptSurface:
    surface = KeptSurface()

    async def work(emit: Emit) -> None:
        for event in events:
            await emit(event)

    await drive_turn(work, surface, load, samples.VIEW, verbosity)
    return surface


LOOKED_UP = (
    Delta("r1", "Let me "),
    Delta("r1", "look."),
    Thought("Let me look.", "r1"),
    ToolStarted("c1", "search_lore", "Mara"),
    ToolFinished("c1", "search_lore", "done", "2 entries", 120),
)


async def test_streamed_text_becomes_the_answer_in_its_place() -> None:
    surface = await drive(
        [Delta("r1", "Her "), Delta("r1", "eyes"), Message("r1", "Her eyes."), Done("t", "done")]
    )
    assert surface.texts() == ["Her eyes."]
    assert len(surface.shown) == 1
    assert all(final for _, final in surface.blocks.values())


async def test_a_thought_takes_over_what_was_streamed_of_it() -> None:
    surface = await drive(
        [*LOOKED_UP, Delta("r2", "Green."), Message("r2", "Green."), Done("t", "done", duration_ms=2100)]
    )
    assert surface.texts() == ["Green."]
    assert [line.text for line in surface.traces()[0].card.fields[0].lines] == [
        "Let me look.",
        "search the notes · Mara · 2 entries",
    ]


async def test_a_finished_trace_closes_to_one_line() -> None:
    surface = await drive([*LOOKED_UP, Message("r2", "Green."), Done("t", "done", duration_ms=2100)])
    assert [(trace.card.title, trace.is_open) for trace in surface.traces()] == [("2 steps · 2.1 s", False)]


async def test_a_full_trace_stays_open_and_a_silent_one_never_shows() -> None:
    events: list[Event] = [*LOOKED_UP, Message("r2", "Green."), Done("t", "done", duration_ms=2100)]
    assert [trace.is_open for trace in (await drive(events, Verbosity.FULL)).traces()] == [True]
    assert (await drive(events, Verbosity.OFF)).traces() == []


async def test_blank_deltas_post_nothing() -> None:
    surface = await drive([Delta("r1", "\n"), Delta("r1", " "), Message("r1", "Yes."), Done("t", "done")])
    assert len(surface.shown) == 1


async def test_a_parked_turn_shows_its_card_and_waits() -> None:
    surface = await drive([*LOOKED_UP, ConfirmationAsked("b1"), Done("t", "parked", batch_id="b1")])
    assert surface.asked == ["Proposal (one fact)"]
    assert surface.marks == [Mark.WORKING, Mark.WAITING]


async def test_a_card_closed_meanwhile_shows_its_new_state() -> None:
    surface = await drive([ConfirmationClosed("b2", "declined"), ConfirmationClosed("gone", "expired")])
    assert surface.settled == ["Discarded by Ann. Nothing was written."]


@pytest.mark.parametrize(
    ("status", "mark"),
    [("done", Mark.DONE), ("cancelled", Mark.CANCELLED), ("failed", Mark.FAILED), ("parked", Mark.WAITING)],
)
async def test_the_mark_says_how_the_turn_ended(status: str, mark: Mark) -> None:
    assert (await drive([Done("t", status)])).marks == [Mark.WORKING, mark]


async def test_a_failure_is_said_and_half_an_answer_is_taken_away() -> None:
    surface = await drive([Delta("r1", "Her ey"), Failed("The model took too long."), Done("t", "failed")])
    assert surface.texts() == ["The model took too long."]


async def test_work_that_breaks_leaves_nothing_that_promises_more() -> None:
    """C48: whatever ends the turn, the sign of work ends with it."""
    surface = KeptSurface()

    async def breaks(emit: Emit) -> None:
        await emit(Delta("r1", "Her ey"))
        await emit(ToolStarted("c1", "search_lore", "Mara"))
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        await drive_turn(breaks, surface, load, samples.VIEW)

    assert all(final for _, final in surface.blocks.values())
    assert surface.marks == [Mark.WORKING, Mark.FAILED]


async def test_a_turn_speaks_the_language_of_its_view() -> None:
    surface = KeptSurface()

    async def work(emit: Emit) -> str:
        for event in (*LOOKED_UP, Done("t", "done", duration_ms=2100)):
            await emit(event)
        return "ended"

    assert await drive_turn(work, surface, load, replace(samples.VIEW, language="fr")) == "ended"
    assert surface.traces()[0].card.title == "2 étapes · 2,1 s"


def test_an_error_is_a_sentence_for_people() -> None:
    assert error_text(UnknownEntity(name="Mora", nearest=("Mara",)), "de").startswith("Einen Eintrag „Mora“")
