"""Addresses within a site: their one form, the pattern that they are of, and which look like a trap."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from urllib.parse import parse_qsl, quote, unquote, urlencode, urljoin, urlsplit, urlunsplit

from lxml import etree, html

MAX_LINKS = 1_000
MAX_SEGMENTS = 12
MAX_SAME_SEGMENT = 2
_TRACKING = re.compile(r"utm_\w+|fbclid|gclid|mc_[ce]id|ref_src")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def canonical(url: str, base: str = "") -> str | None:
    """Return the one form of an address: order of the query, escapes, dots and default ports play no part.

    None where it is none of the web.
    """
    try:
        parts = urlsplit(urljoin(base, url.strip()))
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or parts.username is not None:
        return None
    host = parts.hostname.lower()
    host = f"[{host}]" if ":" in host else host
    netloc = host if port in {None, _DEFAULT_PORTS[parts.scheme]} else f"{host}:{port}"
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    query = urlencode(sorted((key, value) for key, value in pairs if not _TRACKING.fullmatch(key)))
    path = quote(unquote(_without_dots(parts.path)), safe="/:@!$&'()*+,;=~-._") or "/"
    return urlunsplit((parts.scheme, netloc, path, query, ""))


def pattern_of(url: str) -> str:
    """Return what an address has in common with its likes: each number is #, of the query only the names."""
    parts = urlsplit(url)
    names = sorted({key for key, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return re.sub(r"\d+", "#", parts.path) + "?" + "&".join(names)


def is_trap(url: str) -> bool:
    """Return whether a path is as only a relative link that grows each time makes it."""
    segments = [one for one in urlsplit(url).path.split("/") if one]
    return len(segments) > MAX_SEGMENTS or max(Counter(segments).values(), default=0) > MAX_SAME_SEGMENT


def links_of(text: str, url: str) -> tuple[list[str], str | None]:
    """Return the addresses that a page links to, in their order, and the one that it says is its own.

    A page that asks robots not to follow its links has none.
    """
    try:
        tree = html.document_fromstring(text)
    except (etree.ParserError, ValueError):  # nothing in it; or a declaration of another encoding
        return [], None
    base = urljoin(url, next(_values(tree, "base", "href"), ""))
    own = next((canonical(one, base) for one in _values(tree, "link", "href", rel="canonical")), None)
    if any("nofollow" in one.lower() for one in _values(tree, "meta", "content", name="robots")):
        return [], own
    return list(dict.fromkeys(_targets(tree, base))), own


def _values(tree: html.HtmlElement, tag: str, attribute: str, **wanted: str) -> Iterator[str]:
    for one in tree.iter(tag):
        if all(one.get(name, "").lower() == value for name, value in wanted.items()):
            yield one.get(attribute, "")


def _targets(tree: html.HtmlElement, base: str) -> Iterator[str]:
    for link in islice(tree.iter("a"), MAX_LINKS):
        if link.get("href") and "nofollow" not in link.get("rel", ""):
            found = canonical(link.get("href", ""), base)
            if found is not None:
                yield found


def _without_dots(path: str) -> str:
    return urlsplit(urljoin("http://x/", path)).path if path else "/"
