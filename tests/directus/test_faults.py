"""What goes wrong between a process and Directus: nothing is lost or doubled, and it is said honestly."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from agent_core.clock import SystemClock, new_id
from agent_core.errors import Conflict, DuplicateEntity, StoreFailure
from agent_core.lore.model import Change, Series, TextSet
from agent_core.stores.directus.breaker import OPEN_S
from agent_core.stores.directus.faults import DirectusCause
from agent_core.stores.sql.series import SqlSeriesStore
from agent_core.texts.catalogue import has, load
from tests.clock import NOON, FakeClock
from tests.contracts.lore_rows import draft, fact, scene
from tests.directus.fixtures import desk, empty_directus, endpoint, laid_out_directus, own_place
from tests.directus.place import BOT, Desk, empty, lay_out, open_desk
from tests.directus.relay import Loss, relayed
from tests.directus_server import TOKEN, DirectusServer
from tests.emulators.model_endpoint import Call, ModelEndpoint
from tests.house import open_house

__all__ = ["desk", "empty_directus", "endpoint", "laid_out_directus", "own_place"]
pytestmark = [pytest.mark.directus, pytest.mark.timeout(300)]

load("en")  # reads files, which no loop may wait for
OZ = Series(id="oz", name="Oz", owner="p1")


async def reason_of(work: Awaitable[object]) -> object:
    with pytest.raises(StoreFailure) as failure:
        await work
    reason = failure.value.facts["reason"]
    assert has(failure.value.text_key), "there is no sentence for people"
    return reason


def limited(points: int, seconds: int) -> dict[str, str]:
    """Return the settings of a server that takes so many requests in so many seconds."""
    return {
        "RATE_LIMITER_ENABLED": "true",
        "RATE_LIMITER_POINTS": str(points),
        "RATE_LIMITER_DURATION": str(seconds),
        "RATE_LIMITER_STORE": "memory",
    }


async def stored(place: str) -> list[int]:
    """Return the numbers of all changes that are there, asked past our own client."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx.AsyncClient(base_url=place, headers=headers, timeout=30) as administrator:
        found = await administrator.get("/items/lore_changes", params={"limit": -1, "fields": "number"})
    return sorted(row["number"] for row in found.json()["data"])


@pytest.mark.parametrize("loss", [Loss.REQUEST, Loss.ANSWER])
async def test_change_whose_request_or_answer_is_lost_is_stored_once(
    empty_directus: str, tmp_path: Path, loss: Loss
) -> None:
    async with relayed(empty_directus) as relay, open_desk(relay.url, tmp_path / "a.db") as desk:
        await desk.series.add_series(OZ)
        relay.loss = loss

        change = await desk.lore.append(draft(fact("mara"), scene("s1")), "t1", NOON)

        assert (relay.losses, change.number) == (1, 1)
        assert await stored(empty_directus) == [1]
        assert len(await desk.lore.rows_of_changes("oz", [1])) == 2


async def test_server_killed_midway_through_a_change_has_all_or_nothing_of_it(
    own_place: DirectusServer, tmp_path: Path, clock: FakeClock
) -> None:
    rows = [fact(f"e{number}", f"f{number}", of="x" * 200) for number in range(1500)]
    async with (
        relayed(own_place.url, own_place.kill) as relay,
        open_desk(relay.url, tmp_path / "a.db", clock=clock) as desk,
    ):
        await desk.series.add_series(OZ)
        relay.loss = Loss.SERVER
        away = await reason_of(desk.lore.append(draft(*rows), "t1", NOON))
        still_away = await reason_of(desk.lore.head("oz"))

        await asyncio.to_thread(own_place.start)
        clock.advance(seconds=OPEN_S)  # so long nobody is let through to a server that was away
        change = await desk.lore.append(draft(*rows), "t1", NOON)

    assert {away, still_away} <= {DirectusCause.AWAY, DirectusCause.LATE}
    assert change.number == 1
    assert await stored(own_place.url) == [1]
    async with open_desk(own_place.url, tmp_path / "b.db") as other:
        assert [one.row for one in await other.lore.rows_of_changes("oz", [1])] == rows


