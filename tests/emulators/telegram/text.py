"""Texts as Telegram sees them: UTF-16 units, entities within the text, commands and mentions found in it."""

import re
from collections.abc import Sequence
from itertools import accumulate

from tests.emulators.telegram.errors import wrong
from tests.emulators.telegram.records import Entity
from tests.emulators.telegram.wire import Json

MAX_ENTITIES = 100
_BLANK = " \t\r\n\v\f\u00a0\u1680\u180e\u2028\u2029\u202f\u205f\u2060\u3000\ufeff" + "".join(
    chr(code) for code in range(0x2000, 0x2010)
)
_KIND_NAMES = (
    "mention hashtag cashtag bot_command url email phone_number bold italic underline strikethrough spoiler "
    "blockquote expandable_blockquote code pre text_link text_mention custom_emoji date_time"
)
_KINDS = frozenset(_KIND_NAMES.split())
_COMMAND = re.compile(r"(?<![\w/@])/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]{3,32})?(?![\w/])")
_MENTION = re.compile(r"(?<![\w@/])@[A-Za-z][A-Za-z0-9_]{3,31}\b")


def units(text: str) -> int:
    """Return the length in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def is_blank(text: str) -> bool:
    """Return whether nothing of the text would be seen."""
    return not text.strip(_BLANK)


def noticed(text: str) -> tuple[Entity, ...]:
    """Return the entities that Telegram sets by itself in what people type."""
    found = [
        Entity(kind, units(text[: match.start()]), units(match.group()))
        for kind, pattern in (("bot_command", _COMMAND), ("mention", _MENTION))
        for match in pattern.finditer(text)
    ]
    return tuple(sorted(found, key=lambda entity: entity.offset))


def formatted(text: str, entities: Sequence[Json]) -> tuple[str, tuple[Entity, ...]]:
    """Return text and entities as Telegram keeps them: trimmed, the first 100 entities, in order.

    Raises:
        ApiError: for entities that Telegram refuses.
    """
    borders = _borders(text)
    read = [_entity(entity, borders) for entity in entities]
    read.sort(key=lambda entity: (entity.offset, -entity.length))
    return _trimmed(text, read[:MAX_ENTITIES])


def _borders(text: str) -> frozenset[int]:
    """Return the UTF-16 offsets at which a character begins, and the end."""
    return frozenset(accumulate(map(units, text), initial=0))


def _entity(shape: Json, borders: frozenset[int]) -> Entity:
    kind, offset, length = shape.get("type"), shape.get("offset"), shape.get("length")
    if not isinstance(offset, int) or not isinstance(length, int) or kind not in _KINDS:
        raise wrong(f"can't parse MessageEntity: {shape}")
    if offset < 0 or length <= 0:
        raise wrong(f"entity at UTF-16 offset {offset} has the length {length}")
    whole = max(borders)
    if offset >= whole:
        raise wrong(f"entity begins after the end of the text at UTF-16 offset {offset}")
    if offset not in borders:
        raise wrong(f"entity begins in a middle of a UTF-16 symbol at UTF-16 offset {offset}")
    end = offset + length
    if end > whole:
        raise wrong(f"entity beginning at UTF-16 offset {offset} ends after the end of the text at {end}")
    if end not in borders:
        raise wrong(
            f"entity beginning at UTF-16 offset {offset} ends in a middle of a UTF-16 symbol at {end}"
        )
    more = {name: value for name, value in shape.items() if name not in ("type", "offset", "length")}
    return Entity(str(kind), offset, length, more)


def _trimmed(text: str, entities: Sequence[Entity]) -> tuple[str, tuple[Entity, ...]]:
    lead = units(text) - units(text.lstrip(" \n\r\t"))
    kept = text.strip(" \n\r\t")
    length = units(kept)
    moved = []
    for entity in entities:
        start = max(entity.offset - lead, 0)
        end = min(entity.offset - lead + entity.length, length)
        if end > start:
            moved.append(Entity(entity.type, start, end - start, entity.more))
    return kept, tuple(moved)
