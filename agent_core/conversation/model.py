"""A thread, topic, private chat or terminal session, and the book it is bound to."""

from dataclasses import dataclass
from enum import StrEnum


class Audience(StrEnum):
    """Who reads along in a place."""

    TEAM = "team"
    READERS = "readers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A place where people talk. `place` is the platform's own key and never leaves out the topic.

    `audience_up_to` is the node up to which an audience of readers may see; `position` the node where the
    conversation stands in its book.
    """

    id: str
    platform: str
    place: str
    private: bool
    series: str | None = None
    book: str | None = None
    chapter: str | None = None
    audience: Audience = Audience.TEAM
    audience_up_to: str | None = None
    default_role: str = "none"
    position: str | None = None
    language: str = "en"
    time_zone: str = "UTC"
    families: tuple[str, ...] = ()
