"""The few lines of metadata at the top of a Markdown file: `series`, `position`, `title`, `language`.

Not YAML: one `key: value` a line, quotes around the value allowed, everything else passed over. That is all
these four need, and it cannot be made to do anything else.
"""

import re
from dataclasses import dataclass

from agent_core.importing.manuscript import as_position

_LINE = re.compile(r"(?P<key>[A-Za-z][\w-]*)\s*:(?:\s+(?P<value>.*))?")
_FENCE = re.compile(r"---\s*")
_END = re.compile(r"(?:---|\.\.\.)\s*")
_MAX_LINES = 200


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a file says of itself; `lines` is how many lines it takes to say it, 0 for none."""

    series: str = ""
    position: float | None = None
    title: str = ""
    language: str = ""
    lines: int = 0

    @property
    def names_a_book(self) -> bool:
        """Whether the file says that it is a book of its own and not a chapter."""
        return bool(self.series) or self.position is not None


def read_front_matter(lines: list[str]) -> FrontMatter:
    """Return the front matter; a rule on the first line that opens none is left to be a scene break."""
    if not lines or not _FENCE.fullmatch(lines[0]):
        return FrontMatter()
    end = next((n for n, line in enumerate(lines[1:_MAX_LINES], start=1) if _END.fullmatch(line)), 0)
    if end < 2 or not _LINE.fullmatch(lines[1].rstrip()):
        return FrontMatter()
    matches = [match for line in lines[1:end] if (match := _LINE.fullmatch(line.rstrip()))]
    values = {match["key"].lower(): _unquoted(match["value"] or "") for match in matches}
    return FrontMatter(
        series=values.get("series", ""),
        position=as_position(values.get("position", "")),
        title=values.get("title", ""),
        language=values.get("language", values.get("lang", "")),
        lines=end + 1,
    )


def _unquoted(value: str) -> str:
    value = value.strip()
    quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value
