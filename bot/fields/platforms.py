"""The chat platforms, and who writes voice notes down."""

import re
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, Field, SecretStr, model_validator

from bot.setting_kinds import header_safe, web_address


class Platforms(BaseModel):
    """The chat platforms, and who writes voice notes down."""

    telegram_token: Annotated[SecretStr, AfterValidator(header_safe)] | None = Field(
        default=None, description="Token of the Telegram bot, from @BotFather; without one none is served."
    )
    telegram_api_base: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None, description="Address of a Bot API server of your own, ending in /bot."
    )
    telegram_file_base: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None, description="Address from which that server gives files, ending in /file/bot."
    )
    telegram_webhook_url: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None,
        description="Public address of /telegram on the page's port, to be called instead of polling.",
    )
    telegram_webhook_secret: SecretStr | None = Field(
        default=None, description="What Telegram then proves itself with: letters, digits, _ and -."
    )
    discord_token: Annotated[SecretStr, AfterValidator(header_safe)] | None = Field(
        default=None,
        description="Token of the Discord bot, from the developer portal; without one none is served.",
    )
    discord_api_base: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None, description="Address of Discord's interface, if it is another one, ending in /api/v10."
    )
    discord_gateway_url: Annotated[str, Field(pattern=r"^wss?://\S+$")] | None = Field(
        default=None, description="Address of Discord's gateway, if it is another one, ending in a slash."
    )
    discord_allowed_bots: Annotated[str, Field(pattern=r"^(\d+( +\d+)*)?$")] = Field(
        default="",
        description="Ids, apart by spaces, of bots and webhooks that may address LoreKeeper by its name.",
    )
    transcription_base_url: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None, description="Address of an OpenAI-compatible endpoint that writes voice notes down."
    )
    transcription_model: str = Field(default="whisper-1", description="Name of the model that does that.")
    transcription_api_key: Annotated[SecretStr, AfterValidator(header_safe)] | None = Field(
        default=None, description="Key for that endpoint, if it wants one."
    )

    @model_validator(mode="after")
    def _webhook_has_a_secret(self) -> Self:
        secret = self.telegram_webhook_secret
        if self.telegram_webhook_url and secret is None:
            raise ValueError(
                "LOREKEEPER_TELEGRAM_WEBHOOK_SECRET is missing: LOREKEEPER_TELEGRAM_WEBHOOK_URL is set, and "
                "without it anybody could pose as Telegram."
            )
        if secret is not None and not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", secret.get_secret_value()):
            raise ValueError("LOREKEEPER_TELEGRAM_WEBHOOK_SECRET holds more than letters, digits, _ and -.")
        return self
