"""What a card was made of is changed before the yes: nothing is done then, and the person reads why.

Every tool whose effect lies outside of the canon has a row, and so have the imports, which read files. Those
that ask for no card, or whose card tells of nothing that could change, are named with the reason.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import SecretStr

from adapters.cards.outcome import outcome_text
from agent_core.clock import new_id
from agent_core.lore.answers import CardLine
from agent_core.messages import Json
from agent_core.people.model import SeriesRole
from agent_core.pipeline.model import Batch, BatchStatus, CallStatus
from agent_core.schedule.model import Pause
from agent_core.texts import say
from agent_core.tools.catalogue import TOOLS
from agent_core.tools.spec import Family, NoArgs, Proposal, Risk, Tool, ToolContext
from tests.agent_core.documents.conftest import png
from tests.agent_core.sheets import books
from tests.agent_core.tools.world import World, open_world
from tests.clock import FakeClock
from tests.emulators.model_endpoint import ModelEndpoint
from tests.emulators.webhook import TOKEN, webhook_emulator
from tests.house import House, found_in, open_house

Arguments = Mapping[str, Json]
Change = Callable[[World], Awaitable[None]]

NO_ROW = {
    "set_position": "done at once: one's own thread",
    "set_progress": "done at once: one's own reading",
    "set_access": "done at once: says whole what it does",
    "notify_external": "has a test of its own below: settings change with a restart",
    "identity_link": "its code stands for one person, and is taken once",
}
TABLES = ("membership", "progress", "conversation", "vault", "identity")


@dataclass(frozen=True, kw_only=True)
class Row:
    """`prepare` gives the arguments, `change` is what somebody else does before the yes.

    `fresh`: another card shows how it stands then; without, the line has failed with a reason.
    """

    tool: str
    prepare: Callable[[World], Awaitable[Arguments]]
    change: Change
    fresh: bool = True


def puts(path: str, content: str | bytes) -> Change:
    """Return the change of a file by another program."""

    async def change(world: World) -> None:
        world.note(path, content)

    return change


def asks(files: Mapping[str, str | bytes], **arguments: Json) -> Callable[[World], Awaitable[Arguments]]:
    """Return what puts files into the notes folder and gives arguments."""

    async def prepare(world: World) -> Arguments:
        for path, content in files.items():
            world.note(path, content)
        return arguments

    return prepare


async def _scene(world: World) -> None:
    await world.house.write(
        "persist_scene", chapterId="1", sceneNumber=1, title="", rawText="Mara waits in the rain of Oru."
    )


async def _bible(world: World) -> Arguments:
    folder = world.notes.parent / "bible"
    folder.mkdir()
    (folder / "Ines.md").write_text("---\ntype: character\nage: 34\n---\n")
    return {"paths": [str(folder)]}


async def _other_bible(world: World) -> None:
    (world.notes.parent / "bible" / "Ines.md").write_text("---\ntype: character\nage: 77\n---\n")


async def _manuscript(world: World) -> Arguments:
    book = world.notes.parent / "Ebb.md"
    book.write_text("# Ebb\n\n## Chapter 1\n\nThe tide is out.\n")
    return {"paths": [str(book)]}


async def _other_manuscript(world: World) -> None:
    (world.notes.parent / "Ebb.md").write_text("# Ebb\n\n## Chapter 1\n\nThe tide is in.\n")


async def _task(world: World) -> Arguments:
    await world.house.write("create_scheduled_task", when="every Friday 18:00", prompt="What is new in Vel?")
    [[number]] = world.rows("SELECT max(number) FROM schedule")
    return {"task": str(number)}


async def _resting_task(world: World) -> Arguments:
    task = await _task(world)
    await world.house.write("pause_scheduled_task", task=str(task["task"]))
    return {**task, "paused": False}


async def _pauses(world: World) -> None:
    [[task]] = world.rows("SELECT id FROM schedule ORDER BY number DESC LIMIT 1")
    store = world.house.core.askers.services.schedule
    found = await store.store.task(str(task))
    assert found is not None
    await store.pause(found, Pause.FAILING)


async def _time_passes(world: World) -> None:
    world.house.clock.advance(hours=3)


async def _deletes(world: World) -> None:
    [[task]] = world.rows("SELECT id FROM schedule ORDER BY number DESC LIMIT 1")
    await world.house.core.askers.services.schedule.store.delete_task(str(task))


async def _elsewhere(world: World) -> None:
    """Link the place to another series by somebody else's card."""
    conversations = world.house.core.askers.conversations
    place = (await world.house.asker()).conversation
    await conversations.save_conversation(replace(place, book=None, default_role="reader"))