async def test_server_restarted_during_a_turn_is_told_of_and_the_approval_stands(
    own_place: DirectusServer, tmp_path: Path, endpoint: ModelEndpoint
) -> None:
    async with open_house(
        tmp_path,
        endpoint,
        FakeClock(),
        new_id,
        directus_url=own_place.url,
        directus_token=SecretStr(BOT),
    ) as house:
        await house.found()
        before = await stored(own_place.url)
        endpoint.reply(
            Call("record_lore_state", {"entityId": "Mara", "statePatch": {"scarf": "lost"}, "chapterId": "2"})
        )
        card = await house.card(await house.say("Mara lost her scarf in chapter 2."))
        endpoint.reply("Saved.")
        await asyncio.to_thread(own_place.stop)

        assert await reason_of(house.decide(card.id)) == DirectusCause.AWAY

        await asyncio.to_thread(own_place.start)
        batch, heard = await house.decide(card.id)
        assert batch.edit == len(before) + 1
        assert heard.answer == "Saved."
        assert await house.state("Mara", asOf="2.1") == {"eyes": "green", "scarf": "lost"}
        assert await stored(own_place.url) == [*before, len(before) + 1]


async def test_server_that_is_asked_too_much_is_told_of_and_gets_the_change_once_when_it_has_time(
    own_place: DirectusServer, tmp_path: Path
) -> None:
    async with (
        open_desk(own_place.url, tmp_path / "a.db") as desk,
        open_desk(own_place.url, tmp_path / "b.db", deadline_s=5) as hasty,
    ):
        await desk.series.add_series(OZ)
        await asyncio.to_thread(own_place.restart, **limited(points=1, seconds=60))
        never = await reason_of(hasty.lore.append(draft(fact("mara")), "t1", NOON))
        await asyncio.to_thread(own_place.restart, **limited(points=2, seconds=1))
        change = await desk.lore.append(draft(fact("mara")), "t1", NOON)

    assert never == DirectusCause.LIMITED
    assert change.number == 1
    async with open_desk(own_place.url, tmp_path / "c.db") as other:
        assert (await other.lore.head("oz")).number == 1
        assert [one.number for one in await other.lore.changes("oz")] == [1]


async def test_paused_server_is_told_of_in_time_and_its_change_is_made_once(
    own_place: DirectusServer, tmp_path: Path
) -> None:
    async with (
        open_desk(own_place.url, tmp_path / "a.db") as desk,
        open_desk(own_place.url, tmp_path / "b.db", deadline_s=1.5) as hasty,
    ):
        await desk.series.add_series(OZ)
        own_place.pause()
        late = await reason_of(hasty.lore.append(draft(fact("mara")), "t1", NOON))
        own_place.resume()

        assert late == DirectusCause.AWAY
        assert (await desk.lore.append(draft(fact("mara")), "t1", NOON)).number == 1
        assert await stored(own_place.url) == [1]


async def test_schema_changed_underneath_is_told_of_and_mended_without_a_restart(
    own_place: DirectusServer, tmp_path: Path
) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        open_desk(own_place.url, tmp_path / "a.db") as desk,
        httpx.AsyncClient(base_url=own_place.url, headers=headers, timeout=30) as administrator,
    ):
        await desk.series.add_series(OZ)
        await desk.lore.append(draft(fact("mara")), "t1", NOON)
        await administrator.delete("/fields/lore_changes/source")

        assert await reason_of(desk.lore.head("oz")) == DirectusCause.DENIED
        assert await reason_of(desk.lore.append(draft(fact("tom")), "t2", NOON)) == DirectusCause.DENIED
        assert await stored(own_place.url) == [1]

        await lay_out(own_place.url, TOKEN)
        assert (await desk.lore.append(draft(fact("tom")), "t2", NOON)).number == 2


async def test_revoked_token_is_told_of_and_a_given_one_works_without_a_restart(
    own_place: DirectusServer, tmp_path: Path
) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        open_desk(own_place.url, tmp_path / "a.db") as desk,
        httpx.AsyncClient(base_url=own_place.url, headers=headers, timeout=30) as administrator,
    ):
        await desk.series.add_series(OZ)
        users = await administrator.get("/users", params={"filter[first_name][_eq]": "LoreKeeper"})
        [user] = users.json()["data"]
        await administrator.patch(f"/users/{user['id']}", json={"token": None})

        assert await reason_of(desk.lore.append(draft(fact("mara")), "t1", NOON)) == DirectusCause.TOKEN

        await administrator.patch(f"/users/{user['id']}", json={"token": BOT})
        assert (await desk.lore.append(draft(fact("mara")), "t1", NOON)).number == 1


