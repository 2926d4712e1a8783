"""Takes the sting out of what is written: no ping, no command, no link that claims to lead elsewhere."""

import re
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from telegram import MessageEntity

from adapters.telegram.part import Part, characters_of, with_inserted

JOINER = "\u2060"
"""Stands after a sign that Telegram would read; nobody sees it."""
_SIGN = re.compile(r"https?://\S+|(?<!\w)(?P<at>@)(?=\w)|(?<![\w/<>])(?P<slash>/)(?=\w)", re.IGNORECASE)
_DOMAIN = re.compile(r"(?:[\w-]+\.)+[^\W\d_]{2,}")
_CODE = frozenset({"code", "pre"})


def harmless(text: str, entities: Sequence[MessageEntity]) -> Part:
    """Return the text so that Telegram finds nobody to ping and no command in it, code aside.

    A link whose label reads like another address is followed by where it leads.
    """
    code = [characters_of(text, one) for one in entities if one.type in _CODE]
    signs = [place for place in _signs(text) if not any(start <= place < end for start, end in code)]
    added = [(place + 1, JOINER) for place in signs]
    for entity in entities:
        if entity.type == "text_link" and entity.url:
            start, end = characters_of(text, entity)
            host = host_of(entity.url)
            if _claims_another(text[start:end], host):
                added.append((end, f" ({host})"))
    return with_inserted(text, entities, added)


def host_of(url: str | None) -> str:
    """Return the host that a web address leads to, "" for what is none."""
    if url is None or not re.match(r"https?://\S+$", url, re.IGNORECASE):
        return ""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def without_joiners(text: str) -> str:
    """Return a text that somebody copied from a message of ours as it reads."""
    return re.sub(f"(?<=[@/]){JOINER}", "", text)


def _signs(text: str) -> Iterator[int]:
    for found in _SIGN.finditer(text):
        if found.lastgroup is not None:
            yield found.start()


def _claims_another(label: str, host: str) -> bool:
    return any(_bare(named) != _bare(host) for named in _DOMAIN.findall(label))


def _bare(host: str) -> str:
    return host.casefold().removeprefix("www.")