async def _member(world: World) -> Arguments:
    await world.house.asker("rea", "other")
    return {"person": "terminal:rea", "role": "reader"}


async def _promoted(world: World) -> None:
    await world.house.join("rea", SeriesRole.EDITOR)


async def _detached(world: World) -> None:
    store = world.house.core.askers.vaults.store
    series = (await world.house.asker()).conversation.series
    assert series is not None
    await store.attach(replace((await store.attached(series))[0], writable=False))


async def _edited(world: World) -> Arguments:
    world.note("Back.md", "As it was.\n")
    await world.house.write("edit_file", path="Back.md", old="was", new="is")
    return {"path": "Back.md"}


async def _edited_again(world: World) -> None:
    await world.house.write("edit_file", path="Back.md", old="is", new="will be")


CREW: Arguments = {"title": "Crew", "rows": [["Mara", 31]]}
ROWS = (
    Row(
        tool="create_csv",
        prepare=asks({}, **CREW, name="Csv", overwrite=True),
        change=puts("exports/Csv.csv", "made by Ann in a spreadsheet"),
    ),
    Row(
        tool="create_xlsx",
        prepare=asks({}, title="Xlsx", sheets=[{"name": "Crew", "rows": [["Mara", 31]]}]),
        change=puts("exports/Xlsx.xlsx", "made by Ann in a spreadsheet"),
    ),
    Row(
        tool="create_docx",
        prepare=asks({"Told.md": "one two three\n"}, title="Docx", note="Told.md"),
        change=puts("Told.md", "one two four\n"),
    ),
    Row(
        tool="create_pdf",
        prepare=asks({"Pic.md": "![[pic.png]]\n", "pic.png": png(20, 20)}, title="Pdf", note="Pic.md"),
        change=puts("pic.png", png(21, 20)),
    ),
    Row(tool="export_book", prepare=asks({}, format="docx"), change=_scene),
    Row(tool="import_bible", prepare=_bible, change=_other_bible),
    Row(tool="import_manuscript", prepare=_manuscript, change=_other_manuscript),
    Row(
        tool="create_file",
        prepare=asks({}, path="Mine.md", text="Mine.\n"),
        change=puts("Mine.md", "Hers.\n"),
        fresh=False,
    ),
    Row(
        tool="create_directory",
        prepare=asks({}, path="Own"),
        change=puts("Own/Hers.md", "x\n"),
        fresh=False,
    ),
    Row(
        tool="append_to_file",
        prepare=asks({"Log.md": "One.\n"}, path="Log.md", text="Two."),
        change=puts("Log.md", "Else.\n"),
        fresh=False,
    ),
    Row(
        tool="edit_file",
        prepare=asks({"Draft.md": "A tale\n"}, path="Draft.md", old="tale", new="song"),
        change=puts("Draft.md", "A tall tale\n"),
        fresh=False,
    ),
    Row(tool="restore_backup", prepare=_edited, change=_edited_again, fresh=False),
    Row(
        tool="delete_file",
        prepare=asks({"Away.md": "away\n"}, path="Away.md"),
        change=puts("Needs.md", "[[Away]] must stay\n"),
    ),
    Row(
        tool="delete_directory",
        prepare=asks({"Gone/In.md": "in\n"}, path="Gone"),
        change=puts("Gone/More.md", "written just now\n"),
        fresh=False,
    ),
    Row(
        tool="move_path",
        prepare=asks({"Here.md": "x\n"}, path="Here.md", to="There/Here.md"),
        change=puts("Links here.md", "[x](Here.md)\n"),
    ),
    Row(
        tool="rename_file",
        prepare=asks({"Tmp.md": "y\n"}, path="Tmp.md", name="Final.md"),
        change=puts("Links tmp.md", "[[Tmp]]\n"),
    ),
    Row(
        tool="rename_directory",
        prepare=asks({"Old/Inside.md": "x\n", "Near.md": "[[Old/Inside]]\n"}, path="Old", name="New"),
        change=puts("Far.md", "[[Old/Inside]]\n"),
    ),
    Row(
        tool="replace_in_files",
        prepare=asks({"Swap/One.md": "a gull\n"}, glob="Swap/**", pattern="gull", replacement="tern"),
        change=puts("Swap/Two.md", "a gull\n"),
        fresh=False,
    ),
    Row(
        tool="merge_duplicate_notes",
        prepare=asks({"P/One.md": "Same.\n", "P/Two.md": "Same.\n"}, keep="P/One.md", paths=["P/Two.md"]),
        change=puts("Points.md", "[[P/Two]]\n"),
    ),
    Row(
        tool="update_xlsx_cells",
        prepare=asks(
            {"Up.xlsx": books.cast()}, path="Up.xlsx", sheet="Cast", cells=[{"cell": "B2", "value": 3}]
        ),
        change=puts("Up.xlsx", books.plan()),
        fresh=False,
    ),
    Row(
        tool="append_xlsx_rows",
        prepare=asks({"More.xlsx": books.cast()}, path="More.xlsx", sheet="Cast", rows=[["Ida", 20]]),
        change=puts("~$More.xlsx", "open in a spreadsheet program"),
    ),
    Row(
        tool="edit_xlsx_structure",
        prepare=asks(
            {"Shape.xlsx": books.plan()}, path="Shape.xlsx", sheet="Plan", action="insert_rows", at="1"
        ),
        change=puts("Shape.xlsx", books.cast()),
        fresh=False,
    ),
    Row(
        tool="create_scheduled_task",
        prepare=asks({}, when="in 2 hours", prompt="Who sails?"),
        change=_time_passes,
        fresh=False,
    ),
    Row(tool="run_scheduled_task", prepare=_task, change=_pauses),
    Row(tool="pause_scheduled_task", prepare=_resting_task, change=_deletes, fresh=False),
    Row(tool="delete_scheduled_task", prepare=_task, change=_pauses),
    Row(tool="members", prepare=_member, change=_promoted),
    Row(tool="attach_notes", prepare=asks({}, name="novel", access="none"), change=_detached),
    Row(tool="link_thread", prepare=asks({}, series="The Salt Roads", book="1"), change=_elsewhere),
)


