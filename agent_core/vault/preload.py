"""What of the notes folders a prompt brings along: their paths, or as much of their text as fits."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from agent_core.clock import Clock
from agent_core.vault import paths
from agent_core.vault.vault import Vault

MAX_FILES = 200
MAX_CHARS = 200_000
KEPT_S = 300.0


@dataclass(slots=True, kw_only=True)
class Preload:
    """Reads notes for prompts, and keeps them for five minutes."""

    clock: Clock
    _kept: dict[tuple[str, ...], tuple[float, str]] = field(default_factory=dict)

    async def paths(self, vaults: Sequence[Vault]) -> str:
        """Return the paths of all files, one a line, as many as fit."""
        return await self._text("paths", vaults)

    async def texts(self, vaults: Sequence[Vault]) -> str:
        """Return notes with their text, the newest first, as many as fit, and how many that is."""
        return await self._text("texts", vaults)

    async def _text(self, what: str, vaults: Sequence[Vault]) -> str:
        key = (what, *(vault.name for vault in vaults))
        made, text = self._kept.get(key, (-KEPT_S, ""))
        if self.clock.monotonic() - made >= KEPT_S:
            text = await asyncio.to_thread(_paths if what == "paths" else _texts, vaults)
            self._kept[key] = (self.clock.monotonic(), text)
        return text


def _paths(vaults: Sequence[Vault]) -> str:
    found = [
        f"{vault.name}: {path}"
        for vault in vaults
        for path in sorted((seen.path for seen in vault.folder.walk()), key=paths.key)
    ]
    return _fitting(found, len(found))


def _texts(vaults: Sequence[Vault]) -> str:
    seen = [(vault, one) for vault in vaults for one in vault.folder.walk() if paths.is_note(one.path)]
    newest = sorted(seen, key=lambda item: (-item[1].mtime_ns, item[1].path))

    def shown() -> Iterator[str]:
        for vault, one in islice(newest, MAX_FILES):
            for note in vault.notes([one.path]):
                yield f"=== {vault.name}: {note.path}\n{note.text[:MAX_CHARS]}"

    return _fitting(shown(), len(newest))


def _fitting(pieces: Iterator[str] | Sequence[str], total: int) -> str:
    made: list[str] = []
    left = MAX_CHARS
    for piece in pieces:
        if len(piece) + 1 > left:
            break
        made.append(piece)
        left -= len(piece) + 1
    if len(made) < total:
        made.append(f"(cut, {len(made)} of {total}; the tools find the others)")
    return "\n".join(made)
