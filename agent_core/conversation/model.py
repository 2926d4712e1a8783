"""A thread, topic, private chat or terminal session, and the book it is bound to."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from agent_core.messages import Json


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCard:
    """A message of ours that shows a batch's card. `state` is what it shows: see `card_state`."""

    platform: str
    ref: str
    batch: str
    place: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Overheard:
    """A message in a place that did not address us. `speaker` is a name."""

    conversation: str
    message: str
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Followup:
    """What the buttons of a card go on with. `person` is whom it was shown to."""

    id: str
    conversation: str
    person: str
    body: Mapping[str, Json]
    at: datetime


def card_state(status: str, digest: str, *, settled: bool) -> str:
    """Return the state of a batch as the message that shows it notes it."""
    return f"{status}/{int(settled)}/{digest}"
