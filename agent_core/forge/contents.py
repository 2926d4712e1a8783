"""What lies at a path of a repository: Gitea and GitHub tell it nearly alike."""

import base64
import binascii
import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel
from rapidfuzz import process

from agent_core.errors import ForgeFailure, ForgeRefusal
from agent_core.forge.client import ForgeClient, Page
from agent_core.forge.model import EntryItem, EntryKind, GitFile
from agent_core.forge.names import quoted

MAX_FILE_BYTES = 5_000_000
MAX_POINTER_BYTES = 1_024
MAX_ITEMS = 1_000
_ONE = {"limit": "1", "per_page": "1"}  # as one host and the other call it
_POINTER = re.compile(r"version https://git-lfs\.github\.com/spec/v1\n(?:.*\n)*?oid (\S+)\nsize (\d+)\n")


class _Entry(BaseModel):
    """What both interfaces say of a file, folder, link or submodule."""

    type: Literal["file", "dir", "symlink", "submodule"]
    path: str
    size: int = 0
    html_url: str | None = None
    download_url: str | None = None
    encoding: str | None = None
    content: str | None = None
    target: str | None = None
    submodule_git_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one host is asked for the bytes of a file, by `{repo}` and `{path}`."""

    raw: str
    raw_accept: str


class Contents:
    """Reads files and folders of one host."""

    def __init__(self, client: ForgeClient, dialect: Dialect) -> None:
        self._client = client
        self._dialect = dialect

    async def read(self, repo: str, path: str, ref: str) -> GitFile:
        """Return what lies at the path; see `Forge.file`."""
        page = await self._client.get(f"/repos/{repo}/contents/{quoted(path)}", {"ref": ref})
        if not page.found:
            raise await self._missing(repo, path, ref)
        if page.is_list:
            items = _items(page.read_as(list[_Entry], self._client.site))
            return GitFile(repo=repo, path=path, ref=ref, kind="folder", items=items)
        found = page.read_as(_Entry, self._client.site)
        if found.type != "file":
            return _other(found, repo, ref)
        return _file(found, await self._content(found, repo, ref), repo, ref)

    async def _content(self, entry: _Entry, repo: str, ref: str) -> bytes:
        if entry.size > MAX_FILE_BYTES:
            raise ForgeRefusal(reason="too_large", path=entry.path, bytes=entry.size, most=MAX_FILE_BYTES)
        if entry.encoding == "base64" and entry.content is not None:
            try:
                return base64.b64decode(entry.content)
            except binascii.Error:
                raise ForgeFailure(reason="shape", site=self._client.site) from None
        if entry.size == 0:
            return b""
        place = self._dialect.raw.format(repo=repo, path=quoted(entry.path))
        page = await self._client.get(place, {"ref": ref}, accept=self._dialect.raw_accept)
        if not page.found:
            raise ForgeFailure(reason="status", site=self._client.site, status=404)
        return page.body

    async def _missing(self, repo: str, path: str, ref: str) -> ForgeRefusal:
        """Return what exactly is not there: the repository, the branch or the path."""
        if not (await self._client.get(f"/repos/{repo}")).found:
            return ForgeRefusal(reason="unknown_repo", repo=repo, site=self._client.site)
        if ref and not (await self._client.get(f"/repos/{repo}/commits", {"sha": ref, **_ONE})).found:
            return ForgeRefusal(reason="unknown_ref", repo=repo, ref=ref)
        folder, _, name = path.rpartition("/")
        beside = await self._client.get(f"/repos/{repo}/contents/{quoted(folder)}", {"ref": ref})
        near = process.extract(name, _names(beside, self._client.site), limit=3, score_cutoff=50)
        nearest = tuple(f"{folder}/{item[0]}" if folder else item[0] for item in near)
        return ForgeRefusal(reason="unknown_path", repo=repo, path=path, nearest=nearest)


def _names(page: Page, site: str) -> Sequence[str]:
    if not page.found or not page.is_list:
        return ()
    return [entry.path.rpartition("/")[2] for entry in page.read_as(list[_Entry], site)]


def _items(entries: Sequence[_Entry]) -> tuple[EntryItem, ...]:
    listed = [
        EntryItem(path=entry.path, kind=_kind(entry), bytes=entry.size) for entry in entries[:MAX_ITEMS]
    ]
    return tuple(sorted(listed, key=lambda item: (item.kind != "folder", item.path)))


def _kind(entry: _Entry) -> EntryKind:
    if entry.type == "file" and entry.download_url is None:
        return "submodule"  # as GitHub lists them
    kinds: dict[str, EntryKind] = {
        "dir": "folder",
        "symlink": "link",
        "submodule": "submodule",
        "file": "file",
    }
    return kinds[entry.type]


def _other(entry: _Entry, repo: str, ref: str) -> GitFile:
    if entry.type == "dir":
        return GitFile(repo=repo, path=entry.path, ref=ref, kind="folder")
    return GitFile(
        repo=repo,
        path=entry.path,
        ref=ref,
        kind="link" if entry.type == "symlink" else "submodule",
        url=entry.html_url or "",
        target=entry.target or entry.submodule_git_url or "",
    )


def _file(entry: _Entry, content: bytes, repo: str, ref: str) -> GitFile:
    found = GitFile(
        repo=repo, path=entry.path, ref=ref, kind="binary", bytes=len(content), url=entry.html_url or ""
    )
    text = _decoded(content)
    if text is None:
        return found
    pointer = _POINTER.fullmatch(text) if len(content) <= MAX_POINTER_BYTES else None
    if pointer:
        return found.model_copy(update={"kind": "lfs", "target": pointer[1], "bytes": int(pointer[2])})
    return found.model_copy(update={"kind": "text", "text": text, "total": len(text)})


def _decoded(content: bytes) -> str | None:
    """Return the text of a file, None where it is none."""
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
