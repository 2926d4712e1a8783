"""Where a made file goes in a notes folder, and which pictures of it a text names. It blocks; for threads."""

import re
import unicodedata
from collections.abc import Collection, Iterable
from urllib.parse import unquote

from agent_core.documents.images import image_of
from agent_core.documents.model import Image
from agent_core.errors import NoteRefusal
from agent_core.vault import paths
from agent_core.vault.folder import version_of
from agent_core.vault.markdown import MARKDOWN
from agent_core.vault.plan import Plan, Rewrite
from agent_core.vault.resolution import resolve
from agent_core.vault.vault import Vault

_MAX_STEM_BYTES = 120
_UNFIT = re.compile(r'[<>:"/\\|?*#^\[\]]')


def stem_of(name: str, suffix: str) -> str:
    """Return a name for a file that fits every disk and every link, without its suffix."""
    printable = "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in name)
    stem = " ".join(_UNFIT.sub("-", printable).split()).removesuffix(suffix).strip(". -")
    cut = stem.encode()[:_MAX_STEM_BYTES].decode(errors="ignore").strip(". -")
    try:
        return paths.clean_new(cut)
    except NoteRefusal:  # nothing is left of it, or a device is called so
        return f"Document {cut}".strip()


def plan_export(
    vault: Vault, stem: str, suffix: str, content: bytes, *, overwrite: bool, promised: Collection[str] = ()
) -> Plan:
    """Plan to put a file into the exports folder: under a free name, or in the place of what is there.

    `promised` are paths that are free still and that other files will get.
    """
    path = f"{paths.EXPORTS}/{stem}{suffix}"
    found = vault.folder.find_maybe(path)
    if found is not None and overwrite and not found.is_folder:
        version = version_of(vault.folder.read(found))
        return Plan(path=found.path, version=version, rewrites=(Rewrite(found.path, content, version),))
    new = _free(vault, stem, suffix, promised)
    return Plan(path=new, rewrites=(Rewrite(new, content, ""),))


def picture_in(vaults: Iterable[Vault], note: str, source: str) -> Image | None:
    """Return the picture that a text names, looked for as its note would link to it; never outside."""
    path = unquote(source)
    for vault in vaults:
        found = resolve(path, MARKDOWN, note, vault.current().named)
        if found is not None:
            try:
                return image_of(vault.folder.read(vault.folder.find_file(found)))
            except NoteRefusal:
                continue
    return None


def _free(vault: Vault, stem: str, suffix: str, promised: Collection[str]) -> str:
    place = 1
    while True:
        numbered = stem if place == 1 else f"{stem} {place}"
        try:
            new = vault.folder.free(f"{paths.EXPORTS}/{numbered}{suffix}")
            if new not in promised:
                return new
        except NoteRefusal as error:
            if error.facts.get("reason") != "exists":
                raise
        place += 1
