"""Passages of a text around what was looked for: whole sentences where they fit, cut at word borders."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

from agent_core.lore.fold import atoms, document, fold, spans, term_spans, terms

MAX_CHARS = 200

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a text of at most `MAX_CHARS` characters; `paragraph` counts from 1."""

    text: str
    paragraph: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of a text, or a window of a very long one, with its number from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where a phrase stands in a paragraph."""

    paragraph: Paragraph
    span: Span

    @property
    def text(self) -> str:
        """The phrase as it is written there."""
        return self.paragraph.text[self.span[0] : self.span[1]]

    @property
    def opens_sentence(self) -> bool:
        """Whether a common word would begin large there too: after a full stop, at the start of speech."""
        before = self.paragraph.text[: self.span[0]].rstrip()
        return not before or not (before[-1].isalnum() or before[-1] in ",;'’-")


def paragraphs(text: str) -> Iterator[Paragraph]:
    """Yield the paragraphs: parted by blank lines or, in a text that has none, by line breaks."""
    gap = _BLANK_LINE if _BLANK_LINE.search(text.strip()) else _LINE_BREAK
    pieces = (stripped for piece in gap.split(text) if (stripped := piece.strip()))
    for number, piece in enumerate(pieces, 1):
        yield from (Paragraph(number, window) for window in _windows(piece))


def sentences(text: str) -> list[Span]:
    """Return where the sentences of a paragraph start and end, without the white space between them."""
    ends = (match.end() for match in _SENTENCE_END.finditer(text) if not _is_abbreviation(text, match))
    return [span for start, end in pairwise([0, *ends, len(text)]) if (span := _trimmed(text, start, end))]


def occurrences(text: str, phrase: str) -> Iterator[Occurrence]:
    """Yield where the words of `phrase` stand one after the other, between word borders."""
    needles = [atom.forms[0] for atom in atoms(phrase)]
    for paragraph in paragraphs(text):
        folded = fold(paragraph.text)
        if all(needle in folded for needle in needles):
            yield from (Occurrence(paragraph, span) for span in spans(paragraph.text, phrase))


def is_spelled_like(name: str, written: str) -> bool:
    """Return whether every word that begins large in `name` does so where it is written."""
    pairs = zip(atoms(name), atoms(written), strict=False)
    return not any(name[a.start].isupper() and written[b.start].islower() for a, b in pairs)


def is_spelled_as_name(written: str) -> bool:
    """Return whether its words begin large, stop words left aside; true in scripts without case.

    A bare number is no name.
    """
    if written.isdecimal():
        return False
    telling = frozenset(terms(written))
    return not any(
        written[atom.start].islower() for atom in atoms(written) if telling.intersection(atom.forms)
    )


def passages(found: Iterable[Occurrence]) -> Iterator[Passage]:
    """Yield a passage for each sentence with a hit, unless the passage before it holds that sentence too."""
    last: tuple[Paragraph | None, int] = (None, 0)
    for one in found:
        if last[0] is one.paragraph and one.span[1] <= last[1]:
            continue
        end, excerpt = _excerpt(one.paragraph.text, one.span)
        last = (one.paragraph, end)
        yield Passage(excerpt, one.paragraph.number)


def best_passage(text: str, wanted: Collection[str]) -> Passage | None:
    """Return the first of the passages around the sentence that holds most of the terms, None without any."""
    best: tuple[int, Occurrence] | None = None
    for one, held in islice(_sentences_with(text, wanted), _SENTENCES_WEIGHED):
        if best is None or held > best[0]:
            best = (held, one)
        if held == len(wanted):
            break
    if best is not None:
        return next(passages([best[1]]))
    # A term that joins what stands apart ("oneil") has no span of its own.
    joined = (one for one in paragraphs(text) if not frozenset(wanted).isdisjoint(document(one.text).split()))
    return next(passages(Occurrence(one, (0, 0)) for one in joined), None)


_SENTENCES_WEIGHED = 40
_WINDOW = 10_000
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_LINE_BREAK = re.compile(r"\n\s*")
_SENTENCE_END = re.compile(r"""[.!?…]+["'”’»“‹›)\]]*(?=\s)|[。！？｡।॥؟۔။።։]+["'”’」』）»]*""")
_ABBREVIATION = re.compile(
    r"[A-Z]|(?i:mr|mrs|ms|dr|st|prof|sr|jr|hr|fr|nr|bzw|ca|vgl|capt|col|gen|lt|sgt|rev|mme|mlle)"
)


def _windows(text: str) -> Iterator[str]:
    """Yield the text, a very long one in pieces that end at a space where there is one."""
    start = 0
    while len(text) - start > _WINDOW:
        space = text.rfind(" ", start + _WINDOW // 2, start + _WINDOW)
        end = space if space > 0 else start + _WINDOW
        yield text[start:end]
        start = end
    yield text[start:]


def _is_abbreviation(text: str, end: re.Match[str]) -> bool:
    """Return whether the full stop belongs to something like "Dr." or an initial."""
    if end[0] != ".":
        return False
    word = text[max(0, end.start() - 6) : end.start()].rpartition(" ")[2].strip("\"'(“„«")
    return _ABBREVIATION.fullmatch(word) is not None


def _trimmed(text: str, start: int, end: int) -> Span | None:
    piece = text[start:end]
    stripped = piece.strip()
    first = start + len(piece) - len(piece.lstrip())
    return (first, first + len(stripped)) if stripped else None


def _sentences_with(text: str, wanted: Collection[str]) -> Iterator[tuple[Occurrence, int]]:
    """Yield the first hit of each sentence that has one, and how many of the terms the sentence holds."""
    for paragraph in paragraphs(text):
        folded = fold(paragraph.text)
        if not any(term in folded for term in wanted):
            continue
        found = sorted(term_spans(paragraph.text, wanted))
        for start, end in sentences(paragraph.text) if found else ():
            inside = [hit for hit in found if start <= hit[0] < end]
            if inside:
                yield Occurrence(paragraph, inside[0][:2]), len({term for _, _, term in inside})


def _excerpt(text: str, span: Span) -> tuple[int, str]:
    """Return where the passage around `span` ends in the text, and the passage."""
    parts = sentences(text) or [(0, len(text))]
    index = max((i for i, (start, _) in enumerate(parts) if start <= span[0]), default=0)
    start, end = parts[index][0], max(parts[index][1], span[1])
    if end - start > MAX_CHARS:
        return _part_of_sentence(text, (start, end), span)
    if index + 1 < len(parts) and parts[index + 1][1] - start <= MAX_CHARS:
        end = max(end, parts[index + 1][1])
    if index > 0 and end - parts[index - 1][0] <= MAX_CHARS:
        start = parts[index - 1][0]
    return end, _on_one_line(text[start:end])


def _part_of_sentence(text: str, sentence: Span, span: Span) -> tuple[int, str]:
    """Return the end and the text of a part around the hit, between word borders where there are any."""
    room = MAX_CHARS - 2
    middle = span[0] - max(0, room - (span[1] - span[0])) // 2
    start = max(sentence[0], min(middle, sentence[1] - room))
    end = min(sentence[1], start + room)
    if start > sentence[0]:
        start = max(start, text.find(" ", start, span[0]) + 1)
    if end < sentence[1] and (border := text.rfind(" ", span[1], end)) >= 0:
        end = border
    while start < span[0] and unicodedata.category(text[start]).startswith("M"):
        start += 1
    before, after = "…" if start > sentence[0] else "", "…" if end < sentence[1] else ""
    return end, before + _on_one_line(text[start:end]) + after


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
