"""A note's bytes as text and back: its line ends, its byte order mark and its last line stay as they are."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from agent_core.errors import NoteRefusal
from agent_core.vault.folder import version_of
from agent_core.vault.markdown import Heading, Markup, read_markup

_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Note:
    """A note as text, with the line ends of the file; `marked`: it begins with a byte order mark."""

    path: str
    text: str
    marked: bool = False

    @classmethod
    def of(cls, path: str, content: bytes) -> "Note":
        """Return the note of a file's content.

        Raises:
            NoteRefusal: reason "not_text".
        """
        try:
            return cls(path, content.removeprefix(_MARK).decode("utf-8"), content.startswith(_MARK))
        except UnicodeDecodeError as error:
            raise NoteRefusal(reason="not_text", path=path) from error

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
        return (_MARK if self.marked else b"") + self.text.encode("utf-8", "replace")

    @property
    def version(self) -> str:
        """What tells this content from another."""
        return version_of(self.content)

    @cached_property
    def line_end(self) -> str:
        """How most lines of the file end."""
        return "\r\n" if self.text.count("\r\n") * 2 > self.text.count("\n") else "\n"

    @cached_property
    def markup(self) -> Markup:
        """What stands in the note: headings, links, tags."""
        return read_markup(self.text)

    def in_file(self, text: str) -> str:
        """Return a text with the line ends of the file."""
        return text.replace("\r\n", "\n").replace("\n", self.line_end)

    def appended(self, text: str, heading: str = "") -> "Note":
        """Return the note with a text at its end, or at the end of a section.

        Raises:
            NoteRefusal: reason "heading" (with those there are) or "headings" (with the lines of several).
        """
        added = self.in_file(text)
        if not heading:
            gap = self.line_end if self.text and not self.text.endswith("\n") else ""
            last = "" if added.endswith("\n") else self.line_end
            return replace(self, text=f"{self.text}{gap}{added}{last}")
        end = self._end_of(self._heading(heading))
        kept = self.text[:end].rstrip()
        added = added.removesuffix(self.line_end)
        rest = self.text[len(kept) :] or self.line_end
        return replace(self, text=f"{kept}{self.line_end}{added}{rest}")

    def edited(self, old: str, new: str, expected: int) -> "Note":
        """Return the note with a passage replaced everywhere, taken literally.

        Raises:
            NoteRefusal: reason "count" (found, expected), "same" or "empty".
        """
        if not old:
            raise NoteRefusal(reason="empty", path=self.path)
        if old == new:
            raise NoteRefusal(reason="same", path=self.path)
        before = self.in_file(old) if self.in_file(old) in self.text else old
        found = self.text.count(before)
        if found != expected:
            lines = tuple(str(line) for line in self._lines_of(before))
            raise NoteRefusal(reason="count", path=self.path, found=found, expected=expected, lines=lines)
        return replace(self, text=self.text.replace(before, self.in_file(new)))

    def line_at(self, offset: int) -> int:
        """Return the number of the line at an offset, from 1."""
        return bisect_right(self._starts, offset)

    def line(self, number: int) -> str:
        """Return a line by its number, without its end."""
        start = self._starts[number - 1]
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    @cached_property
    def _starts(self) -> Sequence[int]:
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def _lines_of(self, text: str) -> list[int]:
        lines: list[int] = []
        at = self.text.find(text)
        while at >= 0 and len(lines) < 10:
            lines.append(self.line_at(at))
            at = self.text.find(text, at + len(text))
        return lines

    def _heading(self, wanted: str) -> Heading:
        headings = self.markup.headings
        found = [headings[i] for i in range(len(headings)) if _leads_to(headings, i, wanted)]
        if len(found) > 1:
            lines = tuple(str(self.line_at(one.start)) for one in found)
            raise NoteRefusal(reason="headings", path=self.path, heading=wanted, lines=lines)
        if not found:
            there = tuple(one.title for one in headings[:20])
            raise NoteRefusal(reason="heading", path=self.path, heading=wanted, nearest=there)
        return found[0]

    def _end_of(self, heading: Heading) -> int:
        later = (
            one for one in self.markup.headings if one.start > heading.start and one.level <= heading.level
        )
        following = next(later, None)
        return following.start if following else len(self.text)


def _leads_to(headings: Sequence[Heading], place: int, wanted: str) -> bool:
    """Return whether a heading is the one that a path of headings (`A#B`) names."""
    names = [heading_key(part) for part in wanted.lstrip("# ").split("#") if part.strip()]
    if heading_key(headings[place].title) == heading_key(wanted.lstrip("# ")):
        return True
    if not names or heading_key(headings[place].title) != names[-1]:
        return False
    level, above = headings[place].level, []
    for one in reversed(headings[:place]):
        if one.level < level:
            level = one.level
            above.append(heading_key(one.title))
    return all(name in above for name in names[:-1])


def heading_key(title: str) -> str:
    """Return what is the same for a heading and a link to it."""
    plain = "".join(" " if char in "#^|[]:%\\*_`" else char for char in title)
    return " ".join(plain.casefold().split())
