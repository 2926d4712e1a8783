"""Asks an endpoint which models it has: what a gateway itself says tells its faults from those behind it."""

import asyncio
import json
from dataclasses import dataclass

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError
from rapidfuzz import process

from agent_core.llm.endpoint import Endpoint

_TIMEOUT_S = 15.0
_SHOWN = 5
_LIKENESS = 60


@dataclass(frozen=True, slots=True)
class Listing:
    """What came of asking. `names` is None where the endpoint gave no list; `status` None where no answer."""

    status: int | None = None
    names: tuple[str, ...] | None = None

    def like(self, wanted: str) -> tuple[str, ...]:
        """Return the few names that may have been meant, the likeliest first; all of them if they are few.

        A gateway with a wildcard lists hundreds of names that nobody gave.
        """
        names = self.names or ()
        if len(names) <= _SHOWN:
            return names
        found = process.extract(wanted, names, limit=_SHOWN, score_cutoff=_LIKENESS)
        return tuple(name for name, _, _ in found)


async def listed_models(endpoint: Endpoint) -> Listing:
    """Return the models that the endpoint lists, as far as it lists any; nothing is asked of a model."""
    key = endpoint.api_key.get_secret_value().strip() if endpoint.api_key else ""
    url = f"{endpoint.base_url.rstrip('/')}/models"
    try:
        async with asyncio.timeout(_TIMEOUT_S), httpx.AsyncClient(timeout=_TIMEOUT_S) as client:
            answer = await client.get(url, headers={"Authorization": f"Bearer {key}"} if key else {})
    except (httpx.HTTPError, httpx.InvalidURL, OSError, UnicodeError):
        return Listing()
    return Listing(answer.status_code, _names(answer.content) if answer.is_success else None)


class _Entry(BaseModel):
    model_config = ConfigDict(extra="ignore")
    id: str


class _List(BaseModel):
    model_config = ConfigDict(extra="ignore")
    data: list[_Entry]


def _names(body: bytes) -> tuple[str, ...] | None:
    try:
        listed = _List.model_validate(json.loads(body))
    except (ValidationError, ValueError):
        return None
    return tuple(entry.id.removeprefix("models/") for entry in listed.data)
