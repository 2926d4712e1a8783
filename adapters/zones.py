"""The time zone of a place: shown, and set by its name, however that is written."""

import asyncio
from dataclasses import replace
from zoneinfo import ZoneInfo, available_timezones

from agent_core.core import Core
from agent_core.errors import ScheduleRefusal
from agent_core.texts import say
from agent_core.tools.spec import Asker

ZONE = "zone"
NAMES = frozenset({ZONE, "timezone", "zeitzone", "fuseau"})


async def set_zone(core: Core, asker: Asker, value: str) -> str:
    """Set the zone of the asker's place; return what to say. Tasks that are planned keep theirs.

    Raises:
        ScheduleRefusal: reason "zone"; there is none of this name.
    """
    zone = await asyncio.to_thread(_named, value.strip())
    await core.askers.conversations.alter(
        asker.conversation.id, lambda place: replace(place, time_zone=zone.key)
    )
    return say(asker.language, "schedule.zone_set", zone=zone.key)


def _named(text: str) -> ZoneInfo:
    known = {name.casefold(): name for name in available_timezones()}
    name = known.get(text.casefold().replace(" ", "_"))
    if name is None:
        raise ScheduleRefusal(reason="zone", text=text)
    return ZoneInfo(name)