@pytest.fixture(scope="module")
def founded_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return asyncio.run(found_in(tmp_path_factory.mktemp("founded")))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(founded_once: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    async with open_world(founded_once, tmp_path_factory.mktemp("world")) as opened:
        yield opened


def test_every_write_outside_of_the_canon_has_a_row_or_a_reason() -> None:
    outside = {tool.name for tool in TOOLS if tool.risk is not Risk.READ and not tool.in_canon}
    assert {row.tool for row in ROWS} | set(NO_ROW) == outside | {"import_bible", "import_manuscript"}


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.tool)
async def test_nothing_is_done_where_its_ground_changed_before_the_yes(world: World, row: Row) -> None:
    house = world.house
    arguments = await row.prepare(world)
    batch = await house.core.propose([(row.tool, arguments)], await house.asker(), complete=False)
    assert batch.status is BatchStatus.OPEN
    await row.change(world)
    before = await state(world)

    after, _ = await house.decide(batch.id)

    assert await state(world) == before
    if row.fresh:
        assert (after.id != batch.id, after.status) == (True, BatchStatus.OPEN)
        assert outcome_text(await stored(world, batch), "en") == say("en", "outcome.conflict")
        assert (await house.decide(after.id))[0].calls[0].status is CallStatus.DONE
    else:
        [call] = after.calls
        assert (after.id, call.status) == (batch.id, CallStatus.FAILED)
        assert call.trouble is not None
        assert say("en", call.trouble.key, **call.trouble.facts)


