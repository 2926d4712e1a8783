"""Charges a turn with what its replies cost, and says when no further one may be asked for."""

from decimal import Decimal

from agent_core.messages import Usage
from agent_core.turn.runtime import Runtime
from agent_core.turn.talk import Talk


async def is_last(talk: Talk, runtime: Runtime) -> bool:
    """Return whether only one last reply, without calls, is left: the turn's budget or its person's is spent.

    Raises:
        BudgetSpent: its person's or the installation's is spent before the first reply of the turn.
    """
    if runtime.budget.is_spent(talk.turn):
        return True
    refusal = await runtime.spending.refusal(talk.turn.requester) if _is_metered(runtime) else None
    if refusal is not None and not talk.turn.replies:
        raise refusal
    return refusal is not None


def charge(talk: Talk, usage: Usage, runtime: Runtime) -> None:
    """Count one reply; what no model was paid for costs nothing."""
    is_metered = _is_metered(runtime)
    cost = runtime.spending.prices.cost(usage) if is_metered else Decimal(0)
    talk.spend(replies=1, usage=usage, metered=int(is_metered), cost=cost)


def _is_metered(runtime: Runtime) -> bool:
    return not runtime.model.label  # a real model has none
