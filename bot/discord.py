"""The Discord bot as the settings set it up."""

from adapters.discord.place import DiscordSettings
from bot.settings import Settings


def discord_settings(settings: Settings) -> DiscordSettings:
    """Return what the settings say about the bot."""
    token = settings.discord_token
    return DiscordSettings(
        token=token.get_secret_value() if token is not None else "",
        api_base=settings.discord_api_base or "",
        gateway_url=settings.discord_gateway_url or "",
        allowed_bots=frozenset(map(int, settings.discord_allowed_bots.split())),
    )
