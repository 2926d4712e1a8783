"""Models cost money: it is counted exactly, shown, and refused beyond what is allowed."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.clock import new_id
from agent_core.events import Done
from agent_core.llm.offline import OfflineResponder
from agent_core.messages import Usage
from agent_core.people.model import Spent
from agent_core.people.spending import Limit, Prices
from agent_core.tools.cost import CostItem, Costs
from agent_core.turn.model import TurnStatus
from bot.settings import Settings
from bot.wiring import build
from tests.clock import FakeClock
from tests.emulators.model_endpoint import Call, ModelEndpoint
from tests.house import House, open_house

Open = Callable[..., AbstractAsyncContextManager[House]]

# A reply of the scripted model uses 11 and 7 tokens.
PRICES = {"price_prompt_per_mtok": Decimal("0.15"), "price_completion_per_mtok": Decimal("0.6")}
REPLY = Decimal("0.00000585")
LOOK = Call("get_entity_state", {"entityId": "Mara"})
STILL_WORKS = "commands such as /state and /search still work"


@pytest.fixture
def opened(tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock) -> Open:
    return lambda **changed: open_house(tmp_path, endpoint, clock, new_id, **changed)


@pytest.fixture
async def priced(opened: Open) -> AsyncIterator[House]:
    async with opened(**PRICES) as house:
        await house.found()
        yield house


async def costs(house: House, user: str = "ann") -> Costs:
    answer = await house.core.lookup("get_cost", {}, await house.asker(user))
    assert isinstance(answer, Costs)
    return answer


async def test_cost_of_the_answer_and_the_month_is_told_to_the_last_digit(priced: House) -> None:
    priced.endpoint.reply(LOOK)
    priced.endpoint.reply("Green.")
    await priced.say("What colour?")
    priced.endpoint.reply("Yes.")
    await priced.say("Sure?")

    told = await costs(priced)

    assert told.answer == CostItem(calls=1, tokens=18, cost=REPLY)
    assert told.month == CostItem(calls=3, tokens=54, cost=3 * REPLY)
    assert told.today == told.month == told.everyone


async def test_costs_are_each_persons_own_and_outlive_the_day_not_the_month(priced: House) -> None:
    priced.endpoint.reply("Yes.")
    await priced.say("Sure?", "rob", "rob-home")
    priced.clock.advance(days=1)

    rob = await costs(priced, "rob")
    assert (rob.today.calls, rob.month.calls) == (0, 1)
    assert (await costs(priced, "ann")).month.calls == 0

    priced.clock.advance(days=30)
    assert (await costs(priced, "rob")).month == CostItem(calls=0, tokens=0, cost=Decimal(0))


async def test_without_prices_usage_is_told_and_no_cost(house: House) -> None:
    house.endpoint.reply("Yes.")
    await house.say("Sure?")

    assert (await costs(house)).month == CostItem(calls=1, tokens=18)


@pytest.mark.parametrize(
    ("limits", "notice"),
    [
        ({"person_calls_per_day": 2}, "Your budget for today is used up. It opens again at midnight"),
        ({"person_tokens_per_day": 36}, "Your budget for today is used up"),
        ({"person_money_per_month": 2 * REPLY}, "this month is used up. It opens again on 1 June"),
        ({"person_calls_per_month": 1}, "Your budget for this month is used up"),
        ({"money_per_month": REPLY}, "This month’s budget for everybody here is used up"),
        ({"tokens_per_month": 20}, "This month’s budget for everybody here is used up"),
    ],
)
async def test_spent_budget_refuses_the_next_turn_before_the_model_and_leaves_look_ups(
    opened: Open, limits: dict[str, object], notice: str
) -> None:
    async with opened(**PRICES, **limits) as house:
        await house.found()
        house.endpoint.reply(LOOK)
        house.endpoint.reply("Green.")
        await house.say("What colour?")
        asked = len(house.endpoint.requests)

        heard = await house.say("And now?")

        assert notice in heard.answer
        assert STILL_WORKS in heard.answer
        assert len(house.endpoint.requests) == asked == 2
        assert heard.turn is not None
        assert heard.turn.status is TurnStatus.FAILED
        assert await house.state("Mara") == {"eyes": "green"}
        await house.write("record_lore_state", entityId="Mara", statePatch={"hat": "red"}, chapterId="2")


async def test_turn_that_runs_over_its_persons_budget_ends_with_a_synthesis(opened: Open) -> None:
    async with opened(person_calls_per_day=1) as house:
        await house.found()
        house.endpoint.reply(LOOK)
        house.endpoint.reply("Green, as far as I got.")

        heard = await house.say("Tell me everything.")

        assert heard.answer == "Green, as far as I got."
        assert house.endpoint.requests[1].body["tool_choice"] == "none"
        assert heard.of(Done)[0].status == "done"


async def test_turn_that_waited_for_a_decision_still_gets_its_last_reply(opened: Open) -> None:
    async with opened(person_calls_per_day=1) as house:
        await house.found()
        house.endpoint.reply(
            Call("record_lore_state", {"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "2"})
        )
        card = await house.card(await house.say("Note a red hat."))
        house.endpoint.reply("Noted.")

        decided, after = await house.decide(card.id)

        assert decided.edit is not None
        assert after.answer == "Noted."
        assert house.endpoint.requests[1].body["tool_choice"] == "none"


async def test_budget_opens_again_at_midnight_of_the_installations_zone(
    opened: Open, clock: FakeClock
) -> None:
    async with opened(person_calls_per_day=1) as house:
        house.endpoint.reply("One.")
        await house.say("Hello.")
        clock.advance(hours=11, minutes=59)
        assert "at midnight" in (await house.say("Hello?")).answer

        clock.advance(minutes=1)
        house.endpoint.reply("Two.")
        assert (await house.say("Hello!")).answer == "Two."


async def test_one_persons_budget_is_not_anothers(opened: Open) -> None:
    """C46: who has used up their own share keeps nobody else from asking."""
    async with opened(person_calls_per_day=1) as house:
        house.endpoint.reply("One.")
        await house.say("Hello.", "gus", "group", private=False)
        assert "is used up" in (await house.say("Hello.", "gus", "group", private=False)).answer

        house.endpoint.reply("Hello Ann.")
        assert (await house.say("Hello.", "ann", "group", private=False)).answer == "Hello Ann."


@pytest.mark.parametrize("limit", ["person_calls_per_day", "person_tokens_per_month", "tokens_per_month"])
async def test_zero_allows_nothing(opened: Open, limit: str) -> None:
    async with opened(**{limit: 0}) as house:
        heard = await house.say("Hello.")

        assert heard.answer.startswith("No budget for the model is set aside for you here.")
        assert house.endpoint.requests == []


async def test_offline_responder_costs_nothing_and_is_never_stopped(tmp_path: Path, clock: FakeClock) -> None:
    limits = Settings(
        data_dir=tmp_path,
        language="en",
        time_zone=ZoneInfo("UTC"),
        person_calls_per_day=0,
        tokens_per_month=0,
    )
    async with build(limits, clock=clock, model=OfflineResponder()) as app, ModelEndpoint() as endpoint:
        house = House(app=app, endpoint=endpoint, clock=clock)
        await house.found()

        heard = await house.say("Who is Mara?")

        assert "green" in heard.answer
        assert (await costs(house)).month == CostItem(calls=0, tokens=0)


@given(
    sent=st.integers(0, 10**7),
    received=st.integers(0, 10**7),
    price=st.decimals(0, 1000, places=4),
)
def test_cost_is_never_less_than_the_price_and_exact_to_a_billionth(
    sent: int, received: int, price: Decimal
) -> None:
    prices = Prices(prompt=price, completion=2 * price)
    exact = price * (sent + 2 * received)

    cost = prices.cost(Usage(sent, received))

    assert exact <= cost * 1_000_000 < exact + Decimal("0.001")
    assert cost == cost.quantize(Decimal("1e-9"))


@given(
    limit=st.tuples(*[st.none() | st.integers(0, 4)] * 3),
    spent=st.tuples(*[st.integers(0, 4)] * 3),
)
def test_limit_is_reached_when_any_of_its_parts_is(
    limit: tuple[int | None, int | None, int | None], spent: tuple[int, int, int]
) -> None:
    calls, tokens, cost = limit
    parts = Limit(calls=calls, tokens=tokens, cost=None if cost is None else Decimal(cost))
    used = Spent(calls=spent[0], tokens=spent[1], cost=Decimal(spent[2]))

    assert parts.is_reached(used) == any(
        most is not None and one >= most for most, one in zip(limit, spent, strict=True)
    )
    assert parts.allows_nothing == (0 in limit)
