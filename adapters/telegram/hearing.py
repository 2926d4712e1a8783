"""Voice notes as text, through an endpoint that transcribes (OpenAI's form), where one is set."""

import asyncio
import logging
from dataclasses import dataclass

import httpx

TIMEOUT_S = 60.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcriber:
    """The endpoint: `base_url` ends before /audio/transcriptions."""

    base_url: str
    model: str
    key: str = ""

    async def text_of(self, name: str, content: bytes, language: str) -> str:
        """Return what is said in a recording, "" if that can't be found out."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        fields = {"model": self.model, "response_format": "json"}
        if language:
            fields["language"] = language[:2]
        try:
            async with asyncio.timeout(TIMEOUT_S), httpx.AsyncClient(timeout=TIMEOUT_S) as client:
                answer = await client.post(
                    f"{self.base_url.rstrip('/')}/audio/transcriptions",
                    data=fields,
                    files={"file": (name, content)},
                    headers=headers,
                )
                answer.raise_for_status()
                said = answer.json()
        except (httpx.HTTPError, TimeoutError, ValueError) as error:
            logger.warning("not transcribed", extra={"reason": type(error).__name__})
            return ""
        text = said.get("text") if isinstance(said, dict) else None
        return text.strip() if isinstance(text, str) else ""
