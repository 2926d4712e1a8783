"""What turns have used of models that cost something, in SQL."""

from datetime import datetime
from decimal import Decimal

from agent_core.clock import to_stamp
from agent_core.people.model import Spent
from agent_core.stores.sql.database import Database

_NANO = 9
_SPENT = """
    SELECT CAST(sum(metered) AS BIGINT), CAST(sum(prompt_tokens + completion_tokens) AS BIGINT),
        CAST(sum(cost_nano) AS BIGINT)
    FROM turn WHERE started >= :since
"""


class SqlUsageStore:
    """A `UsageStore` over one database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def last_spent(self, person: str, conversation: str) -> Spent | None:
        found = await self._database.read(
            lambda tx: tx.row(
                "SELECT metered, prompt_tokens + completion_tokens, cost_nano FROM turn"
                " WHERE conversation = :conversation AND requester = :person"
                " ORDER BY started DESC, ord DESC LIMIT 1",
                {"person": person, "conversation": conversation},
            )
        )
        return Spent(calls=found[0], tokens=found[1], cost=from_nano(found[2])) if found else None

    async def spent(self, person: str | None, *, since: datetime) -> Spent:
        sql = _SPENT if person is None else f"{_SPENT} AND requester = :person"
        params = {"person": person, "since": to_stamp(since)}
        found = await self._database.read(lambda tx: tx.row(sql, params))
        calls, tokens, cost = found or (0, 0, 0)
        return Spent(calls=calls or 0, tokens=tokens or 0, cost=from_nano(cost or 0))


def to_nano(cost: Decimal) -> int:
    """Return an amount in billionths, as it stands in columns."""
    return int(cost.scaleb(_NANO))


def from_nano(nano: int) -> Decimal:
    """Return the amount that `to_nano` wrote."""
    return Decimal(nano).scaleb(-_NANO)
