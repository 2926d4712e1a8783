"""How a turn is shown in a room: growing, in several messages, and in spite of the platform."""

import asyncio
from dataclasses import replace

import pytest

from adapters.cards import Card
from adapters.chat.surface import ChatSurface
from adapters.surface import Said, Trace
from agent_core.pipeline.model import Batch
from tests.adapters.chat.paper import Paper, PaperRoom


def surface_in(paper: Paper, room: PaperRoom) -> ChatSurface:
    async def with_steps(card: Card) -> Card:
        return card

    async def elsewhere(card: Card, batch: Batch) -> bool:
        return False

    return ChatSurface(
        room=room,
        board=paper.desk.exchange.board,
        language="en",
        message="m1",
        with_steps=with_steps,
        elsewhere=elsewhere,
    )


async def test_answer_grows_over_several_messages_and_only_changed_ones_are_edited(fresh: Paper) -> None:
    room = PaperRoom("7", limit=4)
    surface = surface_in(fresh, room)

    ref = await surface.post(Said(markdown="abc"), final=False)
    await surface.edit(ref, Said(markdown="abcdef"), final=False)
    await surface.edit(ref, Said(markdown="abcdefghi"), final=True)

    first, second, third = room.sent.values()
    assert (first.texts, second.texts, third.texts) == (["abc", "abcd"], ["ef", "efgh"], ["i"])
    assert [sent.reply_to for sent in room.sent.values()] == ["m1", "", ""]


async def test_answer_that_ends_shorter_takes_its_last_messages_away(fresh: Paper) -> None:
    room = PaperRoom("7", limit=4)
    surface = surface_in(fresh, room)
    ref = await surface.post(Said(markdown="abcdefgh"), final=False)

    await surface.edit(ref, Said(markdown="xy"), final=True)

    assert room.texts == ["xy"]


async def test_hurried_edits_are_dropped_and_the_last_is_not(fresh: Paper) -> None:
    room = PaperRoom("7", edit_every_s=60)
    surface = surface_in(fresh, room)
    ref = await surface.post(Said(markdown="a"), final=False)

    for text in ("ab", "abc", "abcd"):
        await surface.edit(ref, Said(markdown=text), final=False)
    await surface.edit(ref, Said(markdown="abcde"), final=True)

    [sent] = room.sent.values()
    assert sent.texts == ["a", "abcde"]


async def test_trace_is_silent_and_answer_is_not(fresh: Paper) -> None:
    room = PaperRoom("7")
    surface = surface_in(fresh, room)

    await surface.post(Trace(card=Card(title="looking"), is_open=True), final=False)
    await surface.post(Said(markdown="Green."), final=True)

    assert [sent.silent for sent in room.sent.values()] == [True, False]


async def test_message_taken_away_meanwhile_is_said_anew(fresh: Paper) -> None:
    room = PaperRoom("7")
    surface = surface_in(fresh, room)
    ref = await surface.post(Said(markdown="a"), final=False)
    room.sent.clear()

    await surface.edit(ref, Said(markdown="abc"), final=True)

    assert room.texts == ["abc"]
    assert not surface.lost


@pytest.mark.parametrize(("final", "lost"), [(True, True), (False, False)])
async def test_room_that_refuses_loses_only_a_final_answer(fresh: Paper, final: bool, lost: bool) -> None:
    room = PaperRoom("7", refusing="no_right")
    surface = surface_in(fresh, room)

    await surface.post(Said(markdown="a"), final=final)

    assert surface.lost is lost


async def test_edit_that_the_platform_holds_up_does_not_hold_up_the_turn(fresh: Paper) -> None:
    held = asyncio.Event()

    class Slow(PaperRoom):
        async def edit(self, ref: str, part: object) -> None:
            await held.wait()
            await super().edit(ref, part)

    room = Slow("7")
    surface = replace(surface_in(fresh, room), slowest_edit_s=0.01)
    ref = await surface.post(Said(markdown="a"), final=False)
    await surface.edit(ref, Said(markdown="ab"), final=False)
    held.set()

    await surface.edit(ref, Said(markdown="abc"), final=True)

    assert room.texts == ["abc"]
