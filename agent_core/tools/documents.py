"""The tools that make documents; each waits for a confirmation, and its file is sent with the answer."""

import asyncio
from functools import partial
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from agent_core.documents.draft import Paper, draft
from agent_core.documents.exports import picture_in
from agent_core.documents.model import Document, FindImage
from agent_core.documents.plain import pictures_of
from agent_core.documents.rows import MAX_COLUMNS, MAX_ROWS, ColumnType, Given, Sheet, sheet_of
from agent_core.errors import DocumentRefusal
from agent_core.tools.basis import basis_of
from agent_core.tools.made_file import FileArgs, propose_file
from agent_core.tools.spec import Args, Family, Proposal, Risk, Tool, ToolContext
from agent_core.vault.note import Note
from agent_core.vault.vault import Vault

_SECONDS = 120


class TextArgs(FileArgs):
    """Arguments of create_docx."""

    title: str = Field(description="stands above the text and in the file's properties")
    text: str = Field(
        "",
        description="Markdown: headings, lists, tables, pictures of the notes, [^1] footnotes, code, quotes",
    )
    note: str = Field("", description="path of a note whose whole text is taken instead of text")
    author: str = Field("", description="stands below the title")
    contents: bool = Field(False, description="with a table of contents")
    page_numbers: bool = Field(True, description="with page numbers")
    paper: Paper = Field("a4", description="size of the pages")
    language: str = Field(
        "", pattern=r"^([a-z]{2,3})?$", description="language of the text (en, de …); the person's if empty"
    )


class PdfArgs(TextArgs):
    """Arguments of create_pdf."""


T = TypeVar("T", bound=TextArgs)


class SheetArgs(Args):
    """A sheet of create_xlsx."""

    name: str = Field(description="name of the sheet")
    header: tuple[str, ...] = Field((), description="names of the columns")
    rows: tuple[tuple[Given, ...], ...] = Field(
        description="rows of cells; numbers as numbers, null is empty"
    )
    types: tuple[ColumnType, ...] = Field(
        (), description="per column: auto (as given), text, number or date (texts are read as such)"
    )


class WorkbookArgs(FileArgs):
    """Arguments of create_xlsx."""

    title: str = Field(description="what the workbook is about; names the file")
    sheets: Annotated[tuple[SheetArgs, ...], Field(min_length=1, max_length=100)] = Field(
        description="the sheets, in order"
    )


class CsvArgs(FileArgs):
    """Arguments of create_csv."""

    title: str = Field(description="what the table is about; names the file")
    header: tuple[str, ...] = Field((), description="names of the columns")
    rows: tuple[tuple[Given, ...], ...] = Field(
        description="rows of cells; numbers as numbers, null is empty"
    )
    types: tuple[ColumnType, ...] = Field(
        (), description="per column: auto (as given), text, number or date (texts are read as such)"
    )
    separator: Literal["comma", "semicolon", "tab"] = Field("comma", description="what parts the cells")


async def _pdf(context: ToolContext, args: PdfArgs) -> Proposal:
    try:
        from agent_core.documents.pdf import make_pdf  # noqa: PLC0415  typst and fonts are an extra
    except ImportError as error:
        raise DocumentRefusal(reason="extra", command="scripts/run --full") from error
    args = _in_language(context, args)
    document, find_image = await asyncio.to_thread(_drafted, context, args)
    made = await asyncio.to_thread(make_pdf, document, find_image, context.clock.now())
    source = await asyncio.to_thread(_source, document, find_image)
    return await propose_file(context, args, made, args.title, source)


async def _docx(context: ToolContext, args: TextArgs) -> Proposal:
    from agent_core.documents.word import make_docx  # noqa: PLC0415  slow to import, and seldom needed

    args = _in_language(context, args)
    document, find_image = await asyncio.to_thread(_drafted, context, args)
    made = await asyncio.to_thread(make_docx, document, find_image, context.clock.now())
    source = await asyncio.to_thread(_source, document, find_image)
    return await propose_file(context, args, made, args.title, source)


