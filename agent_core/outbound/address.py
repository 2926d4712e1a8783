"""Which addresses may be connected to: decided on what a name resolves to, never on the name."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]

_UNICAST = IPv6Network("2000::/3")  # all that is global in IPv6
_LOOPBACK = ("127.0.0.1", "::1")
_NAT64 = IPv6Network("64:ff9b::/96")
_LOW_WORD = (1 << 32) - 1
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a name as this machine sees them, in the order to try them.

    Raises:
        OSError: there are none.
    """
    if f".{host.lower().rstrip('.')}".endswith(".localhost"):
        return _LOOPBACK  # RFC 6761: never asked of anybody
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in found))


def parse_address(text: str) -> Address | None:
    """Return the address that a text is, without the zone of a link-local one; None if it is none."""
    try:
        return ip_address(text.partition("%")[0].strip("[]"))
    except ValueError:
        return None


def is_public(address: Address) -> bool:
    """Return whether an address, and every address that is wrapped in it, is one of the open internet."""
    if isinstance(address, IPv4Address):
        return address.is_global and not (address.is_multicast or address.is_reserved)
    wrapped = _wrapped(address)
    if wrapped:
        return all(map(is_public, wrapped))
    return address in _UNICAST and address.is_global and not address.is_multicast


def _wrapped(address: IPv6Address) -> tuple[IPv4Address, ...]:
    """Return the IPv4 addresses that one of IPv6 leads to (mapped, 6to4, Teredo, NAT64, ISATAP)."""
    if address.ipv4_mapped is not None:
        return (address.ipv4_mapped,)
    if address.sixtofour is not None:
        return (address.sixtofour,)
    if address.teredo is not None:
        return address.teredo
    number = int(address)
    if address in _NAT64 or (number >> 32) & _LOW_WORD in _ISATAP:
        return (IPv4Address(number & _LOW_WORD),)
    return ()


class PrivateHosts:
    """Hosts of one's own that may be reached though their addresses are private.

    Each is written as `host`, for all its ports, or as `host:port`.
    """

    def __init__(self, hosts: Iterable[str] = ()) -> None:
        self._hosts = frozenset(_plain(host) for host in hosts)

    def allow(self, host: str, port: int) -> bool:
        """Return whether this port of the host is on the list."""
        name = _plain(host)
        return name in self._hosts or f"{name}:{port}" in self._hosts


def _plain(host: str) -> str:
    return host.strip().lower().replace("[", "").replace("]", "").rstrip(".")
