"""Single-use codes that people type: made, kept as a hash for ten minutes, guessed at a few times only."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from agent_core.clock import Clock, NewId
from agent_core.errors import NotPermitted, RateLimited
from agent_core.people.model import Code, CodeKind
from agent_core.people.store import CodeStore

LIFETIME = timedelta(minutes=10)
GUESSES = 5
_LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # none that are mistaken for another
_GROUPS, _EACH = 3, 4


def code_of(fresh: str) -> str:
    """Return the code such as `7KQM-2XWB-9HTA` that a fresh random id makes."""
    picks = hashlib.sha256(fresh.encode()).digest()[: _GROUPS * _EACH]
    letters = "".join(_LETTERS[pick % len(_LETTERS)] for pick in picks)
    return "-".join(letters[start : start + _EACH] for start in range(0, len(letters), _EACH))


def hash_of(text: str) -> str:
    """Return the hash under which a typed code is stored: case, spaces and hyphens don't count."""
    letters = "".join(char for char in text.upper() if char.isalnum())
    return hashlib.sha256(letters.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Codes:
    """Issues codes and takes them back once."""

    store: CodeStore
    clock: Clock
    new_id: NewId

    async def issue(self, kind: CodeKind, person: str | None) -> str:
        """Return a fresh code; it takes the place of an earlier one."""
        text = code_of(self.new_id())
        expires = self.clock.now() + LIFETIME
        await self.store.add_code(Code(hash=hash_of(text), kind=kind, person=person, expires=expires))
        return text

    async def find(self, code_hash: str, kind: CodeKind, guesser: str) -> Code:
        """Return the code with this hash, leaving it good; counts as a guess.

        Raises:
            RateLimited: too many guesses; says after how many seconds the next ones are heard.
            NotPermitted: reason "code"; the same for a wrong, used and expired one.
        """
        await self._count(guesser)
        return _good(await self.store.code(code_hash, kind, now=self.clock.now()))

    async def take(self, code_hash: str, kind: CodeKind) -> Code:
        """Return the code with this hash and use it up.

        Raises:
            NotPermitted: reason "code".
        """
        return _good(await self.store.take_code(code_hash, kind, now=self.clock.now()))

    async def _count(self, guesser: str) -> None:
        now = self.clock.now()
        window = _window(now)
        if await self.store.count_guess(guesser, window=window) > GUESSES:
            left = (window + LIFETIME - now).total_seconds()
            raise RateLimited(retry_after_s=max(1, round(left)))


def _window(now: datetime) -> datetime:
    length = LIFETIME.seconds // 60
    return now.replace(minute=now.minute - now.minute % length, second=0, microsecond=0)


def _good(code: Code | None) -> Code:
    if code is None:
        raise NotPermitted(reason="code")
    return code
