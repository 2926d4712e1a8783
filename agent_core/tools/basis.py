"""What a card was made of, as a digest that goes with the proposal: a yes runs what was shown, or nothing."""

import hashlib

from pydantic.json_schema import SkipJsonSchema

from agent_core.lore.answers import CardLine
from agent_core.tools.spec import Args

BASIS = "basis"


class Based(Args):
    """Arguments of a write whose card tells of what others may change before the yes.

    `basis` is fixed when it is proposed. Where planning again finds another one, another card is due.
    """

    basis: SkipJsonSchema[str] = ""


def basis_of(*parts: CardLine | str | bytes) -> str:
    """Return a digest of what a card shows, and of what it stands for without showing it whole."""
    digest = hashlib.sha256()
    for part in parts:
        content = _content(part)
        digest.update(len(content).to_bytes(8) + content)
    return digest.hexdigest()[:32]


def _content(part: CardLine | str | bytes) -> bytes:
    if isinstance(part, bytes):
        return part
    text = part.model_dump_json() if isinstance(part, CardLine) else part
    return text.encode("utf-8", "surrogatepass")
