"""Where messages to the outside may go."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, SecretStr

from agent_core.notify.channels import parse_channels


def _channels(value: SecretStr) -> SecretStr:
    """Return a text that names channels."""
    parse_channels(value.get_secret_value())
    return value


class Notify(BaseModel):
    """Where messages to the outside may go."""

    notify_channels: Annotated[SecretStr, AfterValidator(_channels)] | None = Field(
        default=None,
        description="Channels that messages may be sent to, as NAME=ADDRESS, apart by spaces.",
    )
