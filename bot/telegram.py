"""The Telegram bot as the settings set it up."""

from functools import partial

from pydantic import SecretStr

from adapters.telegram.client import TelegramClient
from adapters.telegram.connection import TelegramConfig
from adapters.telegram.hearing import Transcriber
from bot.desks import desk_for
from bot.settings import Settings
from bot.wiring import App


def telegram_config(settings: Settings) -> TelegramConfig:
    """Return what the settings say about the bot."""
    return TelegramConfig(
        token=_clear(settings.telegram_token),
        api_base=settings.telegram_api_base or "",
        file_base=settings.telegram_file_base or "",
        webhook_url=settings.telegram_webhook_url or "",
        webhook_secret=_clear(settings.telegram_webhook_secret),
        transcriber=_transcriber(settings),
    )


def telegram_client(app: App) -> TelegramClient:
    """Return the bot over the application, not started."""
    return TelegramClient(
        config=telegram_config(app.settings),
        desk_for=partial(desk_for, app),
        chat=app.core.chat,
        clock=app.core.runtime.clock,
    )


def _transcriber(settings: Settings) -> Transcriber | None:
    if settings.transcription_base_url is None:
        return None
    return Transcriber(
        base_url=settings.transcription_base_url,
        model=settings.transcription_model,
        key=_clear(settings.transcription_api_key),
    )


def _clear(secret: SecretStr | None) -> str:
    return secret.get_secret_value() if secret is not None else ""
