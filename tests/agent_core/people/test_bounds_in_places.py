"""What is shown in a place is bounded by who reads along there; the fuller answer is for private eyes."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from agent_core.conversation.model import Audience
from agent_core.errors import NotPermitted
from agent_core.events import ToolFinished, ignore
from agent_core.lore.answers import EntryState, SearchResult
from agent_core.lore.model import Author, Nothing, UpTo
from agent_core.messages import Json
from agent_core.people.model import SeriesRole
from agent_core.pipeline.confirmations import Decision
from agent_core.pipeline.model import BatchStatus, CallStatus
from agent_core.pipeline.peek import PER_MINUTE
from agent_core.tools.spec import Asker
from tests.emulators.model_endpoint import Call
from tests.house import House

TOM = {"type": "character", "name": "Tom", "staticTraits": {"trade": "thief"}, "toldAt": "2.2"}


async def with_readers(house: House, user: str, up_to: str | None) -> Asker:
    """Return the person in a place of the series where readers up to there read along."""
    asker = await house.asker(user, f"readers of {user}", private=False)
    main = (await house.asker("ann")).conversation
    canon = await house.core.askers.canon(main)
    assert canon is not None
    node = None
    if up_to is not None:
        node = canon.outline.finished(canon.outline.find(up_to, book=main.book, here=None, bound=Author()))
    linked = replace(
        asker.conversation,
        series=main.series,
        book=main.book,
        audience=Audience.READERS,
        audience_up_to=node,
    )
    await house.core.askers.conversations.save_conversation(linked)
    return await house.asker(user, f"readers of {user}", private=False)


async def names_found(house: House, asker: Asker, query: str) -> list[str]:
    found = await house.core.lookup("search_lore", {"query": query}, asker)
    assert isinstance(found, SearchResult)
    return [hit.entry.name for hit in found.entries]


async def test_co_authors_answer_is_bounded_by_the_audience_and_the_fuller_one_is_for_them(
    house: House,
) -> None:
    await house.write("create_lore_entity", **TOM)  # type: ignore[arg-type]  # JSON
    asker = await with_readers(house, "ann", "1")
    assert isinstance(asker.bound, UpTo)
    assert await names_found(house, asker, "Tom") == []

    fuller = await house.core.fuller(asker)

    assert fuller is not None
    assert fuller.conversation == asker.conversation
    assert await names_found(house, fuller, "Tom") == ["Tom"]


async def test_reader_who_is_further_than_the_audience_gets_their_own_bound(house: House) -> None:
    await house.join("rob", SeriesRole.READER, "2.1")
    asker = await with_readers(house, "rob", "1")

    fuller = await house.core.fuller(asker)

    assert fuller is not None
    assert isinstance(asker.bound, UpTo)
    assert isinstance(fuller.bound, UpTo)
    assert fuller.bound != asker.bound


async def test_nothing_fuller_is_offered_to_who_sees_all_they_may(house: House) -> None:
    await house.join("rob", SeriesRole.READER, "1")

    assert await house.core.fuller(await with_readers(house, "rob", "2")) is None
    assert await house.core.fuller(await house.asker("ann")) is None


async def test_answer_of_a_model_in_a_readers_place_sees_no_more_than_its_readers(house: House) -> None:
    await house.write("create_lore_entity", **TOM)  # type: ignore[arg-type]  # JSON
    await with_readers(house, "ann", "1")
    house.endpoint.reply(Call("search_lore", {"query": "Tom"}), Call("get_history", {}))
    house.endpoint.reply("No Tom here.")

    heard = await house.say("Who is Tom?", "ann", "readers of ann", private=False)

    seen = str(house.endpoint.requests[-1].messages)
    assert "thief" not in seen
    assert "create_lore_entity" not in house.endpoint.requests[0].tools
    assert all("thief" not in event.summary for event in heard.of(ToolFinished))


async def test_co_author_writes_from_a_readers_place_only_as_who_they_are_in_private(house: House) -> None:
    asker = await with_readers(house, "ann", "1")
    calls: tuple[tuple[str, Mapping[str, Json]], ...] = (
        ("record_lore_state", {"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "2"}),
    )
    with pytest.raises(NotPermitted) as refused:
        await house.core.propose(calls, asker, complete=True)
    assert refused.value.facts["reason"] == "place"

    fuller = await house.core.fuller(asker)
    assert fuller is not None
    batch = await house.core.propose(calls, fuller, complete=True)

    assert (batch.settled, batch.bound) == (True, "author")


async def test_peek_answers_as_a_look_up_does_and_leaves_no_audit(house: House) -> None:
    asker = await house.asker("ann")
    looked_up = await house.core.lookup("get_entity_state", {"entityId": "Mara"}, asker)
    rows = len(await house.audit())

    peeked = await house.core.peek("get_entity_state", {"entityId": "Mara"}, asker)

    assert isinstance(peeked, EntryState)
    assert peeked == looked_up
    assert len(await house.audit()) == rows


async def test_peek_is_bounded_and_says_the_same_of_hidden_and_missing(house: House) -> None:
    await house.write("create_lore_entity", **TOM)  # type: ignore[arg-type]  # JSON
    asker = await with_readers(house, "ann", "1")

    hidden = await house.core.peek("get_entity_state", {"entityId": "Tom"}, asker)
    missing = await house.core.peek("get_entity_state", {"entityId": "Nobody"}, asker)

    assert hidden is missing is None


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("record_lore_state", {"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "1"}),
        ("set_progress", {"finished": "1"}),
        ("no_such_tool", {}),
        ("search_lore", {"wrong": 1}),
    ],
)
async def test_peek_never_writes_and_never_complains(
    house: House, tool: str, arguments: dict[str, str]
) -> None:
    assert await house.core.peek(tool, arguments, await house.asker("ann")) is None
    assert await house.core.open_batches("main-id") == ()


async def test_stranger_peeks_at_nothing(house: House) -> None:
    assert await house.core.peek("search_lore", {"query": "Mara"}, await house.asker("eve")) is None


async def test_peeks_have_a_limit_of_their_own(house: House) -> None:
    asker = await house.asker("ann")
    ask = {"entityId": "Nobody"}
    for _ in range(PER_MINUTE):
        await house.core.peek("get_entity_state", ask, asker)

    assert await house.core.peek("get_entity_state", {"entityId": "Mara"}, asker) is None
    assert await house.state("Mara") == {"eyes": "green"}
    house.clock.advance(minutes=1)
    assert await house.core.peek("get_entity_state", {"entityId": "Mara"}, asker) is not None


async def open_card(house: House, number: int) -> None:
    """Open one more card of Ann's, in a place of its own."""
    place = f"place {number}"
    await house.asker("ann", place)
    await house.core.propose(
        [("link_thread", {"series": "The Salt Roads"})], await house.asker("ann", place), complete=True
    )
    batch = await house.core.propose(
        [("record_lore_state", {"entityId": "Mara", "statePatch": {"hat": str(number)}})],
        await house.asker("ann", place),
        complete=False,
    )
    assert batch.status is BatchStatus.OPEN


