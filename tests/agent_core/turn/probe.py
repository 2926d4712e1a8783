"""Tools that tests steer: they wait, fail, lie, or write somewhere outside of the canon."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from agent_core.errors import Failure
from agent_core.lore.answers import Answer, CardLine
from agent_core.tools.spec import AnyTool, Args, Family, Proposal, Read, Risk, Tool, ToolContext

PLAIN_CHARS = 100


class Said(Answer):
    """What a tool of the probe says."""

    text: str


class NoteArgs(Args):
    """A note; every field has a default."""

    text: str = ""
    times: int = 1


@dataclass
class Probe:
    """Steers its tools and remembers what they did."""

    says: str = "nothing special"
    ran: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)
    both: asyncio.Barrier = field(default_factory=lambda: asyncio.Barrier(2))
    fails: Callable[[], Exception] = Failure
    effect_fails: bool = False
    fetches_meet: bool = False
    before_effect: Callable[[], Awaitable[object]] | None = None
    before_plan: Callable[[], Awaitable[object]] | None = None

    def tools(self) -> tuple[AnyTool, ...]:
        """Return the tools: `meet` only ends when two run at once, `wait` when it is told to go on."""
        return (
            _look_up("echo", self._echo),
            _look_up("outside", self._echo, untrusted=True),
            _look_up("meet", self._meet),
            _look_up("wait", self._wait),
            _look_up("hurry", self._wait, timeout_s=0.01),
            _look_up("fail", self._fail),
            _look_up("give_up", self._give_up),
            _fetch(self),
            _send("send", self, Risk.WRITE),
            _send("destroy", self, Risk.DANGEROUS),
            replace(_send("stall", self, Risk.WRITE), timeout_s=0.05),
        )

    async def _echo(self, context: ToolContext, args: NoteArgs) -> Said:
        self.ran.append(args.text)
        return Said(text=self.says * args.times)

    async def _meet(self, context: ToolContext, args: NoteArgs) -> Said:
        await self.both.wait()
        return Said(text=f"met {args.text}")

    async def _wait(self, context: ToolContext, args: NoteArgs) -> Said:
        self.ran.append(args.text)
        self.started.set()
        await self.go.wait()
        return Said(text=f"waited {args.text}")

    async def fetch(self, context: ToolContext, args: NoteArgs) -> Said:
        """Look something up out of the house, which tells those out there what is asked."""
        self.sent.append(args.text)
        return await self._meet(context, args) if self.fetches_meet else Said(text=self.says)

    async def _fail(self, context: ToolContext, args: NoteArgs) -> Said:
        raise self.fails()

    async def _give_up(self, context: ToolContext, args: NoteArgs) -> Said:
        raise asyncio.CancelledError

    async def effect(self, text: str) -> str:
        """Send something out of the house."""
        if self.before_effect is not None:
            await self.before_effect()
        if self.effect_fails:
            raise Failure
        self.sent.append(text)
        return json.dumps({"status": "done"})


def _look_up(
    name: str, read: Read[NoteArgs], *, untrusted: bool = False, timeout_s: float = 30.0
) -> Tool[NoteArgs]:
    return Tool(
        name=name,
        family=Family.LORE,
        risk=Risk.READ,
        args=NoteArgs,
        description=f"{name} for tests",
        read=read,
        untrusted=untrusted,
        timeout_s=timeout_s,
    )


def _fetch(probe: Probe) -> Tool[NoteArgs]:
    """Return a look-up that is asked for as soon as it carries much out of the house."""
    send = _send("fetch", probe, Risk.READ)
    return replace(
        send,
        read=probe.fetch,
        escalate=lambda args, _: Risk.WRITE if len(args.text) > PLAIN_CHARS else Risk.READ,
        untrusted=True,
    )


def _send(name: str, probe: Probe, risk: Risk) -> Tool[NoteArgs]:
    async def propose(context: ToolContext, args: NoteArgs) -> Proposal:
        async def effect() -> str:
            return await probe.effect(args.text)

        if probe.before_plan is not None:
            await probe.before_plan()
        return Proposal(
            arguments=args.model_dump(mode="json", by_alias=True),
            card=CardLine(kind="other", title=args.text),
            effect=effect,
        )

    return Tool(
        name=name,
        family=Family.LORE,
        risk=risk,
        args=NoteArgs,
        description=f"{name} for tests",
        propose=propose,
    )
