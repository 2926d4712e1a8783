"""Chapters of a text whose only structure is headings by level: Markdown and DOCX.

The level of chapters is that of headings such as "Chapter 3"; without any, the one below parts ("Part Two");
without these, the second level found if the first is used once, at the top, for the book's title; else the
first. Deeper headings name scenes; other headings above the chapters are parts.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from agent_core.importing.chapters import ChapterDraft, same_title
from agent_core.importing.headings import Heading, HeadingKind, parse_heading
from agent_core.importing.scenes import Block, Passage, SceneBreak, SceneTitle


@dataclass(frozen=True, slots=True)
class Headline:
    """A heading and its level, 1 the highest."""

    level: int
    text: str


HeadedBlock = Headline | Passage | SceneBreak


@dataclass(frozen=True, slots=True)
class HeadedText:
    """What the headings make of a text. `dropped` names text that is no story."""

    title: str
    drafts: tuple[ChapterDraft, ...]
    dropped: tuple[str, ...]


_TITLE_PAGE_WORDS = 200
_LONGEST_CHAPTER_LINE = 80
_DROPPED = frozenset((HeadingKind.PREFATORY, HeadingKind.SILENT))


def read_book(blocks: Iterable[HeadedBlock], title: str = "") -> HeadedText:
    """Return the chapters of a whole book; up to 200 words before its first heading are a title page.

    Where the title is known, only a heading that says it again is one.
    """
    headed = _with_chapter_lines(list(blocks))
    headlines = [block for block in headed if isinstance(block, Headline)]
    may_have_title = not title or any(same_title(one.text, title) for one in headlines[:1])
    level = _chapter_level(headlines, may_have_title=may_have_title)
    headline = _title(headed, headlines, level) if may_have_title else None
    reader = _Reader(level, headline, "", "")
    reader.read(headed)
    return reader.result(may_have_title_page=bool(headlines))


def read_chapter_file(blocks: Iterable[HeadedBlock], name: str, part: str, file: str) -> HeadedText:
    """Return the chapters of one file of a book; text above any heading is a chapter called `name`."""
    headed = list(blocks)
    level = _chapter_level([block for block in headed if isinstance(block, Headline)], may_have_title=False)
    reader = _Reader(level, None, part, file)
    if headed and not isinstance(headed[0], Headline):
        reader.open_chapter(parse_heading(name))
    reader.read(headed)
    return reader.result(may_have_title_page=False)


def _with_chapter_lines(blocks: list[HeadedBlock]) -> list[HeadedBlock]:
    """Return the blocks; where there is no heading at all, lines such as "Chapter One" become headings."""
    if any(isinstance(block, Headline) for block in blocks):
        return blocks
    return [part for block in blocks for part in _with_headlines(block)]


def _with_headlines(block: HeadedBlock) -> list[HeadedBlock]:
    if not isinstance(block, Passage):
        return [block]
    found: list[HeadedBlock] = []
    text: list[str] = []
    for paragraph in block.text.split("\n\n"):
        if not _is_chapter_line(paragraph):
            text.append(paragraph)
            continue
        found += [Passage("\n\n".join(text))] if text else []
        found.append(Headline(1, paragraph.replace("*", "").strip()))
        text = []
    return [*found, Passage("\n\n".join(text))] if text else found


def _is_chapter_line(paragraph: str) -> bool:
    if len(paragraph) > _LONGEST_CHAPTER_LINE or "\n" in paragraph.strip():
        return False
    heading = parse_heading(paragraph.replace("*", ""))
    return heading.worded or heading.kind is HeadingKind.STORY


def _chapter_level(headlines: Sequence[Headline], *, may_have_title: bool) -> int:
    levels = sorted({headline.level for headline in headlines}) or [1]
    parsed = [(headline.level, parse_heading(headline.text)) for headline in headlines]
    worded = Counter(
        level for level, heading in parsed if heading.worded and heading.kind is HeadingKind.CHAPTER
    )
    if worded:
        return worded.most_common(1)[0][0]
    part = min((level for level, heading in parsed if heading.kind is HeadingKind.PART), default=0)
    if part:
        return next((level for level in levels if level > part), part)
    at_top = [headline for headline in headlines if headline.level == levels[0]]
    is_title = may_have_title and len(levels) > 1 and len(at_top) == 1 and headlines[0] is at_top[0]
    return levels[1] if is_title else levels[0]


def _title(blocks: list[HeadedBlock], headlines: list[Headline], level: int) -> Headline | None:
    """Return the heading that is the book's title: the first, above the chapters or alone without text."""
    if not headlines:
        return None
    first = headlines[0]
    if parse_heading(first.text).kind is not HeadingKind.PLAIN:
        return None
    alone = [headline for headline in headlines if headline.level == first.level] == [first]
    if first.level < level:
        return first if alone or _is_bare(blocks, first) else None
    others_are_chapters = any(parse_heading(headline.text).worded for headline in headlines[1:])
    return first if first.level == level and others_are_chapters and _is_bare(blocks, first) else None


