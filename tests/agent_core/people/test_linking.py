"""Two accounts become one person by a code, and nothing that either did gets lost."""

import pytest

from agent_core.errors import NotPermitted, RateLimited
from agent_core.events import ignore
from agent_core.lore.answers import History
from agent_core.people.model import Identity, SeriesRole
from agent_core.pipeline.confirmations import Decision
from agent_core.pipeline.model import Batch, BatchStatus
from agent_core.tools.identity import LinkCode
from agent_core.tools.spec import Asker
from tests.emulators.model_endpoint import Call
from tests.house import House


async def code_for(house: House, user: str, place: str = "main") -> str:
    answer = await house.core.lookup("identity_code", {}, await house.asker(user, place))
    assert isinstance(answer, LinkCode)
    return answer.code


async def link(house: House, code: str, user: str, place: str = "main") -> Batch:
    """Type the code and confirm the card."""
    asker = await house.asker(user, place)
    batch = await house.core.propose([("identity_link", {"code": code})], asker, complete=True)
    assert batch.status is BatchStatus.OPEN
    return (await house.decide(batch.id, user=user, place=place))[0]


async def stranger(house: House, user: str) -> Asker:
    """Return somebody who has nothing to do with the installation, in a private place of their own."""
    return await house.asker(user, f"{user}-home")


async def test_both_accounts_are_one_person_after_the_code_is_confirmed(house: House) -> None:
    ann = await house.asker("ann")
    await stranger(house, "ann_phone")

    linked = await link(house, (await code_for(house, "ann")).lower(), "ann_phone", "ann_phone-home")

    assert [call.status.value for call in linked.calls] == ["done"]
    assert (await stranger(house, "ann_phone")).person == ann.person
    assert (await house.asker("ann_phone")).membership == ann.membership


async def test_code_is_stored_and_audited_nowhere_in_the_clear(house: House) -> None:
    code = await code_for(house, "ann")
    await link(house, code, "ann_phone", "ann_phone-home")

    content = b"".join(
        path.read_bytes() for path in house.app.settings.database.parent.glob("lorekeeper.db*")
    )

    assert code.encode() not in content
    assert code.replace("-", "").encode() not in content


async def test_code_works_once(house: House) -> None:
    code = await code_for(house, "ann")
    await link(house, code, "ann_phone", "ann_phone-home")

    with pytest.raises(NotPermitted) as refused:
        await house.core.propose(
            [("identity_link", {"code": code})], await stranger(house, "eve"), complete=True
        )

    assert refused.value.facts["reason"] == "code"


async def test_code_ends_after_ten_minutes_even_with_its_card_open(house: House) -> None:
    code = await code_for(house, "ann")
    asker = await stranger(house, "ann_phone")
    batch = await house.core.propose([("identity_link", {"code": code})], asker, complete=True)

    house.clock.advance(minutes=10)
    decided, _ = await house.decide(batch.id, user="ann_phone", place="ann_phone-home")

    assert [call.status.value for call in decided.calls] == ["failed"]
    assert (await stranger(house, "ann_phone")).person == asker.person


async def test_guesses_run_out_and_a_good_code_is_no_longer_heard(house: House) -> None:
    code = await code_for(house, "ann")
    eve = await stranger(house, "eve")
    for guess in range(5):
        with pytest.raises(NotPermitted):
            await house.core.propose([("identity_link", {"code": f"wrong {guess}"})], eve, complete=True)

    with pytest.raises(RateLimited):
        await house.core.propose([("identity_link", {"code": code})], eve, complete=True)


async def test_ones_own_code_and_public_places_are_refused(house: House) -> None:
    code = await code_for(house, "ann")
    with pytest.raises(NotPermitted) as own:
        await house.core.propose([("identity_link", {"code": code})], await house.asker("ann"), complete=True)
    group = await house.asker("ann", "group", private=False)
    with pytest.raises(NotPermitted) as public:
        await house.core.lookup("identity_code", {}, group)

    assert own.value.facts["reason"] == "own_code"
    assert public.value.facts["reason"] == "not_private"


async def test_lead_who_reads_elsewhere_keeps_the_role_and_the_lower_progress(house: House) -> None:
    await house.join("rob", SeriesRole.READER, "2")
    await house.join("rob_phone", SeriesRole.READER, "1")

    await link(house, await code_for(house, "rob"), "rob_phone")

    rob = await house.asker("rob_phone")
    assert rob.membership is not None
    progress = await house.core.askers.people.progress(rob.person.id, rob.membership.series)
    canon = await house.core.askers.canon(rob.conversation)
    assert progress is not None
    assert canon is not None
    assert progress.finished is not None
    assert canon.outline.label(progress.finished).startswith("1")


async def test_edits_of_the_old_id_are_named_found_and_taken_back_as_ones_own(house: House) -> None:
    await house.join("ben", SeriesRole.EDITOR)
    await house.write("record_lore_state", "ben", entityId="Mara", statePatch={"hat": "red"}, chapterId="2")
    await house.join("ben_phone", SeriesRole.EDITOR)

    await link(house, await code_for(house, "ben_phone"), "ben")

    asker = await house.asker("ben")
    assert asker.person.name == "Ben_Phone"
    history = await house.core.lookup("get_history", {"by": "Ben_Phone"}, asker)
    assert isinstance(history, History)
    assert [item.proposed_by for item in history.items] == ["Ben_Phone"]
    await house.write("undo", "ben")
    assert "hat" not in await house.state("Mara", "ben", asOf="2.2")


async def test_open_card_and_parked_turn_go_on_for_the_united_person(house: House) -> None:
    await house.join("ben", SeriesRole.EDITOR)
    house.endpoint.reply(
        Call("record_lore_state", {"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "2"})
    )
    heard = await house.say("Note a red hat.", "ben")
    card = await house.card(heard)
    await house.join("ben_phone", SeriesRole.EDITOR)

    await link(house, await code_for(house, "ben_phone", "phone"), "ben", "ben-home")

    ben = await house.asker("ben")
    mine = await house.core.runtime.batches.open_batches(requester=ben.person.id)
    assert [batch.id for batch in mine] == [card.id]
    house.endpoint.reply("Noted.")
    decided, after = await house.decide(card.id, user="ben_phone")
    assert decided.edit is not None
    assert after.answer == "Noted."


async def test_linking_a_second_account_of_another_platform_makes_it_an_operator_too(house: House) -> None:
    """The terminal's person runs the installation; joined to a chat account they do so from there."""
    people = house.core.askers.people
    chat = Identity("discord", "17")
    person = await people.person_for(chat, "Annie", new_id="annie", operator=False)
    code = await house.core.askers.linking.code_for(person)

    await link(house, code, "ann")

    assert (await people.person_for(chat, "Annie", new_id="x", operator=False)).operator
    membership = (await house.asker("ann")).membership
    assert membership is not None
    assert membership.role is SeriesRole.OWNER


async def test_declined_card_joins_nobody_and_leaves_the_code_good(house: House) -> None:
    code = await code_for(house, "ann")
    asker = await stranger(house, "ann_phone")
    batch = await house.core.propose([("identity_link", {"code": code})], asker, complete=True)

    await house.core.decide(batch.id, Decision(approve=False), asker, ignore)

    assert (await stranger(house, "ann_phone")).person == asker.person
    await link(house, code, "ann_phone", "ann_phone-home")
    assert (await house.asker("ann_phone")).conversation.series is not None
