"""Each of the 28 tools through the pipeline: once as it should go, once refused."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from adapters.cards import View, answer_card
from agent_core.errors import InvalidArguments, LoreKeeperError, NoteRefusal
from agent_core.lore.answers import Answer
from agent_core.messages import Json
from agent_core.people.model import SeriesRole
from agent_core.pipeline.model import Batch, CallStatus
from agent_core.tools.catalogue import TOOLS
from agent_core.tools.spec import Family, Risk
from agent_core.vault.answers import (
    Backlinks,
    BackupDiff,
    BackupList,
    Duplicates,
    FileList,
    Graph,
    NotesFound,
    NoteText,
    TagHints,
    TagList,
    VaultList,
)  # fmt: skip
from tests.agent_core.vault.conftest import NOTES
from tests.agent_core.vault.test_paths import ATTACKS
from tests.house import House

FAMILIES = {Family.VAULT, Family.VAULT_WRITE, Family.DUPLICATES}
NOTE_TOOLS = [tool for tool in TOOLS if tool.family in FAMILIES and tool.name != "compare_notes"]


def tree(root: Path) -> dict[str, bytes]:
    """Every file of a folder with its content."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


async def read(house: House, tool: str, **arguments: Json) -> Answer:
    return await house.core.lookup(tool, arguments, await house.asker())


async def save(house: House, tool: str, **arguments: Json) -> Batch:
    batch = await house.write(tool, "ann", **arguments)
    assert [call.status for call in batch.calls] == [CallStatus.DONE], batch.calls
    return batch


async def refused(house: House, tool: str, **arguments: Json) -> str:
    """The reason of the refusal; where a model isn't told one, what kind it is."""
    asker = await house.asker()
    is_read = next(one for one in NOTE_TOOLS if one.name == tool).risk is Risk.READ
    with pytest.raises(LoreKeeperError) as refusal:
        await (
            house.core.lookup(tool, arguments, asker)
            if is_read
            else house.core.propose([(tool, arguments)], asker, complete=True)
        )
    error = refusal.value
    reason = None if isinstance(error, InvalidArguments) else error.facts.get("reason")
    return str(reason or type(error).__name__)


def test_there_are_the_28_tools_and_their_risks() -> None:
    risks = {tool.name: tool.risk for tool in NOTE_TOOLS}
    assert len(risks) == 28
    assert {name for name, risk in risks.items() if risk is Risk.DANGEROUS} == {
        "delete_file", "delete_directory", "move_path", "rename_file", "rename_directory", "replace_in_files",
        "merge_duplicate_notes",
    }  # fmt: skip
    assert {name for name, risk in risks.items() if risk is Risk.WRITE} == {
        "create_file", "create_directory", "append_to_file", "edit_file", "restore_backup",
    }  # fmt: skip
    assert not any(tool.for_readers for tool in NOTE_TOOLS)


async def test_reading_tools_answer(house: House) -> None:
    vaults = await read(house, "list_vaults")
    assert isinstance(vaults, VaultList)
    assert [(one.name, one.notes, one.files, one.writable) for one in vaults.vaults] == [
        ("novel", 7, 8, True)
    ]

    listing = await read(house, "list_directory")
    assert isinstance(listing, FileList)
    assert [(one.path, one.kind) for one in listing.items] == [
        ("Characters", "folder"), ("Drafts", "folder"), ("Places", "folder"), ("chart.png", "file"),
        ("Heron.md", "note"), ("Index.md", "note"),
    ]  # fmt: skip

    files = await read(house, "list_all_files", glob="characters/*.md")
    assert isinstance(files, FileList)
    assert [one.path for one in files.items] == ["Characters/Mara.md", "Characters/Tom.md"]

    note = await read(house, "read_file", path="Characters/Mara.md")
    assert isinstance(note, NoteText)
    assert note.fields == {"type": ("character",), "tags": ("crew/heron",), "aliases": ("The Gull",)}
    assert [one.title for one in note.headings] == ["Mara", "Secrets", "Ties"]
    assert (note.tags, note.links) == (("crew/heron",), ("Heron", "Places/Vel", "Tom"))

    raw = await read(house, "read_file_raw", path="Heron.md", offset=2)
    assert isinstance(raw, NoteText)
    assert raw.text == NOTES["Heron.md"][2:]


