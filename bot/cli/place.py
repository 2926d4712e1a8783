"""Who sits at this terminal, and which series its conversation is about."""

from dataclasses import dataclass

from agent_core.conversation.model import Conversation
from agent_core.lore.fold import name_key
from agent_core.people.model import Identity
from agent_core.tools.spec import Asker
from bot.wiring import App

PLATFORM = "terminal"
LOCAL = "local"
MAIN = "main"


@dataclass(frozen=True, slots=True)
class Seat:
    """A person at the terminal and the conversation they sit in; both are made where they are new."""

    user: str = LOCAL
    series: str = ""

    @property
    def place(self) -> str:
        """The conversation's key: one a series, by name, and another one for each further person."""
        about = f"series:{name_key(self.series)}" if self.series else MAIN
        return about if self.user == LOCAL else f"{about}/{self.user}"


async def seated(app: App, seat: Seat) -> Asker:
    """Return the person at the terminal as an asker in their conversation."""
    settings = app.settings
    new = Conversation(
        id=app.core.runtime.new_id(),
        platform=PLATFORM,
        place=seat.place,
        private=True,
        language=settings.language,
        time_zone=settings.time_zone.key,
    )
    name = settings.user_name if seat.user == LOCAL else seat.user
    identity = Identity(PLATFORM, seat.user)
    return await app.core.askers.identify(identity, name, new, operator=seat.user == LOCAL)


async def linked(app: App, seat: Seat, series: str, book: str | None = None) -> Asker:
    """Return the asker with the conversation linked to a series of theirs; it is begun where it is new."""
    asker = await seated(app, seat)
    if asker.conversation.series is None or book is not None:
        arguments = {"series": series} if book is None else {"series": series, "book": book}
        await app.core.propose([("link_thread", arguments)], asker, complete=True)
        asker = await seated(app, seat)
    return asker
