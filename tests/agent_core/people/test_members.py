"""A lead gives roles: to members by name, to anybody by the account they have."""

from agent_core.people.model import Identity, SeriesRole
from agent_core.pipeline.model import BatchStatus
from tests.house import House


async def test_last_two_leads_who_step_down_at_once_leave_one(house: House) -> None:
    await house.join("ben", SeriesRole.OWNER)
    cards = [
        await house.core.propose(
            [("members", {"person": name, "role": "editor"})], await house.asker(who), complete=True
        )
        for who, name in (("ann", "Ann"), ("ben", "Ben"))
    ]

    done = [
        (await house.decide(card.id, user=who))[0] for card, who in zip(cards, ("ann", "ben"), strict=True)
    ]

    statuses = [call.status.value for batch in done for call in batch.calls]
    assert sorted(statuses) == ["done", "failed"]
    roles = [(await house.asker(who)).membership for who in ("ann", "ben")]
    assert [role.role for role in roles if role].count(SeriesRole.OWNER) == 1


async def test_account_is_no_person_until_the_card_is_saved(house: House) -> None:
    bea = Identity("terminal", "bea")
    proposed = [("members", {"person": "terminal:bea", "role": "editor"})]
    declined = await house.core.propose(proposed, await house.asker(), complete=True)
    await house.decide(declined.id, approve=False)
    assert await house.core.askers.people.person_known_as(bea) is None

    saved = await house.core.propose(proposed, await house.asker(), complete=True)
    assert await house.core.askers.people.person_known_as(bea) is None
    await house.decide(saved.id)
    assert await house.core.askers.people.person_known_as(bea) is not None


async def test_account_that_is_no_member_yet_becomes_one(house: House) -> None:
    given = await house.write("members", person="terminal:bea", role="editor")

    [call] = given.calls
    assert (given.status, call.card.title) == (BatchStatus.APPROVED, "bea")
    membership = (await house.asker("bea")).membership
    assert membership is not None
    assert membership.role is SeriesRole.EDITOR
