"""A configured secret, planted everywhere and in every encoding, comes out nowhere."""

import asyncio
import base64
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.bot.commands import lorekeeper, served
from tests.emulators.model_endpoint import Call, ModelEndpoint, Raw, Reply

SECRET = 'hunter/2+correct "quagga" battery'
IN_JSON = json.dumps(json.dumps({"key": SECRET}))
FORMS = {
    "plain": SECRET,
    "base64": base64.b64encode(SECRET.encode()).decode(),
    "url": quote(SECRET, safe=""),
    "json in json": IN_JSON,
}
# What gives each form away, wherever and however it is quoted.
TRACES = ("hunter/2", "hunter%2F2", base64.b64encode(SECRET.encode()).decode()[:16], "quagga")
PLANTED = " and ".join(FORMS.values())


def leaks(*texts: str) -> list[str]:
    return [
        text[max(text.find(trace) - 60, 0) :][:160] for text in texts for trace in TRACES if trace in text
    ]


def audit_rows(folder: Path) -> str:
    with closing(sqlite3.connect(folder / "notes/lorekeeper.db")) as connection:
        return "\n".join(map(str, connection.execute("SELECT * FROM audit").fetchall()))


@pytest.mark.slow
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
async def test_secret_in_replies_results_arguments_and_errors_comes_out_nowhere(
    tmp_path: Path, form: tuple[str, ...]
) -> None:
    """A17, A18."""
    async with ModelEndpoint() as endpoint:
        environment = {
            "LOREKEEPER_MODEL": "scripted",
            "LOREKEEPER_MODEL_BASE_URL": endpoint.url,
            "LOREKEEPER_MODEL_API_KEY": SECRET,
            "LOREKEEPER_TRACE": "full",
            "LOREKEEPER_LOG_LEVEL": "debug",
        }
        await served(tmp_path)
        endpoint.reply(
            Reply(
                text=f"I look for {PLANTED}.",
                calls=(
                    Call("search_lore", {"query": PLANTED}),
                    Call("search_lore", json.dumps({"query": 3, "other": FORMS})),
                    Call("no_such_tool", FORMS),
                ),
            )
        )
        endpoint.reply(
            Call(
                "create_lore_entity", {"type": "object", "name": "Key", "staticTraits": {"engraved": PLANTED}}
            )
        )
        endpoint.reply(f"It is noted: {PLANTED}.")
        asked = await lorekeeper(
            tmp_path, "chat", "--say", f"Is it {PLANTED}?", "--yes", *form, **environment
        )
        typed = await lorekeeper(tmp_path, "chat", "--say", "/state Key", *form, **environment)
        endpoint.reply(Call("get_entity_state", {"entityId": "Key"}))
        endpoint.reply(f"The key says {PLANTED}")
        read = await lorekeeper(tmp_path, "chat", "--say", "What stands on the key?", *form, **environment)
        endpoint.reply(Raw(status=401, body={"error": {"message": f"bad key {PLANTED}"}}))
        failed = await lorekeeper(tmp_path, "chat", "--say", "And now?", *form, **environment)
        shown = await lorekeeper(tmp_path, "audit", "--json", **environment)
        sent = json.dumps([seen.body for seen in endpoint.requests], ensure_ascii=False)

    said = [one.said for one in (asked, typed, read, failed, shown)]
    table = await asyncio.to_thread(audit_rows, tmp_path)
    file = await asyncio.to_thread((tmp_path / "notes/audit.jsonl").read_text)
    assert all("hidden" in text for text in (*said[:3], sent, table, file))
    assert leaks(*said, sent, table, file) == []
