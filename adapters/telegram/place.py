"""Keys of places and refs of messages: "chat" or "chat:topic", and "chat/message"."""

from dataclasses import dataclass

PLATFORM = "telegram"


@dataclass(frozen=True, slots=True)
class Place:
    """A chat, or a topic in it; General and chats without topics have the topic 0."""

    chat: int
    topic: int = 0

    @property
    def key(self) -> str:
        """The key of the conversation here."""
        return f"{self.chat}:{self.topic}" if self.topic else str(self.chat)

    @property
    def is_private(self) -> bool:
        """Whether one person talks with us here; groups have negative ids."""
        return self.chat > 0

    @property
    def thread(self) -> int | None:
        """What is sent as the thread: nothing outside of topics."""
        return self.topic or None


def place_of(key: str) -> Place | None:
    """Return the place with a key, None for a text that is none."""
    chat, _, topic = key.partition(":")
    if not (chat.removeprefix("-").isdecimal() and (topic or "0").isdecimal()):
        return None
    return Place(int(chat), int(topic or 0))


def ref_of(chat: int, message: int) -> str:
    """Return the ref of a message."""
    return f"{chat}/{message}"


def read_ref(ref: str) -> tuple[int, int] | None:
    """Return chat and message of a ref, None for a text that is none."""
    chat, _, message = ref.partition("/")
    if not (chat.removeprefix("-").isdecimal() and message.isdecimal()):
        return None
    return int(chat), int(message)
