"""What a site asks robots to leave alone, by the rules of RFC 9309.

How the answer to /robots.txt is taken:

- 2xx: its rules hold; of a file over 500 KB those in the first 500 KB, and at most the first 2,000.
- 4xx except 429: there are no rules, everything is allowed.
- 429, 5xx, no answer, one that is too slow or broken off, an endless chain of redirects or one that leads to
  a host that is not known: nothing is allowed.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from agent_core.errors import OutboundFailure, OutboundRefusal
from agent_core.outbound.client import Outbound
from agent_core.web.hosts import Known

AGENT = "lorekeeper"
MAX_BYTES = 500_000
MAX_RULES = 2_000  # each link of a site is held against each
MAX_STARS = 20
MAX_DELAY_S = 10.0
_DEADLINE_S = 10.0
_REDIRECTS = 5


@dataclass(frozen=True, slots=True)
class Rule:
    """A path pattern that is allowed or not."""

    pattern: str
    allow: bool

    def fits(self, path: str) -> bool:
        """Return whether the pattern, with * and a $ at its end, begins the path."""
        ends = self.pattern.endswith("$")
        first, *others = self.pattern.removesuffix("$").split("*")
        if not path.startswith(first):
            return False
        at = len(first)
        if ends and not others:
            return at == len(path)
        for part in others[:-1] if ends else others:
            at = path.find(part, at)
            if at < 0:
                return False
            at += len(part)
        return not ends or (path.endswith(others[-1]) and len(path) - len(others[-1]) >= at)


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules for us. `delay_s` is what the site asks between two requests, 0 where it does not."""

    rules: tuple[Rule, ...] = ()
    delay_s: float = 0.0

    def allow(self, url: str) -> bool:
        """Return whether an address may be asked for: the longest pattern wins, or what allows."""
        parts = urlsplit(url)
        path = _plain((parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
        fitting = [rule for rule in self.rules if rule.fits(path)]
        best = max(fitting, key=lambda rule: (len(rule.pattern), rule.allow), default=None)
        return best is None or best.allow


NOTHING = Robots((Rule("/", allow=False),))


async def robots_of(outbound: Outbound, site: str, known: Known) -> Robots:
    """Return the rules of a site such as https://example.org."""
    try:
        reply = await outbound.request(
            "GET",
            f"{site}/robots.txt",
            max_bytes=MAX_BYTES,
            deadline_s=_DEADLINE_S,
            follow=_REDIRECTS,
            within=known.holds,
        )
    except (OutboundFailure, OutboundRefusal):
        return NOTHING
    if 400 <= reply.status < 500 and reply.status != 429:
        return Robots()
    if not 200 <= reply.status < 300 or (reply.cut and len(reply.body) < MAX_BYTES):
        return NOTHING
    return parse(reply.body.decode("utf-8", "replace"))


def parse(text: str) -> Robots:
    """Return the rules of a robots.txt for us: those of our name, else those for all."""
    own: list[tuple[str, str]] = []
    common: list[tuple[str, str]] = []
    for agents, lines in _groups(text):
        if any(agent != "*" and AGENT.startswith(agent) for agent in agents):
            own += lines
        elif "*" in agents:
            common += lines
    return _robots(own or common)


def _groups(text: str) -> Iterator[tuple[list[str], list[tuple[str, str]]]]:
    agents: list[str] = []
    lines: list[tuple[str, str]] = []
    for key, value in _lines(text):
        if key == "user-agent":
            if lines:
                yield agents, lines
                agents, lines = [], []
            agents.append(value.lower().partition("/")[0])
        elif key in {"allow", "disallow", "crawl-delay"} and agents:
            lines.append((key, value))
    yield agents, lines


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.lstrip("\ufeff").splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield key.strip().lower(), value.strip()


def _robots(lines: Iterable[tuple[str, str]]) -> Robots:
    rules: list[Rule] = []
    delay = 0.0
    for key, value in lines:
        if key == "crawl-delay":
            delay = min(float(value), MAX_DELAY_S) if re.fullmatch(r"\d{1,6}(\.\d+)?", value) else delay
        elif value and len(rules) < MAX_RULES:
            begin = "*".join(value.split("*")[: MAX_STARS + 1])
            rules.append(Rule(_plain(begin), key == "allow"))
    return Robots(tuple(rules), delay)


def _plain(path: str) -> str:
    """Return a path with its escapes in one form."""
    return quote(unquote(path), safe="/*$?=&;:@+,!~'()")
