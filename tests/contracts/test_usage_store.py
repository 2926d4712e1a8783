"""Every `UsageStore` sums what turns have used, of one person or of all, exactly."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

from agent_core.messages import Usage
from agent_core.people.model import Spent
from tests.clock import NOON
from tests.contracts.conftest import Installation, Stores
from tests.contracts.test_turn_store import turn

PRICE = Decimal("0.100000001")


async def test_usage_is_summed_by_person_and_time(stores: Stores, installation: Installation) -> None:
    for number, requester in ((1, "p1"), (2, "p1"), (3, "p2"), (4, "p1")):
        used = replace(
            turn(number), requester=requester, metered=2, replies=3, usage=Usage(100, 10), cost=PRICE
        )
        await stores.turns.save(used)

    usage = (await installation.start()).usage

    since = NOON + timedelta(minutes=2)
    assert await usage.spent("p1", since=since) == Spent(calls=4, tokens=220, cost=2 * PRICE)
    assert await usage.spent(None, since=since) == Spent(calls=6, tokens=330, cost=3 * PRICE)
    assert await usage.spent("p1", since=NOON + timedelta(minutes=5)) == Spent()
    assert await usage.spent("p3", since=NOON) == Spent()


async def test_cost_of_a_turn_comes_back_to_the_last_digit(stores: Stores) -> None:
    await stores.turns.save(replace(turn(1), metered=1, cost=PRICE))

    stored = await stores.turns.turn("t1")

    assert stored is not None
    assert (stored.metered, stored.cost) == (1, PRICE)