async def test_searching_tools_answer(house: House) -> None:
    found = await read(house, "search_fulltext", query="forged CHART")
    assert isinstance(found, NotesFound)
    assert [(one.path, one.quotes[0].line, one.quotes[0].text) for one in found.items] == [
        ("Characters/Mara.md", 12, "She forged the chart.")
    ]
    gull = await read(house, "search_fulltext", query="gull")
    assert isinstance(gull, NotesFound)
    assert [one.path for one in gull.items] == ["Characters/Mara.md"]

    where = await read(
        house,
        "search_advanced",
        tag="crew",
        noneTerms=["smith"],
        field="type",
        value="Character",
        glob="Char*/**",
    )
    assert isinstance(where, NotesFound)
    assert [one.path for one in where.items] == ["Characters/Mara.md"]
    later = await read(house, "search_advanced", modifiedAfter="2100-01-01")
    assert isinstance(later, NotesFound)
    assert later.items == ()

    named = await read(house, "search_paths", pattern="storm")
    assert isinstance(named, FileList)
    assert [one.path for one in named.items] == ["Drafts/Storm.md", "Drafts/Storm copy.md"]

    links = await read(house, "get_backlinks", path="Places/Vel.md")
    assert isinstance(links, Backlinks)
    assert [(one.path, one.line) for one in links.items] == [
        ("Characters/Mara.md", 9),
        ("Characters/Tom.md", 3),
    ]

    graph = await read(house, "get_graph", centre="Places/Vel.md", depth=2)
    assert isinstance(graph, Graph)
    assert {one.path for one in graph.nodes} == {
        "Places/Vel.md", "Characters/Mara.md", "Characters/Tom.md", "Heron.md",
    }  # fmt: skip
    whole = await read(house, "get_graph")
    assert isinstance(whole, Graph)
    assert ("Index.md", "Drafts/Storm.md") in {(one.source, one.target) for one in whole.links}

    tags = await read(house, "list_tags")
    assert isinstance(tags, TagList)
    assert [(one.tag, one.notes) for one in tags.items] == [("crew/heron", 2), ("harbour", 1)]

    hints = await read(house, "suggest_tags", path="Heron.md")
    assert isinstance(hints, TagHints)
    assert [one.tag for one in hints.items] == ["crew/heron"]

    recent = await read(house, "list_recent", n=2)
    assert isinstance(recent, FileList)
    assert len(recent.items) == 2
    assert recent.more == 5


async def test_search_says_how_many_notes_it_could_not_look_into(house: House, notes: Path) -> None:
    (notes / "Latin.md").write_bytes(b"Fianc\xe9.\n")
    found = await read(house, "search_fulltext", query="xylophone")
    card = answer_card(found, View(language="en", series="The Salt Roads"))
    assert [line.text for line in card.lines] == [
        "No note holds these words.",
        "One note could not be searched: it is too large, or no text in UTF-8.",
    ]


async def test_writing_tools_write_and_keep_backups(house: House, notes: Path) -> None:
    await save(house, "create_file", path="Scenes/First", text="# First\n")
    assert (notes / "Scenes/First.md").read_bytes() == b"# First\n"
    await save(house, "create_directory", path="Maps/Old")
    assert (notes / "Maps/Old").is_dir()
    await save(house, "append_to_file", path="Characters/Mara.md", text="She lied to Tom.", heading="Secrets")
    await save(house, "edit_file", path="Characters/Mara.md", old="Pilot", new="Captain")
    assert (notes / "Characters/Mara.md").read_text() == NOTES["Characters/Mara.md"].replace(
        "chart.\n", "chart.\nShe lied to Tom.\n"
    ).replace("Pilot", "Captain")

    kept = await read(house, "list_backups", path="Characters/Mara.md")
    assert isinstance(kept, BackupList)
    assert len(kept.items) == 2
    diff = await read(house, "diff_backup", path="Characters/Mara.md")
    assert isinstance(diff, BackupDiff)
    assert (diff.added, diff.removed) == (1, 1)
    assert "+Captain of the [[Heron]]." in diff.diff

    await save(house, "restore_backup", path="Characters/Mara.md", backup=kept.items[-1].id)
    assert (notes / "Characters/Mara.md").read_text() == NOTES["Characters/Mara.md"]
    await save(house, "restore_backup", path="Characters/Mara.md")
    assert "Captain" in (notes / "Characters/Mara.md").read_text()


