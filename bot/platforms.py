"""The chat platforms that the settings set up. Each is imported only where it is."""

from bot.run import Platform
from bot.wiring import App

TELEGRAM_PATH = "/telegram"
TELEGRAM_SECRET = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105  the name of a header


def platforms_of(app: App) -> tuple[Platform, ...]:
    """Return the platforms whose token is set."""
    platforms = []
    if app.settings.telegram_token is not None:
        platforms.append(_telegram(app))
    return tuple(platforms)


def _telegram(app: App) -> Platform:
    from adapters.http.hook import Hook  # noqa: PLC0415  only where it is set up
    from adapters.telegram.client import serve_telegram  # noqa: PLC0415
    from bot.telegram import telegram_client  # noqa: PLC0415

    client = telegram_client(app)
    hook = Hook(TELEGRAM_PATH, TELEGRAM_SECRET, client.take_update)
    called = app.settings.telegram_webhook_url is not None
    return Platform("telegram", lambda: serve_telegram(client), hook if called else None)
