"""Opens the sample series where the notes are empty, by the same tools that people use."""

import asyncio

from agent_core.events import ignore
from agent_core.importing.sample import SampleCall, SampleEdit, sample_edits, sample_manuscripts
from agent_core.lore.model import Series
from agent_core.pipeline.confirmations import Decision
from agent_core.tools.spec import Asker
from bot.cli.place import Seat, linked, seated
from bot.wiring import App


async def ensure_series(app: App) -> str:
    """Write the sample series if there is no series at all, or go on where a kill stopped it.

    Return its name if it was written now, else "".
    """
    books = await asyncio.to_thread(sample_manuscripts)
    edits = [
        SampleEdit("the two books", (SampleCall("import_manuscript", {"source": "sample"}),)),
        *await asyncio.to_thread(sample_edits),
    ]
    name = books[0].series
    there = await app.core.askers.series.all_series()
    if [series.name for series in there] not in ([], [name]):
        return ""
    done = await _edits_done(app, there[0]) if there else 0
    if done >= len(edits):
        return ""
    asker = await linked(app, Seat(), name)
    for edit in edits[done:]:
        await _write(app, edit, asker)
    await linked(app, Seat(), name, book=books[0].title)
    return name


async def _edits_done(app: App, series: Series) -> int:
    return (await app.core.askers.lore.head(series.id)).number


async def _write(app: App, edit: SampleEdit, asker: Asker) -> None:
    calls = [(call.tool, call.arguments) for call in edit.calls]
    batch = await app.core.propose(calls, asker, complete=True)
    if not batch.settled:
        await app.core.decide(batch.id, Decision(approve=True), await seated(app, Seat()), ignore)
