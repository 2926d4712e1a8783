"""The tool that tells what the last answer, today and this month have cost."""

from decimal import Decimal

from agent_core.lore.answers import Answer
from agent_core.people.model import Spent
from agent_core.tools.spec import Family, NoArgs, Risk, Tool, ToolContext


class CostItem(Answer):
    """What was used; `cost` is in the installation's currency, None where its prices are unknown."""

    calls: int
    tokens: int
    cost: Decimal | None = None


class Costs(Answer):
    """The asker's last answer here, their day and month; for operators the month of all."""

    answer: CostItem | None = None
    today: CostItem
    month: CostItem
    everyone: CostItem | None = None


async def _costs(context: ToolContext, args: NoArgs) -> Costs:
    asker, spending = context.asker, context.spending
    person, store, month = asker.person.id, spending.store, spending.month_start()
    priced = spending.prices.known
    last = await store.last_spent(person, asker.conversation.id)
    everyone = await store.spent(None, since=month) if asker.person.operator else None
    return Costs(
        answer=_item(last, priced=priced) if last else None,
        today=_item(await store.spent(person, since=spending.day_start()), priced=priced),
        month=_item(await store.spent(person, since=month), priced=priced),
        everyone=_item(everyone, priced=priced) if everyone else None,
    )


def _item(spent: Spent, *, priced: bool) -> CostItem:
    return CostItem(calls=spent.calls, tokens=spent.tokens, cost=spent.cost if priced else None)


GET_COST = Tool(
    name="get_cost",
    family=Family.PLACE,
    risk=Risk.READ,
    args=NoArgs,
    read=_costs,
    description="Tell what your last answer here, your day and your month have used and cost.",
    needs_series=False,
    for_models=False,
    for_readers=True,
)
