"""The process that lets apprise send one message: it connects to nothing that may not be connected to.

It reads an order as JSON from its input, and prints one word: taken, address (a connection was refused),
service (apprise knows no such service), or failed.
"""

import json
import os
import socket
import sys
from typing import TextIO

from pydantic import BaseModel

from agent_core.outbound.address import is_public, parse_address

DEADLINE_S = 30


class Order(BaseModel):
    """What to send, to which address of apprise, and which hosts of our own may be reached."""

    url: str
    title: str
    text: str
    private: tuple[str, ...]


class ConnectionGuard:
    """Looks at each address before it is connected to, whoever in this process does so."""

    def __init__(self, private: tuple[str, ...]) -> None:
        self._private = frozenset(place for host in private for place in _places(host))
        self.refused = False

    def __call__(self, event: str, details: tuple[object, ...]) -> None:
        """Refuse a connection to what is neither public nor one of our own (an audit hook of Python)."""
        if event not in {"socket.connect", "socket.sendto"} or self._allows(details[-1]):
            return
        self.refused = True
        raise PermissionError("this address may not be connected to")

    def _allows(self, address: object) -> bool:
        if not isinstance(address, tuple):
            return False  # a socket of this machine
        host, port = str(address[0]), int(address[1])
        found = parse_address(host)
        if found is None:
            return False  # a name, which would be resolved behind our back
        return is_public(found) or (str(found), port) in self._private or (str(found), 0) in self._private


def main(given: TextIO, out: TextIO) -> None:
    """Carry out one order."""
    order = Order.model_validate(json.loads(given.read()))
    os.environ.clear()  # no proxies, no credentials of others
    guard = ConnectionGuard(order.private)
    sys.addaudithook(guard)
    print(_sent(order, guard), file=out)


def _sent(order: Order, guard: ConnectionGuard) -> str:
    import apprise  # noqa: PLC0415  an extra

    asset = apprise.AppriseAsset(http_redirects=False, plugin_paths=[], secure_logging=True)
    carrier = apprise.Apprise(asset=asset)
    if not carrier.add(order.url):
        return "service"
    result = carrier.notify(body=order.text, title=order.title, timeout=DEADLINE_S)
    if result:
        return "taken"
    return "address" if guard.refused else "failed"


def _places(host: str) -> list[tuple[str, int]]:
    """Return the addresses of a host of our own, with 0 for all its ports."""
    name, _, port = host.rpartition(":") if host.rpartition(":")[2].isdigit() else (host, "", "0")
    try:
        found = socket.getaddrinfo(name.strip("[]"), None, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return [(str(parse_address(str(address[0]))), int(port)) for *_, address in found]


if __name__ == "__main__":
    main(sys.stdin, sys.stdout)
