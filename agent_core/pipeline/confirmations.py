"""Batch states and nothing else: what a batch is, who may decide it, what a decision selects."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from agent_core.errors import BatchClosed, NotYourBatch
from agent_core.people.model import SeriesRole
from agent_core.pipeline.model import Batch, BatchCall, BatchStatus, CallStatus
from agent_core.pipeline.permissions import may_decide, role_of
from agent_core.tools.spec import Asker, Risk

# A person's own matter, whatever series their place is linked to.
_OWN = frozenset({"link_thread", "identity_link"})

# Who has which right is for leads alone to say: else the right to destroy would be the right to lead.
_RIGHTS = frozenset({"members"})

# The arguments that hold the ids of what a line makes, by the kind of its card.
_MAKES = {"create": ("entityId",), "scene_new": ("sceneId", "newChapterId")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a person decided about a card. `chosen` holds ordinals; None means the selection on the card.

    `digest` is that of the card they saw; None trusts the batch id alone (a card that cannot carry it).
    """

    approve: bool
    chosen: frozenset[int] | None = None
    digest: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifetime:
    """How long a batch stays open, by the kind of place."""

    private: timedelta = timedelta(hours=24)
    group: timedelta = timedelta(days=7)

    def end(self, now: datetime, *, private: bool) -> datetime:
        """Return when a batch made now expires."""
        return now + (self.private if private else self.group)


def digest_of(calls: Sequence[BatchCall]) -> str:
    """Return a hash over exactly what a yes would run: ordinals, tools, resolved arguments, selection."""
    plan = [[call.ordinal, call.tool, call.arguments, call.selected] for call in calls]
    text = json.dumps(plan, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def risk_of(batch: Batch) -> Risk:
    """Return the highest risk of its lines."""
    return Risk.DANGEROUS if any(call.risk is Risk.DANGEROUS for call in batch.calls) else Risk.WRITE


def decider_of(batch: Batch) -> str:
    """Return who may decide a batch: "requester", "lead" or "co_author".

    A batch that touches no series is its requester's, and so is their own matter. Others are decided by
    those who may confirm their highest risk.
    """
    if batch.series is None or all(call.tool in _OWN for call in batch.calls):
        return "requester"
    return "lead" if risk_of(batch) is Risk.DANGEROUS else "co_author"


def check_decider(batch: Batch, asker: Asker) -> None:
    """Pass if this asker may decide this batch: here, where it was proposed, and for its series.

    Raises:
        NotYourBatch: they may not; says who may.
    """
    who = decider_of(batch)
    if who == "requester":
        allowed = asker.person.id == batch.requester
    else:
        member = asker.membership if asker.membership and asker.membership.series == batch.series else None
        allowed = may_decide(member, risk_of(batch))
        if any(call.tool in _RIGHTS for call in batch.calls):
            allowed = role_of(member) is SeriesRole.OWNER
    if not allowed or asker.conversation.id != batch.conversation:
        raise NotYourBatch(who=who)


def check_open(batch: Batch, digest: str | None, now: datetime) -> None:
    """Pass if the batch can still be decided as it was shown.

    Raises:
        BatchClosed: it is closed, has expired, or was changed since the card was shown.
    """
    if batch.status is not BatchStatus.OPEN:
        raise BatchClosed(reason=batch.status.value)
    if now >= batch.expires:
        raise BatchClosed(reason=BatchStatus.EXPIRED.value)
    if digest is not None and digest != batch.digest:
        raise BatchClosed(reason="changed")


def chosen_of(batch: Batch, decision: Decision) -> frozenset[int]:
    """Return the ordinals that will run: those decided on, without lines that need a dropped one."""
    if decision.approve is not True:  # "yes" or 1 from a careless surface is no approval
        return frozenset()
    if decision.chosen is None:
        wanted = frozenset(call.ordinal for call in batch.calls if call.selected)
    else:
        wanted = decision.chosen & frozenset(call.ordinal for call in batch.calls)
    dropped = [call for call in batch.calls if call.ordinal not in wanted]
    for call in batch.calls:
        if call.ordinal in wanted and any(_needs(call, gone) for gone in dropped):
            wanted -= {call.ordinal}
            dropped.append(call)
    return wanted


def with_calls(batch: Batch, calls: Sequence[BatchCall]) -> Batch:
    """Return the batch with other lines and their digest."""
    return replace(batch, calls=tuple(calls), digest=digest_of(calls))


def closed_status(status: BatchStatus) -> CallStatus:
    """Return the state that the lines of a batch take when it closes without running."""
    return {
        BatchStatus.DECLINED: CallStatus.DECLINED,
        BatchStatus.EXPIRED: CallStatus.EXPIRED,
        BatchStatus.SUPERSEDED: CallStatus.SUPERSEDED,
    }[status]


def _needs(call: BatchCall, dropped: BatchCall) -> bool:
    made = [dropped.arguments.get(name) for name in _MAKES.get(dropped.card.kind, ())]
    text = json.dumps(dict(call.arguments))
    return any(isinstance(one, str) and one and one in text for one in made)
