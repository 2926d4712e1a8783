"""A typed look-up: the tool's answer, or the search that helps on when there is no such entry."""

from collections.abc import Mapping
from typing import Protocol

from adapters.commands import ParsedCommand
from agent_core.errors import UnknownEntity
from agent_core.lore.answers import Answer
from agent_core.messages import Json
from agent_core.tools.spec import Asker

_FALLS_BACK = frozenset({"lore", "state"})
_NARROWS = frozenset({"knownAt", "asReader"})


class Lookup(Protocol):
    """Runs one READ tool."""

    async def lookup(self, tool: str, arguments: Mapping[str, Json], asker: Asker) -> Answer:
        """Return the tool's answer.

        Raises:
            LoreKeeperError: refused or failed.
        """
        ...


async def looked_up(core: Lookup, command: ParsedCommand, asker: Asker) -> Answer:
    """Return the answer to a command; for a name without an entry, what a search for it finds.

    Raises:
        LoreKeeperError: refused or failed; also for a name that nothing is found for.
    """
    try:
        return await core.lookup(command.tool, command.arguments, asker)
    except UnknownEntity:
        if command.command.name not in _FALLS_BACK or _NARROWS & command.arguments.keys():
            raise  # a search knows neither earlier notes nor another reader
    return await core.lookup("search_lore", {"query": command.subject}, asker)
