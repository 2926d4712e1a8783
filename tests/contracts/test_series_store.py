"""Every `SeriesStore` finds universes by id and by canonical name."""

import asyncio

import pytest

from agent_core.errors import DuplicateEntity
from agent_core.lore.model import Series
from tests.contracts.conftest import Installation, Stores

OZ = Series(id="s1", name="The Land of Oz", owner="p1")


async def test_series_outlives_a_restart(stores: Stores, installation: Installation) -> None:
    await stores.series.add_series(OZ)

    reopened = await installation.start()
    assert await reopened.series.series("s1") == OZ
    assert await reopened.series.series("s2") is None


async def test_same_canonical_name_of_one_owner_is_refused(stores: Stores) -> None:
    await stores.series.add_series(OZ)

    with pytest.raises(DuplicateEntity) as refused:
        await stores.series.add_series(Series(id="s2", name="the land of  OZ", owner="p1"))

    assert refused.value.facts == {"name": "the land of  OZ", "existing": "The Land of Oz", "id": "s1"}
    assert await stores.series.all_series() == (OZ,)


async def test_owners_may_use_the_same_name(stores: Stores) -> None:
    other = Series(id="s0", name="THE LAND OF OZ", owner="p2")
    await stores.series.add_series(OZ)
    await stores.series.add_series(other)
    await stores.series.add_series(Series(id="s3", name="Kansas", owner="p1"))

    assert await stores.series.series_by_name("The land of Oz") == (OZ, other)
    assert await stores.series.series_by_name("Nowhere") == ()
    assert [series.id for series in await stores.series.all_series()] == ["s1", "s0", "s3"]


async def test_same_name_at_once_is_stored_once(stores: Stores) -> None:
    added = await asyncio.gather(
        *(stores.series.add_series(Series(id=f"s{n}", name="Oz", owner="p1")) for n in range(6)),
        return_exceptions=True,
    )

    assert added.count(None) == 1
    assert len(await stores.series.all_series()) == 1
