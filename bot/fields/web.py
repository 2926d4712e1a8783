"""What may be reached from here, and who searches the web."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, model_validator

from bot.setting_kinds import PREFIX, lowered, web_address


class Web(BaseModel):
    """What may be reached from here, and who searches the web."""

    private_hosts: Annotated[str, Field(pattern=r"^([^\s/@]+(\s+[^\s/@]+)*)?$")] = Field(
        default="",
        description="Hosts of your own network whose pages may be read, apart by spaces: HOST or HOST:PORT.",
    )
    search_provider: Annotated[Literal["searxng", "ddgs"], BeforeValidator(lowered)] | None = Field(
        default=None, description="Who searches the web: searxng or ddgs; without one nobody does."
    )
    searxng_url: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None, description="Address of a SearXNG server whose settings allow the format json."
    )

    @model_validator(mode="after")
    def _searxng_has_an_address(self) -> Self:
        if self.search_provider == "searxng" and self.searxng_url is None:
            raise ValueError(
                f"{PREFIX}SEARXNG_URL is missing: {PREFIX}SEARCH_PROVIDER is searxng, and this says where."
            )
        return self