async def stored(world: World, batch: Batch) -> Batch:
    found = await world.house.core.batch(batch.id)
    assert found is not None
    return found


async def state(world: World) -> tuple[object, ...]:
    """Return all that an effect could change."""
    rows = [world.rows(f"SELECT * FROM {table}") for table in TABLES]  # noqa: S608  names of ours
    return await world.state(), rows


@pytest.mark.parametrize(
    "leads", ["http://{host}/there", "discord+http://{host}/api/webhooks/17/{token}", ""]
)
async def test_message_goes_where_its_card_said_or_nowhere(
    leads: str, founded_once: Path, tmp_path: Path, clock: FakeClock
) -> None:
    """Settings change with a restart; a restart alone changes nothing."""
    folder = shutil.copytree(founded_once, tmp_path / "house")
    async with ModelEndpoint() as endpoint, webhook_emulator() as services:
        host = f"127.0.0.1:{services.port}"

        def with_team(address: str) -> AbstractAsyncContextManager[House]:
            channels = SecretStr(f"team={address.format(host=host, token=TOKEN)}")
            return open_house(folder, endpoint, clock, new_id, notify_channels=channels, private_hosts=host)

        here = "http://ann:sesam-opens@{host}/here"
        async with with_team(here) as house:
            place = (await house.asker()).conversation
            await house.core.askers.conversations.save_conversation(replace(place, families=("notify",)))
            line = ("notify_external", {"channel": "team", "text": "The tide turns."})
            asked = await house.core.propose([line], await house.asker(), complete=False)
        async with with_team(leads or here) as house:
            after, _ = await house.decide(asked.id)
        is_fresh, sent = (True, 0) if leads else (False, 1)
        assert (after.id != asked.id, after.status is BatchStatus.OPEN) == (is_fresh, is_fresh)
        assert len(services.taken) == sent


async def test_folder_that_changes_while_an_earlier_line_takes_its_time_stays(
    founded_once: Path, tmp_path: Path, clock: FakeClock
) -> None:
    folder, notes = shutil.copytree(founded_once, tmp_path / "house"), tmp_path / "novel"
    notes.mkdir()
    (notes / "Old.md").write_text("old\n")

    async def meddle(context: ToolContext, args: NoArgs) -> Proposal:
        async def effect() -> str:
            await asyncio.to_thread((notes / "Late.md").write_text, "[[Old]]\n")
            return "done"

        return Proposal(arguments={}, card=CardLine(kind="other"), effect=effect)

    slow = Tool(
        name="slow", family=Family.LORE, risk=Risk.WRITE, args=NoArgs, description="slow", propose=meddle
    )
    async with (
        ModelEndpoint() as endpoint,
        open_house(folder, endpoint, clock, new_id, tools=(slow,), vaults=(("novel", notes),)) as house,
    ):
        await house.write("attach_notes", name="novel")
        lines: list[tuple[str, Arguments]] = [("slow", {}), ("delete_file", {"path": "Old.md"})]
        batch = await house.core.propose(lines, await house.asker(), complete=False)
        decided, _ = await house.decide(batch.id)

    assert [call.status for call in decided.calls] == [CallStatus.DONE, CallStatus.FAILED]
    assert (notes / "Old.md").exists()


@pytest.mark.slow
async def test_unchanged_ground_lets_everything_be_done_whoever_decides(
    founded_once: Path, tmp_path: Path
) -> None:
    async with open_world(founded_once, tmp_path) as world:
        house = world.house
        await house.asker("bo")
        await house.join("bo", SeriesRole.EDITOR)
        for row in ROWS:
            arguments = await row.prepare(world)
            user = "ann" if row.tool == "link_thread" else "bo"
            batch = await house.core.propose([(row.tool, arguments)], await house.asker(user), complete=False)
            world.house.clock.advance(minutes=20)
            decided, _ = await house.decide(batch.id)
            assert decided.id == batch.id, row.tool
            assert [call.status for call in decided.calls] == [CallStatus.DONE], row.tool
