"""Where the page and the API are served."""

from typing import Annotated

from pydantic import BaseModel, Field

from bot.setting_kinds import Count


class Page(BaseModel):
    """Where the page and the API are served."""

    http_host: Annotated[str, Field(min_length=1)] = Field(
        default="127.0.0.1",
        description="Address on which the page and the API are served; any but this machine's needs a token.",
    )
    http_port: int = Field(default=8321, ge=0, le=65535, description="Port of the page and the API.")
    http_origins: str = Field(
        default="",
        description="Origins of other pages, apart by spaces, that may call the API; none by default.",
    )
    http_upload_mb: Count = Field(
        default=50, description="Largest upload of manuscripts, in megabytes, all files of it together."
    )
