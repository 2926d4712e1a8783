"""What a decision selects, who may make it, and that it is bound to exactly what was shown."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.conversation.model import Conversation
from agent_core.errors import BatchClosed, NotYourBatch
from agent_core.lore.answers import CardLine
from agent_core.lore.model import Author
from agent_core.messages import Json
from agent_core.people.model import Membership, Person, SeriesRole
from agent_core.pipeline.confirmations import (
    Decision,
    Lifetime,
    check_decider,
    check_open,
    chosen_of,
    closed_status,
    digest_of,
    risk_of,
    with_calls,
)
from agent_core.pipeline.model import Batch, BatchCall, BatchStatus, CallStatus
from agent_core.tools.spec import Asker, Risk
from tests.clock import NOON


def line(ordinal: int, arguments: Mapping[str, Json] | None = None, *, kind: str = "record") -> BatchCall:
    return BatchCall(
        id=f"line-{ordinal}",
        ordinal=ordinal,
        call_id=f"call-{ordinal}",
        tool="record_lore_state",
        risk=Risk.WRITE,
        arguments=arguments or {"n": ordinal},
        card=CardLine.model_validate({"kind": kind}),
    )


def batch_of(*calls: BatchCall, series: str | None = "oz") -> Batch:
    batch = Batch(
        id="b1", conversation="c1", requester="ann", series=series, turn="t1", since=0, language="en",
        bound="author", created=NOON, expires=NOON + timedelta(hours=1), digest="", calls=(),
    )  # fmt: skip
    return with_calls(batch, calls)


def asker(
    person: str = "ann",
    role: SeriesRole | None = SeriesRole.EDITOR,
    *,
    place: str = "c1",
    series: str = "oz",
    may_destroy: bool = False,
) -> Asker:
    member = Membership(person=person, series=series, role=role, may_destroy=may_destroy) if role else None
    conversation = Conversation(id=place, platform="t", place=place, private=True, series=series)
    who = Person(id=person, name=person)
    return Asker(person=who, conversation=conversation, membership=member, bound=Author(), language="en")


@pytest.mark.parametrize(
    ("decision", "chosen"),
    [
        (Decision(approve=True), {1, 3}),
        (Decision(approve=True, chosen=frozenset({2})), {2}),
        (Decision(approve=True, chosen=frozenset({2, 9, -1})), {2}),
        (Decision(approve=True, chosen=frozenset()), set()),
        (Decision(approve=False), set()),
        (Decision(approve=False, chosen=frozenset({1})), set()),
        (Decision(approve="yes"), set()),  # type: ignore[arg-type]  # what a careless surface might pass
        (Decision(approve=1), set()),  # type: ignore[arg-type]  # what a careless surface might pass
        (Decision(approve=None), set()),  # type: ignore[arg-type]  # what a careless surface might pass
        (Decision(approve=True, chosen=frozenset({"1", "2"})), set()),  # type: ignore[arg-type]  # dto.
    ],
)
def test_only_what_was_explicitly_chosen_runs(decision: Decision, chosen: set[int]) -> None:
    """A01: missing, unknown or wrong-typed is not approved; without a choice the card's selection counts."""
    batch = batch_of(line(1), replace(line(2), selected=False), line(3))

    assert chosen_of(batch, decision) == chosen


@st.composite
def chains(draw: st.DrawFn) -> tuple[Batch, frozenset[int], dict[int, set[int]]]:
    """Return lines some of which make something, a choice, and what each line needs."""
    size = draw(st.integers(1, 6))
    needs = {
        n: draw(st.sets(st.integers(1, n - 1), max_size=2)) if n > 1 else set() for n in range(1, size + 1)
    }
    calls = [
        line(n, {"entityId": f"made-{n}!", "uses": [f"made-{m}!" for m in sorted(needs[n])]}, kind="create")
        for n in range(1, size + 1)
    ]
    return batch_of(*calls), frozenset(draw(st.sets(st.integers(1, size)))), needs


@given(chains())
def test_line_runs_exactly_if_it_is_chosen_and_all_it_needs_runs(
    drawn: tuple[Batch, frozenset[int], dict[int, set[int]]],
) -> None:
    batch, chosen, needs = drawn

    running = chosen_of(batch, Decision(approve=True, chosen=chosen))

    for ordinal in needs:
        assert (ordinal in running) == (ordinal in chosen and needs[ordinal] <= running)


