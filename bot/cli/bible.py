"""`lorekeeper import --bible`: entries and scenes from notes, sheets and lorebooks, reviewed first."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.padding import Padding

from adapters.cards.sentence import warning_text
from adapters.terminal.console import terminal_console
from agent_core.events import ignore
from agent_core.importing.bible.model import Bible
from agent_core.importing.bible.review import Review
from agent_core.lore.model import Series
from agent_core.messages import Json
from agent_core.pipeline.confirmations import Decision
from agent_core.texts import say
from bot.cli.place import Seat, linked, seated
from bot.cli.start import TROUBLE, confirmed
from bot.wiring import App


async def import_bible(app: App, files: Sequence[Path], series: str, *, yes: bool) -> int:
    """Show what a bible would change, ask, and bring it in as one edit; return the exit code."""
    # Readers are slow to import, and only needed here.
    from agent_core.importing.bible.files import files_of  # noqa: PLC0415  see above
    from agent_core.importing.bible.reading import read_files  # noqa: PLC0415  see above

    console, language = terminal_console(sys.stdout), app.settings.language
    read = await asyncio.to_thread(files_of, files)
    bible = await asyncio.to_thread(read_files, read, files[0].name)
    name = series or bible.title or files[0].absolute().stem
    console.print(say(language, "import_report.bible_title", series=name), style="lore.title")
    review, is_new = await _reviewed(app, name, bible)
    for warning in review.lines():
        style = "lore.note" if warning.code in _CALM else "lore.warning"
        console.print(Padding(warning_text(warning, language), (0, 0, 0, 2), expand=False), style=style)
    if not is_new:
        console.print(say(language, "import_report.nothing"))
        return 0
    if not yes and not sys.stdin.isatty():
        console.print(say(language, "import_report.dry"))
        return 0
    if not yes and not confirmed(say(language, "import_report.ask")):
        console.print(say(language, "import_report.declined"))
        return 0
    if await asyncio.to_thread(files_of, files) != read:  # the answer was about what was shown
        console.print(say(language, "import_report.failed"), style="lore.trouble")
        return TROUBLE
    return await _write(app, files, name, console)


_CALM = frozenset({"bible_counts", "bible_new", "bible_more_facts", "bible_scenes_same", "bible_more"})


async def _reviewed(app: App, name: str, bible: Bible) -> tuple[Review, bool]:
    """Return what the import would do to the series of this name, and whether that is anything."""
    from agent_core.importing.bible.plan import plan_bible  # noqa: PLC0415  see above

    askers, new_id = app.core.askers, app.core.runtime.new_id
    asker = await seated(app, Seat(series=name))
    canon = await askers.canon(asker.conversation)
    if canon is None:  # nothing is written yet, so the series is not begun either
        canon = await askers.open_canon(Series(id=new_id(), name=name, owner=asker.person.id))
    planned = await plan_bible(canon, bible, name=name, new_id=new_id)
    return planned.review, planned.plan is not None


async def _write(app: App, files: Sequence[Path], name: str, console: Console) -> int:
    language = app.settings.language
    asker = await linked(app, Seat(series=name), name)
    arguments: dict[str, Json] = {"paths": [str(path.absolute()) for path in files]}
    with console.status(say(language, "import_report.writing")):
        batch = await app.core.propose([("import_bible", arguments)], asker, complete=True)
        if not batch.settled:
            batch = await app.core.decide(batch.id, Decision(approve=True), asker, ignore)
    if batch.edit is None:
        console.print(say(language, "import_report.failed"), style="lore.trouble")
        return TROUBLE
    console.print(say(language, "import_report.done", edit=batch.edit, series=name), style="lore.done")
    console.print(say(language, "import_report.done_hint", edit=batch.edit, series=name))
    return 0
