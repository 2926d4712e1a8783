"""Tools of tests that make a file: a look-up, and a write whose effect makes it."""

from agent_core.lore.answers import Answer, CardLine
from agent_core.tools.spec import AnyTool, Family, NoArgs, Proposal, Risk, Tool, ToolContext

CONTENT = b"PK\x03\x04 \x00\xff\r\n"
NAME = "Die Reise \u2013 1.zip"


class Made(Answer):
    """What the look-up says."""

    text: str = "made"


async def _read(context: ToolContext, args: NoArgs) -> Made:
    await context.attach(NAME, "application/zip", CONTENT)
    return Made()


async def _propose(context: ToolContext, args: NoArgs) -> Proposal:
    async def effect() -> str:
        await context.attach(NAME, "application/zip", CONTENT)
        return "made"

    return Proposal(arguments={}, card=CardLine(kind="other", title="a file"), effect=effect)


ATTACHING: tuple[AnyTool, ...] = (
    Tool(
        name="make_file",
        family=Family.LORE,
        risk=Risk.READ,
        args=NoArgs,
        description="make a file",
        read=_read,
    ),
    Tool(
        name="print_file",
        family=Family.LORE,
        risk=Risk.WRITE,
        args=NoArgs,
        description="print a file",
        propose=_propose,
    ),
)
