"""Cuts a long Markdown text into parts that each stand alone within a platform's limit."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wcwidth import iter_graphemes

Measure = Callable[[str], int]

_FENCE = re.compile(r"^([ \t]{0,40})(`{3,20}|~{3,20})([^\n`~]{0,80})$", re.MULTILINE)
_LOOKS_LIKE_FENCE = re.compile(r"[ \t\n]*(`{3}|~{3})")
_INVISIBLE = re.compile(r"[\s\u200b-\u200f\u2060\ufeff]*")
_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")
_LINE = re.compile(r"\n")
_SENTENCE = re.compile(r"[.!?…][\"'”’»)\]]*\s+|[。！？]")
_SPACE = re.compile(r"\s+")
_TABLE_BREAK = re.compile(r"(?<=\|)[ \t]*\n(?=[ \t]*\|)")
_WITHIN = r"((?:(?!\n\s*\n).){1,1000}?)"
_SPANS = re.compile(
    rf"(?<!`)(?P<code>`{{1,2}})(?!`){_WITHIN}(?<!`)(?P=code)(?!`)"
    rf"|(?P<pair>\*\*|~~|\|\||__)(?=\S){_WITHIN}(?<=\S)(?P=pair)"
    rf"|(?<![\w*_])(?P<one>[*_])(?=[^\s*_]){_WITHIN}(?<=[^\s*_])(?P=one)(?![\w*_])",
    re.DOTALL,
)


def split(text: str, limit: int, measure: Measure = len) -> list[str]:
    """Return the text in parts of at most `limit` by `measure`, none of them blank.

    Cuts at a blank line, else a line, a sentence, a space, else between two characters as people see them.
    A code block or emphasis that a cut runs through is closed and opened again in the next part.

    Raises:
        ValueError: the limit leaves no room for a reopened code block and one character.
    """
    rest = _whole(text).rstrip()
    opened = 0
    parts: list[str] = []
    while not _is_blank(rest[opened:]):
        part, rest, opened = _take(rest, opened, limit, measure)
        if not _is_blank(part):
            parts.append(part)
    return parts


def utf16_length(text: str) -> int:
    """Return the length in UTF-16 units, as Telegram counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _whole(text: str) -> str:
    """Join halves of a surrogate pair; a half without its other becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _is_blank(text: str) -> bool:
    return _INVISIBLE.fullmatch(text) is not None


def _take(rest: str, opened: int, limit: int, measure: Measure) -> tuple[str, str, int]:
    """Return the next part, what is left, and how much of its beginning was added to reopen blocks.

    The first `opened` characters of `rest` are such an addition.
    """
    layout = _Layout.of(rest, limit)
    whole = _finished(rest, layout.fence_at(len(rest)), ())
    if measure(whole) <= limit:
        return whole, "", 0
    for cut in layout.cuts(opened, _reach(rest, limit, measure)):
        fence, marks = layout.fence_at(cut), layout.marks_at(cut)
        left = rest[cut:].removeprefix("\n") if fence else _without_margin(rest[cut:])
        if _LOOKS_LIKE_FENCE.match("".join(marks) + left):  # marks that meet others would make a code block
            marks = ()
        part = _finished(rest[:cut], fence, marks)
        if measure(part) <= limit:
            reopened = f"{fence.header}\n" if fence else "".join(marks)
            return part, reopened + left, len(reopened)
    raise ValueError(f"a limit of {limit} is too small for this text")


def _reach(text: str, limit: int, measure: Measure) -> int:
    """Return how many characters fit at most, before anything is closed."""
    lengths = range(1, min(len(text), limit) + 1)
    return bisect_right(lengths, limit, key=lambda length: measure(text[:length]))


def _finished(piece: str, fence: "_Fence | None", marks: tuple[str, ...]) -> str:
    if fence is not None:
        return f"{piece.removesuffix(chr(10))}\n{fence.closing}"
    return piece.rstrip() + "".join(reversed(marks))


@dataclass(frozen=True, slots=True)
class _Fence:
    """A code block from the start of its header to the end of its closing line (or the text's end)."""

    start: int
    body: int
    end: int
    indent: str
    marker: str
    header: str
    is_closed: bool

    @property
    def closing(self) -> str:
        return self.indent + self.marker


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    mark: str

    def tears(self, place: int) -> bool:
        """Tell whether a cut here would go through a mark or leave nothing between two."""
        inner = len(self.mark)
        return self.start < place <= self.start + inner or self.end - inner <= place < self.end


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the code blocks and the emphasis of a text lie, as far as the next part can reach."""

    text: str
    limit: int
    fences: tuple[_Fence, ...]
    spans: tuple[_Span, ...]

    @classmethod
    def of(cls, text: str, limit: int) -> "_Layout":
        """Return the layout: emphasis as far as one part and a paragraph's end may lie, all code blocks."""
        fences = tuple(_fences(text))
        seen = text[: limit + 1000]
        spans = tuple(
            span
            for span in _spans(seen, 0)
            if not any(fence.start < span.end and span.start < fence.end for fence in fences)
        )
        return cls(text, limit, fences, spans)

    def fence_at(self, position: int) -> _Fence | None:
        """Return the code block that is open at the position."""
        for fence in self.fences:
            if fence.start < position < fence.end or (position >= fence.end and not fence.is_closed):
                return fence
        return None

    def marks_at(self, position: int) -> tuple[str, ...]:
        """Return the emphasis marks that are open at the position, outermost first."""
        return tuple(span.mark for span in self.spans if span.start < position < span.end)

    def cuts(self, opened: int, reach: int) -> Iterator[int]:
        """Yield where to cut, best first: full enough parts at good places, then any place."""
        good = [self._block_borders(reach), self._ends(_LINE, reach), self._ends(_SENTENCE, reach)]
        good.append(self._ends(_SPACE, reach))
        for least in (max(opened, reach // 2), opened):
            for places in good:
                yield from (place for place in reversed(places) if place > least and self._allows(place))
        hard = [place for place in self._clusters(reach) if place > opened]
        yield from (place for place in reversed(hard) if self._allows(place))
        yield from (place for place in range(reach, opened, -1) if not self._is_in_header(place))

    def _block_borders(self, reach: int) -> list[int]:
        blank = [match.end() for match in _BLANK_LINE.finditer(self.text, 0, reach)]
        borders = [place for place in blank if self.fence_at(place) is None]
        for fence in self.fences:
            borders += [place for place in (fence.start, fence.end) if place <= reach]
        return sorted(set(borders))

    def _ends(self, pattern: re.Pattern[str], reach: int) -> list[int]:
        in_table = {match.end() for match in _TABLE_BREAK.finditer(self.text, 0, reach + 1)}
        ends = (match.end() for match in pattern.finditer(self.text, 0, reach))
        return [end for end in ends if pattern is not _LINE or end not in in_table]

    def _clusters(self, reach: int) -> list[int]:
        places: list[int] = []
        place = 0
        for cluster in iter_graphemes(self.text[: reach + 64]):
            place += len(cluster)
            if place > reach:
                break
            places.append(place)
        return places

    def _is_in_header(self, place: int) -> bool:
        return any(fence.start < place <= fence.body for fence in self.fences)

    def _begins_a_fence(self, place: int) -> bool:
        """Tell whether a cut here would move a mark from inside a line to the start of one."""
        mark = _LOOKS_LIKE_FENCE.match(self.text, place)
        if mark is None:
            return False
        line = self.text.rfind("\n", 0, mark.start(1)) + 1
        return self.text[line : mark.start(1)].strip() != ""

    def _allows(self, place: int) -> bool:
        """Tell whether a cut here tears no header, no closing line and no emphasis mark."""
        if _continues(self.text[place : place + 1]):
            return False
        if self._begins_a_fence(place) or self._is_in_header(place):
            return False
        for fence in self.fences:
            closing = fence.end - len(fence.closing) if fence.is_closed else fence.end
            if closing <= place < fence.end:
                return False
        return not any(span.tears(place) for span in self.spans)


def _without_margin(text: str) -> str:
    """Return the text without leading space, but with a space that carries an accent."""
    bare = text.lstrip()
    return text[len(text) - len(bare) - 1 :] if _continues(bare[:1]) and len(bare) < len(text) else bare


def _continues(char: str) -> bool:
    """Tell whether a character belongs to the one before it."""
    return char == "\u200d" or unicodedata.category(char or " ")[0] == "M"


def _fences(text: str) -> Iterator[_Fence]:
    position = 0
    while header := _FENCE.search(text, position):
        indent, marker, _info = header.groups()
        closing = re.compile(rf"^[ \t]*{marker[0]}{{{len(marker)},}}[ \t]*$", re.MULTILINE)
        body = min(header.end() + 1, len(text))
        end = closing.search(text, body)
        position = end.end() if end else len(text)
        yield _Fence(header.start(), body, position, indent, marker, header[0], end is not None)
        if end is None:
            return


def _spans(text: str, offset: int) -> Iterator[_Span]:
    for match in _SPANS.finditer(text):
        mark = match["code"] or match["pair"] or match["one"]
        yield _Span(offset + match.start(), offset + match.end(), mark)
        if not match["code"]:
            inner = len(mark)
            yield from _spans(match[0][inner:-inner], offset + match.start() + inner)