async def test_deleted_note_lies_in_the_trash_and_comes_back(house: House, notes: Path) -> None:
    """A35."""
    batch = await save(house, "delete_file", path="Places/Vel.md")
    assert batch.calls[0].card.warnings[0].facts == {"n": 2}
    await save(house, "create_file", path="Places/Vel.md", text="another\n")
    await save(house, "delete_file", path="Places/Vel.md")
    assert (notes / ".trash/Places/Vel.md").read_text() == NOTES["Places/Vel.md"]
    assert (notes / ".trash/Places/Vel 2.md").read_text() == "another\n"
    await save(house, "move_path", path=".trash/Places/Vel.md", to="Places/Vel.md")
    assert (notes / "Places/Vel.md").read_text() == NOTES["Places/Vel.md"]
    assert await refused(house, "move_path", path=".trash/Places/Vel 2.md", to="Places/Vel.md") == "exists"

    folder = await save(house, "delete_directory", path="Characters")
    assert (folder.calls[0].card.facts["files"], folder.calls[0].card.warnings[0].facts["n"]) == (2, 1)
    assert not (notes / "Characters").exists()
    await save(house, "move_path", path=".trash/Characters", to="Characters")
    assert {path: tree(notes)[path].decode() for path in NOTES} == NOTES


async def test_deleted_note_comes_back_from_its_backup(house: House, notes: Path) -> None:
    """A35."""
    await save(house, "delete_file", path="Heron.md")
    await save(house, "restore_backup", path="Heron.md")
    assert (notes / "Heron.md").read_text() == NOTES["Heron.md"]


async def test_links_follow_renames_and_moves(house: House, notes: Path) -> None:
    """A27, A28."""
    batch = await save(house, "rename_file", path="Characters/Mara.md", name="Mara Vale")
    assert batch.calls[0].card.facts == {"to": "Characters/Mara Vale.md", "files": 0, "links": 1, "notes": 1}
    assert (notes / "Heron.md").read_text() == NOTES["Heron.md"].replace("[[Mara#", "[[Mara Vale#")
    await save(house, "rename_directory", path="Places", name="Atlas")
    assert "[[Atlas/Vel|Vel]]" in (notes / "Characters/Mara Vale.md").read_text()
    assert "[Vel](../Atlas/Vel.md)" in (notes / "Characters/Tom.md").read_text()
    await save(house, "move_path", path="Characters/Tom.md", to="Drafts")
    assert (notes / "Drafts/Tom.md").read_text() == NOTES["Characters/Tom.md"].replace("Places", "Atlas")
    links = await read(house, "get_backlinks", path="Atlas/Vel.md")
    assert isinstance(links, Backlinks)
    assert [one.path for one in links.items] == ["Characters/Mara Vale.md", "Drafts/Tom.md"]
    await save(house, "rename_file", path="Heron.md", name="heron")
    assert "heron.md" in os.listdir(notes)


