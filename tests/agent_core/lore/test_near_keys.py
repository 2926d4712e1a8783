"""New details that are probably another spelling of one in use."""

import pytest

from agent_core.lore.model import EntityType, Undone
from agent_core.lore.near_keys import near_key_warnings, nearest
from tests.agent_core.lore.desk import Desk

IN_USE = ("eyes", "hair_colour", "home", "rank", "first name", "date of birth")


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("eye colour", "eyes"), ("eye", "eyes"), ("Eyes", "eyes"), ("eyes_colour", "eyes"), ("éyes", "eyes"),
        ("hairColour", "hair_colour"), ("hair color", "hair_colour"), ("colour of hair", "hair_colour"),
        ("homes", "home"), ("raank", "rank"), ("firstname", "first name"), ("birth date", "date of birth"),
        ("eyes", ""), ("coat colour", ""), ("nose", ""), ("job", ""), ("age", ""), ("???", ""),
    ],
)  # fmt: skip
def test_variant_of_a_key_in_use_is_recognised_and_others_are_not(key: str, near: str) -> None:
    assert nearest(key, IN_USE) == near


async def test_keys_are_followed_from_edit_to_edit_and_undone_ones_forgotten(desk: Desk) -> None:
    async def near(key: str) -> list[str | int]:
        canon = await desk.canon()
        found = await near_key_warnings(canon, EntityType.CHARACTER, None, [key])
        return [warn.facts["near"] for warn in found]

    mara = await desk.known_from_start("Mara")
    assert await near("eye") == []
    number = await desk.record(mara, {"eyes": "green"}, "1.1")
    assert await near("eye") == ["eyes"]
    await desk.append([Undone(change=number)])
    assert await near("eye") == []
    vel = await desk.known_from_start("Vel", EntityType.LOCATION)
    await desk.record(vel, {"towers": 3}, "1.1")
    assert await near("tower") == []
