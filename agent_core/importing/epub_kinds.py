"""Decides for each section of an EPUB whether it is story, and in which part it stands."""

from enum import Enum, auto

from agent_core.importing.chapters import same_title
from agent_core.importing.epub_package import Package, TocEntry
from agent_core.importing.epub_sections import Section
from agent_core.importing.epub_text import Role, role_of
from agent_core.importing.headings import Heading, HeadingKind, parse_heading


class Kind(Enum):
    """What becomes of a section."""

    CHAPTER = auto()
    STORY = auto()
    """Prologue, epilogue, interlude: a chapter without a number."""
    MATTER = auto()
    """A preface or the like that belongs to the fiction."""
    PART = auto()
    SCENE = auto()
    """Listed below a chapter that has text of its own: goes on in that chapter."""
    PREFATORY = auto()
    SILENT = auto()
    NOTES = auto()


_OF_ROLE = {
    Role.CHAPTER: Kind.CHAPTER,
    Role.PART: Kind.PART,
    Role.PREFATORY: Kind.PREFATORY,
    Role.SILENT: Kind.SILENT,
    Role.NOTES: Kind.NOTES,
}
_OF_HEADING = {
    HeadingKind.PART: Kind.PART,
    HeadingKind.STORY: Kind.STORY,
    HeadingKind.PREFATORY: Kind.PREFATORY,
    HeadingKind.SILENT: Kind.SILENT,
}
_STORY_TYPES = frozenset(("prologue", "epilogue", "interlude"))
_MAY_BE_FICTION = frozenset(("introduction", "foreword", "preface", "preamble", "afterword"))
_TITLE_PAGE_WORDS = 200


def heading_of_section(section: Section) -> Heading:
    """Return the section's first heading, else its line in the table of contents, else an empty one."""
    if section.headings:
        return section.headings[0]
    return parse_heading(section.entry.label if section.entry else "")


class Kinds:
    """The kinds of all sections of one book."""

    def __init__(self, package: Package, sections: list[Section]) -> None:
        self._package = package
        self._sections = sections
        self._by_entry = {id(section.entry): section for section in sections if section.entry}
        self._names_chapters = any(section.headings or section.entry for section in sections)
        body = [path for path, types in package.landmarks.items() if "bodymatter" in types]
        starts = [package.spine.index(path) for path in body if path in package.spine]
        self._before_body = frozenset(package.spine[: min(starts, default=0)])

    def of(self, section: Section) -> Kind:
        """Return what becomes of the section."""
        heading = heading_of_section(section)
        if section.division is not None:
            return _typed(section.division.role, section.division.types, heading)
        told = role_of(self._package.landmarks.get(section.file, frozenset())) if section.opens_file else None
        if told is not None:
            return _typed(told, self._package.landmarks[section.file], heading)
        if heading.kind in _OF_HEADING:
            return _OF_HEADING[heading.kind]
        if self._is_title_page(section, heading):
            return Kind.PREFATORY if section.passages else Kind.SILENT
        return self._untold(section, heading)

    def _untold(self, section: Section, heading: Heading) -> Kind:
        entry = section.entry
        if entry and entry.children and self._holds_chapters(section, entry):
            return Kind.PART
        if any(self._is_chapter_with_text(above) for above in (entry.ancestors if entry else [])):
            return Kind.SCENE
        if not heading.label and self._names_chapters:
            return Kind.PREFATORY
        if section.file in self._before_body and not heading.number:
            return Kind.PREFATORY
        return Kind.CHAPTER

    def _is_title_page(self, section: Section, heading: Heading) -> bool:
        words = sum(len(text.split()) for text in section.passages)
        goes_on = section is not self._sections[-1]
        return same_title(heading.label, self._package.title) and goes_on and words <= _TITLE_PAGE_WORDS

    def _holds_chapters(self, section: Section, entry: TocEntry) -> bool:
        if not section.passages:
            return True
        below = [parse_heading(child.label) for child in entry.children]
        return any(child.number or child.kind is HeadingKind.STORY for child in below)

    def _is_chapter_with_text(self, entry: TocEntry) -> bool:
        section = self._by_entry.get(id(entry))
        return section is not None and bool(section.passages) and self.of(section) is Kind.CHAPTER


class Parts:
    """The part that each section stands in, kept while the sections go by in order."""

    def __init__(self, package: Package, sections: list[Section]) -> None:
        self._title = package.title
        self._with_section = {id(section.entry) for section in sections if section.entry}
        self._labels: dict[int, str] = {}
        self._open: list[tuple[int, str, TocEntry | None]] = []

    def enter(self, section: Section, label: str) -> None:
        """Begin a part; one inside another (by the contents, or a part in a volume) keeps both labels."""
        rank = _rank(section, label)
        above = section.entry.ancestors if section.entry else []
        while self._open:
            open_rank, _, open_entry = self._open[-1]
            if open_rank < rank or (open_entry is not None and open_entry in above):
                break
            self._open.pop()
        self._open.append((rank, label, section.entry))
        if section.entry:
            self._labels[id(section.entry)] = label

    def label_of(self, section: Section) -> str:
        """Return the label of the part that the section stands in, "" outside parts."""
        entry = section.entry
        nested = any(part and part.children for _, _, part in self._open)
        if entry is None or not (entry.ancestors or nested):
            return " · ".join(label for _, label, _ in self._open)
        return " · ".join(filter(None, map(self._label, entry.ancestors)))

    def _label(self, entry: TocEntry) -> str:
        if id(entry) in self._labels:
            return self._labels[id(entry)]
        heading = parse_heading(entry.label)
        is_part = heading.kind in {HeadingKind.PART, HeadingKind.PLAIN, HeadingKind.CHAPTER}
        if id(entry) in self._with_section or not is_part or same_title(entry.label, self._title):
            return ""
        return heading.label


def _typed(role: Role, types: frozenset[str], heading: Heading) -> Kind:
    if role is Role.CHAPTER:
        return Kind.STORY if types & _STORY_TYPES or heading.kind is HeadingKind.STORY else Kind.CHAPTER
    if role is Role.PREFATORY and heading.kind is HeadingKind.STORY:
        return Kind.STORY
    if role is Role.PREFATORY and types & _MAY_BE_FICTION and _is_fiction(types):
        return Kind.MATTER
    return _OF_ROLE[role]


def _is_fiction(types: frozenset[str]) -> bool:
    return "non-fiction" not in types and bool(types & {"fiction", "bodymatter"})


def _rank(section: Section, label: str) -> int:
    volume = section.division is not None and "volume" in section.division.types
    return (
        0 if volume or label.casefold().startswith(("volume", "vol.", "book", "buch", "livre", "tome")) else 1
    )
