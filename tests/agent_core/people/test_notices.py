"""Operators are told once, in private, when something breaks that they can mend; others read what works."""

from dataclasses import replace

import pytest

from agent_core.conversation.model import Conversation
from agent_core.errors import LoreKeeperError, ModelCause, ModelFailure, StoreCause, StoreFailure
from agent_core.people.model import Identity, SeriesRole
from agent_core.stores.sql.conversation import SqlConversationStore
from agent_core.stores.sql.database import Durability
from agent_core.stores.sql.operators import SqlOperatorStore
from agent_core.stores.sql.people import SqlPeopleStore
from agent_core.stores.sql.sqlite import SqliteDatabase
from agent_core.stores.sql.turn import SqlTurnStore
from agent_core.turn.model import Owed
from agent_core.turn.notices import Notices
from tests.clock import FakeClock, counting_ids
from tests.emulators.model_endpoint import Raw
from tests.house import House

REFUSED = Raw(status=401, body={"error": {"message": "Incorrect API key", "code": "invalid_api_key"}})
KEY = "The model refuses our key: questions are not answered."


async def reader(house: House) -> None:
    """Seat a reader who is no operator in a place of their own."""
    new = Conversation(id="rob-id", platform="chat", place="rob", private=True)
    asker = await house.core.askers.identify(Identity("chat", "rob"), "Rob", new)
    linked = replace(asker.conversation, series=(await house.asker()).conversation.series)
    await house.core.askers.conversations.save_conversation(linked)


async def told(house: House, place: str = "main-id") -> list[str]:
    """Return the notices that a place is owed, and take them as delivered."""
    owed = [one for one in await house.core.owed(place) if not one.turn]
    for one in owed:
        await house.core.delivered(one.id)
    return [one.text for one in owed]


async def test_operator_is_told_once_of_a_refused_key_until_it_worked_again(house: House) -> None:
    await house.join("rob", SeriesRole.READER, "1")
    for _ in range(3):
        house.endpoint.reply(REFUSED)
        heard = await house.say("Who is Mara?", "rob", "group", private=False)
        assert heard.answer == (
            "The model refuses our key. Commands still work; the operator has to renew the key."
        )

    [notice] = await told(house)
    assert notice.startswith(KEY)
    assert "LOREKEEPER_MODEL_API_KEY" in notice

    house.endpoint.reply("Mara is here.")
    await house.say("Who is Mara?", "rob", "group", private=False)
    assert await told(house) == []
    house.endpoint.reply(REFUSED)
    await house.say("Who is Mara?", "rob", "group", private=False)
    assert [text[: len(KEY)] for text in await told(house)] == [KEY]


async def test_nobody_but_operators_is_told_and_nothing_in_public(house: House) -> None:
    await reader(house)
    await house.asker("ann", "group", private=False)
    house.endpoint.reply(REFUSED)
    await house.say("Hello.", "ann", "group", private=False)

    assert await told(house, "rob-id") == []
    assert await told(house, "group-id") == []
    assert len(await told(house)) == 1


async def test_what_passes_by_itself_is_told_to_nobody(house: House) -> None:
    notices = house.core.runtime.notices
    for error in (
        ModelFailure(reason=ModelCause.TIMEOUT),
        ModelFailure(reason=ModelCause.FILTER),
        StoreFailure(reason=StoreCause.BUSY),
        LoreKeeperError(),
    ):
        await notices.broke(error)

    assert await told(house) == []


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ModelFailure(reason=ModelCause.QUOTA), "quota is used up"),
        (ModelFailure(reason=ModelCause.NOT_FOUND), "LOREKEEPER_MODEL_BASE_URL"),
        (StoreFailure(reason=StoreCause.READ_ONLY), "read-only"),
        (StoreFailure(reason=StoreCause.DAMAGED), "restore a backup"),
    ],
)
async def test_each_notice_says_how_it_is_mended(house: House, error: LoreKeeperError, said: str) -> None:
    await house.core.runtime.notices.broke(error)

    [notice] = await told(house)
    assert said in notice


async def test_two_kinds_of_trouble_are_two_notices(house: House) -> None:
    notices = house.core.runtime.notices
    for _ in range(2):
        await notices.broke(ModelFailure(reason=ModelCause.AUTH))
        await notices.broke(ModelFailure(reason=ModelCause.QUOTA))

    assert len(await told(house)) == 2


async def test_restart_tells_nothing_twice(house: House) -> None:
    await house.core.runtime.notices.broke(ModelFailure(reason=ModelCause.AUTH))
    await told(house)

    await anew(house).broke(ModelFailure(reason=ModelCause.AUTH))

    assert await told(house) == []


def anew(house: House) -> Notices:
    """Return the notices as a fresh process has them."""
    now = house.core.runtime.notices
    return Notices(
        operators=now.operators,
        conversations=now.conversations,
        turns=now.turns,
        clock=now.clock,
        new_id=now.new_id,
    )


async def test_full_disk_is_told_once_though_nothing_can_be_written(database: SqliteDatabase) -> None:
    people, turns = SqlPeopleStore(database), SqlTurnStore(database)
    operators, conversations = SqlOperatorStore(database), SqlConversationStore(database)
    ann = await people.person_for(Identity("terminal", "ann"), "Ann", new_id="ann", operator=True)
    place = Conversation(id="c1", platform="terminal", place="main", private=True)
    await conversations.conversation_at(place)
    await operators.note_place(ann.id, "terminal", "c1")
    await database.write(lambda tx: tx.run("PRAGMA query_only = ON"), Durability.NORMAL)
    notices = Notices(
        operators=operators,
        conversations=conversations,
        turns=turns,
        clock=FakeClock(),
        new_id=counting_ids(),
    )
    with pytest.raises(StoreFailure):
        await turns.owe(Owed(id="o1", conversation="c1", turn="t1", text="an answer"))

    for _ in range(2):
        await notices.broke(StoreFailure(reason=StoreCause.FULL))

    [owed] = notices.owed("c1")
    assert owed.text == "The disk is full: nothing can be written. Make some room; what was there is safe."
    assert notices.delivered(owed.id)
    assert not notices.delivered(owed.id)
    assert notices.owed("c1") == []
