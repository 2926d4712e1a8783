"""The audit's JSON lines: whole after crashes, one file for several processes, loud where they can't be."""

import asyncio
import errno
import json
import logging
import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.pipeline.journal import Journal
from agent_core.pipeline.journal_file import JournalBusy, JournalFile, JournalLines, read_journal
from agent_core.pipeline.model import AuditOutcome, AuditRow, JournalMark
from agent_core.stores.sql.journal import SqlJournalStore
from agent_core.stores.sql.pipeline import SqlPipelineStore
from agent_core.stores.sql.sqlite import SqliteDatabase, open_database
from tests.clock import NOON

ROOT = Path(__file__).parents[3]


def row(name: str, outcome: AuditOutcome = AuditOutcome.DONE, text: str = "Mara") -> AuditRow:
    return AuditRow(
        id=name,
        at=NOON,
        call_id=f"call-{name}",
        conversation="c1",
        requester="p1",
        tool="search_entities",
        arguments={"query": text},
        outcome=outcome,
    )


class Desk:
    """A database whose audit is written to a file."""

    def __init__(self, database: SqliteDatabase, path: Path, max_bytes: int = 1_000_000) -> None:
        self.path = path
        self.marks = SqlJournalStore(database)
        self.audit = SqlPipelineStore(database)
        self.journal = Journal(store=self.marks, file=JournalFile(path, max_bytes), pause_s=0.0)

    async def add(self, *rows: AuditRow) -> None:
        await self.audit.audit(rows, durable=False)

    async def read(self, number: int = 0) -> JournalLines:
        """Return what stands in the file, or in the one that was rotated out as `number`."""
        path = self.path.with_name(f"{self.path.name}.{number}") if number else self.path
        return await asyncio.to_thread(read_journal, path)

    async def ids(self, number: int = 0) -> list[object]:
        return [line["id"] for line in (await self.read(number)).lines]


@pytest.fixture
def desk(database: SqliteDatabase, tmp_path: Path) -> Desk:
    return Desk(database, tmp_path / "audit.jsonl")


async def test_each_call_is_one_line_with_all_that_the_table_holds(desk: Desk) -> None:
    await desk.add(replace(row("a"), approver="p2", error="no", duration_ms=12))

    written = await desk.journal.catch_up()

    [line] = (await desk.read()).lines
    assert written == 1
    assert line == {
        "seq": 1,
        "ts": "2026-05-01T12:00:00.000000Z",
        "id": "a",
        "call_id": "call-a",
        "conversation": "c1",
        "requester": "p1",
        "approver": "p2",
        "tool": "search_entities",
        "arguments": {"query": "Mara"},
        "outcome": "done",
        "duration_ms": 12,
        "error": "no",
    }


async def test_nothing_new_writes_nothing(desk: Desk) -> None:
    await desk.add(row("a"))
    await desk.journal.catch_up()
    before = await desk.read()

    assert await desk.journal.catch_up() == 0
    assert await desk.read() == before


async def test_a_row_that_goes_on_gets_a_line_for_its_end(desk: Desk) -> None:
    await desk.add(row("a", AuditOutcome.STARTED), row("b"))
    await desk.journal.catch_up()
    await desk.add(row("a", AuditOutcome.DONE))
    await desk.journal.catch_up()

    lines = (await desk.read()).lines
    assert [(line["id"], line["outcome"]) for line in lines] == [
        ("a", "started"),
        ("b", "done"),
        ("a", "done"),
    ]


async def test_a_torn_line_is_ended_counted_and_written_anew(desk: Desk) -> None:
    """A21."""
    desk.path.write_bytes(b'{"ts":1,"tool":')
    await desk.add(row("a"), row("b"))

    await desk.journal.catch_up()

    assert await desk.ids() == ["a", "b"]
    assert (await desk.read()).torn == 1


@pytest.mark.parametrize("kept_bytes", [0, 1, 5, 200, 300, 500])
async def test_crash_between_the_file_and_its_mark_loses_and_repeats_nothing(
    desk: Desk, kept_bytes: int
) -> None:
    await desk.add(row("a"))
    await desk.journal.catch_up()
    marked = await desk.marks.mark()
    await desk.add(row("b"), row("c"))
    await desk.journal.catch_up()
    os.truncate(desk.path, min(marked.size + kept_bytes, desk.path.stat().st_size))
    await desk.marks.set_mark(marked)

    await desk.journal.catch_up()

    assert await desk.ids() == ["a", "b", "c"]


async def test_rare_line_breaks_inside_a_record_do_not_cut_it(desk: Desk) -> None:
    """A21."""
    await desk.add(row("a", text="one\u2028two\u0085three\nfour"))
    await desk.journal.catch_up()

    text = await asyncio.to_thread(desk.path.read_text, encoding="utf-8")
    assert len(text.splitlines()) == 1
    assert json.loads(text)["arguments"] == {"query": "one\u2028two\u0085three\nfour"}


async def test_file_is_private_and_rotated_by_size(database: SqliteDatabase, tmp_path: Path) -> None:
    desk = Desk(database, tmp_path / "audit.jsonl", max_bytes=500)
    for name in "abcdef":
        await desk.add(row(name))
        await desk.journal.catch_up()

    files = [tmp_path / "audit.jsonl.2", tmp_path / "audit.jsonl.1", desk.path]
    assert [*await desk.ids(2), *await desk.ids(1), *await desk.ids()] == list("abcdef")
    assert all(file.stat().st_size <= 500 and file.stat().st_mode & 0o777 == 0o600 for file in files)


