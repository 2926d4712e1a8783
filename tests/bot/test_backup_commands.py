"""`lorekeeper backup`, `restore` and the one serving process, as whole processes."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.cli.start import TERMINATED
from tests.agent_core.stores.processes import waiting_python
from tests.agent_core.stores.test_locks import SERVE
from tests.agent_core.stores.test_migrate import select
from tests.bot.commands import BOUND_S, at_terminal, lorekeeper, served

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")


async def note(folder: Path) -> None:
    """Add one edit."""
    ended = await lorekeeper(folder, "chat", "--say", "/record Edda Marrick coat=grey @1.1", "--yes")
    assert ended.code == 0, ended.said


def edits(folder: Path) -> object:
    return select(folder / "notes" / "lorekeeper.db", "SELECT count(*) FROM change")[0][0]


async def test_restored_backup_brings_back_what_was_backed_up(folder: Path) -> None:
    backed_up = await lorekeeper(folder, "backup", "before.db")
    await note(folder)
    assert edits(folder) == 8

    asked = await lorekeeper(folder, "restore", "before.db")
    restored = await lorekeeper(folder, "restore", "before.db", "--yes")

    assert "one series, 7 edits" in backed_up.said
    assert "Nothing was restored. With --yes it is." in asked.said
    assert restored.code == 0
    assert edits(folder) == 7
    replaced = [file.name for file in (folder / "notes").iterdir() if "replaced" in file.name]
    assert len(replaced) == 1
    assert replaced[0] in restored.said


@pytest.mark.slow
async def test_backup_is_restored_in_an_empty_installation_elsewhere(folder: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    new.mkdir()
    assert (await lorekeeper(folder, "backup", str(new))).code == 0
    [backup] = new.iterdir()

    restored = await lorekeeper(new, "restore", backup.name, "--yes")

    assert "7 edits" in restored.said
    assert "Edda Marrick" in (await lorekeeper(new, "chat", "--say", "/lore Edda Marrick")).said


async def test_what_is_no_backup_is_refused_in_a_sentence(folder: Path) -> None:
    (folder / "novel.txt").write_text("It was a dark night.")

    refused = await lorekeeper(folder, "restore", "novel.txt", "--yes")

    assert (refused.code, refused.said) == (
        1,
        "novel.txt is no backup of LoreKeeper. Nothing was changed; check the name.\n",
    )
    assert edits(folder) == 7


async def test_start_makes_the_nightly_backup_unless_it_is_switched_off(tmp_path: Path) -> None:
    on, off = tmp_path / "on", tmp_path / "off"
    on.mkdir()
    off.mkdir()
    async with talking(on), talking(off, LOREKEEPER_BACKUP_KEEP="0"), asyncio.timeout(BOUND_S):
        await asyncio.to_thread(_until, lambda: nightly(on))

    assert len(nightly(on)) == 1
    assert nightly(off) == []


async def test_second_serving_process_is_refused_and_short_commands_are_not(folder: Path) -> None:
    async with talking(folder) as first:
        second = await lorekeeper(folder, "run")
        await note(folder)
        await lorekeeper(folder, "backup", "now.db")
        restored = await lorekeeper(folder, "restore", "now.db", "--yes")
        checked = await lorekeeper(folder, "doctor")
        first.kill()
        await first.wait()
    third = await served(folder)

    assert second.code == 1
    assert f"process {first.pid}" in second.said
    assert restored.code == 1
    assert f"process {first.pid}" in restored.said
    assert checked.code == 0
    assert third.code == TERMINATED
    assert edits(folder) == 8


async def test_pending_migration_waits_until_the_serving_process_has_ended(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    make_old = """
        import sys
        from pathlib import Path
        from agent_core.stores.sql.migrate import load_migrations, migrate
        migrate(Path(sys.argv[1]), load_migrations()[:1])
        print("made", flush=True)
    """
    database = tmp_path / "notes" / "lorekeeper.db"
    async with waiting_python(make_old, database):
        pass

    async with waiting_python(SERVE, database):
        refused = [await lorekeeper(tmp_path, command) for command in ("migrate", "chat")]
    done = await lorekeeper(tmp_path, "migrate")

    assert [(one.code, "2026-05-01 09:30" in one.said) for one in refused] == [(1, True), (1, True)]
    assert done.code == 0


def nightly(folder: Path) -> list[str]:
    backups = folder / "notes" / "backups"
    return [file.name for file in backups.glob("*.nightly-*.db")] if backups.is_dir() else []


@asynccontextmanager
async def talking(folder: Path, **variables: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Give a `lorekeeper run` that waits at its terminal for somebody to type."""
    async with at_terminal(folder, "run", **variables) as terminal:
        await terminal.until("Ctrl-D")
        yield terminal.process


def _until(happened: Callable[[], object]) -> None:
    while not happened():
        time.sleep(0.02)
