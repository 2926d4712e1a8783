"""A configured secret reaches no sink: chat, trace, audit, history, store of answers, log, or the model."""

import asyncio
import base64
import json
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest
from pydantic import SecretStr

from agent_core.clock import new_id
from agent_core.events import Delta, Event, Message
from agent_core.lore.answers import SearchResult
from agent_core.pipeline.redaction import MASK, Redaction
from bot.logs import LineFormatter, RedactedHandler, _as_json
from tests.agent_core.turn.probe import Probe
from tests.clock import FakeClock
from tests.emulators.model_endpoint import Call, ModelEndpoint, Reply
from tests.house import Heard, House, open_house

SECRET = "sk-salt-and-iron-and-rain-413"
CODED = base64.b64encode(f"me:{SECRET}".encode()).decode()


@pytest.fixture
async def house(
    folder: Path, endpoint: ModelEndpoint, clock: FakeClock, probe: Probe
) -> AsyncIterator[House]:
    """Give a house whose model key is the secret."""
    key = SecretStr(SECRET)
    async with open_house(folder, endpoint, clock, new_id, tools=probe.tools(), model_api_key=key) as opened:
        yield opened


def check_clean(*sinks: object) -> None:
    """Check that neither the secret nor a large part of it, plain or coded, is in what people may see."""
    for sink in sinks:
        text = sink if isinstance(sink, str) else json.dumps(sink, default=str, ensure_ascii=False)
        for form in (SECRET, SECRET[:16], SECRET[10:], CODED[8:24]):
            assert form not in text


def shown(heard: Heard) -> list[dict[str, object]]:
    return [asdict(event) for event in heard.events]


def columns(house: House, table: str) -> str:
    with closing(sqlite3.connect(house.app.settings.database)) as connection:
        rows = connection.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608  a name of ours
    return json.dumps(rows, ensure_ascii=False)


async def test_secret_reaches_no_sink_whoever_says_it(
    house: House, probe: Probe, caplog: pytest.LogCaptureFixture
) -> None:
    """A17, A18: said by the person, the model, a tool, in arguments, in results, in errors, in refusals."""
    caplog.set_level(logging.DEBUG)
    probe.says = f"found {SECRET} and {CODED}"
    probe.fails = lambda: RuntimeError(f"refused {SECRET}")
    house.endpoint.reply(
        f"I will use {SECRET}.",
        Call("echo", {"text": f"{'x' * 70}{SECRET}"}),
        Call("outside", {"text": CODED}),
        Call("fail", {"text": SECRET}),
        Call("echo", f'{{"text": "{SECRET}'),
        Call("echo", {"text": "x"}, id=SECRET),
        Call(f"use_{SECRET}", {"apiKey": "k1", "nested": [{"password": "p"}]}),
        Call("send", {"text": f"to {SECRET}"}),
    )

    heard = await house.say(f"My key is {SECRET}.")

    batch = await house.card(heard)
    house.endpoint.reply(Reply(text=f"Done with {SECRET}; {CODED}!", piece=5))
    _, after = await house.decide(batch.id)
    assert after.answer == f"Done with {MASK}; {after.answer.partition('; ')[2]}"
    check_clean(shown(heard), shown(after))
    check_clean(*(seen.body for seen in house.endpoint.requests))
    check_clean(columns(house, "audit"), columns(house, "outbox"))
    check_clean(*(turn.answer for turn in [await house.stored(after.turn or heard.turn)]))
    assert '"k1"' not in columns(house, "audit")
    formatter = LineFormatter(Redaction([SECRET]).outside_json, _as_json)
    check_clean(*(formatter.format(record) for record in caplog.records))


async def test_stream_reads_like_the_answer_however_it_is_cut(house: House) -> None:
    text = f"The key {SECRET} and again {SECRET[:20]}, then <{SECRET}>."
    for piece in (1, 2, 3, 7, 400):
        house.endpoint.reply(Reply(text=text, piece=piece))
        heard = await house.say("Key?", update=f"piece-{piece}")
        [message] = heard.of(Message)
        assert message.markdown == f"The key {MASK} and again {SECRET[:20]}, then <{MASK}>."
        assert "".join(delta.text for delta in heard.of(Delta)) == message.markdown


async def test_secret_in_the_notes_stays_in_the_store_and_is_masked_on_the_way_out(house: House) -> None:
    await house.write(
        "persist_scene", chapterId="2", sceneNumber=3, title="", rawText=f"She wrote {SECRET} on the wall."
    )
    house.endpoint.reply(Call("fetch_chapter_scenes", {"chapterId": "2"}))
    house.endpoint.reply("A key.")

    heard = await house.say("What did she write?")
    found = await house.core.lookup("search_lore", {"query": "wrote wall"}, await house.asker())

    check_clean(shown(heard), *(seen.body for seen in house.endpoint.requests))
    assert isinstance(found, SearchResult)
    check_clean(found.model_dump(mode="json"))
    assert MASK in found.scenes[0].text
    assert SECRET in columns(house, "lore_row")


async def test_history_keeps_what_was_said_and_masks_it_each_time(house: House) -> None:
    house.endpoint.reply("Noted.")
    await house.say(f"Remember {SECRET}.")
    house.endpoint.reply("You know.")

    await house.say("What was it?")

    check_clean(house.endpoint.requests[-1].body)
    assert f"Remember {MASK}." in json.dumps(house.endpoint.requests[-1].messages, ensure_ascii=False)


async def test_password_of_a_character_is_canon(house: House, probe: Probe) -> None:
    probe.says = "Speak mellon and enter; Bearer of the ring"
    house.endpoint.reply(Call("echo"), Call("outside"))
    house.endpoint.reply("mellon")

    heard = await house.say("Password?")

    own, outside = (m["content"] for m in house.endpoint.requests[1].messages if m["role"] == "tool")
    assert "mellon" in own
    assert "mellon" in outside
    assert heard.answer == "mellon"


async def test_log_handler_shows_no_secret_of_a_failing_surface(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    async def gone(event: Event) -> None:
        raise ConnectionError(f"no route with {SECRET}")

    house.endpoint.reply("Fine.")
    await house.say("hi", listener=gone)
    await asyncio.sleep(0)

    handler = LineFormatter(Redaction([SECRET]).outside_json, _as_json)
    lines = [handler.format(record) for record in caplog.records]
    assert any("surface failed" in line for line in lines)
    check_clean(*lines)
    assert issubclass(RedactedHandler, logging.Handler)
