"""Every `ConversationStore` keeps conversations by id and by place."""

import asyncio
from dataclasses import replace

from agent_core.conversation.model import Audience, Conversation
from tests.contracts.conftest import Installation, Stores

THREAD = Conversation(id="c1", platform="discord", place="guild/channel/thread", private=False)


async def test_first_message_stores_the_conversation(stores: Stores) -> None:
    assert await stores.conversations.conversation_at(THREAD) == THREAD
    assert await stores.conversations.conversation("c1") == THREAD
    assert await stores.conversations.conversation("c2") is None


async def test_same_place_is_the_same_conversation(stores: Stores) -> None:
    await stores.conversations.conversation_at(THREAD)

    assert await stores.conversations.conversation_at(replace(THREAD, id="c2", language="de")) == THREAD


async def test_another_topic_is_another_conversation(stores: Stores) -> None:
    await stores.conversations.conversation_at(THREAD)
    topic = replace(THREAD, id="c2", place="guild/channel/other")

    assert await stores.conversations.conversation_at(topic) == topic


async def test_two_first_messages_at_once_store_one_conversation(stores: Stores) -> None:
    found = await asyncio.gather(
        *(stores.conversations.conversation_at(replace(THREAD, id=f"c{i}")) for i in range(8))
    )

    assert len({conversation.id for conversation in found}) == 1


async def test_saved_conversation_outlives_a_restart(stores: Stores, installation: Installation) -> None:
    await stores.conversations.conversation_at(THREAD)
    bound = Conversation(
        id="c1",
        platform="discord",
        place="guild/channel/thread",
        private=True,
        series="oz",
        book="b1",
        chapter="ch2",
        audience=Audience.READERS,
        audience_up_to="s7",
        default_role="reader",
        position="s3",
        language="fr",
        time_zone="Europe/Paris",
        families=("lore", "vault"),
    )

    await stores.conversations.save_conversation(bound)

    reopened = await installation.start()
    assert await reopened.conversations.conversation("c1") == bound


async def test_changes_made_at_once_all_last(stores: Stores) -> None:
    await stores.conversations.conversation_at(THREAD)

    await asyncio.gather(
        stores.conversations.alter("c1", lambda place: replace(place, audience=Audience.READERS)),
        stores.conversations.alter("c1", lambda place: replace(place, families=("web",))),
        stores.conversations.alter("nowhere", lambda place: replace(place, language="fr")),
    )

    wanted = replace(THREAD, audience=Audience.READERS, families=("web",))
    assert await stores.conversations.conversation("c1") == wanted
    assert await stores.conversations.conversation("nowhere") is None
