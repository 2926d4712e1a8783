"""The process stops, in order or hard, between a question and its answer: nothing is lost or doubled."""

import asyncio
import shutil
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from agent_core.clock import new_id
from agent_core.errors import StoreFailure
from agent_core.events import ConfirmationAsked, Event, Failed, Message, ignore
from agent_core.messages import Role
from agent_core.pipeline.confirmations import Decision
from agent_core.pipeline.model import Batch, BatchStatus
from agent_core.tools.catalogue import TOOLS
from agent_core.turn.history import INTERRUPTED
from agent_core.turn.model import TurnStatus
from bot.wiring import App, build
from tests.agent_core.turn.probe import Probe
from tests.clock import FakeClock
from tests.emulators.model_endpoint import Call, ModelEndpoint, Reply
from tests.house import Heard, House, open_house, read_audit
from tests.scenarios import kill_child
from tests.scenarios.kill_child import ANSWER, Parrot, settings, tools

HAT = Call("record_lore_state", {"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "1"})
WITH_HAT = {"eyes": "green", "hat": "red"}


@pytest.fixture
async def endpoint() -> AsyncIterator[ModelEndpoint]:
    async with ModelEndpoint() as opened:
        yield opened


@pytest.fixture
def probe() -> Probe:
    return Probe()


@asynccontextmanager
async def started(
    folder: Path, endpoint: ModelEndpoint, clock: FakeClock, probe: Probe | None = None
) -> AsyncIterator[House]:
    """Give the installation of this folder, started anew."""
    extra = probe.tools() if probe else ()
    async with open_house(folder, endpoint, clock, new_id, tools=extra) as house:
        yield house


async def asked(folder: Path, endpoint: ModelEndpoint, clock: FakeClock, *calls: Call) -> Batch:
    """Found the series, let the model propose, and stop the process while the card is shown."""
    async with started(folder, endpoint, clock) as house:
        await house.found()
        endpoint.reply(*calls)
        return await house.card(await house.say("Note a hat."))


async def recovered(house: House) -> Heard:
    heard = Heard()
    await house.core.recover(lambda conversation: heard.emit)
    return heard


@pytest.mark.parametrize("approve", [True, False])
async def test_card_of_before_the_restart_is_decided_after_it(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock, *, approve: bool
) -> None:
    """A04: approve runs it once, decline closes it, and the conversation goes on."""
    batch = await asked(tmp_path, endpoint, clock, HAT)

    async with started(tmp_path, endpoint, clock) as house:
        assert (await recovered(house)).events == []
        [waiting] = await house.core.open_batches("main-id")
        assert waiting == batch
        endpoint.reply("Well then.")
        done, after = await house.decide(batch.id, approve=approve)

        assert after.answer == "Well then."
        assert done.status is (BatchStatus.APPROVED if approve else BatchStatus.DECLINED)
        assert await house.state("Mara", asOf="1") == (WITH_HAT if approve else {"eyes": "green"})


async def test_plain_yes_after_the_restart_still_means_the_card(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock
) -> None:
    await asked(tmp_path, endpoint, clock, HAT)
    endpoint.reply("Saved.")

    async with started(tmp_path, endpoint, clock) as house:
        await house.say("yes", update="after")

        assert await house.state("Mara", asOf="1") == WITH_HAT


async def test_card_that_expired_while_nothing_ran_is_closed(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock
) -> None:
    batch = await asked(tmp_path, endpoint, clock, HAT)
    clock.advance(hours=25)

    async with started(tmp_path, endpoint, clock) as house:
        assert [closed.id for closed in await house.core.expire()] == [batch.id]
        assert await house.state("Mara", asOf="1") == {"eyes": "green"}


async def test_series_that_a_place_has_left_is_forgotten_also_after_a_crash_in_between(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock
) -> None:
    async with started(tmp_path, endpoint, clock) as house:
        await house.found()
        endpoint.reply("The heron is a spy.")
        await house.say("Who is the heron?")
        clock.advance(seconds=1)
        other = [("link_thread", {"series": "Other", "book": "B"})]
        batch = await house.core.propose(other, await house.asker(), complete=False)
        with closing(sqlite3.connect(house.app.settings.database)) as connection:
            connection.execute(
                "CREATE TRIGGER crash BEFORE INSERT ON history_start BEGIN SELECT RAISE(ABORT, 'x'); END"
            )
            with pytest.raises(StoreFailure):
                await house.decide(batch.id)
            connection.execute("DROP TRIGGER crash")

    async with started(tmp_path, endpoint, clock) as house:
        await recovered(house)
        endpoint.reply("Good day.")
        await house.say("Good day.", update="later")

    assert "spy" not in str(endpoint.requests[-1].messages)


async def test_decision_that_was_stored_but_not_carried_out_is_carried_out(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock
) -> None:
    batch = await asked(tmp_path, endpoint, clock, HAT)
    async with started(tmp_path, endpoint, clock) as house:
        await house.core.decisions.take(batch, Decision(approve=True), await house.asker())
    endpoint.reply("Saved.")

    async with started(tmp_path, endpoint, clock) as house:
        heard = await recovered(house)

        assert heard.answer == "Saved."
        assert await house.state("Mara", asOf="1") == WITH_HAT
        assert (await recovered(house)).events == []


async def test_conflict_found_after_the_restart_asks_afresh(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock
) -> None:
    batch = await asked(tmp_path, endpoint, clock, HAT)
    async with started(tmp_path, endpoint, clock) as house:
        await house.core.decisions.take(batch, Decision(approve=True), await house.asker())
        await house.write("record_lore_state", entityId="Mara", statePatch={"hat": "old"}, chapterId="1")

    async with started(tmp_path, endpoint, clock) as house:
        heard = await recovered(house)

        [fresh] = await house.core.open_batches("main-id")
        assert heard.of(ConfirmationAsked) == [ConfirmationAsked(fresh.id)]
        endpoint.reply("Saved.")
        await house.decide(fresh.id)
        assert await house.state("Mara", asOf="1") == WITH_HAT


async def test_expired_batch_that_was_not_settled_resumes_nothing(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock
) -> None:
    batch = await asked(tmp_path, endpoint, clock, HAT)
    async with started(tmp_path, endpoint, clock) as house:
        assert await house.core.runtime.batches.decide(
            batch.id, BatchStatus.EXPIRED, digest=batch.digest, by=None, at=clock.now(), chosen=frozenset()
        )

    async with started(tmp_path, endpoint, clock) as house:
        assert (await recovered(house)).events == []

        assert batch.turn is not None
        turn = await house.core.runtime.turns.turn(batch.turn)
        assert turn is not None
        assert turn.status is TurnStatus.DONE
        assert [step.outcome for step in await house.steps(turn)][-1] == "expired"


async def test_interrupted_question_is_answered_after_the_restart(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock, probe: Probe
) -> None:
    """C24: what was looked up stays, only what has no result is looked up again."""
    async with started(tmp_path, endpoint, clock, probe) as house:
        await house.found()
        endpoint.reply(Call("echo", {"text": "once"}))
        endpoint.reply(Call("wait", {"text": "interrupted"}))
        task = asyncio.create_task(house.say("Look."))
        async with asyncio.timeout(5):
            await probe.started.wait()
        task.cancel()
        await asyncio.wait({task})
    probe.go.set()
    endpoint.reply("Found.")

    async with started(tmp_path, endpoint, clock, probe) as house:
        heard = await recovered(house)

        assert heard.answer == "Found."
        assert probe.ran == ["once", "interrupted", "interrupted"]
        [owed] = await house.core.owed("main-id")
        assert owed.text == "Found."


async def test_recovering_beside_a_living_process_leaves_its_turn_to_it(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock
) -> None:
    async with started(tmp_path, endpoint, clock) as house:
        await house.found()
        endpoint.reply(Reply(text="Once.", hold=0))
        async with asyncio.timeout(5), asyncio.TaskGroup() as group:
            living = group.create_task(house.say("Eyes?"))
            await endpoint.received(1)
            late = group.create_task(recovered(house))
            endpoint.release()

        assert living.result().answer == "Once."
        assert late.result().events == []
        assert len(endpoint.requests) == 1


async def test_conversation_that_is_stuck_keeps_no_other_from_being_recovered(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock
) -> None:
    async with started(tmp_path, endpoint, clock) as house:
        await house.found()
        for number, place in enumerate(("main", "second"), start=1):
            endpoint.reply(Reply(text="never", hold=0))
            task = asyncio.create_task(house.say(f"Question of {place}", place=place))
            async with asyncio.timeout(5):
                await endpoint.received(number)
            task.cancel()
            await asyncio.wait({task})
    for _ in range(2):
        endpoint.reply(
            lambda seen: Reply(text="x", hold=0) if "main" in str(seen.messages[-1]) else "Second."
        )
    answered, heard = asyncio.Event(), Heard()

    async def emit(event: Event) -> None:
        await heard.emit(event)
        if isinstance(event, Message):
            answered.set()

    async with started(tmp_path, endpoint, clock) as house:
        recovering = asyncio.create_task(house.core.recover(lambda conversation: emit))
        async with asyncio.timeout(5):
            await answered.wait()
            await endpoint.received(4)
        recovering.cancel()
        await asyncio.wait({recovering})

    assert heard.answer == "Second."


async def test_questions_asked_during_the_recovery_are_answered_to_those_who_asked(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock
) -> None:
    async with started(tmp_path, endpoint, clock) as house:
        await house.found()
        for text in ("First.", "Second."):
            endpoint.reply(Reply(text=text, hold=0))
        asked = [asyncio.create_task(house.say(f"Question {number}")) for number in range(2)]
        async with asyncio.timeout(5):
            await endpoint.received(1)
        await house.core.recover(lambda conversation: _nothing_left)
        for _ in asked:
            endpoint.release()
        heard = [await one for one in asked]

    assert sorted(one.answer for one in heard) == ["First.", "Second."]


async def test_one_turn_that_cannot_be_finished_stops_no_other(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with started(tmp_path, endpoint, clock) as house:
        await house.found()
        endpoint.reply(Reply(text="never", hold=0))
        task = asyncio.create_task(house.say("Eyes?"))
        async with asyncio.timeout(5):
            await endpoint.received(1)
        task.cancel()
        await asyncio.wait({task})
        batch = await house.core.propose([("undo", {"change": 1})], await house.asker(), complete=False)
        await house.core.decisions.take(batch, Decision(approve=True), await house.asker())
        with closing(sqlite3.connect(house.app.settings.database)) as connection:
            connection.execute("UPDATE batch_call SET tool = 'gone' WHERE batch = ?", (batch.id,))
            connection.commit()
    endpoint.reply("Green.")

    async with started(tmp_path, endpoint, clock) as house:
        heard = await recovered(house)

        assert heard.answer == "Green."
        assert await house.core.runtime.batches.unsettled() == ()


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return an installation for each commit at which its process was killed, behind one that ran through."""
    folder = tmp_path_factory.mktemp("killed")
    (folder / "origin").mkdir()
    asyncio.run(_found(folder / "origin"))
    counted, visited = asyncio.run(_numbers(str(folder)))
    assert counted == visited > 15
    return [folder / "whole", *(folder / str(number) for number in range(1, counted + 1))]


async def _found(folder: Path) -> None:
    async with ModelEndpoint() as endpoint, started(folder, endpoint, FakeClock()) as house:
        await house.found()


async def _numbers(*arguments: str) -> list[int]:
    """Return what a killing process prints."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.scenarios.kill_child", *arguments, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(120):
        output, _ = await child.communicate()
    assert child.returncode == 0
    return [int(number) for number in output.split()]


@pytest.mark.slow
async def test_killed_at_any_commit_nothing_is_lost_and_nothing_written_twice(killed: list[Path]) -> None:
    """A03, C24: the whole conversation, killed behind each of its commits, then started again."""
    for folder in killed:
        async with copied(folder, "once") as copy, opened(copy) as app:
            await finish(app)
            await check(app, copy)
            await app.core.recover(lambda conversation: _nothing_left)


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_recovery_killed_at_any_of_its_commits_is_recovered(killed: list[Path]) -> None:
    """A03: every pair of a commit of the conversation and a commit of what is done after the crash."""
    for folder in killed[1:]:
        await _check_killed_again(folder)


@pytest.mark.slow
async def test_recovery_of_a_half_saved_card_killed_at_any_of_its_commits_is_recovered(
    tmp_path: Path,
) -> None:
    """A03: a sample of all those pairs."""
    (tmp_path / "origin").mkdir()
    await _found(tmp_path / "origin")
    [number] = await _numbers(str(tmp_path), "--at", "0.6")
    await _check_killed_again(tmp_path / str(number))


async def _check_killed_again(folder: Path) -> None:
    counted, visited = await _numbers(str(folder))
    assert counted == visited
    for number in range(1, counted + 1):
        again = folder.with_name(f"{folder.name}.{number}")
        async with opened(again) as app:
            await finish(app)
            await check(app, again)
        await asyncio.to_thread(shutil.rmtree, again)


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_two_processes_that_recover_at_once_do_everything_once(killed: list[Path]) -> None:
    """A03, A19: neither a second answer, nor a second write, nor a call without a result."""
    for folder in killed[1:]:
        async with copied(folder, "both") as copy:
            both = [
                await asyncio.create_subprocess_exec(
                    sys.executable, "-m", "tests.scenarios.kill_child", str(copy), "--once"
                )
                for _ in range(2)
            ]
            async with asyncio.timeout(60):
                assert [await child.wait() for child in both] == [0, 0]
            async with opened(copy) as app:
                await check(app, copy)


@asynccontextmanager
async def copied(folder: Path, name: str) -> AsyncIterator[Path]:
    """Give a copy of what a killed process has left."""
    copy = folder.with_name(f"{folder.name}.{name}")
    await asyncio.to_thread(shutil.copytree, folder, copy)
    yield copy
    await asyncio.to_thread(shutil.rmtree, copy)


async def _nothing_left(event: Event) -> None:
    raise AssertionError(f"recovered twice: {event}")


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[App]:
    probe = tools(folder)
    async with build(
        settings(folder), clock=FakeClock(), ids=new_id, model=Parrot(), tools=(*TOOLS, *probe.tools())
    ) as app:
        yield app


async def finish(app: App) -> None:
    """Do what is done after a crash, and check what is heard of it."""
    heard = Heard(await kill_child.finish(app))
    assert heard.of(Failed) == []
    assert len(heard.of(Message)) <= 1


async def check(app: App, folder: Path) -> None:
    """Check that what was asked is done exactly once, and that every call is answered and on record."""
    core, asker = app.core, await kill_child.ann(app)
    [turn] = await core.runtime.turns.recent_turns(asker.conversation.id, before=None, limit=9)
    assert (turn.status, turn.answer) == (TurnStatus.DONE, ANSWER), folder.name
    steps = await core.runtime.turns.steps([turn.id])
    calls = [call.id for step in steps for call in step.message.calls]
    results = [step.message.call_id for step in steps if step.message.role is Role.TOOL]
    assert sorted(calls) == sorted(results)
    assert len(set(calls)) == len(calls) == 6
    assert not any(step.pending or step.message.content == INTERRUPTED for step in steps)

    state = await core.lookup("get_entity_state", {"entityId": "Mara", "asOf": "1"}, asker)
    assert state.model_dump()["state"] == {"eyes": "green", "hat": "red", "coat": "red"}
    canon = await core.askers.canon(asker.conversation)
    assert canon is not None
    assert canon.head == await _origin_head(folder) + 1

    assert await core.runtime.batches.unsettled() == ()
    assert await core.open_batches(asker.conversation.id) == ()
    assert await core.runtime.turns.unfinished() == ()
    async with asyncio.timeout(5), core.order.held(asker.conversation.id) as has_waited:
        assert not has_waited or not folder.name.startswith("whole")
    lines = await asyncio.to_thread(read_audit, app.settings.database)
    assert [line for line in lines if line.outcome not in {"done", "superseded", "unknown"}] == []
    word = [line.outcome for line in lines if line.tool == "send" and line.outcome != "superseded"]
    letters = await asyncio.to_thread(_letters, folder)
    assert (word, letters) in [(["done"], 1), (["unknown"], 0), (["unknown"], 1)]


async def _origin_head(folder: Path) -> int:
    async with opened(folder.parent / "origin") as app:
        canon = await app.core.askers.canon((await kill_child.ann(app)).conversation)
    assert canon is not None
    return canon.head


def _letters(folder: Path) -> int:
    path = folder / "letters.txt"
    return len(path.read_text().splitlines()) if path.exists() else 0


async def test_effect_that_may_have_happened_is_never_repeated(
    tmp_path: Path, endpoint: ModelEndpoint, clock: FakeClock, probe: Probe
) -> None:
    """A03: found running after a restart, outside of the canon: unknown, not run again."""
    async with started(tmp_path, endpoint, clock, probe) as house:
        await house.found()
        endpoint.reply(Call("send", {"text": "word"}))
        batch = await house.card(await house.say("Send word."))

        async def stop() -> None:
            probe.started.set()
            await asyncio.Event().wait()

        probe.before_effect = stop
        task = asyncio.create_task(
            house.core.decide(batch.id, Decision(approve=True), await house.asker(), ignore)
        )
        async with asyncio.timeout(5):
            await probe.started.wait()
        task.cancel()
        await asyncio.wait({task})
    probe.before_effect = None
    endpoint.reply("It may have been sent.")

    async with started(tmp_path, endpoint, clock, probe) as house:
        heard = await recovered(house)

        assert probe.sent == []
        assert heard.answer == "It may have been sent."
        [line] = await house.audited(batch)
        assert line.outcome == "unknown"
        assert '"status":"unknown"' in endpoint.requests[-1].messages[-1]["content"]
