"""Every `PeopleStore` keeps persons, roles and progress."""

import asyncio

from agent_core.people.model import Identity, Membership, Person, Progress, SeriesRole
from tests.contracts.conftest import Installation, Stores

MARA = Identity("discord", "17")


async def test_first_contact_creates_the_person(stores: Stores) -> None:
    person = await stores.people.person_for(MARA, "Mara", new_id="p1", operator=True)

    assert person == Person(id="p1", name="Mara", operator=True)
    assert await stores.people.person("p1") == person
    assert await stores.people.person("p2") is None


async def test_known_identity_keeps_its_person(stores: Stores) -> None:
    first = await stores.people.person_for(MARA, "Mara", new_id="p1", operator=False)

    assert await stores.people.person_for(MARA, "M.", new_id="p2", operator=True) == first
    assert await stores.people.person("p2") is None


async def test_same_user_id_on_another_platform_is_another_person(stores: Stores) -> None:
    await stores.people.person_for(MARA, "Mara", new_id="p1", operator=False)

    other = await stores.people.person_for(Identity("telegram", "17"), "Tom", new_id="p2", operator=False)

    assert other.id == "p2"


async def test_two_first_messages_at_once_create_one_person(stores: Stores) -> None:
    found = await asyncio.gather(
        *(stores.people.person_for(MARA, "Mara", new_id=f"p{i}", operator=False) for i in range(8))
    )

    assert len(set(found)) == 1


async def test_membership_is_replaced_and_removed(stores: Stores) -> None:
    await stores.people.person_for(MARA, "Mara", new_id="p1", operator=False)
    assert await stores.people.membership("p1", "oz") is None

    editor = Membership(person="p1", series="oz", role=SeriesRole.EDITOR, may_destroy=True)
    await stores.people.set_membership(Membership(person="p1", series="oz", role=SeriesRole.READER))
    await stores.people.set_membership(editor)
    assert await stores.people.membership("p1", "oz") == editor
    assert await stores.people.membership("p1", "kansas") is None

    await stores.people.set_membership(Membership(person="p1", series="oz", role=SeriesRole.NONE))
    assert await stores.people.membership("p1", "oz") is None


async def test_members_are_listed_leads_first(stores: Stores) -> None:
    roles = {"p1": SeriesRole.READER, "p2": SeriesRole.OWNER, "p3": SeriesRole.EDITOR}
    for person, role in roles.items():
        await stores.people.person_for(Identity("http", person), person, new_id=person, operator=False)
        await stores.people.set_membership(Membership(person=person, series="oz", role=role))

    assert [member.person for member in await stores.people.members("oz")] == ["p2", "p1", "p3"]
    assert await stores.people.members("kansas") == ()


async def test_progress_is_replaced_and_outlives_a_restart(
    stores: Stores, installation: Installation
) -> None:
    await stores.people.person_for(MARA, "Mara", new_id="p1", operator=False)
    assert await stores.people.progress("p1", "oz") is None

    await stores.people.set_progress(Progress(person="p1", series="oz", finished="s3", ceiling="s9"))
    await stores.people.set_progress(Progress(person="p1", series="oz", finished="s4"))

    reopened = await installation.start()
    assert await reopened.people.progress("p1", "oz") == Progress(person="p1", series="oz", finished="s4")
