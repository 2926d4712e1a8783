"""Every `PeopleStore` keeps persons, roles and progress."""

import asyncio
from dataclasses import replace

from agent_core.errors import NotPermitted
from agent_core.people.model import Identity, Membership, Person, Progress, Rights, SeriesRole
from tests.contracts.conftest import Installation, Stores
from tests.contracts.test_pipeline_store import batch
from tests.contracts.test_turn_store import incoming, turn

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


async def test_series_is_never_left_without_a_lead(stores: Stores) -> None:
    for person in ("p1", "p2"):
        await stores.people.person_for(Identity("http", person), person, new_id=person, operator=False)
        await stores.people.set_membership(Membership(person=person, series="oz", role=SeriesRole.OWNER))

    ended = await asyncio.gather(
        *(
            stores.people.set_membership(Membership(person=person, series="oz", role=role))
            for person, role in (("p1", SeriesRole.NONE), ("p2", SeriesRole.READER))
        ),
        return_exceptions=True,
    )

    [refused] = [end for end in ended if isinstance(end, NotPermitted)]
    assert refused.facts == {"reason": "last_lead"}
    leads = [one for one in await stores.people.members("oz") if one.role is SeriesRole.OWNER]
    assert len(leads) == 1


async def test_rights_are_all_roles_and_progress_of_one_person(stores: Stores) -> None:
    await stores.people.person_for(MARA, "Mara", new_id="p1", operator=False)
    editor = Membership(person="p1", series="oz", role=SeriesRole.EDITOR)
    reader = Membership(person="p1", series="kansas", role=SeriesRole.READER)
    read = Progress(person="p1", series="kansas", finished="s3")
    await stores.people.set_membership(editor)
    await stores.people.set_membership(reader)
    await stores.people.set_progress(read)

    assert await stores.people.rights("p1") == Rights(memberships=(reader, editor), progress=(read,))
    assert await stores.people.rights("p2") == Rights()


async def test_united_persons_are_one_under_every_id(stores: Stores, installation: Installation) -> None:
    for number, operator in enumerate((False, True, False), start=1):
        identity = Identity("http", str(number))
        await stores.people.person_for(identity, f"P{number}", new_id=f"p{number}", operator=operator)
    await stores.people.set_membership(Membership(person="p2", series="oz", role=SeriesRole.OWNER))
    rights = Rights(
        memberships=(Membership(person="p1", series="oz", role=SeriesRole.OWNER),),
        progress=(Progress(person="p1", series="oz", finished="s1"),),
    )

    await stores.people.unite("p3", "p2", Rights())
    await stores.people.unite("p2", "p1", rights)

    reopened = await installation.start()
    one = Person(id="p1", name="P1", operator=True)
    assert [await reopened.people.person(f"p{number}") for number in (1, 2, 3)] == [one, one, one]
    for number in (1, 2, 3):
        identity = Identity("http", str(number))
        assert await reopened.people.person_for(identity, "?", new_id="p9", operator=False) == one
    assert await reopened.people.known_as("p1") == {"p1", "p2", "p3"}
    assert await reopened.people.rights("p1") == rights
    assert await reopened.people.rights("p2") == Rights()
    assert await reopened.people.members("oz") == rights.memberships


async def test_turns_and_proposals_follow_a_united_person(stores: Stores) -> None:
    for name in ("p1", "p2"):
        await stores.people.person_for(Identity("http", name), name, new_id=name, operator=False)
    asked = replace(turn(1), requester="p2")
    await stores.turns.receive(replace(incoming("u1"), person="p2", text="Hello."), asked)
    await stores.pipeline.add_batch(replace(batch("b1"), requester="p2"), ())

    await stores.people.unite("p2", "p1", Rights())

    stored = await stores.turns.turn(asked.id)
    assert stored is not None
    assert stored.requester == "p1"
    assert [one.id for one in await stores.pipeline.open_batches(requester="p1")] == ["b1"]
    assert await stores.turns.said(asked.conversation, "p1", "this") == "Hello."


async def test_proposal_of_a_turn_that_ran_meanwhile_is_the_united_persons(stores: Stores) -> None:
    for name in ("p1", "p2"):
        await stores.people.person_for(Identity("http", name), name, new_id=name, operator=False)
    await stores.people.unite("p2", "p1", Rights())

    await stores.pipeline.add_batch(replace(batch("b1"), requester="p2"), ())

    assert [one.id for one in await stores.pipeline.open_batches(requester="p1")] == ["b1"]
