"""Runs the `curl` commands of the reference page against a real service, and says what they print.

`python -m tests.adapters.http.transcripts`, started in the checkout, writes the page anew.
"""

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent_core.clock import new_id
from tests.adapters.http.conftest import seated, served
from tests.clock import FakeClock
from tests.emulators.model_endpoint import Call, ModelEndpoint
from tests.house import open_house

PAGE = Path(__file__).parents[3] / "docs/reference/http.md"
ADDRESS = "http://127.0.0.1:8321"
BLOCK = re.compile(r"```console\n(?P<inside>.*?)```", re.DOTALL)
COMMAND = re.compile(r"\$ (?P<command>curl (?:.*\\\n)*.*)\n(?P<output>(?:(?!\$ ).*\n)*)")
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
VARYING = {
    re.compile(r'("durationMs": ?)\d+'): r"\g<1>3",
    re.compile(r'("digest": ?)"[0-9a-f]{64}"'): r'\g<1>"…"',
    re.compile(r"\b[0-9a-f]{64}\b"): "…",
}
NAMES = {"conversationId": "CONVERSATION", "turnId": "TURN", "batchId": "BATCH"}
BOUND_S = 20


async def played(page: str, folder: Path) -> str:
    """Return the page with what its commands print now, ids by the names that the page has for them."""
    async with ModelEndpoint() as endpoint:
        _script(endpoint)
        async with open_house(folder, endpoint, FakeClock(), new_id, http_port=0) as house:
            await house.found()
            async with served(house) as service:
                desk = await seated(house, service.client)
                player = _Player(str(service.client.base_url), {"SERIES": desk.series, "BOOK": desk.book})
                parts: list[str] = []
                start = 0
                for block in BLOCK.finditer(page):
                    parts += [page[start : block.start("inside")], await player.block(block["inside"])]
                    start = block.end("inside")
                return "".join([*parts, page[start:]])


def _script(endpoint: ModelEndpoint) -> None:
    look_up = Call("get_entity_state", {"entityId": "Mara"}, id="call_1")
    fact = {"entityId": "Mara", "statePatch": {"scarf": "red"}, "sourceSceneId": "1.2"}
    endpoint.reply("I look her up.", look_up)
    endpoint.reply("Her eyes are green (1.1).")
    endpoint.reply(Call("record_lore_state", fact, id="call_2"))
    endpoint.reply("She wears it from 1.2 on.")
    endpoint.reply(look_up)
    endpoint.reply("Green.")


class _Player:
    def __init__(self, address: str, known: dict[str, str]) -> None:
        self._address = address.rstrip("/")
        self._known = known

    async def block(self, inside: str) -> str:
        """Return a block with what its commands print."""
        shown = []
        for found in COMMAND.finditer(inside):
            printed = await self._run(found["command"])
            self._learn(printed)
            shown.append(f"$ {found['command']}\n{self._named(printed).rstrip()}\n")
        return "".join(shown)

    async def _run(self, command: str) -> str:
        for name, value in self._known.items():
            command = re.sub(rf"\b{name}\b", value, command)
        process = await asyncio.create_subprocess_shell(
            command.replace(ADDRESS, self._address), stdout=asyncio.subprocess.PIPE
        )
        async with asyncio.timeout(BOUND_S):
            output, _ = await process.communicate()
        return output.decode().replace(self._address, ADDRESS)

    def _learn(self, printed: str) -> None:
        try:
            found = json.loads(printed)
        except ValueError:
            return
        self._note(found)

    def _note(self, found: Any) -> None:  # Any: JSON of any shape
        if isinstance(found, Mapping):
            for key, value in found.items():
                if key in NAMES and isinstance(value, str):
                    self._known.setdefault(NAMES[key], value)
                self._note(value)
        elif isinstance(found, list):
            for item in found:
                self._note(item)

    def _named(self, printed: str) -> str:
        for name, value in self._known.items():
            printed = printed.replace(value, name)
        printed = UUID.sub("…", printed)
        for pattern, put in VARYING.items():
            printed = pattern.sub(put, printed)
        return printed


async def _write() -> None:
    with tempfile.TemporaryDirectory() as folder:
        text = await played(PAGE.read_text("utf-8"), Path(folder))
    PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(asyncio.run(_write()))
