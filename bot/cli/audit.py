"""`lorekeeper audit`: who had which tool called, and how it ended."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import typer

from agent_core.pipeline.cut import dump
from agent_core.pipeline.journal_file import line_of
from agent_core.pipeline.model import AuditState
from agent_core.texts import say
from bot.cli.start import with_app
from bot.wiring import App

LOOK_AGAIN_S = 1.0
SHOWN_CHARS = 120
_AT_ONCE = 200

Last = Annotated[int, typer.Option("--last", min=1, help="How many calls to show.")]
Follow = Annotated[bool, typer.Option("--follow", help="Go on with the calls to come, until interrupted.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object a line, as in the audit file.")]


def audit(last: Last = 20, follow: Follow = False, as_json: AsJson = False) -> None:
    """Show the newest tool calls, the newest at the end."""
    with_app(lambda app: _audit(app, last, follow=follow, as_json=as_json))


async def _audit(app: App, last: int, *, follow: bool, as_json: bool) -> int:
    states = await app.audit.newest_states(last)
    if not states and not as_json:
        typer.echo(say(app.settings.language, "cli.audit_none"))
    seen = await _show(app, states, 0, as_json=as_json)
    while follow:
        await asyncio.sleep(LOOK_AGAIN_S)
        seen = await _show(app, await app.audit.states(after=seen, limit=_AT_ONCE), seen, as_json=as_json)
    return 0


async def _show(app: App, states: Sequence[AuditState], seen: int, *, as_json: bool) -> int:
    """Print the states; return the number of the newest one."""
    for state in states:
        typer.echo(line_of(state) if as_json else await _readable(app, state))
    return states[-1].seq if states else seen


async def _readable(app: App, state: AuditState) -> str:
    row = state.row
    at = row.at.astimezone(app.settings.time_zone).strftime("%Y-%m-%d %H:%M:%S")
    person = await app.core.askers.people.person(row.requester)
    who = person.name if person else row.requester
    what = " ".join(filter(None, [dump(row.arguments), row.error])).replace("\n", " ")
    what = what if len(what) <= SHOWN_CHARS else f"{what[:SHOWN_CHARS]}…"
    return f"{at}  {who:<12} {row.tool:<22} {row.outcome.value:<10} {row.duration_ms:>6} ms  {what}"
