"""The notes folders of this installation, and those that one call may use, with what it may do there."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agent_core.clock import Clock
from agent_core.errors import NoteRefusal, NotPermitted
from agent_core.vault.plan import Plan, apply
from agent_core.vault.preload import Preload
from agent_core.vault.store import Attachment, VaultStore
from agent_core.vault.vault import Vault

logger = logging.getLogger(__name__)

_LAST_WAIT_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """The folders that a series has, for the calls of one context.

    `written` holds the paths that this context has written and what their versions became, so that the lines
    of one proposal may follow one another in one note. `promised` are the paths of new files on its cards.
    """

    vaults: Mapping[str, Vault]
    attached: Sequence[Attachment]
    clock: Clock
    preload: Preload
    written: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    promised: set[tuple[str, str]] = field(default_factory=set)

    @property
    def available(self) -> dict[str, Vault]:
        """The folders by name that are attached and set up."""
        return {one.vault: self.vaults[one.vault] for one in self.attached if one.vault in self.vaults}

    @property
    def writes(self) -> bool:
        """Whether any of them may be written."""
        return any(one.writable and one.vault in self.vaults for one in self.attached)

    def vault(self, name: str) -> Vault:
        """Return a folder of the series; the only one needs no name.

        Raises:
            NoteRefusal: reason "no_vault", "vault_gone" where the folder isn't there now, or "vault" with the
                names there are.
        """
        there = self.available
        gone = [one.vault for one in self.attached if one.vault not in there]
        if name in gone or (gone and not there):
            raise NoteRefusal(reason="vault_gone", path=name if name in gone else ", ".join(gone))
        if not there:
            raise NoteRefusal(reason="no_vault")
        if not name and len(there) == 1:
            return next(iter(there.values()))
        if name not in there:
            raise NoteRefusal(reason="vault", path=name[:80], nearest=tuple(there))
        return there[name]

    def writable(self, name: str) -> Vault:
        """Return a folder of the series that may be written.

        Raises:
            NoteRefusal: as `vault`.
            NotPermitted: reason "notes"; the series may only read it.
        """
        vault = self.vault(name)
        if not any(one.vault == vault.name and one.writable for one in self.attached):
            raise NotPermitted(reason="notes")
        return vault

    def some(self, name: str) -> list[Vault]:
        """Return the named folder, or all of them."""
        return [self.vault(name)] if name or not self.available else list(self.available.values())

    def check(self, vault: Vault, plan: Plan, version: str) -> None:
        """Pass if what is planned fits what was read before, or what this context made of it.

        Raises:
            NoteRefusal: reason "changed".
        """
        known = self.written.get((vault.name, plan.path), {})
        while version in known:
            version = known[version]
        if version and version != plan.version:
            raise NoteRefusal(reason="changed", path=plan.path, version=plan.version or "none")

    async def given(self, mode: str) -> str:
        """Return what a prompt brings along of these folders in this mode."""
        there = list(self.available.values())
        if mode == "documents":
            return await self.preload.texts(there)
        return await self.preload.paths(there) if mode == "directory" else ""

    async def apply(self, vault: Vault, make: Callable[[], Plan], version: str) -> Plan:
        """Plan anew and do it, if what was read is still there; return what was done."""

        def work() -> Plan:
            with vault.writing:
                plan = make()
                self.check(vault, plan, version)
                apply(vault, plan, self.clock.now())
                return plan

        plan = await asyncio.to_thread(work)
        self.written.setdefault((vault.name, plan.path), {})
        for one in plan.rewrites:
            became = await asyncio.to_thread(_version_now, vault, one.path)
            if became and became != one.version:
                self.written.setdefault((vault.name, one.path), {})[one.version] = became
        return plan


@dataclass(slots=True, kw_only=True)
class Vaults:
    """Every notes folder that the settings name, and which series has which."""

    store: VaultStore
    clock: Clock
    vaults: Mapping[str, Vault] = field(default_factory=dict)
    preload: Preload = field(init=False)

    def __post_init__(self) -> None:
        """Begin with nothing read."""
        self.preload = Preload(clock=self.clock)

    async def of(self, series: str | None) -> Notes:
        """Return the folders of a series."""
        attached = await self.store.attached(series) if series else ()
        return Notes(vaults=self.vaults, attached=attached, clock=self.clock, preload=self.preload)

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[None]:
        """Follow what other programs change in the folders, until left."""
        if not self.vaults:
            yield
            return
        ending = threading.Event()
        thread = threading.Thread(target=self._watch, args=(ending,), name="notes", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ending.set()
            await asyncio.to_thread(thread.join, _LAST_WAIT_S)

    def _watch(self, ending: threading.Event) -> None:
        from watchfiles import watch  # noqa: PLC0415  most processes watch nothing

        by_root = {vault.folder.root: vault for vault in self.vaults.values()}
        try:
            for changes in watch(
                *by_root,
                stop_event=ending,
                watch_filter=None,
                debounce=200,
                rust_timeout=200,
                yield_on_timeout=True,  # so that the first round tells that watching has begun
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                for root, vault in by_root.items():
                    vault.told(_inside(root, (Path(path) for _, path in changes)))
        except Exception:  # no watches left, a folder is gone, a full disk: each question looks itself
            logger.exception("notes folders are no longer watched")
        finally:
            for vault in self.vaults.values():
                vault.untold()


def _inside(root: Path, changed: Iterable[Path]) -> set[str]:
    return {
        path.relative_to(root).as_posix() for path in changed if path != root and path.is_relative_to(root)
    }


def _version_now(vault: Vault, path: str) -> str:
    try:
        return vault.note(path).version
    except NoteRefusal:
        return ""
