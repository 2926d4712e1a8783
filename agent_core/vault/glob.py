"""Patterns for paths: `*` within a folder, `**` over folders, `?` for one character; case does not count."""

import regex

from agent_core.errors import NoteRefusal
from agent_core.vault import paths

MAX_PATTERN_CHARS = 300
_MATCH_S = 0.05


class Glob:
    """A pattern for paths. One without a slash is for names in any folder."""

    def __init__(self, pattern: str) -> None:
        """Take a pattern.

        Raises:
            NoteRefusal: reason "pattern".
        """
        if len(pattern) > MAX_PATTERN_CHARS or pattern.count("*") > 20 or "\0" in pattern:
            raise NoteRefusal(reason="pattern", path=paths.shown(pattern))
        whole = pattern.strip().removeprefix("./").removeprefix("/")
        self._regex = regex.compile(_translated(whole if "/" in whole else f"**/{whole or '*'}"))

    def fits(self, path: str) -> bool:
        """Return whether the pattern fits a path.

        Raises:
            NoteRefusal: reason "pattern"; it takes too long.
        """
        try:
            return self._regex.fullmatch(paths.key(path), timeout=_MATCH_S) is not None
        except TimeoutError as error:
            raise NoteRefusal(reason="pattern", path="") from error


def _translated(pattern: str) -> str:
    made, place, folded = "", 0, paths.key(pattern)
    while place < len(folded):
        for sign, meaning in (("**/", "(?:.*/)?"), ("**", ".*"), ("*", "[^/]*"), ("?", "[^/]")):
            if folded.startswith(sign, place):
                made += meaning
                place += len(sign)
                break
        else:
            made += regex.escape(folded[place])
            place += 1
    return made
