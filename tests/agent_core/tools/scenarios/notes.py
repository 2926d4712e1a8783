"""The notes folder: what a model is told stands in the files; what it writes is bytes on the disk."""

from collections.abc import Awaitable, Callable

from tests.agent_core.tools.scenarios.row import Arguments, Prepared, Row
from tests.agent_core.tools.world import World
from tests.agent_core.vault.test_tools import REFUSALS


def _read(tool: str, *tells: str, **arguments: str | int | float) -> Row:
    return Row(tool=tool, arguments=arguments, tells=tells, refused=REFUSALS[tool])


async def _kept(world: World) -> Arguments:
    """Change a note by a tool, so that its earlier content is kept."""
    if not (world.notes / "Kept.md").exists():
        world.note("Kept.md", "Kept before.\n")
        await world.house.write("append_to_file", path="Kept.md", text="Added later.")
    return {"path": "Kept.md"}


NOTE_READS = (
    _read("list_vaults", '"name": "novel"'),
    _read("list_directory", "Characters/Mara.md", path="Characters"),
    _read("list_all_files", "Places/Vel.md", glob="Places/**"),
    _read("read_file", "A harbour of salt and rope.", path="Places/Vel.md"),
    _read("read_file_raw", "A harbour of salt and rope.", path="Places/Vel.md"),
    _read("search_fulltext", "She forged the chart.", query="forged"),
    _read("search_advanced", "Places/Vel.md", tag="harbour"),
    _read("search_paths", "Places/Vel.md", pattern="vel"),
    _read("get_graph", "Characters/Mara.md", centre="Heron.md"),
    _read("get_backlinks", "Characters/Mara.md", path="Places/Vel.md"),
    _read("list_tags", "harbour"),
    _read("suggest_tags", "crew/heron", path="Heron.md"),
    _read("list_recent", ".md", n=3),
    Row(
        tool="list_backups",
        arguments=_kept,
        tells=('"bytes": 13',),
        refused=REFUSALS["list_backups"],
    ),
    Row(tool="diff_backup", arguments=_kept, tells=("+Added later.",), refused=REFUSALS["diff_backup"]),
    _read("find_duplicates", "Drafts/Storm copy.md", threshold=0.7),
)


def _with(path: str, content: str, **more: str | int) -> Prepared:
    async def prepared(world: World) -> Arguments:
        return {"path": world.note(path, content), **more}

    return prepared


def _holds(path: str, text: str) -> Callable[[World], Awaitable[None]]:
    async def check(world: World) -> None:
        assert (world.notes / path).read_text() == text

    return check


def _moved(old: str, new: str, text: str) -> Callable[[World], Awaitable[None]]:
    async def check(world: World) -> None:
        assert not (world.notes / old).exists()
        assert (world.notes / new).read_text() == text

    return check


async def _folder_made(world: World) -> None:
    assert (world.notes / "Atlas").is_dir()


async def _restorable(world: World) -> Arguments:
    path = world.note("Back.md", "As it was.\n")
    await world.house.write("edit_file", path=path, old="was", new="is")
    return {"path": path}


async def _folder_to_rename(world: World) -> Arguments:
    world.note("Old/In.md", "in it\n")
    return {"path": "Old", "name": "New"}


async def _folder_to_delete(world: World) -> Arguments:
    world.note("Gone/In.md", "in it\n")
    return {"path": "Gone"}


async def _replaceable(world: World) -> Arguments:
    world.note("Swap/One.md", "the Heron sails\n")
    return {"glob": "Swap/**", "pattern": "Heron", "replacement": "Gull"}


async def _mergeable(world: World) -> Arguments:
    world.note("Pair/One.md", "Same text.\n")
    world.note("Pair/Two.md", "Same text.\n")
    return {"keep": "Pair/One.md", "paths": ["Pair/Two.md"]}


def _write(tool: str, arguments: Arguments | Prepared, outside: Callable[[World], Awaitable[None]]) -> Row:
    return Row(tool=tool, arguments=arguments, outside=outside, refused=REFUSALS[tool])


NOTE_WRITES = (
    _write("create_file", {"path": "New note.md", "text": "Begun.\n"}, _holds("New note.md", "Begun.\n")),
    _write("create_directory", {"path": "Atlas"}, _folder_made),
    _write("append_to_file", _with("Log.md", "One.\n", text="Two."), _holds("Log.md", "One.\nTwo.\n")),
    _write(
        "edit_file", _with("Draft.md", "A tale\n", old="tale", new="song"), _holds("Draft.md", "A song\n")
    ),
    _write("restore_backup", _restorable, _holds("Back.md", "As it was.\n")),
    _write("delete_file", _with("Away.md", "away\n"), _moved("Away.md", ".trash/Away.md", "away\n")),
    _write("delete_directory", _folder_to_delete, _moved("Gone", ".trash/Gone/In.md", "in it\n")),
    _write(
        "move_path", _with("Here.md", "x\n", to="There/Here.md"), _moved("Here.md", "There/Here.md", "x\n")
    ),
    _write("rename_file", _with("Tmp.md", "y\n", name="Final.md"), _moved("Tmp.md", "Final.md", "y\n")),
    _write("rename_directory", _folder_to_rename, _moved("Old", "New/In.md", "in it\n")),
    _write("replace_in_files", _replaceable, _holds("Swap/One.md", "the Gull sails\n")),
    _write("merge_duplicate_notes", _mergeable, _moved("Pair/Two.md", "Pair/One.md", "Same text.\n")),
)
