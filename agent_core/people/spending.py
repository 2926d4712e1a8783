"""What models cost, and how much of them one person and the whole installation may use."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_UP, Decimal
from zoneinfo import ZoneInfo

from agent_core.clock import Clock
from agent_core.errors import BudgetSpent
from agent_core.messages import Usage
from agent_core.people.model import Spent
from agent_core.people.store import UsageStore

SMALLEST = Decimal("1e-9")
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices of a million tokens, in the installation's currency; None: unknown."""

    prompt: Decimal | None = None
    completion: Decimal | None = None

    @property
    def known(self) -> bool:
        """Whether costs can be told."""
        return self.prompt is not None and self.completion is not None

    def cost(self, usage: Usage) -> Decimal:
        """Return what this usage costs, rounded up to a billionth; 0 where no price is known."""
        sent = usage.prompt_tokens * (self.prompt or Decimal(0))
        received = usage.completion_tokens * (self.completion or Decimal(0))
        return ((sent + received) / _MILLION).quantize(SMALLEST, rounding=ROUND_UP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What may be used in one day or month. 0 allows nothing, None is no limit."""

    calls: int | None = None
    tokens: int | None = None
    cost: Decimal | None = None

    @property
    def is_set(self) -> bool:
        """Whether anything is limited."""
        return (self.calls, self.tokens, self.cost) != (None, None, None)

    @property
    def allows_nothing(self) -> bool:
        """Whether not even a first call is allowed."""
        return 0 in (self.calls, self.tokens, self.cost)

    def is_reached(self, spent: Spent) -> bool:
        """Return whether nothing may be used on top of this."""
        pairs = (
            (self.calls, spent.calls),
            (self.tokens, spent.tokens),
            (self.cost, spent.cost),
        )
        return any(limit is not None and used >= limit for limit, used in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """A person's limits by day and month, and the installation's hard stop by month."""

    day: Limit = field(default_factory=Limit)
    month: Limit = field(default_factory=Limit)
    all_month: Limit = field(default_factory=Limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Tells costs and refuses what is over budget. Days and months begin in the installation's zone."""

    store: UsageStore
    clock: Clock
    zone: ZoneInfo
    prices: Prices = field(default_factory=Prices)
    budgets: Budgets = field(default_factory=Budgets)

    async def refusal(self, person: str) -> BudgetSpent | None:
        """Return why this person may not use the model now, and when they may again; None if they may."""
        day, month = self.day_start(), self.month_start()
        checks = (
            ("all_month", self.budgets.all_month, None, month),
            ("month", self.budgets.month, person, month),
            ("day", self.budgets.day, person, day),
        )
        for reason, limit, whose, since in checks:
            if limit.allows_nothing:
                return BudgetSpent(reason="none")
            if limit.is_set and limit.is_reached(await self.store.spent(whose, since=since)):
                return BudgetSpent(reason=reason, month=month.month % 12 + 1)
        return None

    def day_start(self) -> datetime:
        """Return when today began."""
        return self._now().replace(hour=0, minute=0, second=0, microsecond=0)

    def month_start(self) -> datetime:
        """Return when this month began."""
        return self.day_start().replace(day=1)

    def _now(self) -> datetime:
        return self.clock.now().astimezone(self.zone)
