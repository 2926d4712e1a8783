"""Which language model answers, and what it costs."""

from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, Field, SecretStr, model_validator

from bot.setting_kinds import Count, Price, header_safe, web_address


class Model(BaseModel):
    """Which language model answers, and what it costs."""

    model: str | None = Field(
        default=None,
        description="Name of the language model; without one the built-in offline responder answers.",
    )
    model_base_url: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None,
        description="Address of the OpenAI-compatible endpoint that serves the model, often ending in /v1.",
    )
    model_api_key: Annotated[SecretStr, AfterValidator(header_safe)] | None = Field(
        default=None, description="Key for that endpoint, if it wants one."
    )
    model_timeout_s: float = Field(
        default=120,
        gt=0,
        allow_inf_nan=False,
        description="Seconds that one reply of the model may take, retries included.",
    )
    model_concurrency: Count = Field(
        default=8, description="Replies of the model that may be under way at once."
    )
    temperature: float = Field(default=0.3, ge=0, le=2, description="Sampling temperature of the model.")
    max_tokens: Count = Field(default=8192, description="Longest reply of the model, in tokens.")
    price_prompt_per_mtok: Price | None = Field(
        default=None,
        description="Price of a million tokens sent, in your currency; unset: costs are not shown.",
    )
    price_completion_per_mtok: Price | None = Field(
        default=None,
        description="Price of a million tokens received, in your currency; unset: costs are not shown.",
    )

    @model_validator(mode="after")
    def _model_has_an_address(self) -> Self:
        if self.model is not None and self.model_base_url is None:
            raise ValueError(
                "LOREKEEPER_MODEL_BASE_URL is missing: LOREKEEPER_MODEL is set, "
                "and this says who gets your text."
            )
        return self
