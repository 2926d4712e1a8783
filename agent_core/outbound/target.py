"""Where a request may go, told by its address alone: scheme, userinfo, host and port."""

from dataclasses import dataclass

import httpx

from agent_core.errors import OutboundRefusal
from agent_core.outbound.address import PrivateHosts

MAX_URL_CHARS = 8_000
_DEFAULT_PORTS = {"http": 80, "https": 443}
# Of other programs than web servers, which a request could be made to talk to.
_OTHER_PROGRAMS = frozenset({
    1433, 1521, 2049, 3306, 3659, 4045, 5060, 5061, 5432, 5672, 6000, 6379, 6566, 6665, 6666, 6667, 6668,
    6669, 6697, 9200, 10080, 11211, 27017,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Target:
    """A web address taken apart. `site` (scheme and host) is all of it that errors and logs may name."""

    url: httpx.URL
    scheme: str
    host: str
    port: int

    @property
    def site(self) -> str:
        """Scheme and host, with the port where it is an unusual one."""
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        """What the header Host says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def joined(self, location: str) -> "Target":
        """Return where a redirect leads.

        Raises:
            OutboundRefusal: nowhere that a request may go.
        """
        try:
            return target(str(self.url.join(location)))
        except httpx.InvalidURL:
            raise OutboundRefusal(reason="url", site=self.site) from None


def target(url: str) -> Target:
    """Return the parts of a web address, its fragment left out.

    Raises:
        OutboundRefusal: it is none, of another scheme, or holds a name or password.
    """
    try:
        parsed = httpx.URL(url.strip())
    except (httpx.InvalidURL, UnicodeError):  # their text would show the whole address
        raise OutboundRefusal(reason="url", site="") from None
    if parsed.scheme not in _DEFAULT_PORTS:
        raise OutboundRefusal(reason="scheme", site="")
    if not parsed.host or len(url) > MAX_URL_CHARS or "%" in parsed.host:
        raise OutboundRefusal(reason="url", site="")
    port = parsed.port if parsed.port is not None else _DEFAULT_PORTS[parsed.scheme]
    if not 0 < port < 65_536:
        raise OutboundRefusal(reason="url", site="")
    # In ASCII: what is resolved, sent as Host and proven by TLS has to be one and the same.
    found = Target(
        parsed.copy_with(fragment=None), parsed.scheme, parsed.raw_host.decode("ascii").lower(), port
    )
    if parsed.userinfo:
        raise OutboundRefusal(reason="userinfo", site=found.site)
    return found


def is_web_port(port: int) -> bool:
    """Return whether web servers may be expected at a port."""
    return port in {80, 443} or (port >= 1024 and port not in _OTHER_PROGRAMS)


def enters(private: PrivateHosts, came_from: Target, goes_to: Target) -> bool:
    """Return whether a redirect of somebody else leads to one of our own hosts: no page may steer that."""
    return private.allow(goes_to.host, goes_to.port) and not private.allow(came_from.host, came_from.port)
