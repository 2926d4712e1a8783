"""The git host whose repositories can be read."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr, model_validator

from bot.setting_kinds import header_safe, lowered, web_address


class Forge(BaseModel):
    """The git host whose repositories can be read."""

    forge: Annotated[Literal["gitea", "github"], BeforeValidator(lowered)] | None = Field(
        default=None,
        description="Kind of the git host that can be read: gitea (Forgejo too) or github; unset: none.",
    )
    forge_url: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None,
        description="Address of that host; github without one is github.com, with one an Enterprise server.",
    )
    forge_token: Annotated[SecretStr, AfterValidator(header_safe)] | None = Field(
        default=None,
        description="Token for that host: whoever works here reads what it may read, so give it little.",
    )

    @model_validator(mode="after")
    def _gitea_has_an_address(self) -> Self:
        if self.forge == "gitea" and self.forge_url is None:
            raise ValueError(
                "LOREKEEPER_FORGE_URL is missing: LOREKEEPER_FORGE is gitea, which has no one address."
            )
        if self.forge is None and (self.forge_url or self.forge_token):
            raise ValueError(
                "LOREKEEPER_FORGE is missing: gitea or github, for the host at LOREKEEPER_FORGE_URL."
            )
        return self
