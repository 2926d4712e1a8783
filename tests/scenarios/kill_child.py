"""A process that is ended hard at each of its commits in turn, for the test of what a crash leaves.

    python -m tests.scenarios.kill_child FOLDER

`FOLDER/origin` holds a founded database. Each run works in a copy of its own, `FOLDER/1`, `FOLDER/2`, ...:
the n-th is killed right behind its n-th commit. A dry run in `FOLDER/whole` counts the commits. Both numbers
are printed: commits counted, points visited.
"""

import asyncio
import os
import shutil
import signal
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

from agent_core.clock import new_id
from agent_core.conversation.model import Conversation
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
    incoming = Incoming(
        platform="terminal", update="u1", message="m1", person=asker.person.id,
        conversation=asker.conversation.id, text=QUESTION, at=FakeClock().now(),
    )  # fmt: skip
    await app.core.handle(incoming, asker, emit)
    await app.core.decide(asked[0], Decision(approve=True), asker, emit)
    [owed] = await app.core.owed(asker.conversation.id)
    await app.core.delivered(owed.id)


def run(folder: Path, kill_at: int | None) -> int:
    """Return how many commits one conversation takes, unless the process is killed at one."""
    commits = 0

    def after_commit(count: int) -> None:
        nonlocal commits
        commits = count
        if count == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    async def work() -> None:
        probe = tools(folder)
        async with build(
            settings(folder),
            clock=FakeClock(),
            ids=new_id,
            model=Parrot(),
            tools=(*TOOLS, *probe.tools()),
            after_commit=after_commit,
        ) as app:
            await converse(app)

    asyncio.run(work())
    return commits


def main(folder: Path) -> None:
    """Visit every commit."""
    whole = _in_child(folder, "whole", None)
    visited = 0
    while _in_child(folder, str(visited + 1), visited + 1) is None:
        visited += 1
    shutil.rmtree(folder / str(visited + 1))
    print(whole, visited)  # noqa: T201  the result


def _in_child(folder: Path, name: str, kill_at: int | None) -> int | None:
    """Return how many commits a run in a child process took; None if it was killed."""
    copy = folder / name
    shutil.copytree(folder / "origin", copy)
    child = os.fork()
    if child == 0:
        (copy / "commits.txt").write_text(str(run(copy, kill_at)))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return None
    if status:
        raise SystemExit(f"the run in {copy} failed")
    return int((copy / "commits.txt").read_text())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
