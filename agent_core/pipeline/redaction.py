"""One list of rules over everything that leaves: chat, trace, audit, log, HTTP, the model.

What people wrote keeps its words (a character's password is canon): there only our configured secrets
are masked. In logs, audit rows, errors and text from outside, key names and token shapes are too.
"""

import base64
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from urllib.parse import quote, quote_plus

from agent_core.messages import Json

MASK = "‹hidden›"
MIN_SECRET_CHARS = 12

_NESTING = 4  # JSON as a text, in a result, in a message of a request

_KEYS = (
    r"(?:password|passwd|passphrase|pwd|secret|token|auth|authorization|cookie|credentials?"
    r"|(?:api|private|secret|access)[_\- ]?key|webhook[_\- ]?url)"
)
_KEY_HINTS = ("passw", "passp", "pwd", "secret", "token", "auth", "cookie", "credential", "key", "webhook")
_KEY_NAME = re.compile(rf"(?i)(?:^|[_\-. ]){_KEYS}$")

# Each shape with what a text in lower case must hold before it is worth looking; what the first group
# matches stays. A shape that begins with letters of its own is found much faster than one with a class.
_SHAPES = tuple(
    (hints, re.compile(pattern))
    for hints, pattern in (
        (_KEY_HINTS, rf"(?i)(\\*[\"'][\w.-]*{_KEYS}\\*[\"']\s*[:=]\s*\\*[\"'])(?:bearer\s+)?[^\"'\\]+"),
        (("bearer",), r"(?i)\bbearer\s+[a-z0-9._~+/=-]{8,}"),
        (("basic",), r"(?i)\bbasic\s+[a-z0-9+/=]{12,}"),
        ((":",), r"(:)(?<=\d{8}:)[A-Za-z0-9_-]{30,}"),
        ((".",), r"(\.)(?<=[A-Za-z\d_-]{22}\.)[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,}"),
        (("sk-",), r"sk-(?<![A-Za-z0-9]sk-)[A-Za-z0-9_-]{16,}"),
        (("gh",), r"gh[pousr]_(?<![A-Za-z0-9]gh._)[A-Za-z0-9]{30,}"),
        (("aiza",), r"AIza[A-Za-z0-9_-]{30,}"),
        (("xox",), r"xox[abprs]-[A-Za-z0-9-]{10,}"),
        (("eyj",), r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
        (
            ("private key",),
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
        ),
        (("://",), r"(://)[^/\s:@]*:[^/\s@]+(?=@)"),
        (("/api/webhooks/",), r"(/api/webhooks/)\d+/[A-Za-z0-9_-]+"),
        (("=",), r"(?i)([?&](?:key|sig|token|secret|api_key|access_token)=)[^&\s\"']+"),
    )
)


class Redaction:
    """Masks secrets. Configured ones of 12 characters or more are found in every encoding we know."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets if len(secret) >= MIN_SECRET_CHARS for form in _forms(secret)}
        self._forms = tuple(sorted(forms, key=len, reverse=True))
        self._known = re.compile("|".join(map(re.escape, self._forms))) if forms else None
        self._starts = {form[0] for form in self._forms}

    @property
    def knows_secrets(self) -> bool:
        """Whether there is anything to mask in what people wrote."""
        return self._known is not None

    def own(self, text: str) -> str:
        """Return text that people wrote, with only our configured secrets masked."""
        # Looking for each form first is faster than the expression alone, and few texts hold any.
        if self._known is None or not any(form in text for form in self._forms):
            return text
        return self._known.sub(MASK, text)

    def outside(self, text: str) -> str:
        """Return text for logs, audit and errors, or from outside, with token shapes masked as well."""
        text = self.own(text)
        lowered = text.lower()
        for hints, shape in _SHAPES:
            if any(hint in lowered for hint in hints):
                text = shape.sub(_masked, text)
        return text

    def own_json(self, value: Json) -> Json:
        """Return a structure with every text and number passed through `own`."""
        if self._known is None:
            return value
        if isinstance(value, str):
            return self.own(value)
        if isinstance(value, Mapping):
            return {self.own(key): self.own_json(item) for key, item in value.items()}
        if isinstance(value, Sequence):
            return [self.own_json(item) for item in value]
        return self._number(value)

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
        return self._number(value)

    def streamed(self, text: str) -> tuple[str, str]:
        """Return what of a text that goes on may be shown, masked, and its end, which may begin a secret.

        Shown piece by piece, each time with the end put in front of what comes next, a text reads exactly
        as `own` gives it whole.
        """
        if self._known is None:
            return text, ""
        shown: list[str] = []
        start, held = 0, self._open_candidate(text, 0)
        for found in self._known.finditer(text):
            if found.start() >= held:
                break
            shown += (text[start : found.start()], MASK)
            start = found.end()
            if start > held:
                held = self._open_candidate(text, start)
        shown.append(text[start:held])
        return "".join(shown), text[held:]

    def head(self, text: str, max_chars: int) -> str:
        """Return the beginning of a text that people wrote, masked, without a secret that is cut in half."""
        return self.own(text) if len(text) <= max_chars else self.streamed(text[:max_chars])[0]

    def _open_candidate(self, text: str, start: int) -> int:
        """Return the first place from `start` on whose rest is the beginning of a secret, or the end."""
        longest = len(self._forms[0]) - 1
        for place in range(max(start, len(text) - longest), len(text)):
            if text[place] in self._starts:
                rest = text[place:]
                if any(len(form) > len(rest) and form.startswith(rest) for form in self._forms):
                    return place
        return len(text)

    def _number(self, value: Json) -> Json:
        return MASK if str(value) in self._forms else value


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


def _forms(secret: str) -> Iterator[str]:
    """Yield the secret as it may stand in texts: plain, escaped some times over, or in a common coding."""
    yield secret
    for ensure_ascii in (True, False):
        escaped = secret
        for _ in range(_NESTING):
            escaped = json.dumps(escaped, ensure_ascii=ensure_ascii)[1:-1]
            yield escaped
    yield secret.encode("unicode_escape").decode("ascii")
    yield html.escape(secret)
    yield html.escape(secret, quote=False)
    for coded in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        yield coded
        yield re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), coded)
    raw = secret.encode()
    yield raw.hex()
    yield raw.hex().upper()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield from _base64_forms(raw, encode)


def _base64_forms(raw: bytes, encode: Callable[[bytes], bytes]) -> Iterator[str]:
    """Yield what of the code is the same whatever stands before and behind, for each of three alignments."""
    for before in range(3):
        text = encode(b"\0" * before + raw).decode("ascii").rstrip("=")
        first = -(-before * 8 // 6)
        last = len(text) - (1 if (before + len(raw)) % 3 else 0)
        yield text[first:last]
