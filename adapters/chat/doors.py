"""By which doors a chat place is open: noted when somebody is heard there, asked when a task runs."""

import json

from adapters.chat.model import Spot
from agent_core.conversation.store import ChatStore
from agent_core.core import Core
from agent_core.people.model import Identity
from agent_core.people.pairing import Knock, admitted
from agent_core.tools.spec import Asker


async def note_doors(chat: ChatStore, spot: Spot) -> None:
    """Remember the server and the chat that a place belongs to."""
    key, doors = _key(spot.key), json.dumps([spot.server, spot.chat])
    if await chat.noted(spot.platform, key) != doors:
        await chat.note(spot.platform, key, doors)


async def is_let_in(core: Core, asker: Asker) -> bool:
    """Return whether the person would be heard in their place now; so outside of chat platforms."""
    place, people = asker.conversation, core.askers.people
    noted = await core.chat.noted(place.platform, _key(place.place))
    if noted is None:
        return True
    server, chat = json.loads(noted)
    admissions = await core.askers.operators.admissions(place.platform)
    identities = [one for one in await people.identities(asker.person.id) if one.platform == place.platform]
    return any(
        admitted(admissions, Knock(identity=one, server=server, chat=chat), asker.person)
        for one in identities or [Identity(place.platform, "")]
    )


def _key(place: str) -> str:
    return f"doors:{place}"