async def test_two_bots_writing_at_once_lose_and_double_nothing(empty_directus: str, tmp_path: Path) -> None:
    async with (
        open_desk(empty_directus, tmp_path / "a.db") as one,
        open_desk(empty_directus, tmp_path / "b.db") as two,
    ):
        await one.series.add_series(OZ)
        made = await asyncio.gather(
            *(
                desk.lore.append(draft(fact(f"e{name}{n}"), keys=(f"entity/{name}{n}",)), f"t{name}{n}", NOON)
                for n in range(6)
                for name, desk in (("a", one), ("b", two))
            )
        )

        assert sorted(change.number for change in made) == list(range(1, 13))
        assert await stored(empty_directus) == list(range(1, 13))
        assert await one.lore.head("oz") == await two.lore.head("oz")
        assert await one.lore.all_rows("oz") == await two.lore.all_rows("oz")


async def test_of_two_bots_writing_the_same_thing_one_wins(empty_directus: str, tmp_path: Path) -> None:
    async with (
        open_desk(empty_directus, tmp_path / "a.db") as one,
        open_desk(empty_directus, tmp_path / "b.db") as two,
    ):
        await one.series.add_series(OZ)
        ended = await asyncio.gather(
            *(
                desk.lore.append(draft(fact("mara", name), keys=("entity/mara",)), name, NOON)
                for name, desk in (("a", one), ("b", two))
            ),
            return_exceptions=True,
        )

        assert sum(isinstance(end, Change) for end in ended) == 1
        assert sum(isinstance(end, Conflict) for end in ended) == 1
        assert await stored(empty_directus) == [1]


async def test_change_too_large_for_a_request_is_refused_before_it_is_sent(desk: Desk) -> None:
    await desk.series.add_series(OZ)
    rows = [fact(f"e{number}", f"f{number}", of="x" * 4000) for number in range(300)]

    assert await reason_of(desk.lore.append(draft(*rows), "t1", NOON)) == DirectusCause.TOO_LARGE
    assert (await desk.lore.head("oz")).number == 0


async def test_texts_of_many_scenes_are_one_change(desk: Desk) -> None:
    await desk.series.add_series(OZ)
    rows = [TextSet(id=f"r{number}", scene=f"s{number}", text=f"{number} " * 20_000) for number in range(40)]

    change = await desk.lore.append(draft(*rows), "t1", NOON)

    assert [one.row for one in await desk.lore.rows_of_changes("oz", [change.number])] == rows


async def test_copy_that_has_more_than_directus_is_told_of(
    empty_directus: str, tmp_path: Path, directus_token: str
) -> None:
    async with open_desk(empty_directus, tmp_path / "a.db") as desk:
        await desk.series.add_series(OZ)
        await desk.lore.append(draft(fact("mara")), "t1", NOON)
        await asyncio.to_thread(empty, empty_directus, directus_token)

        assert await reason_of(desk.lore.head("oz")) == DirectusCause.MISSING

        await desk.series.add_series(OZ)
        assert await reason_of(desk.lore.head("oz")) == DirectusCause.BEHIND


async def test_series_that_went_another_way_in_directus_is_told_of(
    empty_directus: str, tmp_path: Path, directus_token: str
) -> None:
    async with open_desk(empty_directus, tmp_path / "a.db", clock=SystemClock()) as desk:
        await desk.series.add_series(OZ)
        await desk.lore.append(draft(fact("mara")), "t1", NOON)
        await asyncio.to_thread(empty, empty_directus, directus_token)
        async with open_desk(empty_directus, tmp_path / "b.db") as other:
            await other.series.add_series(OZ)
            await other.lore.append(draft(fact("tom")), "another", NOON)

        assert await reason_of(desk.lore.head("oz")) == DirectusCause.DIFFERS


async def test_series_of_the_same_name_here_and_in_directus_are_told_apart(
    empty_directus: str, tmp_path: Path
) -> None:
    async with (
        open_desk(empty_directus, tmp_path / "a.db") as desk,
        open_desk(empty_directus, tmp_path / "b.db") as other,
    ):
        own = SqlSeriesStore(desk.database)
        await own.add_series(Series(id="mine", name="Oz", owner="p1"))
        await other.series.add_series(OZ)

        with pytest.raises(DuplicateEntity):
            await desk.series.add_series(Series(id="third", name="oz", owner="p1"))
        assert await reason_of(desk.lore.head("oz")) == DirectusCause.NAME
