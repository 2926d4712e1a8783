"""Every `OperatorStore` keeps operators, what they let in and what they were told."""

from datetime import UTC, datetime

from agent_core.people.model import Admission, Door, Identity
from tests.contracts.conftest import Installation, Stores

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
SERVER = Admission("discord", Door.SERVER, "17")
PERSON = Admission("telegram", Door.PERSON, "17")


async def person(stores: Stores, name: str, *, operator: bool = False) -> None:
    await stores.people.person_for(Identity("discord", name), name, new_id=name, operator=operator)


async def test_platform_has_an_operator_once_somebody_there_is_one(stores: Stores) -> None:
    await person(stores, "ann")
    assert not await stores.operators.has_operator("discord")

    await stores.operators.make_operator("ann")

    assert await stores.operators.has_operator("discord")
    assert not await stores.operators.has_operator("telegram")
    ann = await stores.people.person("ann")
    assert ann is not None
    assert ann.operator


async def test_admissions_outlive_a_restart_and_can_be_taken_back(
    stores: Stores, installation: Installation
) -> None:
    for admission in (PERSON, SERVER, SERVER):
        await stores.operators.set_admission(admission, admitted=True)

    reopened = await installation.start()
    assert await reopened.operators.admissions() == (SERVER, PERSON)
    assert await reopened.operators.admissions("telegram") == (PERSON,)

    await reopened.operators.set_admission(SERVER, admitted=False)
    assert await reopened.operators.admissions() == (PERSON,)


async def test_operators_are_reached_where_they_were_last_spoken_to(stores: Stores) -> None:
    await person(stores, "ann", operator=True)
    await person(stores, "tom")
    await stores.operators.note_place("ann", "discord", "c1")
    await stores.operators.note_place("ann", "discord", "c2")
    await stores.operators.note_place("ann", "telegram", "c3")
    await stores.operators.note_place("tom", "discord", "c4")

    assert await stores.operators.operator_places() == ("c2", "c3")


async def test_notice_is_opened_once_until_it_is_closed(stores: Stores, installation: Installation) -> None:
    assert await stores.operators.open_notice("model.auth", NOW)
    assert await stores.operators.open_notice("store.full", NOW)

    reopened = await installation.start()
    assert not await reopened.operators.open_notice("model.auth", NOW)
    assert await reopened.operators.close_notices()
    assert not await reopened.operators.close_notices()
    assert await reopened.operators.open_notice("model.auth", NOW)
