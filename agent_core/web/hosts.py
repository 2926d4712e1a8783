"""Hosts as they are named in texts: what tells an address that somebody gave from one that a page planted."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator

from agent_core.errors import OutboundRefusal
from agent_core.outbound.target import Target, target

# A label has at most 63 letters; to begin anywhere within a long word would take time by its square.
_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_HOST = re.compile(
    rf"(?<![\w.-])(?:https?://)?(?P<host>\[[0-9a-fA-F:.]{{2,45}}\]|(?:{_LABEL}\.){{1,20}}{_LABEL}|localhost)(?!\w)"
)
_NUMBERS = re.compile(r"(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+))*", re.IGNORECASE)
_FILE_ENDINGS = ("md", "zip")  # that are ends of hosts too, and that tools add to the name of a file
MAX_CHARS = 1_000_000


def hosts_in(text: str) -> Iterator[str]:
    """Yield the hosts that a text names, with or without a scheme, in the form of `host_of`."""
    for found in _HOST.finditer(text[:MAX_CHARS]):
        if _NUMBERS.fullmatch(found["host"]) and found["host"].count(".") != 3:
            continue  # 2.1 is a scene or a version, though it could be written for 2.0.0.1
        try:
            yield host_of(f"http://{found['host']}")
        except OutboundRefusal:  # only looked like one
            continue


def host_of(url: str) -> str:
    """Return the host of an address in one form; www. in front of it makes no difference.

    Raises:
        OutboundRefusal: it is no web address.
    """
    return target(url).host.rstrip(".").removeprefix("www.")


class Known:
    """Hosts that may be asked because somebody has named them, and that of the address that is asked for."""

    def __init__(self, url: str, hosts: Collection[str] = ()) -> None:
        self._hosts = {host_of(url), *hosts}

    def holds(self, to: Target) -> bool:
        """Return whether what a redirect leads to is at one of them."""
        return host_of(str(to.url)) in self._hosts


class Given:
    """What was given to somebody who may say it again: no host that is made of it was named by them."""

    def __init__(self, texts: Iterable[str]) -> None:
        texts = tuple(texts)
        self._hosts = tuple({_written(host) for text in texts for host in hosts_in(text)})
        self._letters = _letters("".join((*texts, *_FILE_ENDINGS)))

    def makes(self, host: str) -> bool:
        """Return whether a host (in the form of `host_of`) is there, or all of its labels are somewhere."""
        written = _written(host)
        labels = map(_letters, re.split(r"[.:]", written))
        return written.endswith(self._hosts) or all(label in self._letters for label in labels)


def _written(host: str) -> str:
    """Return a host as it is written rather than in ASCII."""
    return target(f"http://{f'[{host}]' if ':' in host else host}").url.host


def _letters(text: str) -> str:
    """Return letters and digits alone, without accents and in small: what stays of a text in an echo."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text).casefold()))
