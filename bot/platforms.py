"""The chat platforms that the settings set up. Each is imported only where it is."""

from bot.desks import desk_for
from bot.run import Platform
from bot.wiring import App

TELEGRAM_PATH = "/telegram"
TELEGRAM_SECRET = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105  the name of a header


def platforms_of(app: App) -> tuple[Platform, ...]:
    """Return the platforms whose token is set."""
    platforms = []
    if app.settings.telegram_token is not None:
        platforms.append(_telegram(app))
    if app.settings.discord_token is not None:
        platforms.append(_discord(app))
    return tuple(platforms)


def _telegram(app: App) -> Platform:
    from adapters.http.hook import Hook  # noqa: PLC0415  only where it is set up
    from adapters.telegram.client import serve_telegram  # noqa: PLC0415
    from bot.telegram import telegram_client  # noqa: PLC0415

    client = telegram_client(app)
    hook = Hook(TELEGRAM_PATH, TELEGRAM_SECRET, client.take_update)
    called = app.settings.telegram_webhook_url is not None
    return Platform("telegram", lambda: serve_telegram(client), hook if called else None)


def _discord(app: App) -> Platform:
    from adapters.discord.rooms import DiscordRooms  # noqa: PLC0415  only where it is set up
    from adapters.discord.serve import serve_discord  # noqa: PLC0415
    from bot.discord import discord_settings  # noqa: PLC0415

    rooms = DiscordRooms(app.settings.language)
    desk = desk_for(app, rooms)
    return Platform("discord", lambda: serve_discord(desk, rooms, discord_settings(app.settings)))
