"""A Directus in which the canon is kept, so that people can read and edit it there too."""

from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, Field, SecretStr, model_validator

from bot.setting_kinds import header_safe, web_address


class Directus(BaseModel):
    """A Directus in which the canon is kept, so that people can read and edit it there too."""

    directus_url: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None, description="Address of the Directus that keeps the canon; unset: the database does."
    )
    directus_token: Annotated[SecretStr, AfterValidator(header_safe)] | None = Field(
        default=None, description="Token of LoreKeeper's own account there; directus init makes it."
    )
    directus_admin_token: Annotated[SecretStr, AfterValidator(header_safe)] | None = Field(
        default=None,
        description="Token of an administrator there, for directus init alone; take it out afterwards.",
    )

    @model_validator(mode="after")
    def _tokens_have_an_address(self) -> Self:
        if self.directus_url is None and (self.directus_token or self.directus_admin_token):
            raise ValueError("LOREKEEPER_DIRECTUS_URL is missing: it says where the token is good.")
        return self