def _is_bare(blocks: list[HeadedBlock], headline: Headline) -> bool:
    after = next(place for place, block in enumerate(blocks) if block is headline) + 1
    return after < len(blocks) and isinstance(blocks[after], Headline)


@dataclass(slots=True)
class _Open:
    heading: Heading
    part: str
    kind: HeadingKind
    matter: bool
    blocks: list[Block] = field(default_factory=list)

    @property
    def passages(self) -> list[str]:
        return [block.text for block in self.blocks if isinstance(block, Passage)]


class _Reader:
    def __init__(self, level: int, title: Headline | None, part: str, file: str) -> None:
        self._level = level
        self._title = title
        self._parts: dict[int, str] = {0: part} if part else {}
        self._file = file
        self._before = _Open(parse_heading(""), part, HeadingKind.PLAIN, matter=True)
        self._open = [self._before]

    def read(self, blocks: list[HeadedBlock]) -> None:
        """Take in all blocks."""
        for block in blocks:
            if isinstance(block, Headline):
                self._head(block)
            else:
                self._open[-1].blocks.append(block)

    def open_chapter(self, heading: Heading) -> None:
        """Begin a chapter."""
        part = " · ".join(label for _, label in sorted(self._parts.items()))
        self._open.append(_Open(heading, part, heading.kind, matter=False))

    def result(self, *, may_have_title_page: bool) -> HeadedText:
        """Return everything read."""
        dropped = [section for section in self._open if section.kind in _DROPPED]
        if may_have_title_page and self._is_title_page(self._before):
            dropped.insert(0, self._before)
        elif len(self._open) == 1:
            self._before.matter = False
        drafts = tuple(self._draft(section) for section in self._open if section not in dropped)
        named = tuple(
            section.heading.label or section.passages[0][:60] for section in dropped if section.passages
        )
        return HeadedText(self._title.text if self._title else "", drafts, named)

    def _head(self, headline: Headline) -> None:
        if headline is self._title:
            return
        heading = parse_heading(headline.text)
        if headline.level > self._level:
            self._open[-1].blocks.append(SceneTitle(heading.label))
        elif heading.kind in _DROPPED:
            self._open.append(_Open(heading, "", heading.kind, matter=True))
        elif headline.level < self._level or heading.kind is HeadingKind.PART:
            self._open_part(headline.level, heading)
        else:
            self.open_chapter(heading)

    def _open_part(self, level: int, heading: Heading) -> None:
        self._parts = {above: label for above, label in self._parts.items() if above < level}
        self._parts[level] = heading.label
        part = " · ".join(label for _, label in sorted(self._parts.items()))
        self._open.append(_Open(heading, part, HeadingKind.PART, matter=True))

    def _is_title_page(self, section: _Open) -> bool:
        return sum(len(text.split()) for text in section.passages) <= _TITLE_PAGE_WORDS

    def _draft(self, section: _Open) -> ChapterDraft:
        heading = section.heading
        counted = section.kind in {HeadingKind.CHAPTER, HeadingKind.PLAIN}
        return ChapterDraft(
            kind=section.kind,
            number=heading.number if counted else "",
            title=heading.title if counted else heading.label,
            part=section.part,
            blocks=tuple(section.blocks),
            file=self._file,
            matter=section.matter,
        )
