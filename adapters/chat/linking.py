"""Sources as links: to the message in which their edit was decided, or to the page of the web."""

import re
from collections.abc import Mapping
from dataclasses import replace

from adapters.sources import is_note, is_page, page_label, unnamed
from adapters.surface import Said
from agent_core.texts import say

_MARKS = re.compile(r"([\\`*_\[\]~|<>])")


def linked(said: Said, urls: Mapping[int, str], language: str) -> Said:
    """Return the answer with its sources as links: where it names them, else in a line below it.

    `urls` are addresses by edit number. Code stays as it is.
    """
    links = {label: urls[edit] for label, edit in zip(said.sources, said.edits, strict=False) if edit in urls}
    scenes = bool(links)
    links |= {source: source for source in said.sources if is_page(source)}
    if not links:
        return said
    named = _named(said.markdown, {label: url for label, url in links.items() if label != url})
    below = unnamed(said, _names_in_brackets if scenes else None)
    if not below:
        return replace(said, markdown=named)
    line = say(language, "answer.sources", sources=tuple(_shown(one, links.get(one)) for one in below))
    return replace(said, markdown=f"{named}\n\n{line}", sources=(), edits=())


def _shown(source: str, url: str | None) -> str:
    if url is None:
        return f"`{source}`" if is_note(source) and "`" not in source else source
    label = _MARKS.sub(r"\\\1", page_label(source)) if is_page(source) else source
    return f"[{label}]({url.replace('(', '%28').replace(')', '%29')})"


def _named(markdown: str, links: Mapping[str, str]) -> str:
    parts = re.split(r"(```.*?```|`[^`\n]*`|\[[^\]\n]*\]\([^)\n]*\))", markdown, flags=re.DOTALL)
    for place in range(0, len(parts), 2):
        for label, url in links.items():
            parts[place] = _pattern(label).sub(f"[{label}]({url})", parts[place])
    return "".join(parts)


def _names_in_brackets(text: str, label: str) -> bool:
    return _pattern(label).search(text) is not None


def _pattern(label: str) -> re.Pattern[str]:
    """Match a label in brackets, as answers name their sources: a bare 3.2 may be anything."""
    return re.compile(rf"(?<=\(){re.escape(label)}(?=[),;])")
