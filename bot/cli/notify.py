"""`lorekeeper notify`: sends a message to a channel, to see whether it is set up well."""

from typing import Annotated

import typer

from agent_core.clock import SystemClock, new_id
from agent_core.errors import NotifyRefusal, UnknownOutcome
from agent_core.notify.notifier import SETTING
from agent_core.texts import say
from bot.cli.start import TROUBLE, run_to_exit, settings_or_exit
from bot.services import guarded, message_notifier
from bot.settings import Settings

Channel = Annotated[str, typer.Argument(help="Name of a channel of the settings.")]
Text = Annotated[str, typer.Argument(help="What to send.")]
Title = Annotated[str, typer.Option("--title", help="A heading or subject.")]


def notify(channel: Channel, text: Text, title: Title = "") -> None:
    """Send a message to a channel, and tell whether it was taken; what the service answers is not shown."""
    settings = settings_or_exit()
    run_to_exit(_send(settings, channel, text, title), settings.language)


async def _send(settings: Settings, channel: str, text: str, title: str) -> int:
    async with guarded(settings) as outbound:
        notifier = await message_notifier(settings, outbound, SystemClock())
        if notifier is None:
            raise NotifyRefusal(reason="none", variable=SETTING)
        planned = notifier.plan(channel, text, title)
        shown = {"channel": planned.channel.name, "site": planned.channel.site}
        try:
            await notifier.send(planned, new_id())
        except UnknownOutcome:
            typer.echo(say(settings.language, "notify.unknown", **shown), err=True)
            return TROUBLE
    typer.echo(say(settings.language, "notify.sent", **shown))
    return 0
