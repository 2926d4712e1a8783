"""The tool that takes a book of the series out as a file."""

from functools import partial

from pydantic import Field

from agent_core.exporting.formats import BookFormat, book_file, find_book
from agent_core.tools.lore_read import canon_of, where
from agent_core.tools.made_file import FileArgs, propose_file
from agent_core.tools.spec import Family, Proposal, Risk, Tool, ToolContext


class BookArgs(FileArgs):
    """Arguments of export_book."""

    format: BookFormat = Field(BookFormat.DOCX, description="docx, epub or markdown")
    book: str = Field("", description="which book: its number, title or id; that of the thread if empty")
    author: str = Field("", description="stands on the title page")
    language: str = Field(
        "", pattern=r"^([a-z]{2,3})?$", description="language of the book (en, de …); the person's if empty"
    )


async def _export(context: ToolContext, args: BookArgs) -> Proposal:
    canon = canon_of(context)
    book = find_book(canon, args.book, bound=context.asker.bound, **where(context))
    language = args.language or context.asker.language[:2]
    args = args.model_copy(update={"book": book, "language": language})
    file_as = partial(book_file, canon, book, language=language, author=args.author, at=context.clock.now())
    title, made = await file_as(args.format)
    _, text = await file_as(BookFormat.MARKDOWN)  # every character of it, and no time of making
    return await propose_file(context, args, made, title, text.content)


EXPORT_BOOK = Tool(
    name="export_book",
    family=Family.DOCUMENTS,
    risk=Risk.WRITE,
    args=BookArgs,
    propose=_export,
    description="Take a whole book of the series out as a Word document, an EPUB or Markdown, and send it.",
    timeout_s=120,
)
