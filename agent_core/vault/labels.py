"""Names of notes in a picture: what each is called, and where it stands without covering anything."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wcwidth import wcswidth

from agent_core.vault import paths
from agent_core.vault.layout import Point

FONT = 26
MAX_NAME_CELLS = 26
SMALL = 0.8  # of the folder's letters
_CELL = 0.58 * FONT  # the width of a letter, about


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the picture."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Return whether it covers a part of another."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


@dataclass(frozen=True, slots=True)
class Name:
    """What a note is called, and the folder it lies in where others are called the same."""

    title: str
    folder: str = ""

    @property
    def width(self) -> float:
        """Its width in the picture, about."""
        return max(width_of(self.title), width_of(self.folder) * SMALL)


@dataclass(frozen=True, slots=True)
class Label:
    """A name at its place; `anchor` says which part of it is at `x`."""

    name: Name
    x: float
    anchor: str
    box: Box


def names_of(shown: Sequence[str]) -> dict[str, Name]:
    """Return the name of each note; with its folder where several have the same."""
    counted = Counter(paths.key(paths.title(path)) for path in shown)
    names = {}
    for path in shown:
        title = paths.title(path)
        is_alone = counted[paths.key(title)] == 1
        folder = "" if is_alone else _cut(paths.title(paths.parent(path)) or "/", MAX_NAME_CELLS)
        names[path] = Name(_cut(title, MAX_NAME_CELLS), folder)
    return names


def width_of(text: str) -> float:
    """Return the width of a text in the picture, about."""
    return _cells(text) * _CELL


def labels(
    places: Mapping[str, Point], radius: Mapping[str, float], names: Mapping[str, Name]
) -> Iterator[Label]:
    """Yield names, those of the most linked first, where each lies on no point and no other name."""
    taken = [around(places[path], radius[path]) for path in places]
    for path in sorted(places, key=lambda one: -radius[one]):
        for label in _spots(places[path], radius[path], names[path]):
            if not any(label.box.meets(other) for other in taken):
                taken.append(label.box)
                yield label
                break


def around(at: Point, radius: float) -> Box:
    """Return the box of a point."""
    return Box(at[0] - radius, at[1] - radius, at[0] + radius, at[1] + radius)


def _cut(text: str, cells: int) -> str:
    if _cells(text) <= cells:
        return text
    while text and _cells(text) >= cells:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _cells(text: str) -> int:
    return max(wcswidth(text), len(text) // 2)  # what is no letter has no width that it knows


def _spots(at: Point, radius: float, name: Name) -> Iterator[Label]:
    """Yield places around a point, the nearest first."""
    width, high = name.width, FONT * (0.95 if name.folder else 0.5)
    for near in (radius + 7, radius + 26):
        aslant = near * 0.7
        for x, y, anchor in (
            (near, 0.0, "start"), (-near, 0.0, "end"), (0.0, near + high, "middle"),
            (0.0, -near - high, "middle"), (aslant, aslant + high, "start"),
            (aslant, -aslant - high, "start"), (-aslant, aslant + high, "end"),
            (-aslant, -aslant - high, "end"),
        ):  # fmt: skip
            left = at[0] + x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
            box = Box(left, at[1] + y - high, left + width, at[1] + y + high)
            yield Label(name, at[0] + x, anchor, box)
