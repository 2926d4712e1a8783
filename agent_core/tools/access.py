"""The tools by which operators say who is let in, on each chat platform."""

import json
from typing import Literal

from pydantic import Field

from agent_core.errors import InvalidArguments, NotPermitted
from agent_core.lore.answers import Answer, CardLine
from agent_core.people.model import Admission, Door
from agent_core.tools.spec import Args, Family, NoArgs, Proposal, Risk, Tool, ToolContext

_FORMS = "what: write server 17, chat 17 or person 17, elsewhere discord server 17"


class AccessArgs(Args):
    """Arguments of set_access."""

    what: str = Field(description='"server", "chat" or "person" and its id; before it a platform, if another')
    state: Literal["open", "closed"] = Field("open", description="open lets it in, closed no longer")


class AccessItem(Answer):
    """A server, chat or person that is let in."""

    platform: str
    door: Door
    key: str


class AccessList(Answer):
    """Everything that is let in, by platform."""

    items: tuple[AccessItem, ...]


def check_operator(context: ToolContext) -> None:
    """Pass if the asker is an operator.

    Raises:
        NotPermitted: reason "operator".
    """
    if not context.asker.person.operator:
        raise NotPermitted(reason="operator")


async def _set(context: ToolContext, args: AccessArgs) -> Proposal:
    check_operator(context)
    admission = _read(args.what, context.asker.conversation.platform)

    async def effect() -> str:
        await context.operators.set_admission(admission, admitted=args.state == "open")
        return json.dumps({"status": "done", "access": args.state})

    card = CardLine(
        kind=f"access_{args.state}",
        title=admission.key,
        facts={"platform": admission.platform, "door": admission.door.value},
    )
    what = f"{admission.platform} {admission.door.value} {admission.key}"
    return Proposal(arguments={"what": what, "state": args.state}, card=card, effect=effect, unasked=True)


async def _list(context: ToolContext, args: NoArgs) -> AccessList:
    check_operator(context)
    return AccessList(
        items=tuple(
            AccessItem(platform=one.platform, door=one.door, key=one.key)
            for one in await context.operators.admissions()
        )
    )


def _read(text: str, platform: str) -> Admission:
    words = text.replace(":", " ").split()
    named, door, key = words if len(words) == 3 else [platform, *words, "", ""][:3]
    if door.lower() not in set(Door) or not key:
        raise InvalidArguments(tool="set_access", problems=(_FORMS,))
    return Admission(named.lower(), Door(door.lower()), key)


SET_ACCESS = Tool(
    name="set_access",
    family=Family.PLACE,
    risk=Risk.WRITE,
    args=AccessArgs,
    propose=_set,
    description="Let a server, a chat or a person in, or no longer. Operators only.",
    needs_series=False,
    for_models=False,
)
LIST_ACCESS = Tool(
    name="list_access",
    family=Family.PLACE,
    risk=Risk.READ,
    args=NoArgs,
    read=_list,
    description="List the servers, chats and persons that are let in. Operators only.",
    needs_series=False,
    for_models=False,
)

ACCESS = (SET_ACCESS, LIST_ACCESS)
