"""A lead gives roles: to members by name, to anybody by the account they have."""

from agent_core.people.model import SeriesRole
from agent_core.pipeline.model import BatchStatus
from tests.house import House


async def test_account_that_is_no_member_yet_becomes_one(house: House) -> None:
    given = await house.write("members", person="terminal:bea", role="editor")

    [call] = given.calls
    assert (given.status, call.card.title) == (BatchStatus.APPROVED, "bea")
    membership = (await house.asker("bea")).membership
    assert membership is not None
    assert membership.role is SeriesRole.EDITOR
