"""Every `CodeStore` gives a code back once, while it is good."""

import asyncio
from datetime import UTC, datetime, timedelta

from agent_core.people.model import Code, CodeKind, Identity
from tests.contracts.conftest import Installation, Stores

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
PAIRING = Code(hash="h1", kind=CodeKind.PAIR, person=None, expires=NOW + timedelta(minutes=10))


async def test_code_outlives_a_restart_and_is_taken_once(stores: Stores, installation: Installation) -> None:
    await stores.codes.add_code(PAIRING)

    reopened = await installation.start()

    assert await reopened.codes.code("h1", CodeKind.PAIR, now=NOW) == PAIRING
    assert await reopened.codes.take_code("h1", CodeKind.PAIR, now=NOW) == PAIRING
    assert await reopened.codes.take_code("h1", CodeKind.PAIR, now=NOW) is None
    assert await reopened.codes.code("h1", CodeKind.PAIR, now=NOW) is None


async def test_code_is_good_for_its_kind_only_and_for_its_time_only(stores: Stores) -> None:
    await stores.codes.add_code(PAIRING)

    assert await stores.codes.code("h1", CodeKind.LINK, now=NOW) is None
    assert await stores.codes.take_code("h1", CodeKind.LINK, now=NOW) is None
    assert await stores.codes.code("h1", CodeKind.PAIR, now=PAIRING.expires) is None
    assert await stores.codes.take_code("h1", CodeKind.PAIR, now=PAIRING.expires) is None


async def test_new_code_ends_the_earlier_one_of_the_same_person_and_kind(stores: Stores) -> None:
    for person in ("p1", "p2"):
        await stores.people.person_for(Identity("http", person), person, new_id=person, operator=False)
    for code_hash, person in (("h1", "p1"), ("h2", "p2"), ("h3", "p1")):
        code = Code(hash=code_hash, kind=CodeKind.LINK, person=person, expires=PAIRING.expires)
        await stores.codes.add_code(code)
    await stores.codes.add_code(Code(hash="h4", kind=CodeKind.PAIR, person=None, expires=PAIRING.expires))
    await stores.codes.add_code(Code(hash="h5", kind=CodeKind.PAIR, person=None, expires=PAIRING.expires))

    good = [
        code_hash
        for code_hash in ("h1", "h2", "h3", "h4", "h5")
        for kind in CodeKind
        if await stores.codes.code(code_hash, kind, now=NOW)
    ]

    assert good == ["h2", "h3", "h5"]


async def test_code_taken_by_many_at_once_is_given_to_one(stores: Stores) -> None:
    await stores.codes.add_code(PAIRING)

    taken = await asyncio.gather(*(stores.codes.take_code("h1", CodeKind.PAIR, now=NOW) for _ in range(6)))

    assert [one for one in taken if one] == [PAIRING]


async def test_guesses_are_counted_per_guesser_and_window(stores: Stores) -> None:
    later = NOW + timedelta(minutes=10)

    counts = [
        await stores.codes.count_guess(guesser, window=window)
        for guesser, window in (("a", NOW), ("a", NOW), ("b", NOW), ("a", later))
    ]

    assert counts == [1, 2, 1, 1]
