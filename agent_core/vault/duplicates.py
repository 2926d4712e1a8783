"""Finds notes that say the same, and plans to make one of them. All of it blocks and belongs in a thread."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from agent_core.errors import NoteRefusal
from agent_core.lore.fold import fold
from agent_core.vault import paths
from agent_core.vault.answers import DuplicateGroup, Duplicates
from agent_core.vault.destroying import trashed
from agent_core.vault.folder import version_of
from agent_core.vault.frontmatter import united
from agent_core.vault.markdown import frontmatter_span
from agent_core.vault.note import Note
from agent_core.vault.plan import Plan, moves_of, relinks, rewrite
from agent_core.vault.relink import relinked
from agent_core.vault.vault import Vault

MAX_GROUPS = 100
MAX_MERGED = 20
_HASHES, _BANDS, _SEED = 128, 32, 1
_WORDS_IN_SHINGLE, _LETTERS_IN_SHINGLE = 4, 3
_LEAST_WORDS = 8
_MOST_CANDIDATES = 40  # names that all begin alike must not end in comparing all pairs
_MAX_WORDS = 20_000


def find_duplicates(vault: Vault, threshold: float, by: str) -> Duplicates:
    """Return groups of notes whose text (without frontmatter) or whose name is alike."""
    text_of = _title if by == "title" else _body
    seen = sorted(one.path for one in vault.folder.walk() if paths.is_note(one.path))
    same: dict[str, list[str]] = {}
    for path in seen:
        if text := text_of(vault, path):
            same.setdefault(version_of(text.encode("utf-8", "replace")), []).append(path)
    first = [alike[0] for alike in same.values()]
    near = _alike(first, lambda path: _shingles(text_of(vault, path), by), threshold)
    found = sorted(_joined(same.values(), near), key=lambda group: (-group.likeness, group.paths))
    return Duplicates(
        vault=vault.name,
        groups=tuple(found[:MAX_GROUPS]),
        more=max(0, len(found) - MAX_GROUPS),
        compared=sum(map(len, same.values())),
    )


def merge_duplicates(vault: Vault, merged: Sequence[str], keep: str) -> Plan:
    """Plan to make one note of several: `keep` gets what only the others say, and they go to the trash."""
    kept = vault.note(_own_note(vault, keep))
    others = [path for path in dict.fromkeys(_own_note(vault, one) for one in merged) if path != kept.path]
    if not others:
        raise NoteRefusal(reason="same", path=kept.path)
    if len(others) > MAX_MERGED:
        raise NoteRefusal(reason="too_many", path=kept.path, found=len(others), most=MAX_MERGED)
    moved = moves_of(vault, dict.fromkeys(others, kept.path))
    notes = [
        (before, after, count) for before, after, count in relinks(vault, moved) if before.path not in others
    ]
    whole, differing, versions = relinked(kept, moved)[0], [], [kept.version]
    for path in others:
        other = vault.note(path)
        versions.append(other.version)
        whole, different = _with(whole, relinked(other, moved)[0])
        differing += [f"{name} ({path})" for name in different]
    trash: dict[str, str] = {}
    for path in others:
        trash[path] = trashed(vault, path, trash.values())
    rest = [rewrite(before, after) for before, after, _ in notes if before.path != kept.path]
    own = [rewrite(kept, whole)] if whole.text != kept.text else []
    return Plan(
        path=kept.path,
        version=version_of("\n".join(versions).encode()),
        rewrites=(*own, *rest),
        moves=trash,
        before=kept.text,
        after=whole.text,
        facts={
            "notes": len(others),
            "listed": ", ".join(others),
            "links": sum(count for _, _, count in notes),
            "differing": ", ".join(differing[:10]),
        },
    )


def _own_note(vault: Vault, path: str) -> str:
    found = vault.folder.find_own(path)
    if found.is_folder or not paths.is_note(found.path):
        raise NoteRefusal(reason="folder" if found.is_folder else "kind", path=found.path)
    return found.path


def _with(keep: Note, other: Note) -> tuple[Note, tuple[str, ...]]:
    """Return a note with what only another one says: keys of its frontmatter, paragraphs of its text."""
    text, differing = united(keep, other)
    present = {_plain(block) for block in _paragraphs(keep)}
    lacking = [block for block in _paragraphs(other) if _plain(block) not in present]
    if lacking:
        end = keep.line_end
        added = keep.in_file("\n\n".join(block.strip("\r\n") for block in lacking))
        text = f"{text.rstrip()}{end}{end}{added}{end}"
    return Note(keep.path, text, keep.marked), differing


def _paragraphs(note: Note) -> Iterator[str]:
    """Yield the blocks of a text between blank lines; fenced code is one block with its blank lines."""
    block: list[str] = []
    for line in note.text[note.markup.body :].splitlines(keepends=True):
        if line.strip() or (block and _open_fence(block)):
            block.append(line)
        elif block:
            yield "".join(block)
            block = []
    if block:
        yield "".join(block)


def _open_fence(block: Sequence[str]) -> bool:
    marks = [line.lstrip()[:3] for line in block if line.lstrip().startswith(("```", "~~~"))]
    return len(marks) % 2 == 1


def _plain(text: str) -> str:
    return " ".join(text.split())


def _title(vault: Vault, path: str) -> str:
    return _plain(fold(paths.title(path)))


def _body(vault: Vault, path: str) -> str:
    note = next(vault.notes([path]), None)
    if note is None:
        return ""
    front = frontmatter_span(note.text)
    return _plain(fold(note.text[front[2] if front else 0 :]))


def _shingles(text: str, by: str) -> set[str]:
    if by == "title":
        padded = f"  {text} "
        last = len(padded) - _LETTERS_IN_SHINGLE
        return {padded[i : i + _LETTERS_IN_SHINGLE] for i in range(last + 1)}
    words = text.split()[:_MAX_WORDS]
    if len(words) < _LEAST_WORDS:
        return set()
    last = len(words) - _WORDS_IN_SHINGLE
    return {" ".join(words[i : i + _WORDS_IN_SHINGLE]) for i in range(last + 1)}


def _alike(
    listed: Sequence[str], shingles_of: Callable[[str], set[str]], threshold: float
) -> Iterator[tuple[str, str, float]]:
    """Yield pairs that are alike: candidates by bands of hashes, never all pairs, then counted exactly.

    Hashes are all that is held of every note; what candidates say is read again.
    """
    from rensa import RMinHash, RMinHashLSH  # noqa: PLC0415  few processes look for duplicates

    table: Any = RMinHashLSH(threshold=threshold, num_perm=_HASHES, num_bands=_BANDS)  # Any: it has no types
    again = lru_cache(maxsize=64)(shingles_of)
    for place, path in enumerate(listed):
        shingles = shingles_of(path)
        if not shingles:
            continue
        own: Any = RMinHash(num_perm=_HASHES, seed=_SEED)  # Any: it has no types
        own.update(list(shingles))
        for other in table.query(own)[:_MOST_CANDIDATES]:
            likeness = _likeness(shingles, again(listed[other]))
            if likeness >= threshold:
                yield listed[other], path, likeness
        table.insert(place, own)


def _likeness(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)


def _joined(
    same: Iterable[Sequence[str]], alike: Iterable[tuple[str, str, float]]
) -> Iterator[DuplicateGroup]:
    """Yield the groups that pairs make: what is alike to one of a group belongs to it."""
    group_of: dict[str, list[str]] = {}
    least: dict[int, float] = {}
    pairs = [(one, other, 1.0) for paths_ in same for one, other in pairwise(paths_)]
    for one, other, likeness in (*pairs, *alike):
        first, second = group_of.setdefault(one, [one]), group_of.setdefault(other, [other])
        if first is not second:
            least[id(first)] = min(least.get(id(first), 1.0), least.get(id(second), 1.0), likeness)
            first += second
            group_of |= dict.fromkeys(second, first)
    for group in {id(group): group for group in group_of.values()}.values():
        yield DuplicateGroup(paths=tuple(sorted(group)), likeness=round(least.get(id(group), 1.0), 3))
