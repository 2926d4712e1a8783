"""The tool that sends a message to the outside, to a channel that the settings name."""

import asyncio
import json

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from agent_core.errors import NotifyRefusal
from agent_core.lore.answers import CardLine, Warn
from agent_core.notify.notifier import SETTING
from agent_core.notify.pinning import target_digest
from agent_core.tools.basis import Based, basis_of
from agent_core.tools.spec import Family, Proposal, Risk, Tool, ToolContext


class NotifyArgs(Based):
    """Arguments of notify_external. `delivery_id` is fixed when it is proposed, so that it stays the same."""

    channel: str = Field(
        description="name of a channel of the settings; a wrong one is answered with the list"
    )
    text: str = Field(description="what to send, as plain text")
    title: str = Field("", description="a heading or subject")
    delivery_id: SkipJsonSchema[str | None] = Field(None, pattern=r"^[\w-]{1,64}$")


async def _notify(context: ToolContext, args: NotifyArgs) -> Proposal:
    notifier = context.services.notifier
    if notifier is None:
        raise NotifyRefusal(reason="none", variable=SETTING)
    planned = notifier.plan(args.channel, args.text, args.title)
    delivery = args.delivery_id or context.new_id()

    async def effect() -> str:
        await notifier.send(planned, delivery)
        done = {"status": "done", "channel": planned.channel.name, "parts": len(planned.parts)}
        return json.dumps(done, ensure_ascii=False)

    facts: dict[str, str | int] = {"site": planned.channel.site}
    if len(planned.parts) > 1:
        facts["parts"] = len(planned.parts)
    shown = (planned.title, *planned.parts) if planned.title else planned.parts
    card = CardLine(
        kind="notify",
        title=planned.channel.name,
        after_text="\n\n".join(shown),
        facts=facts,
        warnings=(Warn(code="goes_out"),),
    )
    target = await asyncio.to_thread(target_digest, planned.channel, delivery)
    fixed = args.model_copy(
        update={"delivery_id": delivery, "channel": planned.channel.name, "basis": basis_of(card, target)}
    )
    return Proposal(arguments=fixed.model_dump(mode="json", by_alias=True), card=card, effect=effect)


NOTIFY_EXTERNAL = Tool(
    name="notify_external",
    family=Family.NOTIFY,
    risk=Risk.DANGEROUS,
    args=NotifyArgs,
    propose=_notify,
    description="Send a message to a named channel of the settings (chat, mail, webhook), if asked to.",
    timeout_s=600.0,
)
