"""How people and models name repositories and what lies in them."""

import re
from urllib.parse import quote, urlsplit

from agent_core.errors import ForgeRefusal

MAX_PATH_CHARS = 1_000
MAX_REF_CHARS = 250
_PART = re.compile(r"[A-Za-z0-9_.-]{1,100}")


def clean_repo(text: str) -> str:
    """Return OWNER/NAME of a repository that is named so, or by its address.

    Raises:
        ForgeRefusal: reason "repo_form".
    """
    plain = text.strip().strip("/")
    if "://" in plain:
        plain = "/".join(urlsplit(plain).path.strip("/").split("/")[:2])
    parts = plain.removesuffix(".git").split("/")
    if len(parts) != 2 or not all(_PART.fullmatch(part) and part.strip(".") for part in parts):
        raise ForgeRefusal(reason="repo_form", repo=text[:80])
    return "/".join(parts)


def clean_owner(text: str) -> str:
    """Return the name of a person or organisation.

    Raises:
        ForgeRefusal: reason "owner_form".
    """
    plain = text.strip().strip("/")
    if not _PART.fullmatch(plain) or not plain.strip("."):
        raise ForgeRefusal(reason="owner_form", owner=text[:80])
    return plain


def clean_path(text: str) -> str:
    """Return a path within a repository, parts apart by /; "" is its root.

    Raises:
        ForgeRefusal: reason "path_form".
    """
    parts = [part for part in text.strip().split("/") if part not in {"", "."}]
    if ".." in parts or len(text) > MAX_PATH_CHARS or any(char < " " for char in text):
        raise ForgeRefusal(reason="path_form", path=text[:80])
    return "/".join(parts)


def clean_ref(text: str) -> str:
    """Return the name of a branch, tag or commit; "" is the branch that the repository has chosen.

    Raises:
        ForgeRefusal: reason "ref_form".
    """
    plain = text.strip()
    if len(plain) > MAX_REF_CHARS or any(char <= " " for char in plain) or ".." in plain:
        raise ForgeRefusal(reason="ref_form", ref=text[:80])
    return plain


def quoted(path: str) -> str:
    """Return a path as it stands in an address."""
    return quote(path, safe="/")
