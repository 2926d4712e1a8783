"""`lorekeeper import`: books from files, as a dry run first; each series gets one edit."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.progress import Progress

from adapters.cards.sentence import warning_text
from adapters.cards.values import part_text
from adapters.terminal.console import terminal_console
from agent_core.errors import NothingToDo
from agent_core.events import ignore
from agent_core.importing.again import known_book, plan_books
from agent_core.importing.manuscript import Manuscript
from agent_core.messages import Json
from agent_core.pipeline.confirmations import Decision
from agent_core.texts import say, standing
from agent_core.tools.spec import Asker
from bot.cli.archives import import_archive
from bot.cli.bible import import_bible
from bot.cli.place import Seat, linked, seated
from bot.cli.start import TROUBLE, USAGE, confirmed, with_app
from bot.wiring import App

SHOWN_CHAPTERS = 40

Files = Annotated[
    list[Path], typer.Argument(help="EPUB, DOCX or Markdown, folders of them, or an export (.zip).")
]
Yes = Annotated[bool, typer.Option("--yes", help="Import without asking.")]
Gone = Annotated[
    bool, typer.Option("--delete-gone", help="Take scenes that the file no longer holds out of the book.")
]
Bible = Annotated[
    bool, typer.Option("--bible", help="Read notes, sheets, a codex or a lorebook: entries, not a book.")
]
Into = Annotated[str, typer.Option("--series", help="The series for books that name none.")]


def import_(
    files: Files, yes: Yes = False, series: Into = "", delete_gone: Gone = False, bible: Bible = False
) -> None:
    """Bring in books, or whole series from an export (.zip): shown first, then asked once.

    The books of a series are one edit, taken back whole. A book that is there is compared with the file: its
    scenes keep their facts, edited ones get the new text.
    """
    if bible:
        with_app(lambda app: import_bible(app, files, series, yes=yes))
    with_app(lambda app: import_files(app, files, series, yes=yes, delete_gone=delete_gone))


async def import_files(app: App, files: Sequence[Path], series: str, *, yes: bool, delete_gone: bool) -> int:
    """Show and bring in files as the command does; return the exit code."""
    if all(file.suffix.lower() != ".zip" for file in files):
        return await _import_books(app, files, series, yes=yes, delete_gone=delete_gone)
    if len(files) > 1:
        typer.echo(say(app.settings.language, "keeping.archive_alone"), err=True)
        return USAGE
    return await import_archive(app, files[0], yes=yes)


async def _import_books(app: App, files: Sequence[Path], series: str, *, yes: bool, delete_gone: bool) -> int:
    console = terminal_console(sys.stdout)
    language = app.settings.language
    books = await _read(files, console, language)
    groups: dict[str, list[Manuscript]] = {}
    for book in books:
        groups.setdefault(_series_of(book, series), []).append(book)
    planned = {
        name: await _planned(app, name, group, console, delete_gone=delete_gone)
        for name, group in groups.items()
    }
    wanted = {name: group for name, group in planned.items() if group}
    if not wanted:
        console.print(say(language, "import_report.nothing"))
        return 0
    if not yes and not sys.stdin.isatty():
        console.print(say(language, "import_report.dry"))
        return 0
    if not yes and not confirmed(say(language, "import_report.ask")):
        console.print(say(language, "import_report.declined"))
        return 0
    if not yes and await _read(files, console, language) != books:  # the answer was about what was shown
        console.print(say(language, "import_report.failed"), style="lore.trouble")
        return TROUBLE
    written = [
        await _write(app, files, name, group, console, delete_gone=delete_gone)
        for name, group in wanted.items()
    ]
    return 0 if all(written) else TROUBLE


async def _read(files: Sequence[Path], console: Console, language: str) -> list[Manuscript]:
    from agent_core.importing.reading import read_manuscripts  # noqa: PLC0415  slow, and only needed here

    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(say(language, "import_report.reading"), total=None)

        def show(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        return await read_manuscripts(files, show)


def _series_of(book: Manuscript, given: str) -> str:
    return book.series or given or book.title


async def _planned(
    app: App, series: str, books: Sequence[Manuscript], console: Console, *, delete_gone: bool
) -> list[Manuscript]:
    """Show what would be done with the books of a series; return them, or nothing if nothing would."""
    language = app.settings.language
    asker = await seated(app, Seat(series=series))
    canon = await app.core.askers.canon(asker.conversation)
    if canon is None:
        _report(console, language, series, books)
        return list(books)
    new = [book for book in books if known_book(canon.outline, book) is None]
    try:
        plan = await plan_books(canon, books, delete_gone=delete_gone, new_id=app.core.runtime.new_id)
    except NothingToDo as nothing:
        for book in books:
            scenes = sum(len(chapter.scenes) for chapter in book.chapters)
            console.print(say(language, "import_report.same", title=book.title, n=scenes))
        if gone := nothing.facts.get("gone"):
            console.print(say(language, "import_report.still_there", n=gone))
            console.print(say(language, "import_report.gone_hint"), style="lore.note")
        return []
    if new:
        _report(console, language, series, new)
    for warning in plan.card.warnings:
        console.print(f"  {warning_text(warning, language)}")
    if not delete_gone and any(warning.code.endswith("_stays") for warning in plan.card.warnings):
        console.print(say(language, "import_report.gone_hint"), style="lore.note")
    return list(books)


def _report(console: Console, language: str, series: str, books: Sequence[Manuscript]) -> None:
    count = say(language, "import_report.books", n=len(books))
    console.print(say(language, "import_report.series", series=series, books=count), style="lore.title")
    for book in books:
        scenes = [scene for chapter in book.chapters for scene in chapter.scenes]
        words = sum(len(scene.text.split()) for scene in scenes)
        counts = say(
            language,
            "import_report.counts",
            chapters=say(language, "import_report.chapters", n=len(book.chapters)),
            scenes=say(language, "import_report.scenes", n=len(scenes)),
            words=say(language, "import_report.words", n=words),
        )
        console.print(Padding(f"{standing(book.title)}: {counts}", (0, 0, 0, 2), expand=False))
        _chapters(console, language, book)
        for warning in book.warnings:
            text = say(language, f"import_warning.{warning.code.value}", **warning.params)
            console.print(Padding(text, (0, 0, 0, 4), expand=False), style="lore.warning")


def _chapters(console: Console, language: str, book: Manuscript) -> None:
    part = ""
    for chapter in book.chapters[:SHOWN_CHAPTERS]:
        if chapter.part != part:
            part = chapter.part
            console.print(Padding(part_text(language, part), (0, 0, 0, 4), expand=False))
        label = say(language, "import_report.chapter", number=chapter.number, title=chapter.title)
        console.print(Padding(label.strip(), (0, 0, 0, 6 if part else 4), expand=False), style="lore.note")
    left = len(book.chapters) - SHOWN_CHAPTERS
    if left > 0:
        more = say(language, "import_report.more_chapters", n=left)
        console.print(Padding(more, (0, 0, 0, 4), expand=False), style="lore.note")


async def _write(
    app: App,
    files: Sequence[Path],
    series: str,
    books: Sequence[Manuscript],
    console: Console,
    *,
    delete_gone: bool,
) -> bool:
    language = app.settings.language
    asker = await linked(app, Seat(series=series), series)
    paths = [str(path.absolute()) for path in files]
    arguments: dict[str, Json] = {
        "paths": paths,
        "titles": [book.title for book in books],
        "seriesNames": sorted({book.series for book in books}),
        "deleteGone": delete_gone,
    }
    with console.status(say(language, "import_report.writing")):
        edit = await _approved(app, arguments, asker)
    if edit is None:
        console.print(say(language, "import_report.failed"), style="lore.trouble")
        return False
    if asker.conversation.book is None:
        await linked(app, Seat(series=series), series, book=books[0].title)
    console.print(say(language, "import_report.done", edit=edit, series=series), style="lore.done")
    console.print(say(language, "import_report.done_hint", edit=edit, series=series))
    return True


async def _approved(app: App, arguments: dict[str, Json], asker: Asker) -> int | None:
    """Propose and approve an import; return its edit number, None if it failed."""
    batch = await app.core.propose([("import_manuscript", arguments)], asker, complete=True)
    if not batch.settled:
        batch = await app.core.decide(batch.id, Decision(approve=True), asker, ignore)
    return batch.edit
