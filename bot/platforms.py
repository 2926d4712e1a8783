"""The chat platforms that the settings set up. Each is imported only where it is."""

from bot.run import Platform
from bot.settings import Settings
from bot.wiring import App


def platforms_of(settings: Settings) -> tuple[Platform, ...]:
    """Return the platforms whose token is set."""
    platforms = []
    if settings.telegram_token is not None:
        platforms.append(Platform("telegram", _telegram))
    return tuple(platforms)


async def _telegram(app: App) -> None:
    from adapters.telegram.client import serve_telegram  # noqa: PLC0415  only where it is set up
    from bot.telegram import telegram_client  # noqa: PLC0415

    await serve_telegram(telegram_client(app))
