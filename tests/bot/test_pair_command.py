"""`lorekeeper pair` prints a code that makes an operator once, also while LoreKeeper runs."""

import re
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from agent_core.errors import NotPermitted
from agent_core.people.model import Identity
from bot.settings import Settings
from bot.wiring import build
from tests.bot.commands import lorekeeper

CODE = re.compile(r"/start ((?:[2-9A-Z]{4}-){2}[2-9A-Z]{4})\n")


async def test_printed_code_makes_an_operator_of_a_running_installation(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "notes", language="en", time_zone=ZoneInfo("UTC"))
    ann = Identity("discord", "1")
    async with build(settings) as app:
        older = await lorekeeper(tmp_path, "pair")
        newer = await lorekeeper(tmp_path, "pair")
        codes = [found[1] for ended in (older, newer) if (found := CODE.search(ended.said))]

        assert (older.code, newer.code) == (0, 0)
        assert "The code works once, for 10 minutes." in newer.said
        assert len(set(codes)) == 2
        with pytest.raises(NotPermitted):
            await app.pairing.pair(ann, "Ann", codes[0])
        assert (await app.pairing.pair(ann, "Ann", codes[1])).operator