async def test_crash_right_after_a_rotation_repeats_nothing(database: SqliteDatabase, tmp_path: Path) -> None:
    desk = Desk(database, tmp_path / "audit.jsonl", max_bytes=500)
    await desk.add(row("a"), row("b"))
    await desk.journal.catch_up()
    marked = await desk.marks.mark()
    await desk.add(row("c"))
    await desk.journal.catch_up()
    await desk.marks.set_mark(marked)

    await desk.journal.catch_up()

    assert await desk.ids() == ["c"]
    assert await desk.ids(1) == ["a", "b"]


async def test_restored_notes_get_their_new_calls_written_under_numbers_used_before(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    desk = Desk(database, tmp_path / "audit.jsonl")
    await desk.add(row("a"), row("b"), row("c"))
    await desk.journal.catch_up()
    async with open_database(tmp_path / "restored.db") as other:
        restored = Desk(other, desk.path)
        await restored.add(row("a"))
        await restored.marks.set_mark(JournalMark(1, desk.path.stat().st_size // 3))
        await restored.add(row("x"), row("y"))

        await restored.journal.catch_up()

    assert await desk.ids() == ["a", "b", "c", "x", "y"]


async def test_a_second_writer_waits_for_its_turn(desk: Desk) -> None:
    await desk.add(row("a"))
    handle = await asyncio.to_thread(desk.journal.file.take)
    try:
        with pytest.raises(JournalBusy):
            await desk.journal.catch_up()
    finally:
        os.close(handle)

    assert await desk.journal.catch_up() == 1


WRITER = """
    import asyncio, sys
    from pathlib import Path
    from agent_core.pipeline.journal import Journal
    from agent_core.pipeline.journal_file import JournalFile
    from agent_core.stores.sql.journal import SqlJournalStore
    from agent_core.stores.sql.pipeline import SqlPipelineStore
    from agent_core.stores.sql.sqlite import open_database
    from tests.agent_core.pipeline.test_journal import row

    async def main(folder, name):
        async with open_database(folder / "lore.db") as database:
            file = JournalFile(folder / "audit.jsonl", 100_000_000)
            journal = Journal(store=SqlJournalStore(database), file=file, pause_s=0.0)
            audit = SqlPipelineStore(database)
            async with journal.kept(), asyncio.TaskGroup() as group:
                async def one(number):
                    await audit.audit([row(f"{name}-{number}", text="x" * 100_000)], durable=False)
                    journal.wake()
                for number in range(25):
                    group.create_task(one(number))

    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
"""


async def test_two_processes_with_long_records_write_every_call_once(tmp_path: Path) -> None:
    """A22."""
    code = textwrap.dedent(WRITER)
    async with open_database(tmp_path / "lore.db") as database:
        processes = [
            await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(tmp_path), name, cwd=ROOT)
            for name in ("left", "right")
        ]
        codes = [await process.wait() for process in processes]
        desk = Desk(database, tmp_path / "audit.jsonl", 100_000_000)
        await desk.journal.catch_up()

        assert codes == [0, 0]
        assert sorted(map(str, await desk.ids())) == sorted(
            f"{n}-{i}" for n in ("left", "right") for i in range(25)
        )
        assert (await desk.read()).torn == 0


async def test_file_that_cannot_be_written_is_reported_once_and_made_up_for(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    """A22: the table holds the call, whatever becomes of the file."""
    desk.path.mkdir()
    async with desk.journal.kept():
        await desk.add(row("a"))
    async with Journal(store=desk.marks, file=desk.journal.file, pause_s=0.0).kept():
        desk.path.rmdir()
        await desk.add(row("b"))

    reports = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert [record.message for record in reports] == ["audit file not written"]
    assert vars(reports[0])["cause"] == os.strerror(errno.EISDIR)
    assert await desk.ids() == ["a", "b"]


def test_full_disk_tears_at_most_a_line_that_is_written_anew(tmp_path: Path) -> None:
    """A22, with the limit on file sizes in the place of a full disk."""
    code = textwrap.dedent(
        """
        import asyncio, resource, signal, sys
        from pathlib import Path
        from agent_core.stores.sql.sqlite import open_database
        from tests.agent_core.pipeline.test_journal import Desk, row

        async def main(folder):
            async with open_database(folder / "lore.db") as database:
                desk = Desk(database, folder / "audit.jsonl")
                await desk.add(*(row(str(number), text="x" * 300) for number in range(4)))
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
                resource.setrlimit(resource.RLIMIT_FSIZE, (1200, hard))
                try:
                    await desk.journal.catch_up()
                except OSError as error:
                    print(error.errno)
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
                await desk.journal.catch_up()

        asyncio.run(main(Path(sys.argv[1])))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    held = read_journal(tmp_path / "audit.jsonl")
    assert (done.stdout, done.stderr) == (f"{errno.EFBIG}\n", "")
    assert [line["id"] for line in held.lines] == ["0", "1", "2", "3"]
    assert held.torn == 1
