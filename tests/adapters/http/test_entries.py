"""The list of entries over HTTP is a look-up like any other: a page at a time, counted, on record."""

from tests.adapters.http.conftest import Desk

VEL = {"type": "location", "name": "Avel", "staticTraits": {}}


async def names(desk: Desk, query: str = "") -> list[str]:
    return [entry["name"] for entry in (await desk.get(desk.at(f"/entries{query}")))["entries"]]


async def test_entries_are_listed_by_name_and_by_kind(desk: Desk) -> None:
    await desk.post(desk.at("/entries"), VEL)

    every = await names(desk)

    assert every[0] == "Avel"
    assert every == sorted(every, key=str.casefold)
    assert "Mara" in every
    assert await names(desk, "?type=location") == ["Avel"]
    assert await names(desk, "?offset=1") == every[1:]


async def test_list_of_entries_is_on_record(desk: Desk) -> None:
    await desk.get(desk.at("/entries"))

    assert (await desk.house.audit())[-1].tool == "list_entries"
