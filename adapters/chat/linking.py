"""Sources as links to the message in which their edit was decided, where people can jump to it."""

import re
from collections.abc import Mapping
from dataclasses import replace

from adapters.surface import Said
from agent_core.texts import say


def linked(said: Said, urls: Mapping[int, str], language: str) -> Said:
    """Return the answer with its sources as links: where it names them, else in a line below it.

    `urls` are addresses by edit number. Code stays as it is.
    """
    links = {label: urls[edit] for label, edit in zip(said.sources, said.edits, strict=False) if edit in urls}
    if not links:
        return said
    named = _named(said.markdown, links)
    if named != said.markdown or any(_pattern(label).search(said.markdown) for label in said.sources):
        return replace(said, markdown=named)
    shown = tuple(f"[{label}]({links[label]})" if label in links else label for label in said.sources)
    below = say(language, "answer.sources", sources=shown)
    return replace(said, markdown=f"{said.markdown}\n\n{below}", sources=(), edits=())


def _named(markdown: str, links: Mapping[str, str]) -> str:
    parts = re.split(r"(```.*?```|`[^`\n]*`|\[[^\]\n]*\]\([^)\n]*\))", markdown, flags=re.DOTALL)
    for place in range(0, len(parts), 2):
        for label, url in links.items():
            parts[place] = _pattern(label).sub(f"[{label}]({url})", parts[place])
    return "".join(parts)


def _pattern(label: str) -> re.Pattern[str]:
    """Match a label in brackets, as answers name their sources: a bare 3.2 may be anything."""
    return re.compile(rf"(?<=\(){re.escape(label)}(?=[),;])")
