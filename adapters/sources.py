"""The sources below an answer: those that it doesn't name itself, kind by kind."""

import re
from collections.abc import Callable

from adapters.surface import Said

_NOTE = re.compile(r"\.\w+:\d+")


def unnamed(said: Said, names_scene: Callable[[str, str], bool] | None = None) -> tuple[str, ...]:
    """Return the sources of each kind (entries, scenes, notes, pages) of which the answer names none.

    `names_scene` tells whether a text names a scene; by default wherever its label stands.
    """
    scene = names_scene or _names_scene
    kinds: dict[str, tuple[Callable[[str], bool], Callable[[str, str], bool]]] = {
        "entries": (_is_entry, _names_scene),
        "scenes": (lambda one: not (is_page(one) or is_note(one) or _is_entry(one)), scene),
        "notes": (is_note, _names_note),
        "pages": (is_page, _names_page),
    }
    found: list[str] = []
    for is_of, names in kinds.values():
        those = [one for one in said.sources if is_of(one)]
        if not any(names(said.markdown, one) for one in those):
            found += those
    return tuple(found)


def is_page(source: str) -> bool:
    """Return whether a source is the address of a page."""
    return source.startswith(("http://", "https://"))


def is_note(source: str) -> bool:
    """Return whether a source is a line of a note."""
    return not is_page(source) and _NOTE.search(source) is not None


def _is_entry(source: str) -> bool:
    return not any(char.isdigit() for char in source) and not is_page(source)


def page_label(url: str) -> str:
    """Return what a link to a page may be called: its host and path."""
    bare = re.sub(r"^https?://(www\.)?", "", url).partition("?")[0].rstrip("/")
    return bare if len(bare) <= 60 else f"{bare[:59]}…"


def _names_scene(text: str, source: str) -> bool:
    return re.search(rf"(?<![\w:.]){re.escape(source)}(?!\w|\.\d)", text) is not None


def _names_note(text: str, source: str) -> bool:
    return source.rpartition(":")[0] in text


def _names_page(text: str, source: str) -> bool:
    return source in text
