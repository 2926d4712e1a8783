"""Cuts the running text of a chapter into scenes: at rules, ornaments and headings inside a chapter."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from agent_core.importing.manuscript import ManuscriptScene


@dataclass(frozen=True, slots=True)
class Passage:
    """Text as it will stand in the scene: one paragraph or several."""

    text: str


@dataclass(frozen=True, slots=True)
class SceneBreak:
    """A rule, an ornament, a page that ends early."""


@dataclass(frozen=True, slots=True)
class SceneTitle:
    """A heading inside a chapter: opens a scene and names it."""

    text: str


Block = Passage | SceneBreak | SceneTitle

_MAX_ORNAMENT = 24
_ORNAMENTS = frozenset("*#~=_-+•·∙⋅◦‣∗⁂⁎⁑⁕※§†‡|‐‑‒–—―⸺⸻﹡＊＃〜～❧☙☾☽")
_ORNAMENT_BLOCKS = ((0x2500, 0x27BF), (0x2B00, 0x2BFF), (0x1F650, 0x1F67F))
_INVISIBLE = {"Cf", "Mn"}
_SPACE = re.compile(r"\s+")


def is_ornament(text: str) -> bool:
    """Return whether a paragraph is nothing but ornament: `* * *`, `⁂`, `#`, a lone dash.

    Dots are none: a paragraph of an ellipsis is somebody's silence.
    """
    bare = _SPACE.sub("", text.replace("\\", ""))
    marks = [character for character in bare if unicodedata.category(character) not in _INVISIBLE]
    return 0 < len(marks) <= _MAX_ORNAMENT and all(_is_ornamental(character) for character in marks)


def scenes_of(blocks: Iterable[Block]) -> tuple[ManuscriptScene, ...]:
    """Return the scenes that hold text, in order; breaks at either end or in a row make no empty scene."""
    drafts = [_Draft()]
    for block in blocks:
        match block:
            case Passage(text):
                drafts[-1].passages.append(text)
            case SceneBreak():
                if drafts[-1].passages:
                    drafts.append(_Draft())
            case SceneTitle(text):
                if drafts[-1].passages:
                    drafts.append(_Draft())
                drafts[-1].titles.append(text)
    return tuple(
        ManuscriptScene(" · ".join(draft.titles), "\n\n".join(draft.passages))
        for draft in drafts
        if draft.passages
    )


def emphasised(runs: Iterable[tuple[str, bool, bool]]) -> str:
    """Return runs of (text, italic, bold) as Markdown.

    Neighbours of one look share their marks, spaces stand outside the marks, and each line has its own.
    """
    merged: list[tuple[str, str]] = []
    for text, italic, bold in runs:
        mark = "*" * (italic + 2 * bold)
        if merged and (merged[-1][1] == mark or not text.strip()):
            merged[-1] = (merged[-1][0] + text, merged[-1][1])
        elif text:
            merged.append((text, mark))
    return "".join("\n".join(_marked(line, mark) for line in text.split("\n")) for text, mark in merged)


@dataclass(slots=True)
class _Draft:
    titles: list[str] = field(default_factory=list)
    passages: list[str] = field(default_factory=list)


def _is_ornamental(character: str) -> bool:
    return character in _ORNAMENTS or any(low <= ord(character) <= high for low, high in _ORNAMENT_BLOCKS)


def _marked(line: str, mark: str) -> str:
    core = line.strip()
    if not mark or not core:
        return line
    lead = line[: len(line) - len(line.lstrip())]
    trail = line[len(line.rstrip()) :]
    return f"{lead}{mark}{core}{mark}{trail}"
