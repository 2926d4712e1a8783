"""Text as Discord shows it: plain texts escaped, Markdown cut down to what it knows."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from wcwidth import iter_graphemes, wcswidth

from adapters.discord.links import honest_links
from adapters.splitting import split, utf16_length
from agent_core.texts import standing

INVISIBLE = re.compile(
    r"[\s\u00ad\u115f\u1160\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ufe0f\ufeff]*"
)
ISOLATE, END_ISOLATE = "\u2068", "\u2069"

_SPECIAL = re.compile(r"([\\*_~|`<\[\]])|(?m:^(\s*)([#>+-])(?=[\s#>]))|(?m:^(\s*\d+)(\.)(?=\s))")
_FENCED = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})")
_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*")
_DEEP_HEADING = re.compile(r"#{4,6}\s+(.*?)\s*#*")
_IMAGE = re.compile(r"!(\[[^\]\n]*\]\([^)\s]+\))")
_OPENERS = frozenset("\u2066\u2067\u2068")
_DEEPEST = 4
_RIGHT_TO_LEFT = frozenset({"R", "AL"})


def is_blank(text: str) -> bool:
    """Tell whether nobody would see anything of a text."""
    return INVISIBLE.fullmatch(text) is not None


def escaped(text: str) -> str:
    """Return a plain text so that it is shown as it stands; right-to-left text turns nothing around it."""
    plain = standing(text.replace("\r\n", "\n").replace("\t", "    "))
    shown = _SPECIAL.sub(_escape, plain)
    if any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in shown):
        return "\n".join(f"{ISOLATE}{line}{END_ISOLATE}" if line else line for line in shown.split("\n"))
    return shown


def adapted(markdown: str) -> str:
    """Return an answer's Markdown without what Discord doesn't know: tables become code blocks."""
    return "\n".join(_lines(markdown.replace("\r\n", "\n").split("\n")))


def shortened(text: str, limit: int) -> str:
    """Return a plain text within the limit (in UTF-16 units), with "…" where it was cut."""
    if utf16_length(text) <= limit:
        return text
    kept, room = "", limit - 1
    for cluster in iter_graphemes(text[: limit + 64]):
        room -= utf16_length(cluster)
        if room < 0:
            break
        kept += cluster
    return f"{kept.rstrip()}…"


def escaped_within(text: str, limit: int) -> str:
    """Return a plain text escaped and within the limit, with "…" where it was cut."""
    room, shown = limit, escaped(text)
    while utf16_length(shown) > limit:
        room -= max(1, (utf16_length(shown) - limit) // 2)
        shown = escaped(shortened(text, room))
    return shown


def cut(text: str, limit: int) -> list[str]:
    """Return Markdown in parts within the limit; an isolate that a cut runs through goes on in the next."""
    if not _OPENERS.intersection(text):
        return split(text, limit, utf16_length)
    parts: list[str] = []
    opened = ""
    for part in split(text, limit - 2 * _DEEPEST, utf16_length):
        whole = opened + part
        opened = _left_open(whole)
        parts.append(whole + END_ISOLATE * len(opened))
    return parts


def _left_open(text: str) -> str:
    opened: list[str] = []
    for char in text:
        if char in _OPENERS and len(opened) < _DEEPEST:
            opened.append(char)
        elif char == END_ISOLATE and opened:
            opened.pop()
    return "".join(opened)


def _escape(match: re.Match[str]) -> str:
    if match[1]:
        return f"\\{match[1]}"
    if match[3]:
        return f"{match[2]}\\{match[3]}"
    return f"{match[4]}\\{match[5]}"


def _lines(lines: Sequence[str]) -> Iterator[str]:
    place, fence = 0, ""
    while place < len(lines):
        line = lines[place]
        marker = _FENCED.match(line)
        if marker and (not fence or (line.strip().startswith(fence) and line.strip(" \t`~") == "")):
            fence = "" if fence else marker[1]
        table = 0 if fence or marker else _table_height(lines[place:])
        if table:
            yield from _drawn(lines[place : place + table])
            place += table
            continue
        yield line if fence or marker else _known(line)
        place += 1


def _known(line: str) -> str:
    heading = _DEEP_HEADING.fullmatch(line)
    if heading and heading[1]:
        line = f"**{heading[1]}**" if "*" not in heading[1] else heading[1]
    return honest_links(_IMAGE.sub(r"\1", line))


def _table_height(lines: Sequence[str]) -> int:
    """Return how many lines a table that begins here has, 0 where none does."""
    if len(lines) < 2 or "|" not in lines[0] or "|" not in lines[1] or not _RULE.fullmatch(lines[1]):
        return 0
    height = 2
    while height < len(lines) and "|" in lines[height]:
        height += 1
    return 0 if any("```" in line for line in lines[:height]) else height


def _drawn(lines: Sequence[str]) -> Iterator[str]:
    """Yield a table as a code block with its columns below each other."""
    rows = [_cells(line) for line in lines if not _RULE.fullmatch(line)]
    count = max(map(len, rows))
    rows = [[*row, *[""] * (count - len(row))] for row in rows]
    widths = [max(max(wcswidth(row[column]), len(row[column])) for row in rows) for column in range(count)]
    yield "```"
    for number, row in enumerate(rows):
        yield " | ".join(map(_padded, row, widths)).rstrip()
        if number == 0:
            yield "-|-".join("-" * width for width in widths)
    yield "```"


def _cells(line: str) -> list[str]:
    bare = line.strip().removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", bare)]


def _padded(cell: str, width: int) -> str:
    return cell + " " * (width - max(wcswidth(cell), 0))
