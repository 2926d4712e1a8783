"""`lorekeeper export FILE --format docx|epub|markdown`: one book as a file that people read."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

import typer

from agent_core.errors import NotPermitted, StoreCause, StoreFailure
from agent_core.exporting.formats import BookFormat, book_file, find_book
from agent_core.texts import say
from bot.cli.place import Seat, seated
from bot.wiring import App


async def export_book(app: App, file: Path, form: BookFormat, series: str, book: str) -> int:
    """Write a book into a file that is not there yet; return the exit code.

    Raises:
        NotPermitted: reason "unknown_series".
        DocumentRefusal: reason "book" or "empty".
        StoreFailure: reason "backup_exists", or what the disk said.
    """
    language, askers = app.settings.language, app.core.askers
    asker = await seated(app, Seat(series=series))
    canon = await askers.canon(asker.conversation)
    if canon is None:
        raise NotPermitted(reason="unknown_series", name=series)
    node = find_book(canon, book, here=None, book=asker.conversation.book, bound=asker.bound)
    title, made = await book_file(
        canon, node, form, language=language, author="", at=app.core.runtime.clock.now()
    )
    await asyncio.to_thread(write_new, file, made.content)
    chapters = say(language, "proposal.document_chapters", n=made.facts["chapters"])
    typer.echo(say(language, "document.exported", file=str(file), title=title, chapters=chapters))
    return 0


def write_new(file: Path, content: bytes) -> None:
    """Write a file that is not there yet, whole or not at all; its folder is made where it is missing.

    Raises:
        StoreFailure: reason "backup_exists", or `StoreCause.READ_ONLY`.
    """
    unfinished = file.with_name(f"{file.name}.unfinished")
    if file.exists():
        raise StoreFailure(reason="backup_exists", file=file.name)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as written:
            written.write(content)
            written.flush()
            os.fsync(written.fileno())
        unfinished.replace(file)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
        raise StoreFailure(reason=StoreCause.READ_ONLY) from error
