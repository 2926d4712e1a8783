"""Delivers updates to the bot's webhook: in order, with the secret, again until it answers 200."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import ClientError, ClientSession, ClientTimeout

from tests.emulators.telegram.feed import Update
from tests.emulators.telegram.world import World

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"
_FIRST_PAUSE_S = 0.02
_LONGEST_PAUSE_S = 0.5
_TIMEOUT = ClientTimeout(total=10)


@asynccontextmanager
async def delivering(world: World) -> AsyncIterator[None]:
    """Deliver to whatever webhook is set while this is open."""
    async with ClientSession(timeout=_TIMEOUT) as session, asyncio.TaskGroup() as group:
        task = group.create_task(_deliver(world, session))
        try:
            yield
        finally:
            task.cancel()


async def _deliver(world: World, session: ClientSession) -> None:
    feed = world.feed
    pause_s = _FIRST_PAUSE_S
    while True:
        await world.bell.until(lambda: feed.webhook.url and feed.pending, within_s=1e9)
        update = feed.pending[0]
        if await _post(world, session, update):
            feed.pending = [one for one in feed.pending if one is not update]
            pause_s = _FIRST_PAUSE_S
            world.bell.ring()
        else:
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)


async def _post(world: World, session: ClientSession, update: Update) -> bool:
    hook = world.feed.webhook
    headers = {SECRET_HEADER: hook.secret} if hook.secret else {}
    try:
        async with session.post(hook.url, json=update.wire(), headers=headers) as response:
            status = response.status
    except (ClientError, TimeoutError) as error:
        problem = f"Connection failed: {type(error).__name__}"
    else:
        if status == 200:
            return True
        problem = f"Wrong response from the webhook: {status} {response.reason}"
    hook.last_error, hook.last_error_at = problem, world.now()
    world.bell.ring()
    return False
