"""Every `TurnStore` keeps turns in order, delivers once, and forgets nothing over a restart."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from agent_core.messages import ChatMessage, Json, Role, ToolCall, Usage
from agent_core.turn.model import Incoming, Owed, Step, Turn, TurnStatus
from tests.clock import NOON
from tests.contracts.conftest import Installation, Stores

RAW: dict[str, Json] = {
    "role": "assistant",
    "content": None,
    "extra": {"signature": "c2ln\u2028", "n": [1, 2.5]},
}


def turn(number: int, *, status: TurnStatus = TurnStatus.QUEUED, conversation: str = "c1") -> Turn:
    return Turn(
        id=f"t{number}",
        conversation=conversation,
        requester="p1",
        started=NOON + timedelta(minutes=number),
        status=status,
        bound="author",
        language="en",
        text=f"question {number}",
    )


def incoming(update: str = "u1") -> Incoming:
    return Incoming(
        platform="terminal",
        update=update,
        message="m1",
        person="p1",
        conversation="c1",
        text="who is Mombi?",
        at=NOON,
        context="Tom said: hm 🐦",
    )


def result(turn_id: str, seq: int, call_id: str, *, pending: bool = True) -> Step:
    message = ChatMessage(role=Role.TOOL, content="awaiting confirmation", call_id=call_id)
    return Step(turn=turn_id, seq=seq, message=message, pending=pending)


async def test_received_message_starts_its_turn(stores: Stores) -> None:
    assert await stores.turns.receive(incoming(), turn(1))

    assert await stores.turns.turn("t1") == turn(1)
    assert await stores.turns.turn("t2") is None


async def test_limit_of_a_turn_is_kept(stores: Stores) -> None:
    limited = replace(turn(1), max_replies=3)
    await stores.turns.receive(incoming(), limited)
    await stores.turns.save(replace(limited, replies=2))

    assert await stores.turns.turn("t1") == replace(limited, replies=2)


async def test_what_the_person_did_not_say_just_so_stays_marked(stores: Stores) -> None:
    forwarded = replace(turn(1), original=False)
    await stores.turns.receive(incoming(), forwarded)
    await stores.turns.save(replace(forwarded, replies=2))

    assert await stores.turns.turn("t1") == replace(forwarded, replies=2)


async def test_repeated_delivery_is_known_and_starts_nothing(stores: Stores) -> None:
    await stores.turns.receive(incoming(), turn(1))

    assert not await stores.turns.receive(incoming(), turn(2))
    assert await stores.turns.turn("t2") is None


async def test_same_delivery_twice_at_once_is_taken_once(stores: Stores) -> None:
    taken = await asyncio.gather(*(stores.turns.receive(incoming(), turn(n)) for n in range(1, 7)))

    assert taken.count(True) == 1
    assert len(await stores.turns.unfinished()) == 1


async def test_message_may_start_no_turn(stores: Stores) -> None:
    assert await stores.turns.receive(incoming(), None)
    assert not await stores.turns.receive(incoming(), turn(1))
    assert await stores.turns.unfinished() == ()


async def test_what_was_said_is_found_word_for_word(stores: Stores) -> None:
    for number in range(1, 12):
        message = replace(incoming(f"u{number}"), message=f"m{number}", text=f"text {number}\u2028")
        await stores.turns.receive(message, None)
    await stores.turns.receive(replace(incoming("v1"), message="n1", person="p2", text="other"), None)
    await stores.turns.receive(replace(incoming("v2"), message="m1", text="text 1, edited"), None)

    assert await stores.turns.said("c1", "p2", "m10") == "text 10\u2028"
    assert await stores.turns.said("c1", "p1", "m1") == "text 1, edited"
    assert await stores.turns.said("c1", "p1", "last") == "text 11\u2028"
    assert await stores.turns.said("c1", "p2", "this") == "other"
    assert await stores.turns.said("c1", "p2", "last") is None
    assert await stores.turns.said("c2", "p1", "this") is None
    assert await stores.turns.said("c1", "p1", "m12") is None


async def test_unfinished_turns_are_listed_oldest_first(stores: Stores) -> None:
    states = [TurnStatus.RUNNING, TurnStatus.QUEUED, TurnStatus.PARKED, TurnStatus.DONE, TurnStatus.FAILED]
    for number, status in reversed([*enumerate(states)]):
        await stores.turns.save(turn(number, status=status))

    assert [found.id for found in await stores.turns.unfinished()] == ["t0", "t1"]


async def test_turn_and_steps_come_back_as_they_were(stores: Stores, installation: Installation) -> None:
    """C24: history is loaded after a crash, with the calls that have no result yet."""
    question = Step(turn="t1", seq=0, message=ChatMessage(role=Role.USER, content="go on\u2028🐦"))
    calls = (ToolCall("k1", "search_lore", '{"query": "Zoë"}'), ToolCall("k2", "undo", "{broken"))
    reply = ChatMessage(role=Role.ASSISTANT, content="", calls=calls, raw=RAW, provider="local")
    asked = Step(turn="t1", seq=1, message=reply, duration_ms=31, outcome="calls")
    running = replace(
        turn(1, status=TurnStatus.RUNNING), deep=True, mode="directory", replies=1, calls=2, result_chars=12,
        usage=Usage(10, 20), answer="so far",
    )  # fmt: skip
    await stores.turns.receive(incoming(), turn(1))

    await stores.turns.save(running, [question])
    await stores.turns.save(running, [asked])

    reopened = await installation.start()
    assert await reopened.turns.turn("t1") == running
    assert await reopened.turns.steps(["t1"]) == (question, asked)


async def test_steps_follow_the_turns_as_given(stores: Stores) -> None:
    for number in (1, 2, 3):
        await stores.turns.save(turn(number), [result(f"t{number}", seq, f"k{seq}") for seq in (0, 1)])

    found = await stores.turns.steps(["t3", "t1"])

    assert [(step.turn, step.seq) for step in found] == [("t3", 0), ("t3", 1), ("t1", 0), ("t1", 1)]
    assert await stores.turns.steps([]) == ()


async def test_saving_a_step_again_changes_nothing(stores: Stores) -> None:
    await stores.turns.save(turn(1), [result("t1", 0, "k1")])
    await stores.turns.save(turn(1, status=TurnStatus.CANCELLED), [result("t1", 0, "k1")])

    assert await stores.turns.steps(["t1"]) == (result("t1", 0, "k1"),)


async def test_history_is_the_last_turns_before_this_one(stores: Stores) -> None:
    for number in (3, 1, 2, 4, 5):
        await stores.turns.save(turn(number))
    await stores.turns.save(turn(9, conversation="c2"))

    before = await stores.turns.recent_turns("c1", before="t4", limit=2)
    assert [found.id for found in before] == ["t2", "t3"]
    assert [found.id for found in await stores.turns.recent_turns("c1", before=None, limit=9)] == [
        "t1", "t2", "t3", "t4", "t5",
    ]  # fmt: skip
    assert [found.id for found in await stores.turns.turns_since("c1", "t3")] == ["t4", "t5"]


async def test_turns_of_one_instant_keep_the_order_of_their_arrival(stores: Stores) -> None:
    for name in ("b", "a", "c"):
        await stores.turns.save(replace(turn(1), id=name))

    assert [found.id for found in await stores.turns.recent_turns("c1", before="c", limit=9)] == ["b", "a"]
    assert [found.id for found in await stores.turns.turns_since("c1", "b")] == ["a", "c"]


async def test_cleared_history_starts_afresh(stores: Stores, installation: Installation) -> None:
    for number in (1, 2, 3):
        await stores.turns.save(turn(number))

    await stores.turns.clear_history("c1", NOON + timedelta(minutes=2))

    reopened = await installation.start()
    recent = await reopened.turns.recent_turns("c1", before=None, limit=9)
    assert [found.id for found in recent] == ["t2", "t3"]


async def test_settled_result_takes_the_place_of_the_pending_one(stores: Stores) -> None:
    await stores.turns.save(turn(1), [result("t1", 0, "k1"), result("t1", 1, "k2")])

    await stores.turns.replace_result("t1", "k1", "saved as edit no. 3", "done")
    await stores.turns.replace_result("t1", "k1", "too late", "failed")

    first, second = await stores.turns.steps(["t1"])
    assert (first.message.content, first.outcome, first.pending) == ("saved as edit no. 3", "done", False)
    assert second == result("t1", 1, "k2")


async def test_order_is_held_by_one_until_it_is_freed(stores: Stores) -> None:
    until = NOON + timedelta(seconds=30)
    assert await stores.turns.take_order("c1", "a", now=NOON, until=until)

    assert not await stores.turns.take_order("c1", "b", now=NOON, until=until)
    assert await stores.turns.take_order("c2", "b", now=NOON, until=until)
    assert await stores.turns.take_order("c1", "a", now=NOON, until=until + timedelta(seconds=30))
    assert await stores.turns.order_holder("c1") == "a"
    assert await stores.turns.order_holder("c3") is None

    await stores.turns.free_order("c1", "b")
    assert not await stores.turns.take_order("c1", "b", now=until, until=until)

    await stores.turns.free_order("c1", "a")
    assert await stores.turns.order_holder("c1") is None
    assert await stores.turns.take_order("c1", "b", now=NOON, until=until)


async def test_order_of_a_dead_holder_runs_out(stores: Stores, installation: Installation) -> None:
    until = NOON + timedelta(seconds=30)
    await stores.turns.take_order("c1", "dead", now=NOON, until=until)

    reopened = await installation.start()
    assert not await reopened.turns.take_order("c1", "b", now=until - timedelta(seconds=1), until=until)
    assert await reopened.turns.take_order("c1", "b", now=until, until=until + timedelta(seconds=30))


async def test_many_who_want_the_order_at_once_get_it_one_at_a_time(stores: Stores) -> None:
    until = NOON + timedelta(seconds=30)
    taken = await asyncio.gather(
        *(stores.turns.take_order("c1", f"h{n}", now=NOON, until=until) for n in range(8))
    )

    assert taken.count(True) == 1


async def test_finished_turn_owes_its_answer(stores: Stores, installation: Installation) -> None:
    owed = Owed(id="o1", conversation="c1", turn="t1", text="Mombi is a witch.")
    done = replace(turn(1, status=TurnStatus.DONE), answer=owed.text)

    await stores.turns.finish(done, [result("t1", 0, "k1", pending=False)], owed)

    reopened = await installation.start()
    assert await reopened.turns.turn("t1") == done
    assert len(await reopened.turns.steps(["t1"])) == 1
    assert await reopened.turns.undelivered() == (owed,)


async def test_what_has_arrived_is_owed_no_more(stores: Stores) -> None:
    for number, repeat in ((1, False), (2, True), (3, False)):
        owed = Owed(id=f"o{number}", conversation=f"c{number}", turn="", text="hello", repeat=repeat)
        await stores.turns.owe(owed)

    await stores.turns.delivered("o3")

    assert [(owed.id, owed.repeat) for owed in await stores.turns.undelivered()] == [
        ("o1", False), ("o2", True),
    ]  # fmt: skip
    assert [owed.id for owed in await stores.turns.undelivered("c2")] == ["o2"]
