"""The head of a section: its number and title, from its headings and its line in the contents."""

from dataclasses import dataclass

from agent_core.importing.chapters import same_title
from agent_core.importing.epub_sections import Section
from agent_core.importing.epub_text import Piece, PieceKind
from agent_core.importing.headings import Heading, HeadingKind, parse_heading

_EMPTY = parse_heading("")
_MAX_TITLE_PARAGRAPHS = 2


@dataclass(frozen=True, slots=True)
class Head:
    """What a section is called. `label` is its first heading as printed; `rest` are the pieces below."""

    number: str
    title: str
    label: str
    rest: list[Piece]

    @property
    def full_title(self) -> str:
        """The label and the title, where the label does not hold the title."""
        return f"{self.label}: {self.title}" if self.title and self.title not in self.label else self.label


def head_of(section: Section, book_title: str) -> Head:
    """Return the head of a section; a heading that only repeats the book's title is left out."""
    listed = parse_heading(section.entry.label) if section.entry else _EMPTY
    above = _leading(section)
    own = [piece for piece in above if not same_title(piece.text, book_title)]
    if not own and not listed.label:
        own = above
    first = own[0].heading or _EMPTY if own else listed
    number = first.number or _listed_number(first, listed)
    second = own[1].heading if len(own) > 1 and _lacks_title(first) else None
    named = second if second is not None and second.kind is HeadingKind.PLAIN else None
    title = named.label if named else first.title
    if not title and listed.number in {"", number}:
        title = listed.title
    below = own[2 if named else 1 :]
    used = _without(above, below)
    rest = _without(section.pieces, used)
    return Head(number, title, first.label, rest if own else _without_title_paragraphs(rest, listed))


def _leading(section: Section) -> list[Piece]:
    found = []
    for piece in section.pieces:
        if piece.kind is PieceKind.PASSAGE or (piece.kind is PieceKind.HEADING and piece.heading is None):
            break
        if piece.kind is PieceKind.HEADING:
            found.append(piece)
    return found


def _lacks_title(heading: Heading) -> bool:
    return not heading.title or heading.kind is HeadingKind.STORY


def _listed_number(first: Heading, listed: Heading) -> str:
    """Return the number of "3. The Storm" in the contents for a heading that says just "The Storm"."""
    return listed.number if same_title(listed.title, first.label) else ""


def _without(pieces: list[Piece], used: list[Piece]) -> list[Piece]:
    gone = {id(piece) for piece in used}
    return [piece for piece in pieces if id(piece) not in gone]


def _without_title_paragraphs(pieces: list[Piece], listed: Heading) -> list[Piece]:
    """Return the pieces without first paragraphs that say again what the contents call this section."""
    gone: list[Piece] = []
    for piece in pieces[:_MAX_TITLE_PARAGRAPHS]:
        said = parse_heading(piece.text.replace("*", ""))
        is_number = bool(said.number) and said.number == listed.number and said.title in {"", listed.title}
        if not (is_number or same_title(said.label, listed.label) or same_title(said.label, listed.title)):
            break
        gone.append(piece)
    return _without(pieces, gone)
