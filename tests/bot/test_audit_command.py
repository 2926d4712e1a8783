"""`lorekeeper audit` shows what the audit holds, and the audit file holds the same."""

import asyncio
import json
from pathlib import Path

from agent_core.pipeline.journal_file import read_journal
from tests.bot.commands import lorekeeper, served


async def test_calls_are_listed_for_people_and_for_programs(tmp_path: Path) -> None:
    await served(tmp_path)
    await lorekeeper(tmp_path, "chat", "--say", "/search Mara")

    listed = await lorekeeper(tmp_path, "audit", "--last", "1")
    as_json = await lorekeeper(tmp_path, "audit", "--json", "--last", "500")

    records = [json.loads(line) for line in as_json.said.splitlines()]
    held = await asyncio.to_thread(read_journal, tmp_path / "notes/audit.jsonl")
    assert (listed.code, as_json.code) == (0, 0)
    assert listed.said.count("\n") == 1
    assert "search_lore" in listed.said
    assert "done" in listed.said
    assert records[-1]["tool"] == "search_lore"
    assert [line["seq"] for line in held.lines] == sorted(record["seq"] for record in records)


async def test_empty_audit_is_said_to_be_empty(tmp_path: Path) -> None:
    listed = await lorekeeper(tmp_path, "audit", "--last", "3")

    assert (listed.code, listed.said) == (0, "No tool has been called yet.\n")
