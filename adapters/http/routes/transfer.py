"""Books in, as a dry run first and then as one edit a series; whole series out."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, File, Form, UploadFile
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from adapters.cards.sentence import warning_text
from adapters.http import asking, places
from adapters.http.dependencies import AtDesk, Called, Hosted
from adapters.http.host import Caller, Host
from adapters.http.problems import Problem, not_found
from adapters.http.routes import examples
from adapters.http.shapes import BatchOut, BookReport, Imported, ImportIn, Report, SeriesReport
from adapters.http.show import batch_out
from agent_core.errors import ImportFailure, NothingToDo, NotPermitted
from agent_core.exporting.write import write_archive
from agent_core.importing.again import known_book, plan_books
from agent_core.importing.bible.files import is_bible
from agent_core.importing.bible.plan import plan_bible
from agent_core.importing.bible.reading import read_bible
from agent_core.importing.manuscript import Manuscript
from agent_core.importing.uploads import Uploads
from agent_core.lore.canon import Canon
from agent_core.lore.model import Series
from agent_core.messages import Json
from agent_core.people.model import WRITERS
from agent_core.pipeline.confirmations import Decision
from agent_core.texts import say
from agent_core.tools.spec import is_lead

router = APIRouter(tags=["transfer"])
taking = partial(router.api_route, methods=["POST"])

MAX_FILES = 100


@taking("/api/imports", responses=examples.answer("report"))
async def dry_run(
    host: Hosted,
    caller: Called,
    files: Annotated[list[UploadFile], File(description="EPUB, DOCX, Markdown, or a story bible")],
    series: Annotated[str, Form(max_length=200, description="for books that name no series")] = "",
) -> Report:
    """Read books and tell what importing them would do; nothing is written. For who writes in a series."""
    await _check_writer(host, caller)
    if not files or len(files) > MAX_FILES:
        raise Problem(422, "no_files")
    uploads, person, fresh = host.core.askers.uploads, caller.person.id, host.core.runtime.new_id()
    paths = await uploads.keep(person, fresh, [(file.filename or "", file.file) for file in files])
    try:
        if is_bible(path.name for path in paths):
            return Report(import_id=fresh, series=(await _bible_report(host, caller, series, paths),))
        books = await _read(paths)
        groups = _groups(books, series)
        reports = [await _report(host, caller, name, group) for name, group in groups.items()]
    except BaseException:
        await uploads.drop(person, fresh)
        raise
    return Report(import_id=fresh, series=tuple(reports))


@taking("/api/imports/{upload}", responses=examples.answer("imported"), openapi_extra=examples.body("import"))
async def import_(upload: str, wanted: ImportIn, host: Hosted, caller: Called) -> Imported:
    """Import what a dry run has shown: one edit a series, which can be taken back whole."""
    await _check_writer(host, caller)
    uploads = host.core.askers.uploads
    paths = await _paths(uploads, caller, upload)
    if is_bible(path.name for path in paths):
        name = wanted.series or (await asyncio.to_thread(read_bible, paths)).title or paths[0].stem
        bible = await _written(host, caller, name, "import_bible", {"source": "upload", "upload": upload})
        await uploads.drop(caller.person.id, upload)
        return Imported(batches=() if bible is None else (bible,))
    groups = _groups(await _read(paths), wanted.series)
    batches = [
        await _imported(host, caller, name, group, upload, delete_gone=wanted.delete_gone)
        for name, group in groups.items()
    ]
    await uploads.drop(caller.person.id, upload)
    return Imported(batches=tuple(batch for batch in batches if batch is not None))


@router.get("/api/series/{seriesId}/export", response_class=FileResponse, responses=examples.archive())
async def export(host: Hosted, caller: Called, asker: AtDesk) -> Response:
    """Return a series with all its edits as a zip file for `lorekeeper import`; leads and operators only."""
    series = asker.conversation.series
    if not (caller.person.operator or is_lead(asker)):
        raise Problem(403, "lead")
    assert series is not None  # noqa: S101  a desk is about a series
    uploads, person, fresh = host.core.askers.uploads, caller.person.id, host.core.runtime.new_id()
    file = await uploads.fresh_file(person, fresh, "series.zip")
    await write_archive(host.app.transfer, file, [series])
    return FileResponse(
        file,
        filename="series.zip",
        media_type="application/zip",
        background=BackgroundTask(uploads.drop, person, fresh),
    )


async def _check_writer(host: Host, caller: Caller) -> None:
    rights = await host.core.askers.people.rights(caller.person.id)
    if not (caller.person.operator or any(one.role in WRITERS for one in rights.memberships)):
        raise NotPermitted(reason="reader")


async def _paths(uploads: Uploads, caller: Caller, upload: str) -> Sequence[Path]:
    try:
        return await uploads.paths(caller.person.id, upload)
    except ImportFailure:
        raise not_found() from None


async def _read(paths: Sequence[Path]) -> list[Manuscript]:
    from agent_core.importing.reading import read_manuscripts  # noqa: PLC0415  slow, and only needed here

    return await read_manuscripts(paths)


def _groups(books: Sequence[Manuscript], series: str) -> dict[str, list[Manuscript]]:
    groups: dict[str, list[Manuscript]] = {}
    for book in books:
        groups.setdefault(book.series or series or book.title, []).append(book)
    return groups


async def _own(host: Host, caller: Caller, name: str) -> Canon | None:
    """Return the canon of the caller's series of this name, None where it would be a new one."""
    askers = host.core.askers
    for series in await askers.series.series_by_name(name):
        membership = await askers.people.membership(caller.person.id, series.id)
        if membership is not None and membership.role in WRITERS:
            return await askers.open_canon(series)
    return None


