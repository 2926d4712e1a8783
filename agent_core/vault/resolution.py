"""Which file a link leads to, as Obsidian decides it; and the shortest way to write a link to a file."""

import posixpath
from collections.abc import Callable, Sequence
from urllib.parse import quote

from agent_core.vault import paths
from agent_core.vault.markdown import ANGLED, MARKDOWN, QUOTED, Link

Candidates = Callable[[str], Sequence[str]]
"""Gives the paths of the files that have a link key."""


def resolve(path: str, style: str, source: str, candidates: Candidates) -> str | None:
    """Return the file that a link in the note `source` leads to, None where there is none.

    A path that is whole wins; then what ends with it, in the folder of the note or below it before others,
    the shortest before longer ones. Markdown links are tried from the folder of the note first.
    """
    there = candidates(paths.link_key(path))
    if not there:
        return None
    folder = paths.parent(source)
    if path.startswith(("./", "../")):
        return _whole(_joined(folder, path), there)
    if path.startswith("/"):
        return _whole(path.lstrip("/"), there)
    if style in {MARKDOWN, ANGLED} and (beside := _whole(_joined(folder, path), there)) is not None:
        return beside
    return _whole(path, there) or _ending(path, folder, there)


def is_beside(link: Link, source: str, target: str) -> bool:
    """Return whether a Markdown link leads to the file by its path from the folder of the note."""
    by_path = link.style in {MARKDOWN, ANGLED} and not link.path.startswith("/")
    return by_path and _whole(_joined(paths.parent(source), link.path), (target,)) is not None


def link_text(target: str, link: Link, source: str, candidates: Candidates) -> str:
    """Return how a link of this style, standing in the note `source`, names a file."""
    suffix = not paths.is_note(target) or link.path.lower().endswith(paths.NOTE_SUFFIX)
    if link.style in {MARKDOWN, ANGLED}:
        if link.path.startswith("/"):
            path = f"/{target}"
        else:
            path = posixpath.relpath(target, paths.parent(source) or ".")
            if link.path.startswith("./") and not path.startswith("../"):
                path = f"./{path}"
        path = _cut(path, suffix=suffix)
        return quote(path, safe="/!$&'*+,;=@-._~'") if link.style == MARKDOWN else path
    if link.path.startswith(("./", "../")):
        path = posixpath.relpath(target, paths.parent(source) or ".")
        written = _cut(path if path.startswith("../") else f"./{path}", suffix=suffix)
    else:
        short = _cut(target.rpartition("/")[2], suffix=suffix)
        is_enough = "/" not in link.path and resolve(short, link.style, source, candidates) == target
        written = short if is_enough else _cut(target, suffix=suffix)
    return written.replace("'", "''") if link.style == QUOTED else written


def _cut(path: str, *, suffix: bool) -> str:
    return path if suffix else path[: -len(paths.NOTE_SUFFIX)]


def _joined(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path))


def _names(path: str) -> tuple[str, str]:
    wanted = paths.key(path)
    return wanted, f"{wanted}{paths.NOTE_SUFFIX}"


def _whole(path: str, there: Sequence[str]) -> str | None:
    wanted = _names(path)
    exact = [one for one in there if one in {path, f"{path}{paths.NOTE_SUFFIX}"}]
    found = exact or sorted(
        (one for one in there if paths.key(one) in wanted), key=lambda one: (len(one), one)
    )
    return found[0] if found else None


def _ending(path: str, folder: str, there: Sequence[str]) -> str | None:
    ends = tuple(f"/{name}" for name in _names(path))
    found = [one for one in there if f"/{paths.key(one)}".endswith(ends)]
    near = f"{paths.key(folder)}/" if folder else ""
    found.sort(key=lambda one: (not paths.key(one).startswith(near), len(one), one))
    return found[0] if found else None
