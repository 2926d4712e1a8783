"""A process that is ended hard at each of its commits in turn, for the test of what a crash leaves.

    python -m tests.scenarios.kill_child FOLDER             the conversation
    python -m tests.scenarios.kill_child FOLDER --at 0.6    the conversation, killed so far into it only
    python -m tests.scenarios.kill_child FOLDER/n           what is done after a crash, from what one has left
    python -m tests.scenarios.kill_child FOLDER/n --once    the same to its end, in this process

`FOLDER/origin` holds a founded database. Each run of the conversation works in a copy of its own, `FOLDER/1`,
`FOLDER/2`, ...: the n-th is killed right behind its n-th commit. A dry run in `FOLDER/whole` counts the
commits. Both numbers are printed: commits counted, points visited. The runs after a crash work in copies of
`FOLDER/n` the same way: `FOLDER/n.1`, `FOLDER/n.2`, ..., `FOLDER/n.whole`.
"""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from zoneinfo import ZoneInfo

from agent_core.clock import new_id
from agent_core.conversation.model import Conversation
from agent_core.errors import BatchClosed
from agent_core.events import ConfirmationAsked, Event
from agent_core.llm.base import OnDelta
from agent_core.messages import ChatMessage, ModelReply, ModelRequest, Role, ToolCall
from agent_core.people.model import Identity
from agent_core.pipeline.confirmations import Decision
from agent_core.tools.catalogue import TOOLS
from agent_core.tools.spec import Asker
from agent_core.turn.model import Incoming
from bot.settings import Settings
from bot.wiring import App, build
from tests.agent_core.turn.probe import Probe
from tests.clock import FakeClock

QUESTION = "Look twice, then note a hat and a coat, and send word."
ANSWER = "All noted."
Work = Callable[[App], Awaitable[object]]

_FACT = '{"entityId": "Mara", "statePatch": {"%s": "red"}, "chapterId": "1"}'


class Parrot:
    """A model that always goes the same way, from whatever state of its history: look, propose, answer."""

    name, label = "parrot", ""

    async def complete(self, request: ModelRequest, on_delta: OnDelta) -> ModelReply:
        """Return what follows the history."""
        question = max(n for n, message in enumerate(request.messages) if _is_question(message))
        calls = [call.name for message in request.messages[question:] for call in message.calls]
        if not calls:
            looks = [ToolCall(f"look{n}", "search_lore", '{"query": "Mara"}') for n in range(2)]
            return ModelReply("Looking.", calls=tuple(looks))
        if "record_lore_state" not in calls:
            notes = [ToolCall(f"note{key}", "record_lore_state", _FACT % key) for key in ("hat", "coat")]
            send = ToolCall("word", "send", '{"text": "word"}')
            return ModelReply(
                "Noting.", calls=(*notes, ToolCall("more", "search_lore", '{"query": "Tom"}'), send)
            )
        await on_delta(ANSWER)
        return ModelReply(ANSWER)


def _is_question(message: ChatMessage) -> bool:
    return message.role is Role.USER and message.content == QUESTION


async def ann(app: App) -> Asker:
    """Return the person who asks, in the place that is linked."""
    place = Conversation(id="main-id", platform="terminal", place="main", private=True)
    return await app.core.askers.identify(Identity("terminal", "ann"), "Ann", place, operator=True)


def tools(folder: Path) -> Probe:
    """Return tools whose letters go into a file, so that they outlive the process."""

    class Letters(Probe):
        async def effect(self, text: str) -> str:
            await asyncio.to_thread(_append, folder / "letters.txt", text)
            return await super().effect(text)

    return Letters()


def _append(path: Path, line: str) -> None:
    with path.open("a") as letters:
        letters.write(f"{line}\n")


def settings(folder: Path) -> Settings:
    """Return the settings of an installation here, without the audit's file, which has a pace of its own."""
    return Settings(data_dir=folder, language="en", time_zone=ZoneInfo("UTC"), audit_file=None)


async def converse(app: App) -> None:
    """Ask the question and save what is proposed: from the first stored byte to the delivered answer."""
    asked: list[str] = []

    async def emit(event: Event) -> None:
        if isinstance(event, ConfirmationAsked):
            asked.append(event.batch_id)

    asker = await ann(app)
    await app.core.handle(_incoming(asker), asker, emit)
    await app.core.decide(asked[0], Decision(approve=True), asker, emit)
    [owed] = await app.core.owed(asker.conversation.id)
    await app.core.delivered(owed.id)


async def finish(app: App) -> list[Event]:
    """Recover, deliver the message again as a platform does, and save whatever is asked."""
    heard: list[Event] = []

    async def emit(event: Event) -> None:
        heard.append(event)

    await app.core.recover(lambda conversation: emit)
    asker = await ann(app)
    await app.core.handle(_incoming(asker), asker, emit)
    for batch in await app.core.open_batches(asker.conversation.id):
        with suppress(BatchClosed):  # where two recover at once the other may have been first
            await app.core.decide(batch.id, Decision(approve=True, digest=batch.digest), asker, emit)
    return heard


def _incoming(asker: Asker) -> Incoming:
    return Incoming(
        platform="terminal", update="u1", message="m1", person=asker.person.id,
        conversation=asker.conversation.id, text=QUESTION, at=FakeClock().now(),
    )  # fmt: skip


def run(folder: Path, work: Work, kill_at: int | None) -> int:
    """Return how many commits the work takes, unless the process is killed at one."""
    commits = 0

    def after_commit(count: int) -> None:
        nonlocal commits
        commits = count
        if count == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    async def started() -> None:
        probe = tools(folder)
        async with build(
            settings(folder),
            clock=FakeClock(),
            ids=new_id,
            model=Parrot(),
            tools=(*TOOLS, *probe.tools()),
            after_commit=after_commit,
        ) as app:
            await work(app)

    asyncio.run(started())
    return commits


def kill_at_share(folder: Path, share: float) -> None:
    """Visit the one commit that lies so far into the conversation; its number is printed."""
    whole = _in_child(folder / "origin", folder / "whole", converse, None)
    assert whole is not None
    number = round(share * whole)
    assert _in_child(folder / "origin", folder / str(number), converse, number) is None
    print(number)  # noqa: T201  the result


def main(folder: Path) -> None:
    """Visit every commit."""
    work: Work
    if (folder / "origin").is_dir():
        origin, stem, work = folder / "origin", f"{folder}/", converse
    else:
        origin, stem, work = folder, f"{folder}.", finish
    whole = _in_child(origin, Path(f"{stem}whole"), work, None)
    visited = 0
    while _in_child(origin, Path(f"{stem}{visited + 1}"), work, visited + 1) is None:
        visited += 1
    shutil.rmtree(f"{stem}{visited + 1}")
    print(whole, visited)  # noqa: T201  the result


def _in_child(origin: Path, copy: Path, work: Work, kill_at: int | None) -> int | None:
    """Return how many commits a run in a child process took; None if it was killed."""
    shutil.copytree(origin, copy)
    child = os.fork()
    if child == 0:
        (copy / "commits.txt").write_text(str(run(copy, work, kill_at)))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return None
    if status:
        raise SystemExit(f"the run in {copy} failed")
    return int((copy / "commits.txt").read_text())


if __name__ == "__main__":
    if "--once" in sys.argv:
        run(Path(sys.argv[1]), finish, None)
    elif "--at" in sys.argv:
        kill_at_share(Path(sys.argv[1]), float(sys.argv[3]))
    else:
        main(Path(sys.argv[1]))
