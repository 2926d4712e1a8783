"""The chat platforms that the settings set up. Each is imported only where it is."""

from bot.run import Platform
from bot.settings import Settings


def platforms_of(settings: Settings) -> tuple[Platform, ...]:
    """Return the platforms whose token is set."""
    return ()
