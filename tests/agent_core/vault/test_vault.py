"""The folder with its index, as large and as odd as people's are."""

import asyncio
import os
import threading
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_core.clock import SystemClock
from agent_core.errors import NoteRefusal
from agent_core.stores.sql.note_index import SqliteNoteIndex
from agent_core.vault import destroying, duplicates, finding, reading, writing
from agent_core.vault.backups import Backups
from agent_core.vault.folder import Folder
from agent_core.vault.frontmatter import united, values_of
from agent_core.vault.note import Note
from agent_core.vault.notes import Vaults
from agent_core.vault.plan import apply
from agent_core.vault.store import Attachment, NoteQuery
from agent_core.vault.vault import Vault

OPENED: list[SqliteNoteIndex] = []
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def open_vault(root: Path, keep: int = 3) -> Vault:
    root.mkdir(parents=True, exist_ok=True)
    state = root.parent / "state"
    index = SqliteNoteIndex(state / "n.index")
    OPENED.append(index)
    return Vault(Folder("n", root), index, Backups(state / "backups", keep))


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close what a test has opened."""
    yield
    while OPENED:
        OPENED.pop().close()


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return open_vault(tmp_path / "vault")


def put(vault: Vault, path: str, content: str | bytes) -> None:
    place = vault.folder.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content.encode() if isinstance(content, str) else content)


def found(vault: Vault, query: str) -> list[str]:
    return [one.path for one in finding.search([vault], query, 20).items]


def test_index_follows_what_changes_and_outlives_a_restart(vault: Vault, tmp_path: Path) -> None:
    put(vault, "a.md", "one heron")
    put(vault, "b.md", "two herons [[a]]")
    assert found(vault, "heron") == ["a.md"]
    put(vault, "a.md", "no longer, and longer")
    (vault.folder.root / "b.md").rename(vault.folder.root / "c.md")
    assert (found(vault, "heron"), found(vault, "herons")) == ([], ["c.md"])
    again = open_vault(tmp_path / "vault")
    assert again.sync() == 0
    assert found(again, "longer") == ["a.md"]


def test_many_changes_at_once_are_taken_in(vault: Vault) -> None:
    put(vault, "a.md", "heron")
    vault.told(())
    assert found(vault, "heron") == ["a.md"]
    names = [f"d/n{number}.md" for number in range(60)]
    for name in names:
        put(vault, name, "kestrel")
    put(vault, ".obsidian/app.json", "kestrel")
    vault.told({".obsidian/app.json"})
    assert found(vault, "kestrel") == []
    vault.told({*names, ".obsidian/app.json"})
    assert finding.search([vault], "kestrel", 20).total == 60
    (vault.folder.root / "d").rename(vault.folder.root / "e")
    vault.told({"d", "e"})
    assert finding.backlinks(vault, "e/n1.md").items == ()
    assert found(vault, "kestrel")[0].startswith("e/")


def test_what_is_told_of_links_of_the_disk_is_left_out(vault: Vault, tmp_path: Path) -> None:
    """A24."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.md").write_text("kestrel")
    put(vault, "a.md", "heron")
    (vault.folder.root / "link").symlink_to(tmp_path / "outside")
    (vault.folder.root / "y.md").symlink_to(tmp_path / "outside" / "x.md")
    vault.told(())
    assert found(vault, "kestrel") == []
    vault.told({"link", "link/x.md", "y.md"})
    assert found(vault, "kestrel") == []


def test_damaged_index_is_made_anew(vault: Vault, tmp_path: Path) -> None:
    put(vault, "a.md", "heron")
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "n.index").write_bytes(b"no database at all" * 100)
    assert found(vault, "heron") == ["a.md"]


def test_odd_queries_find_nothing_and_break_nothing(vault: Vault) -> None:
    """A65, A66."""
    put(vault, "a.md", "body secret AND NOT hello near")
    for query in (
        "",
        "   ",
        "?!",
        "🎉",
        '"',
        "body:secret",
        "x*",
        "^x",
        "-x",
        "NEAR(a b)",
        "\0",
        "\ud800",
        "w " * 5_000,
    ):
        finding.search([vault], query, 20)
    assert found(vault, "AND secret") == ["a.md"]
    assert finding.search([vault], "?!", 20).hint


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_note_is_one_in_either_composition(vault: Vault, form: str) -> None:
    """A25."""
    stored = unicodedata.normalize(form, "Zoë.md")  # type: ignore[arg-type]  # one of the two
    put(vault, stored, "Zoë sings")
    put(vault, "n.md", "[[Zo\u00eb]] [[Zoe\u0308]]")
    assert found(vault, "sings") == [stored]
    assert len(finding.backlinks(vault, "Zo\u00eb.md").items) == 2
    apply(vault, writing.append_to_file(vault, "Zoe\u0308.md", "x", ""), NOW)
    assert os.listdir(vault.folder.root).count(stored) == 1
    assert len(os.listdir(vault.folder.root)) == 2


