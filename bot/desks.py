"""Builds the desk of a chat platform over the application."""

from adapters.chat.backoff import Backoff
from adapters.chat.board import Board
from adapters.chat.desk import Desk
from adapters.chat.exchange import Exchange
from adapters.chat.followups import Followups
from adapters.chat.reception import Reception
from adapters.chat.room import Rooms
from bot.wiring import App


def desk_for(app: App, rooms: Rooms) -> Desk:
    """Return the desk of the platform whose rooms these are."""
    reception = Reception(
        core=app.core,
        pairing=app.pairing,
        platform=rooms.platform,
        language=app.settings.language,
        time_zone=str(app.settings.time_zone),
    )
    exchange = Exchange(
        core=app.core,
        rooms=rooms,
        reception=reception,
        board=Board(app.core, rooms, Backoff(app.core.runtime.clock)),
        followups=Followups(app.core),
        outlets=app.outlets,
    )
    return Desk(exchange)
