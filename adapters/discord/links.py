"""Links of an answer: nobody is led to another address than the one they read, nor out of the web."""

import re
import unicodedata
from urllib.parse import urlsplit

LONGEST_LABEL = 500
_CODE_OR_LINK = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))|(?<!\\)"
    r"\[(?P<label>(?:\\.|[^\[\]\\\n]|\[[^\[\]\n]*\])+)\]"
    r"\(\s*<?(?P<target>(?:[^\s<>()]|\([^\s<>()]*\))*)>?(?:\s[^)\n]*)?\)"
)
_HOST = re.compile(r"(?:[^\W_](?:[\w-]*[^\W_])?\.)+[^\W\d_]{2,}")
_OTHER_DOTS = str.maketrans("\u3002\uff61", "..")


def honest_links(line: str) -> str:
    """Return a line of Markdown whose links that show another address show where they lead.

    What doesn't lead to the web is no link any more.
    """
    return _CODE_OR_LINK.sub(_honest, line)


def _honest(link: re.Match[str]) -> str:
    if link["code"] is not None:
        return link["code"]
    host = _web_host(link["target"])
    if host is None:
        return link["label"]
    label = link["label"]
    if len(label) <= LONGEST_LABEL and all(_is_of(shown, host) for shown in _shown_hosts(label)):
        return link[0]
    return f"[{host}]({link['target']})"


def _web_host(target: str) -> str | None:
    try:
        parts = urlsplit(target)
        return parts.hostname if parts.scheme.lower() in {"http", "https"} else None
    except ValueError:
        return None


def _shown_hosts(label: str) -> list[str]:
    """Return what reads like a host in a label, in plain letters."""
    plain = unicodedata.normalize("NFKC", label.translate(_OTHER_DOTS))
    seen = "".join(char for char in plain if unicodedata.category(char) != "Cf" and char not in "*_~|\\")
    return [found.lower() for found in _HOST.findall(seen)]


def _is_of(shown: str, host: str) -> bool:
    """Tell whether a shown host is the host that a link leads to, with or without "www." before it."""
    return shown.removeprefix("www.") == host.removeprefix("www.")