async def test_replacing_counts_on_the_card(house: House, notes: Path) -> None:
    """A33, A34."""
    batch = await save(
        house, "replace_in_files", pattern="Heron", replacement="C:\\new \\1 $1", glob="Drafts/**"
    )
    facts = batch.calls[0].card.facts
    assert (facts["count"], facts["notes"]) == (2, 2)
    assert facts["listed"] == "Drafts/Storm copy.md (1), Drafts/Storm.md (1)"
    assert (notes / "Drafts/Storm.md").read_text() == NOTES["Drafts/Storm.md"].replace(
        "Heron", "C:\\new \\1 $1"
    )
    await save(
        house, "replace_in_files", pattern=r"(\w+) of salt", replacement=r"\1 of tar", regex=True, glob="**"
    )
    assert "A harbour of tar" in (notes / "Places/Vel.md").read_text()
    assert await refused(house, "replace_in_files", pattern="nowhere", replacement="x") == "no_match"
    assert await refused(house, "replace_in_files", pattern="(", replacement="x", regex=True) == "pattern"


async def test_duplicates_are_found_and_become_one(house: House, notes: Path) -> None:
    found = await read(house, "find_duplicates", threshold=0.7)
    assert isinstance(found, Duplicates)
    assert [one.paths for one in found.groups] == [("Drafts/Storm copy.md", "Drafts/Storm.md")]
    titles = await read(house, "find_duplicates", by="title", threshold=0.3)
    assert isinstance(titles, Duplicates)
    assert ("Drafts/Storm copy.md", "Drafts/Storm.md") in [one.paths for one in titles.groups]

    await save(house, "merge_duplicate_notes", keep="Drafts/Storm.md", paths=["Drafts/Storm copy.md"])
    assert (notes / "Drafts/Storm.md").read_text() == (
        f"---\nstatus: old\n---\n{NOTES['Drafts/Storm.md']}\nOnly here.\n"
    )
    assert (notes / "Index.md").read_text() == "[[Storm]] [[Storm]]\n"
    assert (notes / ".trash/Drafts/Storm copy.md").read_text() == NOTES["Drafts/Storm copy.md"]


REFUSALS: Mapping[str, tuple[Mapping[str, Json], str]] = {
    "list_vaults": ({"what": "x"}, "InvalidArguments"),
    "list_directory": ({"path": "Heron.md"}, "file"),
    "list_all_files": ({"glob": "*" * 30}, "pattern"),
    "read_file": ({"path": "Characters/Marra.md"}, "unknown"),
    "read_file_raw": ({"path": "chart.png"}, "not_text"),
    "search_fulltext": ({"query": "x", "vault": "other"}, "vault"),
    "search_advanced": ({}, "InvalidArguments"),
    "search_paths": ({"pattern": "*" * 30}, "pattern"),
    "get_graph": ({"centre": "Characters"}, "folder"),
    "get_backlinks": ({"path": "None.md"}, "unknown"),
    "list_tags": ({"vault": "other"}, "vault"),
    "suggest_tags": ({"path": "Characters"}, "folder"),
    "list_recent": ({"n": 0}, "InvalidArguments"),
    "list_backups": ({"path": "../x"}, "path"),
    "diff_backup": ({"path": "Heron.md"}, "no_backups"),
    "create_file": ({"path": "heron.md", "text": "x"}, "exists"),
    "create_directory": ({"path": "characters"}, "exists"),
    "append_to_file": ({"path": "Heron.md", "text": "x", "heading": "None"}, "heading"),
    "edit_file": ({"path": "Heron.md", "old": "e", "new": "x"}, "count"),
    "restore_backup": ({"path": "Heron.md"}, "no_backups"),
    "delete_file": ({"path": "Characters"}, "folder"),
    "delete_directory": ({"path": "Heron.md"}, "file"),
    "move_path": ({"path": "Characters", "to": "Characters/Below"}, "inside"),
    "rename_file": ({"path": "Heron.md", "name": "Index"}, "exists"),
    "rename_directory": ({"path": "Drafts", "name": "../Out"}, "path"),
    "replace_in_files": ({"pattern": "", "replacement": "x"}, "empty"),
    "find_duplicates": ({"threshold": 7}, "InvalidArguments"),
    "merge_duplicate_notes": ({"keep": "Heron.md", "paths": ["Heron.md"]}, "same"),
}


@pytest.mark.parametrize("name", [tool.name for tool in NOTE_TOOLS])
async def test_tool_refuses_and_changes_nothing(house: House, notes: Path, name: str) -> None:
    before = tree(notes)
    arguments, reason = REFUSALS[name]
    assert await refused(house, name, **arguments) == reason
    assert tree(notes) == before