async def _report(host: Host, caller: Caller, name: str, books: Sequence[Manuscript]) -> SeriesReport:
    canon, is_same = await _own(host, caller, name), False
    warnings: tuple[str, ...] = ()
    if canon is not None:
        try:
            plan = await plan_books(canon, books, new_id=host.core.runtime.new_id)
            warnings = tuple(warning_text(warning, caller.language) for warning in plan.card.warnings)
        except NothingToDo:
            is_same = True
    return SeriesReport(
        name=name,
        exists=canon is not None,
        nothing_to_do=is_same,
        warnings=warnings,
        books=tuple(_book(book, canon, caller.language) for book in books),
    )


async def _bible_report(host: Host, caller: Caller, given: str, paths: Sequence[Path]) -> SeriesReport:
    bible = await asyncio.to_thread(read_bible, paths)
    name = given or bible.title or paths[0].stem
    own, new_id = await _own(host, caller, name), host.core.runtime.new_id
    canon = own or await host.core.askers.open_canon(
        Series(id=new_id(), name=name, owner=caller.person.id)  # nothing is written: it is not begun either
    )
    planned = await plan_bible(canon, bible, name=name, new_id=new_id)
    return SeriesReport(
        name=name,
        exists=own is not None,
        nothing_to_do=planned.plan is None,
        warnings=tuple(warning_text(warning, caller.language) for warning in planned.review.lines()),
        books=(),
    )


def _book(book: Manuscript, canon: Canon | None, language: str) -> BookReport:
    scenes = [scene for chapter in book.chapters for scene in chapter.scenes]
    labels = (
        say(language, "import_report.chapter", number=chapter.number, title=chapter.title).strip()
        for chapter in book.chapters
    )
    return BookReport(
        title=book.title,
        is_new=canon is None or known_book(canon.outline, book) is None,
        chapters=tuple(labels),
        scenes=len(scenes),
        words=sum(len(scene.text.split()) for scene in scenes),
        warnings=tuple(
            say(language, f"import_warning.{warning.code.value}", **warning.params)
            for warning in book.warnings
        ),
    )


async def _imported(
    host: Host,
    caller: Caller,
    name: str,
    books: Sequence[Manuscript],
    upload: str,
    *,
    delete_gone: bool,
) -> BatchOut | None:
    """Return the batch that brought books into the caller's series of this name, None if nothing differs."""
    arguments: Mapping[str, Json] = {
        "source": "upload",
        "upload": upload,
        "titles": [book.title for book in books],
        "seriesNames": sorted({book.series for book in books}),
        "deleteGone": delete_gone,
    }
    return await _written(host, caller, name, "import_manuscript", arguments)


async def _written(
    host: Host, caller: Caller, name: str, tool: str, arguments: Mapping[str, Json]
) -> BatchOut | None:
    """Return the batch of an import into the caller's series of this name, None if there is nothing to do."""
    lobby = await places.lobby(host, caller)
    await host.core.propose([("link_thread", {"series": name})], lobby, complete=True)
    linked = await places.lobby(host, caller)
    if linked.conversation.series is None:
        raise not_found()
    asker = await places.desk(host, caller, linked.conversation.series)
    try:
        batch = await asking.propose(host, asker, tool, arguments, at_once=True)
    except NothingToDo:
        return None
    if not batch.settled:
        run = await asking.decide(host, asker, batch, Decision(approve=True, digest=batch.digest))
        batch = await run.ended()
    return await batch_out(host, batch, asker)
