"""A process that links, writes, decides and undoes in the notes of `FOLDER`, beside another like it.

    python -m tests.scenarios.race_child FOLDER SEED

It prints how often each outcome came, and ends with an error if one was neither success nor refusal.
"""

import asyncio
import random
import sys
from collections import Counter
from pathlib import Path

from agent_core.clock import new_id
from agent_core.errors import LoreKeeperError
from agent_core.events import ignore
from agent_core.messages import Json
from agent_core.pipeline.confirmations import Decision
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import BOOK, SERIES, House, open_house

ROUNDS, AT_ONCE, PLACES = 8, 6, 3


async def race(folder: Path, seed: int) -> Counter[str]:
    """Return the outcomes of all that was tried, several things at once."""
    chosen = random.Random(seed)
    ended: Counter[str] = Counter()
    async with ModelEndpoint() as endpoint, open_house(folder, endpoint, FakeClock(), new_id) as house:
        for _ in range(ROUNDS):
            ended.update(await asyncio.gather(*(_tried(house, chosen) for _ in range(AT_ONCE))))
    return ended


async def _tried(house: House, chosen: random.Random) -> str:
    try:
        await _do(house, chosen)
    except LoreKeeperError as error:
        return type(error).__name__
    return "done"


async def _do(house: House, chosen: random.Random) -> None:
    asker = await house.asker(place=f"place{chosen.randrange(PLACES)}")
    what, number = chosen.choice(("link", "write", "write", "undo", "decide", "decide")), chosen.randrange(5)
    cards = await house.core.open_batches(asker.conversation.id) if what == "decide" else ()
    if cards:
        decision = Decision(approve=chosen.random() < 0.7)
        await house.core.decide(chosen.choice(cards).id, decision, asker, ignore)
        return
    fact: dict[str, Json] = {f"detail {number}": chosen.random()}
    calls: dict[str, tuple[str, dict[str, Json]]] = {
        "write": ("record_lore_state", {"entityId": "Mara", "statePatch": fact, "chapterId": "1"}),
        "link": ("link_thread", {"series": SERIES, "book": BOOK}),
        "undo": ("undo", {"change": 7 + number}),
    }
    await house.core.propose([calls.get(what, calls["write"])], asker, complete=True)


if __name__ == "__main__":
    print(dict(asyncio.run(race(Path(sys.argv[1]), int(sys.argv[2])))))  # noqa: T201  the result
