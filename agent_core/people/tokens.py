"""Tokens that stand for a person where no platform says who it is: made once, kept as a hash, revoked."""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from agent_core.clock import Clock

PREFIX = "lk"
SECRET_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token as it is stored. `id` may be shown, `hash` is that of the secret part."""

    id: str
    person: str
    name: str
    hash: str
    created: datetime
    revoked: bool = False


class TokenStore(Protocol):
    """Tokens by id."""

    async def add_token(self, token: Token) -> None:
        """Store a new token durably."""
        ...

    async def token(self, token: str) -> Token | None:
        """Return the token with this id, or None."""
        ...

    async def tokens(self) -> tuple[Token, ...]:
        """Return all tokens, oldest first, revoked ones too."""
        ...

    async def revoke_token(self, token: str) -> bool:
        """Let the token be good no longer; return whether it was."""
        ...


def fresh_secret(size: int) -> str:
    """Return `size` random bytes as text that fits into a header."""
    return secrets.token_urlsafe(size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Makes tokens and says whose they are."""

    store: TokenStore
    clock: Clock
    secret: Callable[[int], str] = fresh_secret

    async def make(self, person: str, name: str) -> str:
        """Return the text of a new token; it can't be read again later."""
        secret = self.secret(SECRET_BYTES)
        public = hashlib.sha256(f"id {secret}".encode()).hexdigest()[:8]
        token = Token(id=public, person=person, name=name, hash=_hash(secret), created=self.clock.now())
        await self.store.add_token(token)
        return f"{PREFIX}_{public}_{secret}"

    async def person_of(self, text: str) -> str | None:
        """Return the id of the person whom a token stands for, None for one that is no good."""
        prefix, _, rest = text.partition("_")
        public, _, secret = rest.partition("_")
        found = await self.store.token(public) if prefix == PREFIX and secret else None
        known = found.hash if found is not None else _hash("")
        is_same = hmac.compare_digest(known, _hash(secret))
        return found.person if found is not None and is_same and not found.revoked else None

    async def are_there_any(self) -> bool:
        """Return whether any token is good."""
        return any(not token.revoked for token in await self.store.tokens())


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
