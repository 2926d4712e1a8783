"""One list of rules over everything that leaves: chat, trace, audit, log, HTTP, the model.

What people wrote keeps its words (a character's password is canon): there only our configured secrets
are masked. In logs, audit rows, errors and text from outside, key names and token shapes are too.
"""

import base64
import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from agent_core.messages import Json

MASK = "‹hidden›"
MIN_SECRET_CHARS = 12

_KEY_NAME = re.compile(
    r"(?i)(?:^|[_\-.])(?:password|passwd|pwd|secret|token|api_?key|apikey|authorization|auth|cookie|"
    r"private_?key|credentials?|access_?key|webhook_?url)$"
)
_SHAPES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?i)\bbearer\s+[a-z0-9._~+/=-]{8,}",
        r"(?i)\bbasic\s+[a-z0-9+/=]{12,}",
        r"\b\d{8,10}:[A-Za-z0-9_-]{30,}",
        r"\b[MNO][A-Za-z\d_-]{22,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,}",
        r"\bsk-[A-Za-z0-9_-]{16,}",
        r"\bgh[pousr]_[A-Za-z0-9]{30,}",
        r"\bAIza[A-Za-z0-9_-]{30,}",
        r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
        r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
        r"(://)[^/\s:@]+:[^/\s@]+(?=@)",
        r"(/api/webhooks/)\d+/[A-Za-z0-9_-]+",
        r"(?i)([?&](?:key|sig|token|secret|api_key|access_token)=)[^&\s\"']+",
    )
)


class Redaction:
    """Masks secrets. Configured ones of 12 characters or more are found in every encoding we know."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets if len(secret) >= MIN_SECRET_CHARS for form in _forms(secret)}
        self._forms = tuple(sorted(forms, key=len, reverse=True))
        self._known = re.compile("|".join(map(re.escape, self._forms))) if forms else None

    def own(self, text: str) -> str:
        """Return text that people wrote, with only our configured secrets masked."""
        return self._known.sub(MASK, text) if self._known else text

    def outside(self, text: str) -> str:
        """Return text for logs, audit and errors, or from outside, with token shapes masked as well."""
        text = self.own(text)
        for shape in _SHAPES:
            text = shape.sub(_masked, text)
        return text

    def own_json(self, value: Json) -> Json:
        """Return a structure with every text passed through `own`."""
        if isinstance(value, str):
            return self.own(value)
        if isinstance(value, Mapping):
            return {self.own(key): self.own_json(item) for key, item in value.items()}
        if isinstance(value, Sequence):
            return [self.own_json(item) for item in value]
        return value

    def outside_json(self, value: Json) -> Json:
        """Return a structure with every text passed through `outside` and values of secret keys masked."""
        if isinstance(value, str):
            return self.outside(value)
        if isinstance(value, Mapping):
            return {
                self.outside(key): MASK if is_secret_key(key) and item else self.outside_json(item)
                for key, item in value.items()
            }
        if isinstance(value, Sequence):
            return [self.outside_json(item) for item in value]
        return value

    def held_back(self, text: str) -> int:
        """Return how many characters at the end of streamed `text` may be the start of a secret."""
        longest = 0
        for form in self._forms:
            for size in range(min(len(form) - 1, len(text)), longest, -1):
                if text.endswith(form[:size]):
                    longest = size
                    break
        return longest


def is_secret_key(name: str) -> bool:
    """Return whether a key in snake, kebab or camel case names a secret."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return bool(_KEY_NAME.search(snake))


def holds_mask(value: Json) -> bool:
    """Return whether any text in the structure holds our mask: such a write would store the mask."""
    if isinstance(value, str):
        return MASK in value
    if isinstance(value, Mapping):
        return any(holds_mask(key) or holds_mask(item) for key, item in value.items())
    if isinstance(value, Sequence):
        return any(holds_mask(item) for item in value)
    return False


def _masked(found: re.Match[str]) -> str:
    """Return the mask behind what the shape keeps in its first group, if it has one."""
    kept = found[1] if found.re.groups else ""
    return f"{kept}{MASK}"


def _forms(secret: str) -> Iterable[str]:
    yield secret
    yield quote(secret, safe="")
    yield secret.encode("unicode_escape").decode("ascii")
    raw = secret.encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for shift in range(3):
            text = encode(b"\0" * shift + raw).decode("ascii").rstrip("=")
            cut = -(-shift * 8 // 6)
            whole = len(text) - (1 if (shift + len(raw)) % 3 else 0)
            if whole - cut >= MIN_SECRET_CHARS:
                yield text[cut:whole]
    yield raw.hex()