async def _xlsx(context: ToolContext, args: WorkbookArgs) -> Proposal:
    from agent_core.documents.workbook import make_xlsx  # noqa: PLC0415  slow to import, and seldom needed

    sheets = await asyncio.to_thread(lambda: [_sheet(one.name, one) for one in args.sheets])
    made = await asyncio.to_thread(make_xlsx, sheets, context.clock.now())
    return await propose_file(context, args, made, args.title)


async def _csv(context: ToolContext, args: CsvArgs) -> Proposal:
    from agent_core.documents.delimited import make_csv  # noqa: PLC0415  as the others

    sheet = await asyncio.to_thread(_sheet, args.title, args)
    made = await asyncio.to_thread(make_csv, sheet, args.separator)
    return await propose_file(context, args, made, args.title)


def _drafted(context: ToolContext, args: TextArgs) -> tuple[Document, FindImage]:
    """Return the document of the arguments, and what finds its pictures; it blocks."""
    text, vaults, path = args.text, list(context.notes.available.values()), ""
    if args.note:
        if text:
            raise DocumentRefusal(reason="both")
        vault, note = _note(context, args)
        text, vaults, path = note.text[note.markup.body :], [vault], note.path
    document = draft(
        text,
        title=args.title,
        author=args.author,
        language=args.language,
        contents=args.contents,
        page_numbers=args.page_numbers,
        paper=args.paper,
    )
    return document, partial(picture_in, vaults, path)


def _in_language(context: ToolContext, args: T) -> T:
    """Return the arguments with the language of whoever asks: whoever decides may have another one."""
    return args.model_copy(update={"language": args.language or context.asker.language[:2]})


def _source(document: Document, find_image: FindImage) -> str:
    """Return a digest of all that a document is made of; it blocks."""
    named = {source: find_image(source) for source in pictures_of(document.blocks, document.notes)}
    return basis_of(repr(document), *(image.content if image else "" for image in named.values()))


def _note(context: ToolContext, args: TextArgs) -> tuple[Vault, Note]:
    vault = context.notes.vault(args.vault)
    return vault, vault.note(args.note)


def _sheet(name: str, args: SheetArgs | CsvArgs) -> Sheet:
    sheet = sheet_of(name, args.header, args.rows, args.types)
    if len(sheet.rows) > MAX_ROWS:
        raise DocumentRefusal(reason="rows", most=MAX_ROWS)
    if sheet.columns > MAX_COLUMNS:
        raise DocumentRefusal(reason="columns", most=MAX_COLUMNS)
    if not sheet.columns:
        raise DocumentRefusal(reason="empty")
    return sheet


CREATE_PDF = Tool(
    name="create_pdf",
    family=Family.DOCUMENTS,
    risk=Risk.WRITE,
    args=PdfArgs,
    propose=_pdf,
    description="Make a PDF of a text in Markdown or of a note, and send it to the conversation.",
    timeout_s=_SECONDS,
)
CREATE_DOCX = Tool(
    name="create_docx",
    family=Family.DOCUMENTS,
    risk=Risk.WRITE,
    args=TextArgs,
    propose=_docx,
    description="Make a Word document of a text in Markdown or of a note, and send it to the conversation.",
    timeout_s=_SECONDS,
)
CREATE_XLSX = Tool(
    name="create_xlsx",
    family=Family.DOCUMENTS,
    risk=Risk.WRITE,
    args=WorkbookArgs,
    propose=_xlsx,
    description="Make a workbook of rows, one sheet or several, and send it; texts never become formulas.",
    timeout_s=_SECONDS,
)
CREATE_CSV = Tool(
    name="create_csv",
    family=Family.DOCUMENTS,
    risk=Risk.WRITE,
    args=CsvArgs,
    propose=_csv,
    description="Make a CSV table of rows and send it; texts that look like formulas are made harmless.",
    timeout_s=_SECONDS,
)

DOCUMENTS = (CREATE_PDF, CREATE_DOCX, CREATE_XLSX, CREATE_CSV)
