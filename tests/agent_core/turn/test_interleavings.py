"""Two people, a model and a clock do everything at once, in any order: afterwards all fits together."""

import asyncio
import contextlib
import random
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from agent_core.clock import new_id
from agent_core.errors import LoreKeeperError
from agent_core.llm.base import OnDelta
from agent_core.messages import ModelReply, ModelRequest, Role, ToolCall
from agent_core.people.model import SeriesRole
from agent_core.pipeline.model import SETTLED, Batch, BatchStatus
from agent_core.turn.model import OVER, TurnStatus
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import Heard, House, open_house

PEOPLE = ("ann", "ben")


class Moody:
    """A model that looks things up, proposes facts or answers, as its dice say, and takes its time."""

    name, label = "moody", ""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._number = count()

    async def complete(self, request: ModelRequest, on_delta: OnDelta) -> ModelReply:
        """Return whatever comes."""
        for _ in range(self._dice.randrange(6)):
            await asyncio.sleep(0)
        if request.tool_choice == "none" or self._dice.random() < 0.4:
            await on_delta("Well")
            return ModelReply("Well.")
        return ModelReply("", calls=tuple(self._call() for _ in range(self._dice.randint(1, 3))))

    def _call(self) -> ToolCall:
        number = next(self._number)
        if self._dice.random() < 0.4:
            return ToolCall(f"c{number}", "search_lore", '{"query": "Mara"}')
        key = f"k{self._dice.randrange(3)}"
        patch = f'{{"entityId": "Mara", "statePatch": {{"{key}": {number}}}, "chapterId": "1"}}'
        return ToolCall(f"c{number}", "record_lore_state", patch)


class Crowd:
    """What people do to a house, at random."""

    def __init__(self, house: House, dice: random.Random) -> None:
        self._house = house
        self._dice = dice
        self._seen: list[Batch] = []

    async def act_at_once(self) -> None:
        """Do several things at once, one of which breaks off somewhere as when a client goes away."""
        tasks = [asyncio.create_task(self._act()) for _ in range(6)]
        for _ in range(self._dice.randrange(2_000)):
            await asyncio.sleep(0)
        self._dice.choice(tasks).cancel()
        for end in await asyncio.gather(*tasks, return_exceptions=True):
            assert end is None or isinstance(end, asyncio.CancelledError), end

    async def _act(self) -> None:
        """Do one thing; being refused is part of life."""
        deeds: list[Callable[[str], Awaitable[object]]] = [
            self._talk, self._talk, self._decide, self._decide, self._decide, self._write, self._cancel,
            self._answer_question, self._fresh, self._wait,
        ]  # fmt: skip
        for _ in range(self._dice.randrange(8)):
            await asyncio.sleep(0)
        with contextlib.suppress(LoreKeeperError):
            await self._dice.choice(deeds)(self._dice.choice(PEOPLE))

    async def _talk(self, user: str) -> None:
        await self._house.say(self._dice.choice(["Go on.", "yes", "no"]), user=user)

    async def _decide(self, user: str) -> None:
        """Press a card that is open, or one of before."""
        self._seen += await self._house.core.open_batches("main-id")
        if self._seen:
            card = self._dice.choice(self._seen[-3:])
            chosen = [call.ordinal for call in card.calls if self._dice.random() < 0.7]
            await self._house.decide(card.id, user=user, approve=self._dice.random() < 0.8, chosen=chosen)

    async def _answer_question(self, user: str) -> None:
        for card in await self._house.core.open_batches("main-id"):
            asker = await self._house.asker(user)
            await self._house.core.answer_question(card.id, 1, "kind", "record", asker)

    async def _write(self, user: str) -> None:
        key = f"k{self._dice.randrange(3)}"
        patch = {key: f"typed {self._dice.random()}"}
        await self._house.write("record_lore_state", user, entityId="Mara", statePatch=patch, chapterId="1")

    async def _cancel(self, user: str) -> None:
        await self._house.core.cancel("main-id")

    async def _fresh(self, user: str) -> None:
        await self._house.core.start_afresh(await self._house.asker(user), Heard().emit)

    async def _wait(self, user: str) -> None:
        self._house.clock.advance(hours=self._dice.choice([0.1, 13]))
        await self._house.core.expire()


FEW, MANY = range(12), range(12, 150)


@pytest.mark.parametrize("seed", [*FEW, *(pytest.param(seed, marks=pytest.mark.slow) for seed in MANY)])
async def test_whatever_happens_at_once_fits_together_afterwards(
    seed: int, folder: Path, endpoint: ModelEndpoint, clock: FakeClock
) -> None:
    dice = random.Random(seed)
    model = Moody(dice)
    async with open_house(
        folder, endpoint, clock, new_id, model=model, rate_limit_per_minute=10_000
    ) as house:
        await house.join("ben", SeriesRole.EDITOR)
        head = await _head(house)
        crowd = Crowd(house, dice)
        async with asyncio.timeout(50):
            for _ in range(5):
                await crowd.act_at_once()
            await house.core.recover(lambda conversation: Heard().emit)
        assert await house.core.runtime.turns.unfinished() == ()
        assert await house.core.runtime.batches.unsettled() == ()
        assert await house.core.runtime.turns.order_holder("main-id") is None
        batches = await _check_turns(house)
        edits = [batch.edit for batch in batches if batch.edit is not None]
        assert sorted(edit for edit in edits if edit > head) == list(range(head + 1, await _head(house) + 1))
        written = {line.id for line in await house.audit() if line.outcome == "done"}
        for batch in batches:
            for call in batch.calls:
                assert (call.status in SETTLED) == (batch.status is not BatchStatus.OPEN)
                assert (call.id in written) == (call.status.value == "done")
        assert {line.outcome for line in await house.audit()}.isdisjoint({"started"})


async def _head(house: House) -> int:
    canon = await house.core.askers.canon((await house.asker()).conversation)
    assert canon is not None
    return canon.head


async def _check_turns(house: House) -> list[Batch]:
    """Check that every call of every turn has one result, and return all batches."""

    def ids(table: str) -> list[str]:
        with closing(sqlite3.connect(house.app.settings.database)) as connection:
            return [row[0] for row in connection.execute(f"SELECT id FROM {table}")]  # noqa: S608  a name of ours

    batches = [await house.core.batch(one) for one in await asyncio.to_thread(ids, "batch")]
    open_turns = {batch.turn for batch in batches if batch and batch.status is BatchStatus.OPEN}
    for one in await asyncio.to_thread(ids, "turn"):
        turn = await house.core.runtime.turns.turn(one)
        assert turn is not None
        steps = await house.steps(turn)
        calls = [call.id for step in steps for call in step.message.calls]
        results = [step.message.call_id for step in steps if step.message.role is Role.TOOL]
        assert sorted(calls) == sorted(results), turn
        if turn.status is TurnStatus.PARKED:
            assert turn.id in open_turns, turn
        else:
            assert turn.status in OVER
            assert not any(step.pending for step in steps), (turn, steps)
    return [batch for batch in batches if batch]