@pytest.mark.parametrize("size", [1_400, pytest.param(12_000, marks=pytest.mark.slow)])
def test_large_vault_hides_no_note(vault: Vault, size: int) -> None:
    """A36."""
    for number in range(size):
        put(vault, f"{number % 40}/n{number}.md", f"word{number % 7}")
    put(vault, "z/last.md", "the only kestrel")
    os.utime(vault.folder.root / "z/last.md", (1, 1))
    put(vault, "huge.md", b"filler words here\n" * (100 * size) + b"osprey\n")
    put(vault, "binary.md", b"\xff\xfe\x00" * 100)
    assert found(vault, "kestrel") == ["z/last.md"]
    answer = finding.search([vault], "osprey", 20)
    assert ([one.path for one in answer.items], answer.skipped) == (["huge.md"], 1)
    broad = finding.search([vault], "word3", 20)
    assert (len(broad.items), broad.more, bool(broad.hint)) == (20, (size + 3) // 7 - 20, True)
    listed = reading.all_files(vault, "**")
    assert (len(listed.items), listed.more) == (1_000, size - 997)
    piece = reading.raw(vault, "huge.md", 0, 1_000)
    assert (len(piece.text), piece.next_offset) == (1_000, 1_000)


def test_frontmatter_stays_byte_for_byte(vault: Vault) -> None:
    """A29."""
    text = (
        "---\ntitle: Storm #4 landing # working title\nchapter: 010\ntime: 1:30\nanswer: no\ndate:"
        " 2026-03-01\n"
        "quote: 'it''s'\naliases: [Аня, \"Ann\"]\nstatus: draft\n---\nText\n"
    )
    put(vault, "a.md", text)
    apply(vault, writing.edit_file(vault, "a.md", "status: draft", "status: done", 1), NOW)
    assert (vault.folder.root / "a.md").read_text() == text.replace("draft", "done")
    values = values_of(Note("a.md", text))
    assert values["title"] == ("Storm",)  # so YAML has it: a comment begins there
    assert [values[name][0] for name in ("chapter", "time", "answer", "date", "quote")] == [
        "010", "1:30", "no", "2026-03-01", "it's",
    ]  # fmt: skip


def test_frontmatter_that_is_none_says_nothing() -> None:
    for inner in ("a: [", "- x", "a: &b [*b]", "\t: x", "a: " + "[" * 500, "!!python/object:os.system x"):
        assert values_of(Note("a.md", f"---\n{inner}\n---\n")).keys() <= {"a"}
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join([f'*{chr(97 + i)}'] * 9)}]\n" for i in range(8)
    )
    assert sum(map(len, values_of(Note("a.md", f"---\n{bomb}---\n")).values())) <= 5_000


def test_frontmatter_is_united_by_lines() -> None:
    keep = Note("a.md", "---\r\ntags: [x]\r\naliases:\r\n- A # one\r\nage: 1\r\n---\r\nText\r\n")
    other = Note(
        "b.md", "---\ntags:\n  - x\n  - y z\naliases: B\nage: 2\nnew: # none\n  deep: 3\n---\nText\n"
    )
    text, differing = united(keep, other)
    assert text == (
        "---\r\ntags: [x, y z]\r\naliases:\r\n- A # one\r\n- B\r\nage: 1\r\nnew: # none\r\n  deep:"
        " 3\r\n---\r\nText\r\n"
    )
    assert differing == ("age",)


