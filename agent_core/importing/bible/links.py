"""What the links of notes mean as text: a link becomes the name of the entry that its note tells of."""

import re
from collections import defaultdict
from collections.abc import Iterable

from agent_core.vault import paths

_LINK = re.compile(r"!?\[\[(?P<path>[^\[\]|#^]*)(?P<rest>[#^][^\[\]|]*)?(?:\\?\|(?P<shown>[^\[\]]*))?\]\]")
_MARKDOWN_LINK = re.compile(r"!?\[(?P<shown>[^\[\]]*)\]\((?!\w+://)(?P<path>[^()\s]+)\)")


class Names:
    """Which name the note of each path goes by; known by path and file name first, by name and alias then."""

    def __init__(self, named: Iterable[tuple[str, str, Iterable[str]]]) -> None:
        """Take (path, name, aliases) of every note."""
        self._by_file: defaultdict[str, set[str]] = defaultdict(set)
        self._by_name: defaultdict[str, set[str]] = defaultdict(set)
        self._squashed: defaultdict[str, set[str]] = defaultdict(set)
        for path, name, aliases in named:
            stem = path.removesuffix(".md")
            for one in (stem, *_tails(stem)):
                self._by_file[paths.key(one)].add(name)
            for one in (name, *aliases):
                self._by_name[paths.key(one.strip())].add(name)
            self._squashed[_squash(name)].add(name)

    def of(self, path: str) -> str:
        """Return the name of the note that a link leads to, or else how the link calls it."""
        wanted = path.strip().removesuffix("\\").removesuffix(".md")
        key = paths.key(wanted)
        found = self._by_file.get(key) or self._by_name.get(key) or set()
        return next(iter(found)) if len(found) == 1 else wanted.rpartition("/")[2]

    def of_tag(self, text: str) -> str | None:
        """Return the name that a tag such as `#TheHeron` spells without its blanks, if only one does."""
        found = self._squashed.get(_squash(text.lstrip("#")), set()) if text.startswith("#") else set()
        return next(iter(found)) if len(found) == 1 else None

    def whole(self, text: str) -> str | None:
        """Return the name that a value means which is nothing but one link, else None."""
        match = _LINK.fullmatch(text.strip())
        return self.of(match["path"]) if match and match["path"].strip() else None

    def plain(self, text: str) -> str:
        """Return a text with its links as what people read of them."""

        def shown(match: re.Match[str]) -> str:
            return (match["shown"] or self.of(match["path"]) or (match["rest"] or "").lstrip("#^")).strip()

        unlinked = _LINK.sub(shown, text)
        return _MARKDOWN_LINK.sub(lambda match: match["shown"] or match["path"], unlinked)


def _tails(stem: str) -> Iterable[str]:
    parts = stem.split("/")
    return ("/".join(parts[start:]) for start in range(1, len(parts)))


def _squash(text: str) -> str:
    return "".join(char for char in paths.key(text) if char.isalnum())
