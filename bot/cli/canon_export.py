"""`lorekeeper export --format`: the canon of a place as Markdown notes or as a lorebook."""

import asyncio
from pathlib import Path

import typer

from agent_core.errors import NotPermitted
from agent_core.exporting.files import CanonFormat, canon_file
from agent_core.exporting.notes import NoteText, canon_notes
from agent_core.exporting.view import canon_view
from agent_core.lore.record_time import known_from_text
from agent_core.texts import say
from bot.cli.books import write_new
from bot.cli.place import Seat, seated
from bot.cli.start import TROUBLE
from bot.wiring import App


async def export_canon(
    app: App, target: Path, form: CanonFormat, name: str, *, at: str, known: str, as_reader: str
) -> int:
    """Write the canon as of a place into a file or folder; return the exit code.

    Raises:
        NotPermitted: reason "unknown_series".
        StoreFailure: the disk takes nothing there.
    """
    language, askers = app.settings.language, app.core.askers
    asker = await seated(app, Seat(series=name))
    canon = await askers.canon(asker.conversation)
    if canon is None:
        raise NotPermitted(reason="unknown_series", name=name)
    if not await asyncio.to_thread(_is_free, target):
        typer.echo(say(language, "export.there", file=str(target)), err=True)
        return TROUBLE
    now, zone = app.core.runtime.clock.now(), asker.conversation.time_zone
    view = await canon_view(
        canon,
        at=at or None,
        known=await known_from_text(known, now, zone, canon, bound=asker.bound) if known else None,
        as_reader=as_reader or None,
        bound=asker.bound,
        here=None,
        book=asker.conversation.book,
    )
    if form is CanonFormat.NOTES and target.suffix.lower() != ".zip":
        await asyncio.to_thread(_write_notes, target, canon_notes(view, language))
    else:
        made = await asyncio.to_thread(canon_file, view, form, language)
        await asyncio.to_thread(write_new, target, made.content)
    typer.echo(say(language, "export.wrote", n=len(view.entries), file=str(target)))
    return 0


def _is_free(target: Path) -> bool:
    return not target.exists() or (target.is_dir() and not any(target.iterdir()))


def _write_notes(folder: Path, notes: tuple[NoteText, ...]) -> None:
    for note in notes:
        place = folder / note.path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(note.text.encode("utf-8", "replace"))
