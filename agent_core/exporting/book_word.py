"""Takes a manuscript out as DOCX: a title page, parts and chapters on new pages, scenes apart by stars."""

from collections.abc import Iterator
from datetime import datetime

from agent_core.documents.legible import legible
from agent_core.documents.markdown import read_story
from agent_core.documents.model import Block, Document, Heading, Made, Paragraph, Text
from agent_core.documents.word import MEDIA_TYPE, WordWriter
from agent_core.exporting.book_markdown import BREAK
from agent_core.exporting.headings import has_parts, headed
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
    removed = 0
    for one in headed(manuscript):
        if one.part:
            removed += _write(writer, _headline(1, one.part))
        if one.heading:
            removed += _write(writer, _headline(level, one.heading))
        for place, scene in enumerate(one.chapter.scenes):
            if scene.title:
                removed += _write(writer, _headline(level + 1, scene.title))
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


def _headline(level: int, text: str) -> tuple[Heading, int]:
    text, removed = legible(text)
    return Heading(level, (Text(text=text),)), removed


def _write(writer: WordWriter, headline: tuple[Heading, int]) -> int:
    writer.blocks([headline[0]])
    return headline[1]


def _prose(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """Yield the blocks of a scene; a heading in it would open another one."""
    for block in blocks:
        yield Paragraph(block.inlines) if isinstance(block, Heading) else block