def test_digest_covers_tools_arguments_order_and_selection_and_nothing_else() -> None:
    """A05: a decision is bound to exactly the arguments shown."""
    calls = (line(1, {"a": 1, "b": [1, 2]}), line(2))
    digest = digest_of(calls)

    assert digest == digest_of((line(1, {"b": [1, 2], "a": 1}), line(2)))
    assert digest == digest_of((replace(calls[0], status=CallStatus.DONE), calls[1]))
    for changed in (
        (replace(calls[0], selected=False), calls[1]),
        (line(1, {"a": 1, "b": [2, 1]}), line(2)),
        (line(1, {"a": "1", "b": [1, 2]}), line(2)),
        (calls[0],),
        (calls[0], replace(calls[1], tool="undo")),
        (calls[1], calls[0]),
    ):
        assert digest_of(changed) != digest


def test_digest_takes_any_text() -> None:
    assert len(digest_of((line(1, {"half": "\ud83c", "n": None}),))) == 64


@pytest.mark.parametrize("status", [s for s in BatchStatus if s is not BatchStatus.OPEN])
def test_closed_batch_says_how_it_was_closed(status: BatchStatus) -> None:
    batch = batch_of(line(1))
    with pytest.raises(BatchClosed) as closed:
        check_open(replace(batch, status=status), None, NOON)
    assert closed.value.facts["reason"] == status.value


def test_batch_is_open_until_its_time_and_only_as_it_was_shown() -> None:
    batch = batch_of(line(1))

    check_open(batch, batch.digest, NOON)
    check_open(batch, None, NOON + timedelta(minutes=59))
    for digest, now, reason in (
        ("another", NOON, "changed"),
        (None, NOON + timedelta(hours=1), "expired"),
        (batch.digest, NOON + timedelta(days=9), "expired"),
    ):
        with pytest.raises(BatchClosed) as closed:
            check_open(batch, digest, now)
        assert closed.value.facts["reason"] == reason


@pytest.mark.parametrize(
    ("who", "risk", "allowed"),
    [
        (asker(), Risk.WRITE, True),
        (asker("ben"), Risk.WRITE, True),
        (asker("ben", SeriesRole.OWNER), Risk.WRITE, True),
        (asker("ann", SeriesRole.READER), Risk.WRITE, False),
        (asker("ann", None), Risk.WRITE, False),
        (asker("ann", SeriesRole.OWNER), Risk.DANGEROUS, True),
        (asker("ann", SeriesRole.EDITOR), Risk.DANGEROUS, False),
        (asker("ben", SeriesRole.EDITOR, may_destroy=True), Risk.DANGEROUS, True),
        (asker("ben", SeriesRole.READER, may_destroy=True), Risk.DANGEROUS, False),
        (asker("ben", SeriesRole.OWNER, series="other"), Risk.WRITE, False),
        (asker("ben", SeriesRole.OWNER, place="elsewhere"), Risk.WRITE, False),
        (asker("ann", SeriesRole.OWNER, place="elsewhere"), Risk.WRITE, False),
    ],
)
def test_who_may_decide(who: Asker, risk: Risk, allowed: bool) -> None:
    batch = batch_of(line(1), replace(line(2), risk=risk))
    assert risk_of(batch) is risk
    if allowed:
        check_decider(batch, who)
        return
    with pytest.raises(NotYourBatch) as refused:
        check_decider(batch, who)
    assert refused.value.facts["who"] == ("lead" if risk is Risk.DANGEROUS else "co_author")


@pytest.mark.parametrize(
    "batch", [batch_of(line(1), series=None), batch_of(replace(line(1), tool="link_thread"))]
)
def test_what_touches_no_series_is_the_requesters_own(batch: Batch) -> None:
    check_decider(batch, asker("ann", None))
    with pytest.raises(NotYourBatch) as refused:
        check_decider(batch, asker("ben", SeriesRole.OWNER))
    assert refused.value.facts["who"] == "requester"


def test_right_to_destroy_gives_nobody_a_role() -> None:
    batch = batch_of(replace(line(1), tool="members", risk=Risk.DANGEROUS))
    with pytest.raises(NotYourBatch) as refused:
        check_decider(batch, asker("ann", SeriesRole.EDITOR, may_destroy=True))
    assert refused.value.facts["who"] == "lead"
    check_decider(batch, asker("ben", SeriesRole.OWNER))


def test_card_lives_a_day_in_private_and_a_week_in_groups() -> None:
    assert Lifetime().end(NOON, private=True) == NOON + timedelta(hours=24)
    assert Lifetime().end(NOON, private=False) == NOON + timedelta(days=7)


@pytest.mark.parametrize("status", [BatchStatus.DECLINED, BatchStatus.EXPIRED, BatchStatus.SUPERSEDED])
def test_lines_take_the_state_of_their_closed_batch(status: BatchStatus) -> None:
    assert closed_status(status).value == status.value
