"""The 56 tools that were promised: each once happily and once refused, through a turn and the pipeline.

What counts is what lies outside of the tool: bytes on the disk, rows of the database, what a service or the
model was sent. A tool without a row fails here.
"""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from typer.testing import CliRunner

from agent_core.events import ConfirmationAsked
from agent_core.pipeline.model import CallStatus
from agent_core.tools.catalogue import TOOLS
from agent_core.tools.spec import Risk
from bot.cli.main import app
from tests.agent_core.tools.scenarios import ROWS
from tests.agent_core.tools.world import World, open_world
from tests.house import found_in

_READS = """
search_lore get_entity_state fetch_chapter_scenes list_vaults list_directory list_all_files read_file
read_file_raw search_fulltext search_advanced search_paths get_graph get_backlinks list_tags suggest_tags
list_recent list_backups diff_backup find_duplicates web_search fetch_url crawl_site list_xlsx_sheets
xlsx_to_markdown search_workbook analyze_range git_list_repos git_get_file git_search_issues
list_scheduled_tasks
"""
_WRITES = """
record_lore_state create_lore_entity persist_scene create_file create_directory append_to_file edit_file
restore_backup create_pdf create_docx create_xlsx create_csv update_xlsx_cells append_xlsx_rows
edit_xlsx_structure create_scheduled_task run_scheduled_task
"""
_DANGEROUS = """
delete_file delete_directory move_path rename_file rename_directory replace_in_files merge_duplicate_notes
delete_scheduled_task notify_external
"""
PROMISED = {
    **dict.fromkeys(_READS.split(), Risk.READ),
    **dict.fromkeys(_WRITES.split(), Risk.WRITE),
    **dict.fromkeys(_DANGEROUS.split(), Risk.DANGEROUS),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    folder = tmp_path_factory.mktemp("world")
    founded = await found_in(folder / "founded")
    async with open_world(founded, folder) as opened:
        yield opened


def test_the_56_are_there_with_their_risks_and_a_row_each() -> None:
    assert len(PROMISED) == 56
    assert {tool.name: tool.risk for tool in TOOLS if tool.name in PROMISED} == PROMISED
    assert all(tool.for_models for tool in TOOLS if tool.name in PROMISED)
    assert set(ROWS) == set(PROMISED)


def test_command_lists_each_with_its_risk() -> None:
    listed = CliRunner().invoke(app, ["tools"]).stdout.splitlines()
    risks = {line.split()[0]: line.split()[1] for line in listed}
    assert {name: risks.get(name) for name in PROMISED} == {
        name: risk.value for name, risk in PROMISED.items()
    }
    assert {"undo", "list_chapters", "get_timeline", "update_entry", "place_scene"} <= set(risks)


def test_reference_page_describes_each() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/tools.md").read_text("utf-8")
    assert [name for name in PROMISED if f"\n## {name}\n" not in page] == []


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", PROMISED)
async def test_tool_does_what_it_says(name: str, world: World) -> None:
    row = ROWS[name]
    arguments = row.arguments if not callable(row.arguments) else await row.arguments(world)
    says = f"Look at http://127.0.0.1:{world.site.port}/" if row.mentions_site else row.says
    heard, told = await world.ask(name, arguments, says)
    if PROMISED[name] is not Risk.READ:
        before = await world.state()
        batch = await world.house.card(heard)
        assert [call.risk for call in batch.calls] == [PROMISED[name]]
        decided, _ = await world.house.decide(batch.id)
        assert [call.status for call in decided.calls] == [CallStatus.DONE]
        assert await world.state() != before
        assert [line.outcome for line in await world.house.audited(decided)] == ["done"]
    else:
        text = json.dumps(told, ensure_ascii=False)
        assert [part for part in row.tells if part not in text and json.dumps(part)[1:-1] not in text] == []
        assert row.tells
        assert [line.outcome for line in await world.house.audit() if line.tool == name][-1:] == ["done"]
    assert row.outside is not None or PROMISED[name] is Risk.READ
    if row.outside is not None:
        await row.outside(world)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("name", PROMISED)
async def test_tool_refuses_and_nothing_happens(name: str, world: World) -> None:
    arguments, reason = ROWS[name].refused
    before = await world.state()
    heard, told = await world.ask(name, arguments, f"Do it: {arguments}")
    assert heard.of(ConfirmationAsked) == []
    assert isinstance(told, dict)
    assert reason in str(told["error"])
    assert await world.state() == before
    [line] = [line for line in await world.house.audit() if line.tool == name][-1:]
    assert line.outcome == "refused"
