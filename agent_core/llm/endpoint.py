"""Where a model answers."""

from dataclasses import dataclass

from pydantic import SecretStr


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers: the address up to `/v1`, the model's name there, and the key if it wants one."""

    base_url: str
    model: str
    api_key: SecretStr | None = None
