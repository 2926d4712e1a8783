"""A chat platform is closed until somebody enters the console's code, and lets in whom operators let in."""

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.errors import InvalidArguments, NotPermitted, RateLimited
from agent_core.messages import Json
from agent_core.people.model import Admission, Door, Identity, Person
from agent_core.people.pairing import Knock, admitted
from agent_core.tools.access import AccessList
from tests.house import House

ANN = Identity("discord", "1")
GUEST = Person(id="p", name="Guest")


async def test_first_who_enters_the_code_is_the_operator_of_a_fresh_platform(house: House) -> None:
    pairing = house.app.pairing
    assert not await pairing.is_paired("discord")

    ann = await pairing.pair(ANN, "Ann", await pairing.new_code())

    assert ann.operator
    assert await pairing.is_paired("discord")
    assert not await pairing.is_paired("telegram")
    stored = await house.core.askers.people.person(ann.id)
    assert stored == ann


async def test_somebody_known_already_becomes_an_operator_by_the_code(house: House) -> None:
    people, pairing = house.core.askers.people, house.app.pairing
    known = await people.person_for(ANN, "Ann", new_id="ann", operator=False)

    paired = await pairing.pair(ANN, "Ann", await pairing.new_code())

    assert (known.operator, paired.id, paired.operator) == (False, "ann", True)
    stored = await people.person("ann")
    assert stored == paired


async def test_pairing_code_works_once_for_ten_minutes_and_the_newest_only(house: House) -> None:
    pairing = house.app.pairing
    old, used = await pairing.new_code(), await pairing.new_code()
    await pairing.pair(ANN, "Ann", used)
    late = await pairing.new_code()
    house.clock.advance(minutes=10)

    for number, code in enumerate((old, used, late)):
        with pytest.raises(NotPermitted) as refused:
            await pairing.pair(Identity("discord", f"eve {number}"), "Eve", code)
        assert refused.value.facts["reason"] == "code"


async def test_guessing_ends_and_opens_again_later(house: House) -> None:
    pairing = house.app.pairing
    for _ in range(5):
        with pytest.raises(NotPermitted):
            await pairing.pair(ANN, "Ann", "AAAA-AAAA-AAAA")
    with pytest.raises(RateLimited) as limited:
        await pairing.pair(ANN, "Ann", await pairing.new_code())
    assert limited.value.facts["retry_after_s"] == 600

    house.clock.advance(minutes=10)

    assert (await pairing.pair(ANN, "Ann", await pairing.new_code())).operator


async def test_linking_code_pairs_nobody(house: House) -> None:
    code = await house.core.askers.linking.code_for((await house.asker("ann")).person)

    with pytest.raises(NotPermitted):
        await house.app.pairing.pair(ANN, "Ann", code)


@pytest.mark.parametrize("door", list(Door))
def test_each_door_lets_in_what_stands_behind_it_and_nothing_else(door: Door) -> None:
    keys = {Door.SERVER: "s", Door.CHAT: "c", Door.PERSON: "u"}
    admissions = (Admission("discord", door, keys[door]),)

    for server, chat, user, platform in itertools.product("sx", "cx", "ux", ("discord", "telegram")):
        knock = Knock(identity=Identity(platform, user), server=server, chat=chat)
        said = {Door.SERVER: server, Door.CHAT: chat, Door.PERSON: user}[door]
        assert admitted(admissions, knock, GUEST) == (platform == "discord" and said == keys[door])


def test_operators_are_heard_everywhere_and_others_nowhere_at_first() -> None:
    private = Knock(identity=Identity("telegram", "1"))

    assert admitted((), private, Person(id="p", name="Ann", operator=True))
    assert not admitted((), private, GUEST)
    assert not admitted((Admission("telegram", Door.CHAT, "None"),), private, GUEST)


async def test_operator_opens_and_closes_a_door_by_command(house: House) -> None:
    ann = await house.asker("ann")
    guest = await house.core.askers.people.person_for(
        Identity("discord", "9"), "Guest", new_id="guest", operator=False
    )
    knock = Knock(identity=Identity("discord", "9"), server="17", chat="4")

    opened = await house.core.propose([("set_access", {"what": "discord server 17"})], ann, complete=True)
    await house.core.propose([("set_access", {"what": "person ann"})], ann, complete=True)

    assert opened.settled
    assert await house.app.pairing.lets_in(knock, guest)
    listed = await house.core.lookup("list_access", {}, ann)
    assert isinstance(listed, AccessList)
    assert [(item.platform, item.door, item.key) for item in listed.items] == [
        ("discord", Door.SERVER, "17"),
        ("terminal", Door.PERSON, "ann"),
    ]

    await house.core.propose(
        [("set_access", {"what": "discord server 17", "state": "closed"})], ann, complete=True
    )
    assert not await house.app.pairing.lets_in(knock, guest)


async def test_door_that_is_none_is_explained(house: House) -> None:
    for what in ("17", "door 17", "server", "", "a b c d"):
        with pytest.raises(InvalidArguments):
            await house.core.propose(
                [("set_access", {"what": what})], await house.asker("ann"), complete=True
            )


async def test_only_operators_see_and_open_doors(house: House) -> None:
    guest = replace(await house.asker("ann"), person=GUEST)

    with pytest.raises(NotPermitted) as write:
        await house.core.propose([("set_access", {"what": "server 17"})], guest, complete=True)
    with pytest.raises(NotPermitted) as read:
        await house.core.lookup("list_access", {}, guest)

    assert write.value.facts["reason"] == read.value.facts["reason"] == "operator"
    assert await house.core.askers.operators.admissions() == ()


async def test_only_operators_bring_in_files_of_this_machine(house: House, tmp_path: Path) -> None:
    book = tmp_path / "book.md"
    book.write_text("# One\n\nText.\n", encoding="utf-8")
    call: tuple[str, dict[str, Json]] = ("import_manuscript", {"paths": [str(book)]})
    operator = await house.asker("ann")

    with pytest.raises(NotPermitted) as refused:
        await house.core.propose([call], replace(operator, person=GUEST), complete=False)
    allowed = await house.core.propose([call], operator, complete=False)

    assert refused.value.facts["reason"] == "operator"
    assert [line.tool for line in allowed.calls] == ["import_manuscript"]
