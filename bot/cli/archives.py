"""`lorekeeper export`, and `import` of what it wrote: whole series from one installation to another."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from agent_core.errors import NotPermitted
from agent_core.exporting.bring_in import Arrival, Fate, bring_in, compare_archive
from agent_core.exporting.files import CanonFormat
from agent_core.exporting.formats import BookFormat
from agent_core.exporting.write import write_archive
from agent_core.texts import say
from bot.cli.books import export_book
from bot.cli.canon_export import export_canon
from bot.cli.start import TROUBLE, confirmed, with_app
from bot.wiring import App

File = Annotated[Path, typer.Argument(help="The zip file to write; for notes a folder will do.")]
Only = Annotated[str, typer.Option("--series", help="Only this series; all without it.")]


class ExportFormat(StrEnum):
    """What `--format` takes: the formats of the canon, then those of books."""

    NOTES = "notes"
    LOREBOOK = "lorebook"
    NOVELAI = "novelai"
    DOCX = "docx"
    EPUB = "epub"
    MARKDOWN = "markdown"


Form = Annotated[
    ExportFormat | None,
    typer.Option(
        "--format",
        help="The canon of one place instead (notes, lorebook, novelai), or a book (docx, epub, markdown).",
    ),
]
Book = Annotated[str, typer.Option("--book", help="With docx, epub, markdown: its number or title.")]
At = Annotated[str, typer.Option("--at", help="With notes, lorebook: the place in the story, such as 7.3.")]
Known = Annotated[str, typer.Option("--known", help="With notes, lorebook: as they stood on a day or edit.")]
AsReader = Annotated[
    str, typer.Option("--as-reader", help="With notes, lorebook: who has finished this place.")
]


def export(
    file: File,
    series: Only = "",
    form: Form = None,
    book: Book = "",
    at: At = "",
    known: Known = "",
    as_reader: AsReader = "",
) -> None:
    """Write whole series with all their edits into one zip file; `lorekeeper import` reads it.

    With --format it is the canon of one place instead, as notes or as a lorebook, or a book as people read
    it.
    """
    if form is not None and form.value in list(BookFormat):
        as_book = BookFormat(form.value)
        with_app(lambda app: export_book(app, file, as_book, series, book))
    elif form is not None:
        canon = CanonFormat(form.value)
        with_app(lambda app: export_canon(app, file, canon, series, at=at, known=known, as_reader=as_reader))
    with_app(lambda app: _export(app, file, series))


async def import_archive(app: App, file: Path, *, yes: bool) -> int:
    """Show what an export would bring, ask, and bring it in; return the exit code."""
    language = app.settings.language
    arrivals = await compare_archive(app.transfer, file)
    for arrival in arrivals:
        typer.echo(_arrival_text(arrival, language))
    if all(arrival.fate is Fate.SAME for arrival in arrivals):
        typer.echo(say(language, "import_report.nothing"))
        return 0
    if not yes and not sys.stdin.isatty():
        typer.echo(say(language, "import_report.dry"))
        return 0
    if not yes and not confirmed(say(language, "keeping.arrival_ask")):
        typer.echo(say(language, "import_report.declined"))
        return 0
    arrived = await bring_in(app.transfer, file)
    name = next(arrival.name for arrival in arrived if arrival.fate is not Fate.SAME)
    typer.echo(say(language, "keeping.arrived", series=name))
    return 0


async def _export(app: App, file: Path, name: str) -> int:
    language, store = app.settings.language, app.core.askers.series
    chosen = await store.series_by_name(name) if name else await store.all_series()
    if name and not chosen:
        raise NotPermitted(reason="unknown_series", name=name)
    if not chosen:
        typer.echo(say(language, "keeping.export_nothing"), err=True)
        return TROUBLE
    written = await write_archive(app.transfer, file, [series.id for series in chosen])
    names = tuple(
        say(language, "keeping.exported_series", name=name, edits=say(language, "keeping.edits", n=edits))
        for name, edits in written.series
    )
    count = say(language, "keeping.series", n=len(names))
    typer.echo(say(language, "keeping.exported", file=str(file), series=count, names=names))
    return 0


def _arrival_text(arrival: Arrival, language: str) -> str:
    edits = say(language, "keeping.edits", n=max(arrival.there - arrival.here, 0))
    key = f"keeping.arrival_{arrival.fate.value}"
    return say(language, key, series=arrival.name, here=arrival.here, edits=edits)