async def test_sixth_card_is_refused_to_commands_and_models_until_one_is_decided(house: House) -> None:
    for number in range(5):
        await open_card(house, number)

    with pytest.raises(NotPermitted) as refused:
        await open_card(house, 5)
    house.endpoint.reply(
        Call("record_lore_state", {"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "1"})
    )
    house.endpoint.reply("There are five already.")
    heard = await house.say("Note it.")

    assert refused.value.facts == {"reason": "cards", "n": 5}
    assert [event.outcome for event in heard.of(ToolFinished)] == ["refused"]
    assert heard.answer == "There are five already."
    await house.write("record_lore_state", entityId="Mara", statePatch={"scarf": "blue"}, chapterId="1")
    house.clock.advance(hours=25)
    await open_card(house, 6)


async def test_reader_opens_no_card(house: House) -> None:
    await house.join("rob", SeriesRole.READER, "2")
    asker = await house.asker("rob")

    calls: tuple[tuple[str, Mapping[str, Json]], ...] = (
        ("record_lore_state", {"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "1"}),
        ("undo", {}),
        ("members", {"person": "Rob", "role": "owner"}),
        ("set_position", {"position": "1"}),
    )
    for tool, arguments in calls:
        with pytest.raises(NotPermitted):
            await house.core.propose([(tool, arguments)], asker, complete=True)

    assert await house.core.open_batches("main-id") == ()


async def test_everybody_in_a_place_has_the_role_that_was_chosen_when_it_was_linked(house: House) -> None:
    group = await house.asker("ann", "group", private=False)
    await house.core.propose(
        [("link_thread", {"series": "The Salt Roads", "defaultRole": "reader"})], group, complete=True
    )

    guest = await house.asker("guest", "group", private=False)
    assert guest.membership is not None
    assert guest.membership.role is SeriesRole.READER
    assert guest.bound == Nothing()


async def test_only_a_lead_makes_everybody_in_a_place_a_co_author(house: House) -> None:
    await house.join("ben", SeriesRole.EDITOR)
    calls: tuple[tuple[str, Mapping[str, Json]], ...] = (
        ("link_thread", {"series": "The Salt Roads", "defaultRole": "editor"}),
    )
    with pytest.raises(NotPermitted) as refused:
        await house.core.propose(calls, await house.asker("ben", "group", private=False), complete=True)
    await house.core.propose(calls, await house.asker("ann", "group", private=False), complete=True)

    guest = await house.asker("guest", "group", private=False)
    assert refused.value.facts["reason"] == "role"
    assert guest.membership is not None
    assert guest.membership.role is SeriesRole.EDITOR


async def test_role_of_everybody_ends_when_a_place_is_linked_to_another_series(house: House) -> None:
    group = await house.asker("ann", "group", private=False)
    first = {"series": "The Salt Roads", "defaultRole": "editor"}
    await house.core.propose([("link_thread", first)], group, complete=True)
    linked = await house.asker("ann", "group", private=False)
    batch = await house.core.propose([("link_thread", {"series": "Other"})], linked, complete=True)
    if not batch.settled:
        await house.core.decide(batch.id, Decision(approve=True), linked, ignore)

    assert (await house.asker("guest", "group", private=False)).membership is None


async def test_place_is_linked_elsewhere_only_by_those_who_write_in_its_series(house: House) -> None:
    group = await house.asker("ann", "group", private=False)
    first = {"series": "The Salt Roads", "defaultRole": "reader"}
    await house.core.propose([("link_thread", first)], group, complete=True)

    guest = await house.asker("guest", "group", private=False)
    with pytest.raises(NotPermitted) as refused:
        await house.core.propose([("link_thread", {"series": "Mine"})], guest, complete=True)

    assert refused.value.facts["reason"] == "role"
    linked = await house.asker("ann", "group", private=False)
    assert linked.membership is not None
    assert linked.membership.role is SeriesRole.OWNER


async def test_nobody_becomes_lead_of_a_series_by_its_id(house: House) -> None:
    known = (await house.asker("ann")).conversation.series
    eve = await house.asker("eve", "hers")

    batch = await house.core.propose(
        [("link_thread", {"series": "Mine", "newSeriesId": known})], eve, complete=True
    )

    eve = await house.asker("eve", "hers")
    assert [call.status for call in batch.calls] == [CallStatus.FAILED]
    assert (eve.conversation.series, eve.membership) == (None, None)
    assert known is not None
    assert await house.core.askers.people.membership(eve.person.id, known) is None


async def test_role_goes_to_nobody_where_two_members_have_the_name(house: House) -> None:
    await house.join("ben", SeriesRole.READER)
    await house.join("BEN", SeriesRole.READER)

    with pytest.raises(NotPermitted) as refused:
        await house.core.propose(
            [("members", {"person": "Ben", "role": "editor"})], await house.asker(), complete=True
        )

    assert refused.value.facts["reason"] == "ambiguous_person"
