"""One audit row for each requested call, redacted, whatever becomes of it; without it nothing is written."""

import json
import sqlite3
from contextlib import closing

import pytest

from agent_core.clock import new_id
from agent_core.errors import LoreKeeperError, NotPermitted, StoreFailure
from agent_core.lore.model import Author
from agent_core.people.model import SeriesRole
from agent_core.pipeline.audit import MAX_ARGUMENT_CHARS, Audit
from agent_core.pipeline.cut import dump
from agent_core.pipeline.model import AuditOutcome
from agent_core.pipeline.redaction import MASK, Redaction
from agent_core.tools.spec import Asker
from tests.agent_core.turn.probe import Probe
from tests.clock import FakeClock
from tests.emulators.model_endpoint import Call
from tests.house import House


async def asker(house: House) -> Asker:
    found = await house.asker()
    assert isinstance(found.bound, Author)
    return found


async def test_each_call_has_one_row_with_its_outcome(house: House) -> None:
    before = len(await house.audit())
    ann = await asker(house)
    await house.core.lookup("search_lore", {"query": "Mara"}, ann)
    for tool, arguments in (("search_lore", {}), ("no_such_tool", {"a": 1}), ("fail", {})):
        with pytest.raises(LoreKeeperError):
            await house.core.lookup(tool, arguments, ann)
    await house.core.propose([("send", {"text": "x"})], ann, complete=False)

    rows = (await house.audit())[before:]

    assert [(row.tool, row.outcome) for row in rows] == [
        ("search_lore", "done"),
        ("search_lore", "refused"),
        ("no_such_tool", "refused"),
        ("fail", "failed"),
        ("send", "proposed"),
    ]
    assert "query: Field required" in rows[1].error
    assert rows[2].error.startswith("UnknownTool")
    assert {row.requester for row in rows} == {ann.person.id}
    assert len({row.id for row in rows}) == 5


async def test_refused_stranger_is_on_record(house: House) -> None:
    eve = await house.asker("eve")

    with pytest.raises(NotPermitted):
        await house.core.lookup("search_lore", {"query": "Mara"}, eve)

    row = (await house.audit())[-1]
    assert (row.requester, row.outcome, row.error) == (eve.person.id, "refused", "NotPermitted: reason=role")


async def test_write_is_on_record_as_started_before_it_runs(house: House, probe: Probe) -> None:
    seen: list[str] = []

    async def look() -> None:
        seen.extend(row.outcome for row in await house.audited(batch))

    batch = await house.core.propose([("send", {"text": "x"})], await asker(house), complete=False)
    probe.before_effect = look

    done, _ = await house.decide(batch.id)

    assert seen == ["started"]
    [row] = await house.audited(done)
    assert (row.outcome, row.approver) == ("done", (await asker(house)).person.id)


async def test_duration_of_a_call_is_on_record(house: House, probe: Probe) -> None:
    async def slow() -> None:
        house.clock.advance(seconds=1.5)

    probe.before_effect = slow
    batch = await house.core.propose([("send", {"text": "x"})], await asker(house), complete=False)

    await house.decide(batch.id)

    [row] = await house.audited(batch)
    assert row.duration_ms == 1500


async def test_without_a_record_nothing_is_written(house: House, probe: Probe) -> None:
    """A22: a failed audit write refuses the call, and says so."""
    await asker(house)
    path = house.app.settings.database
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'x'); END")
        connection.commit()

    with pytest.raises(StoreFailure):
        await house.core.propose([("send", {"text": "x"})], await asker(house), complete=True)
    house.endpoint.reply(Call("send", {"text": "x"}))
    heard = await house.say("Send it.")

    assert probe.sent == []
    assert await house.core.open_batches("main-id") == ()
    assert "could not be read or written" in heard.answer


async def test_reader_and_place_of_each_call_are_on_record(house: House) -> None:
    await house.join("rob", SeriesRole.READER, "1")
    rob = await house.asker("rob")

    await house.core.lookup("list_chapters", {}, rob)

    row = (await house.audit())[-1]
    assert (row.requester, row.conversation, row.tool) == (rob.person.id, "main-id", "list_chapters")


def row_arguments(arguments: dict[str, object], redaction: Redaction) -> dict[str, object]:
    shown = Audit(FakeClock(), new_id, redaction).arguments(arguments)  # type: ignore[arg-type]  # JSON
    assert isinstance(shown, dict)
    return shown


def test_arguments_lose_secrets_by_name_shape_and_value() -> None:
    """A18: the same secret by key name, in a header, as JSON in a string; configured ones by value."""
    given: dict[str, object] = {
        "headers": {"Authorization": "Bearer abc"},
        "apiKey": "k1",
        "nested": [{"password": "p"}],
        "text": 'she said {"apiKey": "k1"} and Bearer abcdefghij',
        "own": "correct-horse-battery",
    }

    shown = json.dumps(row_arguments(given, Redaction(["correct-horse-battery"])), ensure_ascii=False)

    assert shown.count(MASK) == 6
    for secret in ("Bearer abc", '"k1"', '"p"', "correct-horse"):
        assert secret not in shown


def test_a_whole_book_in_the_arguments_is_cut() -> None:
    shown = row_arguments({"rawText": "x" * 1_000_000, "n": 3, "list": ["y" * 50] * 10_000}, Redaction())

    assert len(dump(shown)) <= MAX_ARGUMENT_CHARS  # type: ignore[arg-type]  # JSON
    assert shown["n"] == 3
    assert "cut, " in str(shown["rawText"])


def test_more_fields_than_fit_still_make_a_row() -> None:
    shown = row_arguments({"k" * 20_000: 1}, Redaction())

    assert shown == {"…": "(cut, 0 of 1 fields)"}


@pytest.mark.parametrize("outcome", AuditOutcome)
async def test_every_outcome_can_be_on_record(house: House, outcome: AuditOutcome) -> None:
    audit = house.core.runtime.pipeline.audit
    row = audit.row(await asker(house), call_id="c", tool="t" * 200, arguments={}, outcome=outcome)

    await house.core.runtime.batches.audit([row], durable=False)

    stored = (await house.audit())[-1]
    assert (stored.outcome, stored.tool) == (outcome.value, "t" * 80)
