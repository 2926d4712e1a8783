"""Every `PipelineStore` lets a batch be decided once and keeps what was decided."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from agent_core.errors import StoreFailure
from agent_core.lore.answers import CardLine, EntryRef, KeyChange, Place, Question, Warn
from agent_core.lore.answers import Choice as CardChoice
from agent_core.lore.model import EntityType
from agent_core.pipeline.model import (
    AuditOutcome,
    AuditRow,
    Batch,
    BatchCall,
    BatchStatus,
    CallStatus,
    Trouble,
)
from agent_core.tools.spec import Risk
from tests.clock import NOON
from tests.contracts.conftest import Installation, Stores

CARD = CardLine(
    kind="record",
    entry=EntryRef(id="e1", type=EntityType.CHARACTER, name="Zoë 🐦", aliases=("Z.",)),
    at=Place(id="s1", label="b1:7.3", title="Harbour"),
    changes=(KeyChange(key="eyes", before=None, after={"$none": True}, replaces_edit=3),),
    facts={"count": 2, "name": "x"},
    warnings=(Warn(code="close_key", facts={"key": "eye colour"}),),
    questions=(Question(name="kind", choices=(CardChoice(value="record"),), chosen="record"),),
)


def call(ordinal: int, batch: str = "b1", *, status: CallStatus = CallStatus.PENDING) -> BatchCall:
    return BatchCall(
        id=f"{batch}-{ordinal}",
        ordinal=ordinal,
        call_id=f"k{ordinal}",
        tool="record_lore_state",
        risk=Risk.WRITE,
        arguments={"patch": {"eyes": "grün", "n": 1.5, "list": [1, None, True]}},
        card=CARD,
        status=status,
    )


def batch(name: str = "b1", *, conversation: str = "c1", requester: str = "p1", calls: int = 2) -> Batch:
    return Batch(
        id=name,
        conversation=conversation,
        requester=requester,
        series="oz",
        turn="t1",
        since=3,
        language="en",
        bound="author",
        created=NOON,
        expires=NOON + timedelta(hours=24),
        digest="d1",
        calls=tuple(call(i, name) for i in range(1, calls + 1)),
    )


def audit_row(name: str, outcome: AuditOutcome = AuditOutcome.PROPOSED) -> AuditRow:
    return AuditRow(
        id=name,
        at=NOON,
        call_id="k1",
        conversation="c1",
        requester="p1",
        tool="record_lore_state",
        arguments={"token": "•••"},
        outcome=outcome,
    )


async def decide(
    stores: Stores,
    status: BatchStatus = BatchStatus.APPROVED,
    *,
    digest: str = "d1",
    by: str | None = "p2",
    chosen: frozenset[int] = frozenset({1}),
) -> bool:
    return await stores.pipeline.decide("b1", status, digest=digest, by=by, at=NOON, chosen=chosen)


async def test_open_batch_outlives_a_restart(stores: Stores, installation: Installation) -> None:
    """A04: calls, requester, expiry and conversation of a pending card are there after a restart."""
    await stores.pipeline.add_batch(batch(), [audit_row("a1")])

    reopened = await installation.start()
    assert await reopened.pipeline.batch("b1") == batch()
    assert await reopened.pipeline.open_batches() == (batch(),)
    assert await reopened.pipeline.batch("b2") is None


async def test_open_batches_are_found_by_conversation_and_requester(stores: Stores) -> None:
    await stores.pipeline.add_batch(batch("b1"), [])
    await stores.pipeline.add_batch(batch("b2", conversation="c2"), [])
    await stores.pipeline.add_batch(batch("b3", requester="p2"), [])

    assert [b.id for b in await stores.pipeline.open_batches()] == ["b1", "b2", "b3"]
    assert [b.id for b in await stores.pipeline.open_batches(conversation="c1")] == ["b1", "b3"]
    assert [b.id for b in await stores.pipeline.open_batches(requester="p1")] == ["b1", "b2"]
    assert [b.id for b in await stores.pipeline.open_batches(conversation="c1", requester="p2")] == ["b3"]


async def test_approval_declines_the_lines_that_were_not_chosen(stores: Stores) -> None:
    await stores.pipeline.add_batch(batch(), [])

    assert await decide(stores)

    decided = await stores.pipeline.batch("b1")
    assert decided is not None
    assert (decided.status, decided.decided_by, decided.decided_at) == (BatchStatus.APPROVED, "p2", NOON)
    assert [c.status for c in decided.calls] == [CallStatus.APPROVED, CallStatus.DECLINED]
    assert await stores.pipeline.open_batches() == ()


@pytest.mark.parametrize(
    ("status", "line"),
    [
        (BatchStatus.DECLINED, CallStatus.DECLINED),
        (BatchStatus.EXPIRED, CallStatus.EXPIRED),
        (BatchStatus.SUPERSEDED, CallStatus.SUPERSEDED),
    ],
)
async def test_other_decisions_end_every_line(stores: Stores, status: BatchStatus, line: CallStatus) -> None:
    await stores.pipeline.add_batch(batch(), [])

    assert await decide(stores, status, by=None)

    decided = await stores.pipeline.batch("b1")
    assert decided is not None
    assert decided.decided_by is None
    assert {c.status for c in decided.calls} == {line}


async def test_batch_is_decided_once(stores: Stores) -> None:
    await stores.pipeline.add_batch(batch(), [])
    await decide(stores, BatchStatus.DECLINED)

    assert not await decide(stores, BatchStatus.APPROVED)

    decided = await stores.pipeline.batch("b1")
    assert decided is not None
    assert decided.status is BatchStatus.DECLINED


async def test_decision_about_another_digest_does_not_count(stores: Stores) -> None:
    await stores.pipeline.add_batch(batch(), [])

    assert not await decide(stores, digest="d0")
    assert await stores.pipeline.batch("b1") == batch()


async def test_of_many_who_decide_at_once_one_wins(stores: Stores) -> None:
    await stores.pipeline.add_batch(batch(), [])

    won = await asyncio.gather(*(decide(stores, by=f"p{n}") for n in range(8)))

    decided = await stores.pipeline.batch("b1")
    assert won.count(True) == 1
    assert decided is not None
    assert decided.decided_by == f"p{won.index(True)}"


async def test_revised_batch_replaces_what_was_shown(stores: Stores) -> None:
    await stores.pipeline.add_batch(batch(), [])
    fewer = replace(call(1), selected=False, arguments={"patch": {"eyes": "blue"}})
    revised = replace(
        batch(), calls=(fewer,), digest="d2", since=4, expires=NOON + timedelta(days=7), surface_ref="m9"
    )

    assert await stores.pipeline.revise(revised, was="d1")

    assert await stores.pipeline.batch("b1") == revised
    assert not await decide(stores, digest="d1")
    assert await decide(stores, digest="d2")


async def test_of_two_revisions_made_at_once_one_is_stored(stores: Stores) -> None:
    await stores.pipeline.add_batch(batch(), [])
    revised = [replace(batch(), digest=f"d{n}") for n in range(2, 6)]

    won = await asyncio.gather(*(stores.pipeline.revise(one, was="d1") for one in revised))

    stored = await stores.pipeline.batch("b1")
    assert won.count(True) == 1
    assert stored == revised[won.index(True)]


async def test_decided_batch_is_not_revised(stores: Stores) -> None:
    await stores.pipeline.add_batch(batch(), [])
    await decide(stores)

    assert not await stores.pipeline.revise(replace(batch(), digest="d2"), was="d1")
    assert not await stores.pipeline.revise(batch("b2"), was="d1")
    decided = await stores.pipeline.batch("b1")
    assert decided is not None
    assert decided.digest == "d1"


async def test_decided_batch_stays_unsettled_until_its_results_are_stored(
    stores: Stores, installation: Installation
) -> None:
    """A03: a call that was running when the process died is found again in that state."""
    await stores.pipeline.add_batch(batch(), [])
    assert await stores.pipeline.unsettled() == ()
    await decide(stores)
    running = [call(1, status=CallStatus.RUNNING)]
    await stores.pipeline.update_calls("b1", running, [], settled=False, edit=None)

    reopened = await installation.start()
    (found,) = await reopened.pipeline.unsettled()
    assert [c.status for c in found.calls] == [CallStatus.RUNNING, CallStatus.DECLINED]

    done = [replace(call(1, status=CallStatus.DONE), result="edit no. 4")]
    await reopened.pipeline.update_calls("b1", done, [], settled=False, edit=4)
    await reopened.pipeline.update_calls("b1", [], [], settled=True, edit=None)
    assert await reopened.pipeline.unsettled() == ()
    settled = await reopened.pipeline.batch("b1")
    assert settled is not None
    assert (settled.settled, settled.edit, settled.calls[0].result) == (True, 4, "edit no. 4")


async def test_why_a_line_failed_is_kept_with_its_facts(stores: Stores, installation: Installation) -> None:
    trouble = Trouble("error.duplicate_entity", {"name": "Tom", "nearest": ("Tim", "Thom"), "n": 2})
    failed = replace(call(1, status=CallStatus.FAILED), trouble=trouble)
    await stores.pipeline.add_batch(batch(), [])
    await stores.pipeline.update_calls("b1", [failed], [], settled=False, edit=None)

    found = await (await installation.start()).pipeline.batch("b1")

    assert found is not None
    assert [one.trouble for one in found.calls] == [trouble, None]


async def test_batch_is_not_stored_when_its_audit_fails(stores: Stores) -> None:
    await stores.pipeline.add_batch(batch(), [])

    with pytest.raises(StoreFailure):
        await stores.pipeline.add_batch(replace(batch(), digest="d9"), [audit_row("a1")])

    assert await stores.pipeline.batch("b1") == batch()


async def test_hits_are_counted_per_person_tool_and_window(stores: Stores) -> None:
    later = NOON + timedelta(minutes=1)

    assert [await stores.pipeline.count_hit("p1", "undo", window=NOON) for _ in range(3)] == [1, 2, 3]
    assert await stores.pipeline.count_hit("p2", "undo", window=NOON) == 1
    assert await stores.pipeline.count_hit("p1", "history", window=NOON) == 1
    assert await stores.pipeline.count_hit("p1", "undo", window=later) == 1


async def test_hits_at_once_are_all_counted(stores: Stores) -> None:
    counts = await asyncio.gather(*(stores.pipeline.count_hit("p1", "undo", window=NOON) for _ in range(10)))

    assert sorted(counts) == list(range(1, 11))
