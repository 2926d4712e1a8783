"""Albums as one message: their pictures and files come one by one and are gathered for a moment."""

from dataclasses import dataclass, field

from adapters.chat.model import Heard
from adapters.telegram.inbound import together
from adapters.telegram.line import Pause

GATHER_S = 1.0


@dataclass(slots=True, kw_only=True)
class Albums:
    """The albums that are just coming in, by the id of their group."""

    pause: Pause
    _coming: dict[str, list[Heard]] = field(default_factory=dict)

    async def gather(self, group: str | None, heard: Heard) -> Heard | None:
        """Return the whole album to whoever brings its first message, None to the others."""
        if group is None:
            return heard
        if group in self._coming:
            self._coming[group].append(heard)
            return None
        self._coming[group] = [heard]
        await self.pause(GATHER_S)
        return together(self._coming.pop(group))