def attacked(name: str, attack: str) -> dict[str, Json]:
    """The arguments of a tool with the attack wherever it takes a path."""
    fine: dict[str, Json] = {
        "text": "x", "old": "A", "new": "B", "replacement": "x", "query": "x", "to": "z.md", "name": attack,
        "pattern": "x",
    }  # fmt: skip
    tool = next(one for one in NOTE_TOOLS if one.name == name)
    given: dict[str, Json] = {}
    for field, info in tool.args.model_fields.items():
        outside = info.alias or field
        if outside in {"path", "centre", "keep"}:
            given[outside] = attack
        elif outside == "paths":
            given[outside] = [attack]
        elif outside in fine:
            given[outside] = fine[outside]
    return given


# Half a surrogate pair is no text that a command or a model's call can hold: both are mended before.
PATHS = [attack for attack in ATTACKS if attack.isprintable() or not attack.startswith("\ud800")]
WITH_PATHS = [
    tool.name
    for tool in NOTE_TOOLS
    if {"path", "centre", "keep"} & {info.alias or name for name, info in tool.args.model_fields.items()}
]


async def test_no_tool_leaves_the_folder_by_any_path(house: House, notes: Path, tmp_path: Path) -> None:
    """A23."""
    (tmp_path / "novel-secret").mkdir()
    (tmp_path / "novel-secret" / "x.md").write_text("secret")
    before = tree(tmp_path / "novel"), tree(tmp_path / "novel-secret")
    assert len(WITH_PATHS) == 19
    for name in WITH_PATHS:
        for attack in (*PATHS, "../novel-secret/x.md", ".obsidian/app.json"):
            assert await refused(house, name, **attacked(name, attack)) == "path", (
                name,
                attack,
            )
    for attack in PATHS:
        assert await refused(house, "move_path", path="Heron.md", to=attack) in {
            "path",
            "InvalidArguments",
        }, attack
        assert await refused(house, "merge_duplicate_notes", keep="Heron.md", paths=[attack]) in {
            "path",
            "InvalidArguments",
        }
        for tool, path in (("rename_file", "Heron.md"), ("rename_directory", "Drafts")):
            assert await refused(house, tool, path=path, name=attack) == "path", (
                tool,
                attack,
            )
    for tool, argument in (("list_all_files", "glob"), ("search_paths", "pattern")):
        for attack in ("../*", "/**/*", "**/../../*", str(tmp_path / "*"), ".obsidian/*"):
            found = await read(house, tool, **{argument: attack})
            assert isinstance(found, FileList)
            assert all(one.path in before[0] for one in found.items)
            assert not any(one.path.startswith(".") for one in found.items)
    assert (tree(tmp_path / "novel"), tree(tmp_path / "novel-secret")) == before


async def test_link_of_the_disk_leads_no_tool_outside(house: House, notes: Path, tmp_path: Path) -> None:
    """A24."""
    (tmp_path / "out.md").write_text("unfindable secret")
    (notes / "link.md").symlink_to(tmp_path / "out.md")
    for name in WITH_PATHS:
        if name not in {"create_file", "create_directory", "list_directory", "replace_in_files"}:
            arguments = attacked(name, "link.md")
            reason = await refused(
                house, name, **(arguments | {"name": "z"} if "name" in arguments else arguments)
            )
            assert reason in {"outside", "pattern"}, name
    found = await read(house, "search_fulltext", query="unfindable")
    assert isinstance(found, NotesFound)
    assert found.items == ()
    assert (tmp_path / "out.md").read_text() == "unfindable secret"


async def test_write_is_refused_where_the_note_changed_since_the_card(house: House, notes: Path) -> None:
    asker = await house.asker()
    arguments = {"path": "Heron.md", "text": "more"}
    batch = await house.core.propose([("append_to_file", arguments)], asker, complete=False)
    (notes / "Heron.md").write_text("# Heron\n\nsomebody else\n")
    decided, _ = await house.decide(batch.id)
    assert decided.calls[0].status is not CallStatus.DONE
    assert (notes / "Heron.md").read_text() == "# Heron\n\nsomebody else\n"


