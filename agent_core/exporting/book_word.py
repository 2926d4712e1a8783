"""Takes a manuscript out as DOCX: a title page, parts and chapters on new pages, scenes apart by stars."""

from collections.abc import Iterator
from datetime import datetime

from agent_core.documents.legible import legible
from agent_core.documents.markdown import read_story
from agent_core.documents.model import Block, Document, Heading, Made, Paragraph, Text
from agent_core.documents.word import MEDIA_TYPE, WordWriter
from agent_core.exporting.book_markdown import BREAK
from agent_core.exporting.headings import Headed, has_parts, headed
from agent_core.importing.manuscript import Manuscript


def word_of(manuscript: Manuscript, author: str, at: datetime) -> Made:
    """Return the file."""
    level = 2 if has_parts(manuscript) else 1
    about = Document(title=legible(manuscript.title)[0], author=author, language=manuscript.language)
    writer = WordWriter(about, lambda _: None, at)
    writer.title_lines()
    if manuscript.series:
        writer.line(legible(manuscript.series)[0], style="Subtitle")
    for heading_level in range(1, level + 1):
        writer.begin_pages_at(heading_level)
    writer.contents(_headings(manuscript, level))
    removed = 0
    for one in headed(manuscript):
        writer.blocks(_above(one, level))
        for place, scene in enumerate(one.chapter.scenes):
            if scene.title:
                writer.blocks([_heading(level + 1, scene.title)])
            elif place:
                writer.line(BREAK, centred=True)
            text, gone = legible(scene.text)
            removed += gone
            writer.blocks(_prose(read_story(text)))
    return Made(
        content=writer.finished(),
        media_type=MEDIA_TYPE,
        suffix=".docx",
        facts={"chapters": len(manuscript.chapters)},
        removed=removed,
    )


def _headings(manuscript: Manuscript, level: int) -> Iterator[Heading]:
    for one in headed(manuscript):
        yield from _above(one, level)
        yield from (_heading(level + 1, scene.title) for scene in one.chapter.scenes if scene.title)


def _above(one: Headed, level: int) -> Iterator[Heading]:
    """Yield the headings that stand above a chapter: that of the part which begins with it, and its own."""
    if one.part:
        yield _heading(1, one.part)
    if one.heading:
        yield _heading(level, one.heading)


def _heading(level: int, text: str) -> Heading:
    return Heading(level, (Text(text=legible(text)[0]),))


def _prose(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """Yield the blocks of a scene; a heading in it would open another one."""
    for block in blocks:
        yield Paragraph(block.inlines) if isinstance(block, Heading) else block
