"""Hosts as they are named in texts: what tells an address that somebody gave from one that a page planted."""

import re
from collections.abc import Iterator

from agent_core.errors import OutboundRefusal
from agent_core.outbound.target import target

# A label has at most 63 letters; to begin anywhere within a long word would take time by its square.
_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_HOST = re.compile(
    rf"(?<![\w.-])(?:https?://)?(?P<host>\[[0-9a-fA-F:.]{{2,45}}\]|(?:{_LABEL}\.){{1,20}}{_LABEL}|localhost)(?!\w)"
)
MAX_CHARS = 1_000_000


def hosts_in(text: str) -> Iterator[str]:
    """Yield the hosts that a text names, with or without a scheme, in the form of `host_of`."""
    for found in _HOST.finditer(text[:MAX_CHARS]):
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
