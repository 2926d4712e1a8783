"""The one gate for every path that a model or a person writes: nothing here looks at the disk.

A path is relative to its notes folder, with `/` between its parts, and can only name what lies in it.
"""

import re
import unicodedata

from agent_core.errors import NoteRefusal

MAX_PATH_CHARS = 1_000
MAX_PART_BYTES = 255
TRASH = ".trash"
EXPORTS = "exports"
NOTE_SUFFIX = ".md"

_ENCODED = re.compile(r"%(?:25)*(?:2e|2f|5c|00|3a)", re.IGNORECASE)
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])(?:\..*)?", re.IGNORECASE
)
_TURNING = frozenset("\u202a\u202b\u202d\u202e")  # they make a name read as another
_UNLINKABLE = frozenset('<>"|?*#^[]')


def clean(path: str, *, hidden: bool = False) -> str:
    """Return the path in its one written form; "" is the notes folder itself.

    Hidden folders (a leading dot) are refused, but for `.trash` where `hidden` is set.

    Raises:
        NoteRefusal: reason "path"; it does not name something in the folder, whatever stands there.
    """
    parts = path.removesuffix("/").split("/") if path not in {"", ".", "/"} else []
    if len(path) > MAX_PATH_CHARS or _ENCODED.search(path) or any(_is_bad(part) for part in parts):
        raise refused(path)
    if any(
        part.startswith(".") and not (hidden and i == 0 and part == TRASH) for i, part in enumerate(parts)
    ):
        raise refused(path)
    return "/".join(parts)


def clean_file(path: str, *, hidden: bool = False) -> str:
    """Return `clean(path)` of something in the folder.

    Raises:
        NoteRefusal: reason "path"; also where it is the folder itself.
    """
    cleaned = clean(path, hidden=hidden)
    if not cleaned or cleaned == TRASH:
        raise refused(path)
    return cleaned


def clean_new(path: str) -> str:
    """Return `clean_file(path)` of something that is to be made: its name can stand in a link on any disk.

    Raises:
        NoteRefusal: reason "path" or "name".
    """
    cleaned = unicodedata.normalize("NFC", clean_file(path))
    if _UNLINKABLE & set(cleaned):
        raise NoteRefusal(reason="name", path=shown(path), not_allowed=" ".join(sorted(_UNLINKABLE)))
    return cleaned


def key(path: str) -> str:
    """Return what is equal for paths that name the same thing on some disk: case and composition apart."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def link_key(path: str) -> str:
    """Return the key by which links name a file: its last part, without the suffix of notes."""
    return key(path.rpartition("/")[2]).removesuffix(NOTE_SUFFIX)


def is_note(path: str) -> bool:
    """Return whether the path is that of a Markdown note."""
    return path.lower().endswith(NOTE_SUFFIX)


def is_visible(name: str) -> bool:
    """Return whether something of this name in a folder can be named by a path."""
    return not name.startswith(".") and not _is_bad(name)


def parent(path: str) -> str:
    """Return the folder that the path lies in, "" for the notes folder."""
    return path.rpartition("/")[0]


def title(path: str) -> str:
    """Return the name of a note without its folder and suffix."""
    name = path.rpartition("/")[2]
    return name[: -len(NOTE_SUFFIX)] if is_note(name) else name


def refused(path: str) -> NoteRefusal:
    """Return the one refusal of paths; it repeats of a path what can be shown."""
    return NoteRefusal(reason="path", path=shown(path))


def shown(path: str) -> str:
    """Return a path as an error may repeat it."""
    return "".join(char if char.isprintable() else "·" for char in path[:120])


def _is_bad(part: str) -> bool:
    return (
        not part
        or part in {".", ".."}
        or part != part.strip()
        or part.endswith(".")
        or "\\" in part
        or ":" in part
        or any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} or char in _TURNING for char in part)
        or len(part.encode("utf-8", "surrogatepass")) > MAX_PART_BYTES
        or _DEVICE.fullmatch(unicodedata.normalize("NFKC", part)) is not None
    )