async def test_stale_version_is_refused(house: House, notes: Path) -> None:
    note = await read(house, "read_file", path="Heron.md")
    assert isinstance(note, NoteText)
    (notes / "Heron.md").write_text("# Heron\nother\n")
    arguments: Mapping[str, Json] = {"path": "Heron.md", "text": "x", "version": note.version}
    assert await refused(house, "append_to_file", **arguments) == "changed"


async def test_lines_of_one_proposal_follow_one_another_in_a_note(house: House, notes: Path) -> None:
    asker = await house.asker()
    calls: list[tuple[str, Mapping[str, Json]]] = [
        ("append_to_file", {"path": "Heron.md", "text": "one"}),
        ("append_to_file", {"path": "Heron.md", "text": "two"}),
        ("edit_file", {"path": "Heron.md", "old": "A ship", "new": "A sloop"}),
    ]
    batch = await house.core.propose(calls, asker, complete=False)
    decided, _ = await house.decide(batch.id)
    assert [call.status for call in decided.calls] == [CallStatus.DONE] * 3
    assert (notes / "Heron.md").read_text() == NOTES["Heron.md"].replace("A ship", "A sloop") + "one\ntwo\n"


async def test_declined_write_changes_nothing(house: House, notes: Path) -> None:
    before = tree(notes)
    batch = await house.core.propose(
        [("delete_directory", {"path": "Characters"})], await house.asker(), complete=False
    )
    await house.decide(batch.id, approve=False)
    assert tree(notes) == before


async def test_readers_get_none_of_it(house: House) -> None:
    await house.join("rea", SeriesRole.READER, "1")
    asker = await house.asker("rea")
    for tool in NOTE_TOOLS:
        with pytest.raises(LoreKeeperError) as refusal:
            await house.core.lookup(tool.name, attacked(tool.name, "Heron.md"), asker)
        assert refusal.value.facts.get("reason") in {"reader", None}, tool.name
    assert not {one.name for one in house.app.tools.for_model(asker)} & {tool.name for tool in NOTE_TOOLS}


async def test_models_see_these_tools_only_where_a_folder_is_attached(house: House) -> None:
    def shown() -> set[str]:
        return {one.name for one in house.app.tools.for_model(asker)} & {tool.name for tool in NOTE_TOOLS}

    asker = await house.asker()
    assert len(shown()) == 28
    await house.write("attach_notes", name="novel", access="read")
    asker = await house.asker()
    assert shown() == {tool.name for tool in NOTE_TOOLS if tool.risk is Risk.READ}
    with pytest.raises(LoreKeeperError) as refusal:
        await house.core.propose([("create_file", {"path": "x.md"})], asker, complete=False)
    assert refusal.value.facts["reason"] == "notes"
    await house.write("attach_notes", name="novel", access="none")
    asker = await house.asker()
    assert shown() == set()
    assert await refused(house, "list_directory") == "no_vault"


async def test_only_an_operator_attaches_a_folder(house: House) -> None:
    with pytest.raises(NoteRefusal):
        await house.write("attach_notes", name="other")


async def test_backup_that_a_card_shows_is_put_back_whatever_is_kept_meanwhile(
    house: House, notes: Path
) -> None:
    (notes / "Log.md").write_text("first\n")
    await house.write("edit_file", path="Log.md", old="first", new="second")
    lines: list[tuple[str, Mapping[str, Json]]] = [
        ("edit_file", {"path": "Log.md", "old": "second", "new": "third"}),
        ("restore_backup", {"path": "Log.md"}),
    ]
    batch = await house.core.propose(lines, await house.asker(), complete=False)
    assert batch.calls[1].card.after_text == "first\n"

    decided, _ = await house.decide(batch.id)

    assert [call.status for call in decided.calls] == [CallStatus.DONE] * 2
    assert (notes / "Log.md").read_text() == "first\n"
