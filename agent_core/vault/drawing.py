"""The graph of notes as a picture: points coloured by folder, the most linked largest, with their names."""

import math
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.util import find_spec
from os.path import commonpath
from pathlib import Path

from agent_core.texts import standing
from agent_core.vault import paths, raster
from agent_core.vault.answers import Graph
from agent_core.vault.labels import FONT, SMALL, Box, Label, around, labels, names_of, width_of
from agent_core.vault.layout import Point, layout

COLOURS = ("#2f6fb0", "#d1642a", "#3b8f5a", "#8a5bb5", "#c23b57", "#1f8f9c", "#a67c1d", "#6b7280")
MAX_LOOSE = 30
_MARGIN = 190  # for names beside the outermost points
_LINE = 42
_WIDTH = 1_000  # of a picture with few points; a phone shows letters of 26 as those of a book
_IN_WIDTH = 40  # points; more of them get a larger picture
_UPRIGHT = 1.7
_LONGEST_LINK = 300
_DRAWN_S = 60.0
FONT_PACKAGES = (
    "fontpkg_noto_serif", "justmytype_intl_rtl", "justmytype_intl_sea", "justmytype_intl_south_asia",
    "justmytype_intl_cjk",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture: `svg`, and as points `png`, empty where this machine has no letters to draw names with."""

    svg: str
    png: bytes


def draw(graph: Graph) -> Drawing:
    """Return the picture of a graph. Blocks; for a thread."""
    svg = _svg(graph)
    return Drawing(svg, _png(svg))


def _svg(graph: Graph) -> str:
    linked = {end for link in graph.links for end in (link.source, link.target)}
    shown = [node.path for node in graph.nodes if node.path in linked]
    loose = [node.path for node in graph.nodes if node.path not in linked and paths.is_note(node.path)]
    pairs = dict.fromkeys((min(one.source, one.target), max(one.source, one.target)) for one in graph.links)
    folders = _Folders.of([*shown, *loose])
    names = names_of([*shown, *loose])
    radius = {node.path: 7 + 3.2 * math.sqrt(node.links) for node in graph.nodes}
    places = _spread(layout(shown, list(pairs)), radius)
    named = list(labels(places, radius, names))
    frame = _frame([*(around(places[path], radius[path]) for path in shown), *(label.box for label in named)])
    entries = [(names[path].title, folders.colour(path)) for path in loose[:MAX_LOOSE]]
    left_out = graph.more + max(0, len(loose) - MAX_LOOSE)
    below, bottom = _below(entries, left_out, folders.legend, frame)
    parts = [
        *(_line(places[one], places[other]) for one, other in pairs),
        *(_dot(places[path], radius[path], folders.colour(path)) for path in shown),
        *map(_labelled, named),
        *below,
    ]
    width, height = frame.right - frame.left, bottom - frame.top
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="{frame.left:.0f} {frame.top:.0f} {width:.0f} {height:.0f}" font-family="Noto Sans,'
        f' DejaVu Sans, Liberation Sans, Arial, sans-serif" font-size="{FONT}">'
        f'<rect x="{frame.left:.0f}" y="{frame.top:.0f}" width="100%" height="100%" fill="#fff"/>'
        f"{''.join(parts)}</svg>"
    )


def _spread(at: Mapping[str, Point], radius: Mapping[str, float]) -> dict[str, Point]:
    """Return places in points of an upright picture, with room between them."""
    if not at:
        return {}
    across, down = max(x for x, _ in at.values()), max(y for _, y in at.values())
    width = _WIDTH * max(1.0, math.sqrt(len(at) / _IN_WIDTH)) - 2 * _MARGIN
    wide = min(width / max(across, 1e-6), _LONGEST_LINK)
    high = min(width * _UPRIGHT / max(down, 1e-6), _LONGEST_LINK)
    places = {path: [x * wide, y * high] for path, (x, y) in at.items()}
    for _ in range(30):
        if not _part(list(places.items()), radius):
            break
    return {path: (x, y) for path, (x, y) in places.items()}


def _frame(boxes: Sequence[Box]) -> Box:
    """Return what holds all of it, at least as wide as a phone shows well."""
    left = min((box.left for box in boxes), default=0.0) - 24
    right = max((box.right for box in boxes), default=0.0) + 24
    missing = max(0.0, _WIDTH - (right - left)) / 2
    top = min((box.top for box in boxes), default=0.0) - 24
    return Box(left - missing, top, right + missing, max((box.bottom for box in boxes), default=0.0) + 24)


def _part(points: Sequence[tuple[str, list[float]]], radius: Mapping[str, float]) -> bool:
    """Push points apart that lie on one another; return whether any did."""
    met = False
    for index, (one, at) in enumerate(points):
        for other, there in points[index + 1 :]:
            x, y = there[0] - at[0], there[1] - at[1]
            least = radius[one] + radius[other] + 12
            if abs(x) >= least or abs(y) >= least:
                continue
            length = math.hypot(x, y) or 1e-6
            if length < least:
                by = (least - length) / (2 * length)
                at[0], at[1] = at[0] - by * x, at[1] - by * y
                there[0], there[1] = there[0] + by * x, there[1] + by * y
                met = True
    return met


def _below(
    entries: Sequence[tuple[str, str]], left_out: int, legend: Sequence[tuple[str, str]], frame: Box
) -> tuple[list[str], float]:
    """Return what stands below the graph, and where it ends: notes without links, and the folders."""
    parts: list[str] = []
    y = frame.bottom
    more = [(f"+ {left_out:,}", "")] if left_out > 0 else []
    for rows, radius in (
        (_rows([*entries, *more], frame), 8),
        (_rows(legend if len(legend) > 1 else [], frame), 12),
    ):
        if rows:
            parts.append(_rule(y, frame))
            y += _LINE
        for row in rows:
            parts += [_entry(x, y, radius, text, colour) for x, text, colour in row]
            y += _LINE
    return parts, y


def _rows(entries: Iterable[tuple[str, str]], frame: Box) -> list[list[tuple[float, str, str]]]:
    """Return rows of points with a name, as many beside one another as fit."""
    rows: list[list[tuple[float, str, str]]] = []
    x = frame.right
    for text, colour in entries:
        needed = width_of(text) + 64
        if x + needed > frame.right:
            rows.append([])
            x = frame.left + 24
        rows[-1].append((x, text, colour))
        x += needed
    return rows


def _entry(x: float, y: float, radius: float, text: str, colour: str) -> str:
    dot = _dot((x + 12, y), radius, colour) if colour else ""
    return dot + _text(x + 32, y + FONT * 0.35, text, "start")


@dataclass(frozen=True, slots=True)
class _Folders:
    """The folders of the first level where notes differ, the fullest first, each with its colour."""

    start: str
    colours: Mapping[str, str]

    @classmethod
    def of(cls, shown: Sequence[str]) -> "_Folders":
        folders = [paths.parent(path) for path in shown]
        common = commonpath(folders) if folders and all(folders) else ""
        start = f"{common}/" if common else ""
        counted = Counter(_first(path, start) for path in shown)
        order = sorted(counted, key=lambda one: (-counted[one], one))
        return cls(start, {one: COLOURS[min(place, len(COLOURS) - 1)] for place, one in enumerate(order)})

    @property
    def legend(self) -> list[tuple[str, str]]:
        """The names of the folders with their colours; the last colour stands for all that are left."""
        own = self.start.rstrip("/").rpartition("/")[2] or "/"
        named = [(folder or own, colour) for folder, colour in self.colours.items()]
        if len(named) <= len(COLOURS):
            return named
        return [*named[: len(COLOURS) - 1], (f"+ {len(named) - len(COLOURS) + 1}", COLOURS[-1])]

    def colour(self, path: str) -> str:
        """Return the colour of a note."""
        return self.colours[_first(path, self.start)]


def _first(path: str, start: str) -> str:
    folder, slash, _ = path[len(start) :].partition("/")
    return folder if slash else ""


def _labelled(label: Label) -> str:
    first = label.box.top + FONT * 0.85
    title = _text(label.x, first, label.name.title, label.anchor)
    if not label.name.folder:
        return title
    return title + _text(label.x, first + FONT * 0.9, label.name.folder, label.anchor, "#5b6675", SMALL)


def _line(one: Point, other: Point) -> str:
    return (
        f'<line x1="{one[0]:.1f}" y1="{one[1]:.1f}" x2="{other[0]:.1f}" y2="{other[1]:.1f}"'
        ' stroke="#9aa4b2" stroke-width="1.6" stroke-opacity="0.55"/>'
    )


def _dot(at: Point, radius: float, colour: str) -> str:
    return (
        f'<circle cx="{at[0]:.1f}" cy="{at[1]:.1f}" r="{radius:.1f}" fill="{colour}" stroke="#fff"'
        ' stroke-width="2"/>'
    )


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#1b2430", size: float = 1) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size * FONT:.0f}" fill="{colour}"'
        f' stroke="#fff" stroke-width="5" stroke-linejoin="round" paint-order="stroke">{_plain(text)}</text>'
    )


def _plain(text: str) -> str:
    """Return a text as XML can hold it."""
    return escape("".join(char for char in standing(text) if char.isprintable()))


def _rule(y: float, frame: Box) -> str:
    return (
        f'<line x1="{frame.left:.1f}" y1="{y:.1f}" x2="{frame.right:.1f}" y2="{y:.1f}" stroke="#d5dae1"'
        ' stroke-width="2"/>'
    )


def _png(svg: str) -> bytes:
    """Return the picture in points, drawn by a process of its own."""
    program = [sys.executable, "-I", str(Path(raster.__file__)), *_font_folders()]
    drawn = subprocess.run(program, input=svg.encode(), capture_output=True, timeout=_DRAWN_S, check=False)  # noqa: S603  nothing in it comes from outside
    if drawn.returncode == raster.NO_LETTERS:
        return b""
    drawn.check_returncode()
    return drawn.stdout


@cache
def _font_folders() -> list[str]:
    """Return the folders of font packages that are installed; those of the system come besides."""
    found = (find_spec(name) for name in FONT_PACKAGES)
    return [folder for one in found if one for folder in one.submodule_search_locations or ()]
