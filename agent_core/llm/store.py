"""Where it lasts what models have shown of themselves."""

from datetime import datetime
from typing import Protocol


class ToolCallingStore(Protocol):
    """Which models were seen to call tools, by endpoint and name."""

    async def calls_tools(self, endpoint: str, model: str) -> bool | None:
        """Return what the last test of the model at this endpoint showed, None where there was none."""
        ...

    async def note_calls_tools(self, endpoint: str, model: str, at: datetime, *, calls: bool) -> None:
        """Note what a test showed, in place of an earlier one."""
        ...
