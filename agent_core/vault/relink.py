"""Lets links follow when files move: exactly those that would lead elsewhere afterwards are written anew."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agent_core.vault import paths
from agent_core.vault.note import Note
from agent_core.vault.resolution import Candidates, is_beside, link_text, resolve


@dataclass(frozen=True, slots=True)
class Moves:
    """Files that move: `to` from old path to new. `before` and `after` are the files there are then and then.

    Several may go to one path, which then stands for all of them.
    """

    to: Mapping[str, str]
    before: Candidates
    after: Candidates

    @property
    def keys(self) -> frozenset[str]:
        """The link keys whose meaning may change."""
        return frozenset(paths.link_key(path) for pair in self.to.items() for path in pair)


def moves(to: Mapping[str, str], before: Candidates) -> Moves:
    """Return the moves of files, of which those that there are before are known."""

    def after(key: str) -> list[str]:
        stay = [path for path in before(key) if path not in to]
        come = {path for path in to.values() if paths.link_key(path) == key}
        return [*stay, *(path for path in sorted(come) if path not in stay)]

    return Moves(to, before, after)


def relinked(note: Note, moved: Moves) -> tuple[Note, int]:
    """Return the note as it reads after the moves, and how many of its links were written anew."""
    source = moved.to.get(note.path, note.path)
    text, count = note.text, 0
    for link in reversed(note.markup.links):
        target = resolve(link.path, link.style, note.path, moved.before)
        if target is None:
            continue
        wanted = moved.to.get(target, target)
        stays = is_beside(link, source, wanted) or not is_beside(link, note.path, target)
        if stays and resolve(link.path, link.style, source, moved.after) == wanted:
            continue
        written = link_text(wanted, link, source, moved.after)
        text = f"{text[: link.start]}{written}{text[link.end :]}"
        count += 1
    return Note(note.path, text, note.marked), count


def referring(notes: Iterable[Note], moved: Moves) -> list[tuple[Note, Note, int]]:
    """Return each note that has to be written anew, as it is and as it will be, with its number of links."""
    made = []
    for note in notes:
        new, count = relinked(note, moved)
        if count:
            made.append((note, new, count))
    return made