def test_backups_are_kept_up_to_their_number_and_go_with_the_note(vault: Vault) -> None:
    put(vault, "a.md", "0\n")
    for number in range(1, 6):
        apply(vault, writing.append_to_file(vault, "a.md", str(number), ""), NOW)
    assert [vault.backups.content("a.md", one.id) for one in vault.backups.all("a.md")] == [
        b"0\n1\n2\n3\n4\n", b"0\n1\n2\n3\n", b"0\n1\n2\n",
    ]  # fmt: skip
    apply(vault, destroying.rename_file(vault, "a.md", "b"), NOW)
    assert len(vault.backups.all("b.md")) == 3
    with pytest.raises(NoteRefusal, match="backup"):
        writing.restore_backup(vault, "b.md", "../../x")


def test_write_that_fails_halfway_is_taken_back(vault: Vault) -> None:
    put(vault, "old.md", "x")
    put(vault, "a.md", "[[old]]")
    plan = destroying.rename_file(vault, "old.md", "new")
    put(vault, "new.md", "somebody was faster")
    with pytest.raises(NoteRefusal, match="exists"):
        apply(vault, plan, NOW)
    assert (vault.folder.root / "a.md").read_text() == "[[old]]"
    assert (vault.folder.root / "old.md").read_text() == "x"
    assert (vault.folder.root / "new.md").read_text() == "somebody was faster"
    assert not [name for name in os.listdir(vault.folder.root) if name.startswith(".")]


def test_expression_that_runs_on_is_stopped(vault: Vault) -> None:
    put(vault, "a.md", "a" * 40 + "b")
    with pytest.raises(NoteRefusal, match="pattern"):
        destroying.replace_in_files(vault, r"(a|aa)+$", "x", "**", is_regex=True, case_sensitive=True)


def test_duplicates_are_found_without_comparing_all_pairs(vault: Vault) -> None:
    base = " ".join(f"word{number}" for number in range(200))
    put(vault, "a.md", f"---\nx: 1\n---\n{base}")
    put(vault, "b.md", f"{base} and a little more")
    put(vault, "c.md", base.replace("word7 ", "other "))
    put(vault, "d.md", " ".join(f"else{number}" for number in range(200)))
    put(vault, "e.md", "short")
    put(vault, "f/e.md", "short")
    groups = duplicates.find_duplicates(vault, 0.8, "content").groups
    assert [one.paths for one in groups] == [("e.md", "f/e.md"), ("a.md", "b.md", "c.md")]
    assert groups[0].likeness == 1
    assert [one.paths for one in duplicates.find_duplicates(vault, 1, "title").groups] == [("e.md", "f/e.md")]


def test_graph_names_what_is_missing_and_stops_at_its_depth(vault: Vault) -> None:
    for one, other in ("ab", "bc", "cd"):
        put(vault, f"{one}.md", f"[[{other}]] [[lost {one}]]")
    put(vault, "d.md", "")
    graph = finding.graph(vault, "a.md", 2)
    assert {one.path for one in graph.nodes} == {"a.md", "b.md", "c.md"}
    assert set(graph.missing) >= {"lost a", "lost b"}
    assert len(finding.graph(vault, "", 1).nodes) == 4


class NoStore:
    """A `VaultStore` in which nothing lasts."""

    async def attached(self, series: str) -> tuple[Attachment, ...]:
        return ()

    async def attach(self, attachment: Attachment) -> None:
        return None

    async def detach(self, series: str, vault: str) -> None:
        return None


async def test_changes_of_other_programs_are_followed(vault: Vault) -> None:
    put(vault, "a.md", "one")
    vaults = Vaults(store=NoStore(), clock=SystemClock(), vaults={"n": vault})
    async with vaults.watched(), asyncio.timeout(20):
        while not vault.is_told:  # noqa: ASYNC110  the thread that watches wakes nobody
            await asyncio.sleep(0.02)
        assert await asyncio.to_thread(found, vault, "kestrel") == []
        await asyncio.to_thread(put, vault, "d/b.md", "kestrel")
        query = NoteQuery(all_terms=("kestrel",))
        while not await asyncio.to_thread(vault.index.find, query):  # noqa: ASYNC110  as above
            await asyncio.sleep(0.02)
    assert not vault.is_told


def test_two_writers_wait_for_each_other(vault: Vault) -> None:
    put(vault, "a.md", "")

    def add(number: int) -> None:
        with vault.writing:
            apply(vault, writing.append_to_file(vault, "a.md", f"line {number}", ""), NOW)

    threads = [threading.Thread(target=add, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted((vault.folder.root / "a.md").read_text().split("\n")[:-1]) == sorted(
        f"line {number}" for number in range(10)
    )
