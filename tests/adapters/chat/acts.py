"""What people do on the paper platform in several tests."""

import asyncio
from dataclasses import replace

from adapters.chat.keeping import Keeping
from adapters.chat.model import Heard, Speaker
from agent_core.conversation.model import Audience
from agent_core.lore.model import Author
from agent_core.tools.spec import Asker
from tests.adapters.chat.paper import Paper, PaperRoom
from tests.emulators.model_endpoint import Call, ModelEndpoint

SCARF = Call("record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "lost"}, "chapterId": "2.1"})
HARBOUR = Call("record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "lost"}, "chapterId": "1.1"})
TWO = (
    SCARF,
    Call("record_lore_state", {"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "2.1"}),
)


async def ask_for_card(paper: Paper, endpoint: ModelEndpoint, user: str = "ben", *calls: Call) -> None:
    """Let the model propose what the calls say."""
    endpoint.reply("I would note that:", *(calls or (SCARF,)))
    await paper.say(user, "Note that she loses her scarf.")


def labels(room: PaperRoom) -> list[str]:
    return [button.label for sent in room.sent.values() for _, button in sent.part.buttons]


async def seat(paper: Paper, user: str, place: str = "7") -> Asker:
    return await paper.desk.exchange.reception.seat(speaker_of(user), paper.spot(place))


def speaker_of(user: str) -> Speaker:
    return Speaker(user=user, name=user.title())


async def keep(paper: Paper) -> None:
    """One round of what is kept up to date, to its end."""
    async with asyncio.TaskGroup() as tasks:
        await Keeping(paper.desk.exchange).tick(tasks)


async def readers_up_to(paper: Paper, place: str) -> None:
    """Let readers up to a place read along in room 7."""
    asker = await seat(paper, "ann")
    canon = await paper.house.core.askers.canon(asker.conversation)
    assert canon is not None
    node = canon.outline.finished(canon.outline.find(place, book=None, here=None, bound=Author()))
    changed = replace(asker.conversation, audience=Audience.READERS, audience_up_to=node)
    await paper.house.core.askers.conversations.save_conversation(changed)


async def inline(paper: Paper, text: str) -> None:
    heard = Heard(
        update="inline",
        message="inline",
        speaker=speaker_of("ben"),
        spot=paper.spot("7"),
        text=text,
        at=paper.house.clock.now(),
    )
    await paper.desk.inline(heard, paper.desk.reply_in(paper.rooms.at("7"), heard))
