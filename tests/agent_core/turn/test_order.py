"""One turn at a time in a conversation, others beside it; a turn can be stopped at any moment."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Coroutine
from datetime import timedelta

import pytest

from agent_core.errors import BatchClosed
from agent_core.events import ConfirmationAsked, Done, Event, Failed, Message
from agent_core.people.model import SeriesRole
from agent_core.texts.catalogue import say
from agent_core.turn.holder import is_gone
from agent_core.turn.model import TurnStatus
from agent_core.turn.order import TurnOrder
from tests.agent_core.turn.probe import Probe
from tests.agent_core.turn.test_calls import results
from tests.agent_core.turn.test_cards import fact
from tests.emulators.model_endpoint import Call, Reply
from tests.house import Heard, House

STOPPED = say("en", "answer.cancelled")


async def test_second_message_waits_for_the_first_and_sees_its_answer(house: House) -> None:
    """A19: stored and answered in order, one request after the other."""
    house.endpoint.reply(Reply(text="First answer.", hold=0))
    house.endpoint.reply("Second answer.")

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        first = group.create_task(house.say("first"))
        await house.endpoint.received(1)
        second = group.create_task(house.say("second"))
        await received(house, "second")
        assert len(house.endpoint.requests) == 1
        house.endpoint.release()

    assert (first.result().answer, second.result().answer) == ("First answer.", "Second answer.")
    said = [(m["role"], m["content"]) for m in house.endpoint.requests[1].messages[1:]]
    assert said == [("user", "first"), ("assistant", "First answer."), ("user", "second")]


async def test_text_of_this_message_is_kept_though_the_person_goes_on_talking(house: House) -> None:
    scene = {"chapterId": "2", "sceneNumber": 3, "title": "", "rawText": ""}
    calls = (
        Call("persist_scene", {**scene, "fromMessage": "this"}),
        Call("persist_scene", {**scene, "sceneNumber": 4, "fromMessage": "last"}),
    )
    house.endpoint.reply("Go on.")
    house.endpoint.reply(Reply(calls=calls, hold=0))
    house.endpoint.reply("Yes?")
    await house.say("The scene before.")

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        first = group.create_task(house.say("The scene itself."))
        await house.endpoint.received(2)
        group.create_task(house.say("By the way"))
        await received(house, "By the way")
        house.endpoint.release()

    asked = first.result().of(ConfirmationAsked)[0]
    batch = await house.core.batch(asked.batch_id)
    assert batch is not None
    assert [call.arguments["rawText"] for call in batch.calls] == ["The scene itself.", "The scene before."]


async def received(house: House, text: str) -> None:
    """Wait until a message is stored."""
    turns = house.core.runtime.turns
    while text not in [turn.text for turn in await turns.unfinished()]:  # noqa: ASYNC110  asks the store
        await asyncio.sleep(0)


async def test_conversations_run_beside_each_other(house: House, probe: Probe) -> None:
    """C25: each card, trace, count and audit line carries its own thread and person."""
    await link(house, "ben", "two")
    for who in ("ann", "ben"):
        house.endpoint.reply(Call("meet", {"text": who}), fact({"hat": who}))

    async with asyncio.timeout(5):
        ann, ben = await asyncio.gather(house.say("a"), house.say("b", user="ben", place="two"))

    cards = [await house.card(heard) for heard in (ann, ben)]
    assert [card.conversation for card in cards] == ["main-id", "two-id"]
    lines = [line for line in await house.audit() if line.tool == "meet"]
    people = [(await house.asker()).person.id, (await house.asker("ben", "two")).person.id]
    assert {(line.conversation, line.requester) for line in lines} == {
        ("main-id", people[0]), ("two-id", people[1]),
    }  # fmt: skip


async def link(house: House, user: str, place: str) -> None:
    await house.join(user, SeriesRole.EDITOR)
    asker = await house.asker(user, place)
    await house.core.propose(
        [("link_thread", {"series": "The Salt Roads", "book": "1"})], asker, complete=True
    )


async def test_repeated_delivery_is_answered_once(house: House) -> None:
    house.endpoint.reply("Once.")

    first = await house.say("Hello.", update="u1")
    second = await house.say("Hello.", update="u1")

    assert first.answer == "Once."
    assert second.turn is None
    assert second.events == []


async def test_order_is_free_again_after_a_failure(house: House) -> None:
    house.endpoint.reply(lambda seen: Reply(text="", finish="content_filter"))
    house.endpoint.reply("Fine.")

    await house.say("bad")

    async with asyncio.timeout(5):
        assert (await house.say("good")).answer == "Fine."


async def running(
    house: House, work: Coroutine[None, None, Heard], until: Callable[[], Awaitable[object]]
) -> Heard:
    """Start, wait until something is so, cancel as a person does, and return what was heard."""
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        task = group.create_task(work)
        await until()
        assert await house.core.cancel("main-id")
    return task.result()


async def check_stopped(house: House, heard: Heard) -> None:
    """Check that a turn was stopped, told so once, and left a history that providers take."""
    assert [event.text for event in heard.of(Failed)] == [STOPPED]
    assert [event.status for event in heard.of(Done)] == ["cancelled"]
    assert (await house.stored(heard.turn)).status is TurnStatus.CANCELLED
    assert not await house.core.cancel("main-id")
    house.endpoint.reply("Here I am.")
    async with asyncio.timeout(5):
        assert (await house.say("hello")).answer == "Here I am."


async def test_turn_can_be_cancelled_while_the_model_speaks(house: House) -> None:
    house.endpoint.reply(Reply(text="A long answer about nothing", piece=3, hold=4))

    heard = await running(house, house.say("Talk."), lambda: house.endpoint.received(1))

    await asyncio.wait_for(house.endpoint.hung_up.wait(), 5)
    await check_stopped(house, heard)


async def test_turn_can_be_cancelled_while_a_tool_runs(house: House, probe: Probe) -> None:
    """A07: each unanswered call has a result, so that the next request is valid."""
    house.endpoint.reply(Call("wait", {"text": "a"}), Call("echo"), fact({"hat": "red"}))

    heard = await running(house, house.say("Look."), probe.started.wait)

    assert "cancelled" in {line.outcome for line in await house.audit()}
    await check_stopped(house, heard)
    assert [result["status"] for result in results(house, -1)] == ["cancelled"] * 3
    assert await house.core.open_batches("main-id") == ()


async def test_turn_cancelled_as_it_asks_for_a_decision_closes_its_card(house: House) -> None:
    house.endpoint.reply(fact({"hat": "red"}))
    shown = asyncio.Event()

    async def slow(event: Event) -> None:
        if isinstance(event, ConfirmationAsked):
            shown.set()
            await asyncio.Event().wait()

    await running(house, house.say("Note.", listener=slow), shown.wait)

    assert await house.core.open_batches("main-id") == ()
    house.endpoint.reply("Fine.")
    await house.say("hello")
    assert results(house, -1)[0]["status"] == "declined"


async def test_cancelling_a_parked_turn_finds_nothing_to_stop_and_leaves_the_card(house: House) -> None:
    house.endpoint.reply(fact({"hat": "red"}))
    heard = await house.say("Note.")

    assert not await house.core.cancel("main-id")

    house.endpoint.reply("Saved.")
    await house.decide((await house.card(heard)).id)
    assert await house.state("Mara", asOf="1") == {"eyes": "green", "hat": "red"}


async def test_turn_can_be_cancelled_after_its_card_was_decided(house: House) -> None:
    house.endpoint.reply(fact({"hat": "red"}))
    batch = await house.card(await house.say("Note."))
    house.endpoint.reply(Reply(text="Saved and more", hold=0))

    async def decided() -> Heard:
        done, heard = await house.decide(batch.id)
        assert done.edit is not None
        return heard

    heard = await running(house, decided(), lambda: house.endpoint.received(2))

    assert heard.answer == STOPPED
    assert await house.state("Mara", asOf="1") == {"eyes": "green", "hat": "red"}


async def test_cancellation_that_comes_too_late_keeps_the_answer(house: House) -> None:
    house.endpoint.reply("Green.")
    told = asyncio.Event()

    async def slow(event: Event) -> None:
        if isinstance(event, Message) and not told.is_set():
            told.set()
            await asyncio.Event().wait()

    heard = await running(house, house.say("Eyes?", listener=slow), told.wait)

    stored = await house.stored(heard.turn)
    assert (stored.status, stored.answer) == (TurnStatus.DONE, "Green.")


async def test_cancelling_one_turn_lets_the_queued_one_run(house: House) -> None:
    house.endpoint.reply(Reply(text="never", hold=0))
    house.endpoint.reply("Second.")

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        first = group.create_task(house.say("first"))
        await house.endpoint.received(1)
        second = group.create_task(house.say("second"))
        await received(house, "second")
        assert await house.core.cancel("main-id")

    assert (first.result().answer, second.result().answer) == (STOPPED, "Second.")


async def test_shutdown_is_no_cancellation_and_leaves_the_turn_to_be_finished(house: House) -> None:
    house.endpoint.reply(Reply(text="never", hold=0))
    heard = Heard()
    async with asyncio.timeout(5):
        task = asyncio.create_task(house.say("Eyes?", listener=heard.emit))
        await house.endpoint.received(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert heard.events == []
    house.endpoint.reply("Green.")

    await house.core.recover(lambda conversation: heard.emit)

    assert heard.answer == "Green."
    assert await house.core.runtime.turns.unfinished() == ()


async def test_caller_inside_a_timeout_of_its_own_goes_on_after_a_cancelled_turn(house: House) -> None:
    house.endpoint.reply(Reply(text="never", hold=0))

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        work = group.create_task(_within_a_group(house))
        await house.endpoint.received(1)
        assert await house.core.cancel("main-id")

    assert work.result() == STOPPED
    assert not work.cancelled()


async def _within_a_group(house: House) -> str:
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.sleep(0))
        heard = await house.say("Eyes?")
        await asyncio.sleep(0)
    assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]  # there is one
    return heard.answer


async def test_starting_afresh_forgets_cancels_and_closes(house: House) -> None:
    """C24: it works during a turn, too."""
    house.endpoint.reply(fact({"hat": "red"}))
    batch = await house.card(await house.say("Note."))
    house.clock.advance(seconds=1)

    await house.core.start_afresh(await house.asker(), Heard().emit)

    with pytest.raises(BatchClosed):
        await house.decide(batch.id)
    house.endpoint.reply(Reply(text="never", hold=0))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        task = group.create_task(house.say("first"))
        await house.endpoint.received(2)
        house.clock.advance(seconds=1)
        await house.core.start_afresh(await house.asker(), Heard().emit)
    assert task.result().answer == STOPPED
    house.clock.advance(seconds=1)
    house.endpoint.reply("Fresh.")
    await house.say("second")
    assert [m["content"] for m in house.endpoint.requests[-1].messages if m["role"] != "system"] == ["second"]


async def test_rights_lost_while_a_message_waited_count(house: House) -> None:
    await house.join("ben", SeriesRole.EDITOR)
    house.endpoint.reply(Reply(text="First.", hold=0))
    house.endpoint.reply("Second.")

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(house.say("first"))
        await house.endpoint.received(1)
        group.create_task(house.say("second", user="ben"))
        await received(house, "second")
        await house.join("ben", SeriesRole.READER, "1")
        house.endpoint.release()

    assert "record_lore_state" in house.endpoint.requests[0].tools
    assert "record_lore_state" not in house.endpoint.requests[1].tools


def names(pid: int | str, run: str = "run", host: str | None = None) -> str:
    return f"{host or socket.gethostname()}:{pid}:{run}"


def test_ended_process_of_this_machine_holds_nothing() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    own = names(os.getpid(), "own")

    assert is_gone(names(ended.pid), own)
    assert is_gone(names(os.getpid(), "an earlier run of the same number, as in a container"), own)
    assert not is_gone(own, own)
    assert not is_gone(names(os.getppid()), own)
    assert not is_gone(names(1), own)
    assert not is_gone(names(ended.pid, host="elsewhere"), own)
    assert not is_gone("nonsense", own)
    assert not is_gone(names(10**30), own)


async def test_order_of_a_dead_process_is_taken_at_once(house: House) -> None:
    ended = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await ended.wait()
    turns, now = house.core.runtime.turns, house.clock.now()
    await turns.take_order("main-id", names(ended.pid), now=now, until=now + timedelta(hours=1))
    house.endpoint.reply("Here.")

    async with asyncio.timeout(5):
        assert (await house.say("hello")).answer == "Here."


async def test_order_of_a_living_process_is_waited_for(house: House) -> None:
    turns, now = house.core.runtime.turns, house.clock.now()
    await turns.take_order("main-id", names(os.getppid()), now=now, until=now + timedelta(seconds=10))
    house.endpoint.reply("At last.")

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        task = group.create_task(house.say("hello"))
        await received(house, "hello")
        assert house.endpoint.requests == []
        house.clock.advance(seconds=10)

    assert task.result().answer == "At last."


async def test_unfinished_turn_of_the_past_holds_nobody_up(house: House) -> None:
    """A turn that was never finished must not block the questions after it."""
    house.endpoint.reply(Reply(text="never", hold=0))
    async with asyncio.timeout(5):
        task = asyncio.create_task(house.say("first"))
        await house.endpoint.received(1)
        task.cancel()
        await asyncio.wait({task})
    house.endpoint.reply("Second.")

    async with asyncio.timeout(5):
        assert (await house.say("second")).answer == "Second."


async def test_order_is_first_come_first_served_and_leaves_nothing_behind(house: House) -> None:
    order = TurnOrder(house.core.runtime.turns, house.clock, holder=names(os.getpid(), "own"))
    done: list[int] = []

    async def one(number: int) -> None:
        async with order.held("c"):
            await asyncio.sleep(0)
            done.append(number)

    async with asyncio.TaskGroup() as group:
        for number in range(5):
            group.create_task(one(number))

    assert done == [0, 1, 2, 3, 4]
    assert order._locks == {}
    assert order._waiting == {}
    assert await house.core.runtime.turns.order_holder("c") is None
