"""What tools use beyond the lore, one field a part; `bot.services` builds them from the settings."""

from dataclasses import dataclass

from agent_core.forge.model import Forge
from agent_core.notify.notifier import Notifier
from agent_core.outbound.client import Outbound
from agent_core.schedule.schedule import Schedule
from agent_core.web.searching import Searcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The parts that work outside the lore and the notes. None where one is not set up."""

    outbound: Outbound
    schedule: Schedule
    searcher: Searcher | None = None
    forge: Forge | None = None
    notifier: Notifier | None = None
