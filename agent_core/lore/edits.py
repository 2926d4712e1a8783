"""Changes of the outline: each returns the one row that makes it; nothing is changed in place.

Ids come from the caller. A node that is gone or of the wrong kind raises UnknownPosition.
"""

from collections.abc import Sequence

from agent_core.lore.model import Mode, OutlineEdited, StoryPlace
from agent_core.lore.outline import Outline


def append_book(outline: Outline, new: str, *, title: str = "", number: str = "") -> OutlineEdited:
    """Return the row that adds a last book with the id `new`."""
    raise NotImplementedError


def append_chapter(
    outline: Outline, new: str, book: str, *, title: str = "", number: str | None = None, part: str = ""
) -> OutlineEdited:
    """Return the row that adds a last chapter to `book`; `number` None goes on with the printed numbers."""
    raise NotImplementedError


def append_scene(
    outline: Outline,
    new: str,
    chapter: str,
    *,
    title: str = "",
    mode: Mode = Mode.LINEAR,
    place: StoryPlace | None = None,
) -> OutlineEdited:
    """Return the row that adds a last scene to `chapter`."""
    raise NotImplementedError


def insert_scene_after(
    outline: Outline,
    new: str,
    scene: str,
    *,
    title: str = "",
    mode: Mode = Mode.LINEAR,
    place: StoryPlace | None = None,
) -> OutlineEdited:
    """Return the row that adds a scene right after `scene`."""
    raise NotImplementedError


def move(
    outline: Outline,
    node: str,
    *,
    after: str | None = None,
    before: str | None = None,
    into: str | None = None,
) -> OutlineEdited:
    """Return the row that moves `node` next to a node of its kind, or to the end of the parent `into`.

    Exactly one of the three is given.

    Raises:
        StoryCycle: if a story place would close on itself.

    """
    raise NotImplementedError


def set_place(outline: Outline, node: str, place: StoryPlace | None) -> OutlineEdited:
    """Return the row that gives `node` a story place, or takes it away.

    Raises:
        StoryCycle: if the place would close on itself.

    """
    raise NotImplementedError


def set_mode(outline: Outline, node: str, mode: Mode) -> OutlineEdited:
    """Return the row that sets a scene's mode."""
    raise NotImplementedError


def retitle(
    outline: Outline,
    node: str,
    *,
    title: str | None = None,
    number: str | None = None,
    part: str | None = None,
) -> OutlineEdited:
    """Return the row that changes labels of `node`; None leaves one as it is."""
    raise NotImplementedError


def delete(outline: Outline, node: str) -> OutlineEdited:
    """Return the row that makes `node` a tombstone; what is under it is gone with it."""
    raise NotImplementedError


def inverse(outline: Outline, rows: Sequence[OutlineEdited]) -> tuple[OutlineEdited, ...]:
    """Return the rows that take back the edits `rows` of one change, last first.

    Only what a row changed is put back. A node that is gone again since it was made is left as it is.

    Raises:
        PlaceGone: if what a row changed was changed again later, or the place it goes back to is gone.
        StoryCycle: if a story place would close on itself.

    """
    raise NotImplementedError
