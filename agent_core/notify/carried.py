"""Sends through the library apprise, in a process of its own: there every connection is checked."""

import asyncio
import json
import sys
from importlib.util import find_spec

from agent_core.notify.model import Ambiguous, Carried, Message, NotTaken
from agent_core.notify.quiet import quiet

DEADLINE_S = 40.0
CHILD = "agent_core.notify.carrier"


class CarriedSender:
    """A service that apprise knows. `private` are the hosts of our own that it may reach."""

    max_chars = 100_000
    max_parts = 1

    def __init__(self, target: Carried, private: tuple[str, ...]) -> None:
        self._target = target
        self._private = private

    async def send(self, message: Message) -> None:
        order = {
            "url": self._target.url,
            "title": quiet(message.title),
            "text": quiet(message.text),
            "private": self._private,
        }
        outcome = await _carry(json.dumps(order).encode())
        if outcome == "taken":
            return
        if outcome in {"address", "service"}:
            raise NotTaken(outcome)
        raise Ambiguous  # apprise says yes or no, and a no may come after the service has it


def is_installed() -> bool:
    """Return whether the library is there."""
    return find_spec("apprise") is not None


async def _carry(order: bytes) -> str:
    """Return what the process says of the order, "" where it said nothing."""
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        CHILD,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,  # what apprise logs may hold the address
    )
    try:
        async with asyncio.timeout(DEADLINE_S):
            said, _ = await child.communicate(order)
    except TimeoutError:
        return ""
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    return said.decode("ascii", "replace").strip()
