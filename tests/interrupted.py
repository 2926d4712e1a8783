"""A batch as a kill leaves it, without a process that has to be killed."""

from dataclasses import replace

from pydantic import SecretStr

from agent_core.pipeline.model import Batch, BatchStatus, CallStatus
from agent_core.tools.spec import Asker
from tests.house import House

CHANNELS = SecretStr("hook=http://127.0.0.1:9/in")
MESSAGE = ("notify_external", {"channel": "hook", "text": "Ready."})


async def broken_off(house: House, asker: Asker) -> Batch:
    """Return a command's message to one of `CHANNELS`: agreed to, under way, without an outcome."""
    batch = await house.core.propose([MESSAGE], asker, complete=True)
    store = house.core.runtime.batches
    assert await store.decide(
        batch.id,
        BatchStatus.APPROVED,
        digest=batch.digest,
        by=batch.requester,
        at=house.clock.now(),
        chosen=frozenset({call.ordinal for call in batch.calls}),
    )
    running = [replace(call, status=CallStatus.RUNNING) for call in batch.calls]
    await store.update_calls(batch.id, running, [], settled=False, edit=None)
    return batch
