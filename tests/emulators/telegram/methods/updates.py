"""How updates reach the bot: polling and webhooks."""

import re

from tests.emulators.telegram.call import Call
from tests.emulators.telegram.errors import wrong
from tests.emulators.telegram.feed import Webhook
from tests.emulators.telegram.wire import Json
from tests.emulators.telegram.world import World

_SECRET = re.compile(r"[A-Za-z0-9_-]{0,256}")


async def get_updates(world: World, call: Call) -> list[Json]:
    """Wait for updates."""
    limit, timeout_s = call.integer("limit"), call.integer("timeout")
    world.feed.allow(call.texts("allowed_updates"))
    return await world.feed.poll(call.integer("offset") or 0, 100 if limit is None else limit, timeout_s or 0)


def set_webhook(world: World, call: Call) -> bool:
    """Have updates delivered to a URL; an empty one ends that."""
    call.passed_over("ip_address", "certificate")
    url, secret = call.text("url"), call.text("secret_token")
    if not _SECRET.fullmatch(secret):
        raise wrong("secret token contains unallowed characters")
    if url and not url.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
        raise wrong("bad webhook: An HTTPS URL must be provided for webhook")
    world.feed.allow(call.texts("allowed_updates"))
    world.feed.webhook = Webhook(url, secret, call.integer("max_connections") or 40)
    _drop(world, call)
    return True


def delete_webhook(world: World, call: Call) -> bool:
    """End the delivery to a URL."""
    world.feed.webhook = Webhook()
    _drop(world, call)
    return True


def get_webhook_info(world: World, call: Call) -> Json:
    """Return where updates are delivered and what went wrong."""
    del call
    return world.feed.info()


def _drop(world: World, call: Call) -> None:
    if call.flag("drop_pending_updates"):
        world.feed.pending.clear()
    world.bell.ring()


METHODS = {
    "setWebhook": set_webhook,
    "deleteWebhook": delete_webhook,
    "getWebhookInfo": get_webhook_info,
}
