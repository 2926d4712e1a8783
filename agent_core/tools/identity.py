"""The tools that make the accounts of one human being one person."""

import json

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from agent_core.errors import NotPermitted
from agent_core.lore.answers import Answer, CardLine
from agent_core.people.codes import LIFETIME, hash_of
from agent_core.tools.spec import Args, Family, NoArgs, Proposal, Risk, Tool, ToolContext


class LinkCode(Answer):
    """A code to type from the other account, and for how many minutes it is good."""

    code: str
    minutes: int


class IdentityLinkArgs(Args):
    """Arguments of identity_link."""

    code: str = Field("", description="the code that the other account was given")
    claimed: SkipJsonSchema[str | None] = None


async def _code(context: ToolContext, args: NoArgs) -> LinkCode:
    _check_private(context)
    code = await context.linking.code_for(context.asker.person)
    return LinkCode(code=code, minutes=LIFETIME.seconds // 60)


async def _link(context: ToolContext, args: IdentityLinkArgs) -> Proposal:
    _check_private(context)
    person = context.asker.person
    code_hash = args.claimed or hash_of(args.code)  # the code itself is stored nowhere
    other = await context.linking.claim(code_hash, person)

    async def earlier(series: str, one: str, another: str) -> str:
        return await _earlier(context, series, one, another)

    async def effect() -> str:
        united = await context.linking.unite(code_hash, person, earlier)
        return json.dumps({"status": "done", "person": united.name}, ensure_ascii=False)

    return Proposal(
        arguments={"code": "", "claimed": code_hash},
        card=CardLine(kind="identity", title=other.name),
        effect=effect,
        overwrites=True,
    )


async def _earlier(context: ToolContext, series_id: str, one: str, another: str) -> str:
    series = await context.series.series(series_id)
    reading = (await context.open_canon(series)).outline.reading if series else {}
    return min(one, another, key=lambda node: reading.get(node, -1))


def _check_private(context: ToolContext) -> None:
    if not context.asker.conversation.private:
        raise NotPermitted(reason="not_private")


IDENTITY_CODE = Tool(
    name="identity_code",
    family=Family.PLACE,
    risk=Risk.READ,
    args=NoArgs,
    read=_code,
    description="Give out a code that joins another account of yours to this one.",
    needs_series=False,
    for_models=False,
    for_readers=True,
)
IDENTITY_LINK = Tool(
    name="identity_link",
    family=Family.PLACE,
    risk=Risk.WRITE,
    args=IdentityLinkArgs,
    propose=_link,
    description="Join this account to the one that was given the code: both are one person then.",
    needs_series=False,
    for_models=False,
    for_readers=True,
)

IDENTITIES = (IDENTITY_CODE, IDENTITY_LINK)
