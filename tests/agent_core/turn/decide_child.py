"""A process that says yes to a card, for the test of what is left where it is killed.

python -m tests.agent_core.turn.decide_child FOLDER PORT BATCH
"""

import asyncio
import sys
from pathlib import Path

from agent_core.clock import new_id
from tests.agent_core.turn.test_notify import own
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.house import open_house


async def main(folder: Path, port: int, batch: str) -> None:
    """Say yes to the card."""
    async with (
        ModelEndpoint() as endpoint,
        open_house(folder, endpoint, FakeClock(), new_id, **own(port)) as house,
    ):
        await house.decide(batch)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
