"""What 10,000 notes cost: `python -m bench.notes` prints a table and fails where a goal is missed.

The folder is made once and kept in the folder for temporary files; the index is made anew each time.
"""

import asyncio
import random
import resource
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from agent_core.stores.sql.note_index import SqliteNoteIndex
from agent_core.vault import destroying, finding
from agent_core.vault.backups import Backups
from agent_core.vault.folder import Folder
from agent_core.vault.vault import Vault
from bench.machine import Goal, goals_met, machine

NOTES, FOLDERS, WORDS, LINKS, QUERIES = 10_000, 50, 300, 8, 300
ROOT = Path(tempfile.gettempdir()) / "lorekeeper-bench-notes-2"
TICK_S = 0.01
SYLLABLES = tuple(one + two for one in "bdfklmnprstv" for two in ("a", "el", "ir", "o"))


def main() -> int:
    """Measure, print, and return whether a goal was missed."""
    print(machine())
    chance = random.Random(7)
    words = sorted({"".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(9_000)})
    if not ROOT.exists():
        _make(ROOT, chance, words)
    with tempfile.TemporaryDirectory() as state:
        return asyncio.run(_measure(Path(state), chance))


async def _measure(state: Path, chance: random.Random) -> int:
    vault = Vault(
        Folder("bench", ROOT.resolve()), SqliteNoteIndex(state / "index"), Backups(state / "kept", 1)
    )
    lags: list[float] = []
    watching = asyncio.create_task(_ticks(lags))
    began, spent = time.perf_counter(), time.process_time()
    await asyncio.to_thread(vault.sync)
    cold, cold_cpu = time.perf_counter() - began, time.process_time() - spent
    began = time.perf_counter()
    await asyncio.to_thread(vault.sync)
    again = time.perf_counter() - began
    vault.told(())
    vault.sync()  # as with a watcher: only what is told is looked at
    queries = [_query(chance) for _ in range(QUERIES)]
    paths = [_path(chance.randrange(NOTES)) for _ in range(QUERIES)]
    search = await asyncio.to_thread(_times, lambda one: finding.search([vault], one, 20), queries)
    backlinks = await asyncio.to_thread(_times, lambda one: finding.backlinks(vault, one), paths)
    rename = await asyncio.to_thread(
        _times, lambda one: destroying.rename_file(vault, one, "other"), paths[:50]
    )
    watching.cancel()
    ask_bare = _bare(state / "bare.db")
    bare = _times(ask_bare, queries)
    own_cpu = _times(lambda one: finding.search([vault], one, 20), queries, time.thread_time)
    ratio = _at(own_cpu, 0.5) / _at(_times(ask_bare, queries, time.thread_time), 0.5)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print("| | p50 ms | p95 ms |\n|---|---|---|")
    for name, times in (
        ("search, with lines", search),
        ("bare FTS5, with snippets", bare),
        ("backlinks", backlinks),
        ("rename, planned", rename),
    ):
        print(f"| {name} | {_at(times, 0.5):.1f} | {_at(times, 0.95):.1f} |")
    print(f"\ncold index {cold:.1f} s by the clock, looked through again {again * 1000:.0f} ms")
    print(f"most memory {memory:.0f} MB")
    goals = (
        Goal("cold index, s of CPU", cold_cpu, 20),
        Goal("search p95, ms", _at(search, 0.95), 50),
        Goal("backlinks p95, ms", _at(backlinks, 0.95), 50),
        Goal("search, times bare FTS5 (median, CPU)", ratio, 2),
        Goal("longest lag of the loop, ms", max(lags) * 1000, 100),
    )
    return 0 if goals_met(goals) else 1


def _make(root: Path, chance: random.Random, words: Sequence[str]) -> None:
    part = root.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    for number in range(NOTES):
        paragraphs = [" ".join(chance.choices(words, k=WORDS // 6)) for _ in range(6)]
        links = [f"[[{Path(_path(chance.randrange(NOTES))).stem}]]" for _ in range(LINKS)]
        head = f"---\ntype: scene\ntags:\n  - part/{number % 30}\n---\n# {chance.choice(words).title()}\n\n"
        place = part / _path(number)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(head + "\n\n".join(paragraphs) + "\n\n" + " ".join(links) + "\n", encoding="utf-8")
    part.rename(root)


def _query(chance: random.Random) -> str:
    """Return one to three words of a paragraph."""
    text = (ROOT / _path(chance.randrange(NOTES))).read_text("utf-8").split("\n\n")[2]
    return " ".join(chance.sample(text.split(), chance.randint(1, 3)))


def _path(number: int) -> str:
    return f"Part {number % FOLDERS}/Note {number}.md"


def _times(
    ask: Callable[[str], object], questions: Sequence[str], clock: Callable[[], float] = time.perf_counter
) -> list[float]:
    times = []
    for question in questions:
        began = clock()
        ask(question)
        times.append((clock() - began) * 1000)
    return sorted(times)


def _bare(file: Path) -> Callable[[str], object]:
    """Return a search over the same notes as anybody would write it."""
    database = sqlite3.connect(file)
    database.execute("CREATE VIRTUAL TABLE note USING fts5 (path, text)")
    notes = ((str(path.relative_to(ROOT)), path.read_text("utf-8")) for path in ROOT.rglob("*.md"))
    database.executemany("INSERT INTO note VALUES (?, ?)", notes)
    database.commit()
    statement = (
        "SELECT path, snippet(note, 1, '', '', '…', 20) FROM note WHERE note MATCH ? ORDER BY rank LIMIT 20"
    )

    def ask(query: str) -> object:
        with closing(database.execute(statement, (query,))) as rows:
            return rows.fetchall()

    return ask


async def _ticks(lags: list[float]) -> None:
    while True:
        began = time.perf_counter()
        await asyncio.sleep(TICK_S)
        lags.append(time.perf_counter() - began - TICK_S)


def _at(times: Sequence[float], share: float) -> float:
    return times[min(len(times) - 1, int(len(times) * share))]


if __name__ == "__main__":
    sys.exit(main())
