"""One message as Telegram takes it: text with entities, and the writer that counts their offsets."""

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from telegram import ForceReply, InlineKeyboardMarkup, MessageEntity

from adapters.chat.model import Document
from adapters.splitting import utf16_length

MAX_TEXT = 4096
MAX_ENTITIES = 100
_FSI, _PDI = "\u2068", "\u2069"
_RIGHT_TO_LEFT = frozenset({"R", "AL"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A message. One with a `document` is sent as a file, its text as the caption.

    Where no files may be sent `instead` is said, and what is in the document follows.

    A draft is shown while it is being written; a message that is none takes its place.
    """

    text: str
    entities: tuple[MessageEntity, ...] = ()
    keyboard: InlineKeyboardMarkup | ForceReply | None = None
    document: Document | None = None
    instead: str = ""
    is_draft: bool = False

    @property
    def fits(self) -> bool:
        """Whether Telegram takes the text and honours every entity."""
        return utf16_length(self.text) <= MAX_TEXT and len(self.entities) <= MAX_ENTITIES


@dataclass(slots=True)
class Writer:
    """Collects text with its entities, whose offsets count UTF-16 units."""

    pieces: list[str] = field(default_factory=list)
    entities: list[MessageEntity] = field(default_factory=list)
    length: int = 0

    def write(self, text: str, *styles: str) -> None:
        """Add text that has these styles."""
        length = utf16_length(text)
        if text.strip():
            self.entities += [MessageEntity(style, self.length, length) for style in styles]
        self.pieces.append(text)
        self.length += length

    def enclose(self, style: str, since: int) -> None:
        """Give a style to everything that was written since an offset."""
        if self.length > since:
            self.entities.append(MessageEntity(style, since, self.length - since))

    def part(self, keyboard: InlineKeyboardMarkup | None = None) -> Part:
        """Return what was written as a message."""
        text, entities = trimmed("".join(self.pieces), self.entities)
        return Part(text=text, entities=tuple(entities[:MAX_ENTITIES]), keyboard=keyboard)


def isolated(text: str) -> str:
    """Return the text so that its direction and that of what stands around it don't touch each other."""
    return f"{_FSI}{text}{_PDI}" if reads_from_right(text) else text


def reads_from_right(text: str) -> bool:
    """Tell whether some of the text is written from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in text)


def begins_from_right(text: str) -> bool:
    """Tell whether the first letter that has a direction runs from right to left."""
    for char in text:
        direction = unicodedata.bidirectional(char)
        if direction in _RIGHT_TO_LEFT or direction == "L":
            return direction != "L"
    return False


def trimmed(text: str, entities: Iterable[MessageEntity]) -> tuple[str, list[MessageEntity]]:
    """Return text without blanks around it, as Telegram would make it, and the entities moved along."""
    bare = text.strip()
    before = utf16_length(text[: len(text) - len(text.lstrip())])
    return bare, clipped(entities, before, before + utf16_length(bare))


def clipped(entities: Iterable[MessageEntity], start: int, end: int) -> list[MessageEntity]:
    """Return what of the entities lies between two offsets, counted from the first."""
    kept: list[MessageEntity] = []
    for entity in entities:
        begin = max(entity.offset, start)
        length = min(entity.offset + entity.length, end) - begin
        if length > 0:
            kept.append(moved(entity, begin - start, length))
    return kept


def moved(entity: MessageEntity, offset: int, length: int) -> MessageEntity:
    """Return the entity at another place."""
    return MessageEntity(entity.type, offset, length, url=entity.url, language=entity.language)


def with_isolates(text: str, entities: Sequence[MessageEntity], ranges: Sequence[tuple[int, int]]) -> Part:
    """Return the text with isolates around these ranges of characters, entities stretched along."""
    return with_inserted(
        text, entities, [(start, _FSI) for start, _ in ranges] + [(end, _PDI) for _, end in ranges]
    )


def with_inserted(text: str, entities: Sequence[MessageEntity], added: Sequence[tuple[int, str]]) -> Part:
    """Return the text with more text before some of its characters, entities stretched along.

    What is added where an entity begins or ends stays outside of it.
    """
    added = sorted(added, key=lambda one: one[0])
    places = [place for place, _ in added]
    pieces = [text[begin:end] for begin, end in pairwise([0, *places, len(text)])]
    joined = "".join(f"{piece}{more}" for piece, (_, more) in zip(pieces, [*added, (0, "")], strict=True))
    offsets = _offsets(text, places)
    moves = [0, *accumulate(utf16_length(more) for _, more in added)]
    shifted = []
    for entity in entities:
        end = entity.offset + entity.length
        begin = entity.offset + moves[bisect_right(offsets, entity.offset)]
        shifted.append(moved(entity, begin, end + moves[bisect_right(offsets, end - 1)] - begin))
    return Part(text=joined, entities=tuple(shifted))


def characters_of(text: str, entity: MessageEntity) -> tuple[int, int]:
    """Return the range of an entity in characters."""
    offsets = _offsets(text, range(len(text) + 1))
    return bisect_left(offsets, entity.offset), bisect_left(offsets, entity.offset + entity.length)


def _offsets(text: str, places: Sequence[int]) -> list[int]:
    """Return places given in characters as offsets in UTF-16 units."""
    lengths = [2 if char > "\uffff" else 1 for char in text]
    offsets = [0, *accumulate(lengths)]
    return [offsets[place] for place in places]
