"""Reads what Obsidian sees in a text: headings, links, tags, blocks; never in code, never in comments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; `start` and `end` are those of its lines."""

    level: int
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link within the vault. `start` and `end` are those of the path alone, as it is written.

    `path` is that path decoded, `fragment` "#…" or "". `style` says how a new path has to be written.
    """

    style: str
    path: str
    fragment: str
    alias: str
    embed: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Markup:
    """What stands in a text. `frontmatter` is the span between its fences, `body` where the text begins."""

    plain: str
    frontmatter: tuple[int, int] | None
    body: int
    headings: tuple[Heading, ...]
    links: tuple[Link, ...]
    tags: tuple[tuple[str, int], ...]
    blocks: tuple[str, ...]


WIKI, MARKDOWN, ANGLED, QUOTED = "wiki", "markdown", "angled", "quoted"


def read_markup(text: str) -> Markup:
    """Return what stands in a text; offsets are into it as it is given."""
    front = frontmatter_span(text)
    body = front[2] if front else 0
    plain = _plain(text, body)
    return Markup(
        plain=plain,
        frontmatter=front[:2] if front else None,
        body=body,
        headings=tuple(_headings(text, plain)),
        links=tuple(sorted(_links(text, plain, front), key=lambda link: link.start)),
        tags=tuple((match["tag"], match.start()) for match in _TAG.finditer(plain) if _is_tag(match["tag"])),
        blocks=tuple(match[1] for match in _BLOCK.finditer(plain)),
    )


def frontmatter_span(text: str) -> tuple[int, int, int] | None:
    """Return start and end of the YAML at the top of a note and the start of what follows, or None."""
    opening = _FRONT_OPENS.match(text)
    closing = _FRONT_CLOSES.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return None
    return opening.end(), closing.start(), closing.end()


_FRONT_OPENS = re.compile(r"---[ \t]*\r?\n")
_FRONT_CLOSES = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)")
_LIST = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_TICKS = re.compile(r"`+")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|%%.*?(?:%%|\Z)", re.DOTALL)
_ATX = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<title>.*?))??(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(?P<marks>=+|-+)[ \t]*")
_NO_TITLE = re.compile(r"[ \t]*(?:$|>|#|[-*+][ \t]|\d{1,9}[.)][ \t]|\||(?:[-*_][ \t]*){3,}$)")
_WIKI = re.compile(
    r"(?P<embed>!?)\[\[(?P<path>[^\[\]\n|#^]{0,400}?)(?P<fragment>#[^\[\]\n|]{0,400}?)?"
    r"(?:\\?\|(?P<alias>[^\[\]\n]{0,400}))?\]\]"
)
_INLINE = re.compile(
    r"(?P<embed>!?)\[(?P<alias>(?:[^\[\]\n]|\[[^\[\]\n]{0,200}\]){0,400})\]\([ \t]*"
    r"(?P<to><[^<>\n]{0,600}>|[^\s()<>]{1,600}(?:\([^\s()]{0,200}\)[^\s()<>]{0,200}){0,3})"
    r"(?:[ \t]+(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'))?[ \t]*\)"
)
_DEFINITION = re.compile(
    r"^ {0,3}\[(?P<alias>[^\]\^\n][^\]\n]{0,200})\]:[ \t]*(?P<to><[^<>\n]{0,600}>|\S{1,600})", re.MULTILINE
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//|#")
_TAG = re.compile(r"(?<!\S)#(?P<tag>(?:[\w/\-]|[\u2600-\u27bf\U0001f000-\U0001faff\ufe0f\u200d])+)")
_BLOCK = re.compile(r"(?:^|\s)\^([A-Za-z0-9\-]{1,100})[ \t]*\r?$", re.MULTILINE)
_VISIBLE = re.compile(r"[^\r\n]+")
_SINGLE_QUOTED = re.compile(r"(?:^|[:\-\[,][ \t]*)'(?:[^'\n]|'')*$")
_UNQUOTED = re.compile(r"(?:^[ \t]*-|:)[ \t]+$")


def _is_tag(tag: str) -> bool:
    return not tag.replace("/", "").isdecimal() and bool(tag.strip("/"))


def _plain(text: str, body: int) -> str:
    """Return the text with everything that is no prose made blank, each character in its place."""
    spans = [(0, body), *_code_blocks(text, body)]
    plain = _without(text, spans)
    plain = _without(plain, list(_code_spans(plain)))
    if "<!--" in plain or "%%" in plain:
        plain = _without(plain, [match.span() for match in _COMMENT.finditer(plain)])
    return plain


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += (text[at:start], _VISIBLE.sub(lambda found: " " * len(found[0]), text[start:end]))
        at = end
    return "".join((*pieces, text[at:])) if pieces else text


def _lines(text: str, start: int) -> Iterator[tuple[int, int, str]]:
    """Yield start, end (behind the line's end) and text of each line."""
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield start, end, text[start:end].rstrip("\r\n")
        start = end


def _code_blocks(text: str, body: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of fenced and indented code, and of comments that begin a line."""
    closes, opened = None, 0  # what ends the block that is open
    indented, after_blank, in_list = False, True, False
    for start, end, line in _lines(text, body):
        if closes is not None:
            if closes.search(line):
                yield opened, end
                closes = None
            continue
        is_blank = not line.strip()
        deep = line.startswith(("    ", "\t"))
        indented = deep and (indented or after_blank) and not in_list and not is_blank
        if indented:
            yield start, end
        else:
            closes, opened = _opens(line), start
        if not is_blank and not deep:
            in_list = _LIST.match(line) is not None
        after_blank = is_blank
    if closes is not None:
        yield opened, len(text)


def _opens(line: str) -> re.Pattern[str] | None:
    """Return what closes the block that a line opens, None if it opens none."""
    fence = _FENCE.match(line)
    if fence and not (fence["mark"][0] == "`" and "`" in fence["info"]):
        return re.compile(rf"^[ \t>]*{fence['mark'][0]}{{{len(fence['mark'])},}}[ \t]*$")
    stripped = line.lstrip()
    if stripped.startswith("<!--") and "-->" not in stripped:
        return _HTML_CLOSES
    if stripped.startswith("%%") and "%%" not in stripped[2:]:
        return _COMMENT_CLOSES
    return None


_HTML_CLOSES = re.compile("-->")
_COMMENT_CLOSES = re.compile("%%")


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans between runs of as many backticks in one paragraph, the ticks included."""
    runs = [match.span() for match in _TICKS.finditer(text)]
    place = 0
    while place < len(runs):
        start, end = runs[place]
        place += 1
        if text[start - 1 : start] == "\\":
            continue
        blank = _BLANK_LINE.search(text, end)
        limit = blank.start() if blank else len(text)
        for later in range(place, len(runs)):
            if runs[later][0] > limit:
                break
            if runs[later][1] - runs[later][0] == end - start:
                yield start, runs[later][1]
                place = later + 1
                break


def _headings(text: str, plain: str) -> Iterator[Heading]:
    last: tuple[int, str] | None = None  # the line before, where it may be a title
    for start, end, line in _lines(plain, 0):
        atx = _ATX.fullmatch(line) if "#" in line else None
        if atx:
            own = _ATX.fullmatch(text[start:end].rstrip("\r\n")) or atx
            yield Heading(len(atx["marks"]), (own["title"] or "").strip(), start, end)
        elif last and (under := _UNDERLINE.fullmatch(line)):
            yield Heading(1 if under["marks"][0] == "=" else 2, last[1], last[0], end)
        is_title = not atx and not line.startswith(("    ", "\t")) and not _NO_TITLE.match(line)
        last = (start, text[start:end].strip()) if is_title else None


def _links(text: str, plain: str, front: tuple[int, int, int] | None) -> Iterator[Link]:
    if "[[" in plain:
        yield from filter(None, map(_wiki_link, _WIKI.finditer(plain)))
    if "](" in plain:
        yield from filter(None, map(_markdown_link, _INLINE.finditer(plain)))
    if "]:" in plain:
        yield from filter(None, map(_markdown_link, _DEFINITION.finditer(plain)))
    if front and "[[" in text[: front[1]]:
        for match in _WIKI.finditer(text, front[0], front[1]):
            before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if not _UNQUOTED.search(before):  # there it is YAML's list in a list
                yield from filter(None, (_wiki_link(match, quoted=bool(_SINGLE_QUOTED.search(before))),))


def _wiki_link(match: re.Match[str], *, quoted: bool = False) -> Link | None:
    written = match["path"]
    path = written.strip().removesuffix("\\")
    if not path:  # a link to a place in its own note, which stays what it is
        return None
    start = match.start("path") + len(written) - len(written.lstrip())
    return Link(
        style=QUOTED if quoted else WIKI,
        path=path.replace("''", "'") if quoted else path,
        fragment=match["fragment"] or "",
        alias=match["alias"] or "",
        embed=bool(match["embed"]),
        start=start,
        end=start + len(path),
    )


def _markdown_link(match: re.Match[str]) -> Link | None:
    written, start = match["to"], match.start("to")
    style = ANGLED if written.startswith("<") and written.endswith(">") else MARKDOWN
    if style is ANGLED:
        written, start = written[1:-1], start + 1
    path, mark, fragment = written.partition("#")
    if _SCHEME.match(written) or not path:
        return None
    return Link(
        style=style,
        path=unquote(path),
        fragment=mark + unquote(fragment),
        alias=match["alias"],
        embed="embed" in match.re.groupindex and bool(match["embed"]),
        start=start,
        end=start + len(path),
    )
