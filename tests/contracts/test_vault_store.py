"""Every `VaultStore` keeps which notes folders a series has."""

from agent_core.lore.model import Series
from agent_core.vault.store import Attachment
from tests.contracts.conftest import Installation, Stores

OZ, WONDER = Series(id="s1", name="Oz", owner="p1"), Series(id="s2", name="Wonder", owner="p1")


async def test_folders_of_a_series_outlive_a_restart(stores: Stores, installation: Installation) -> None:
    await stores.series.add_series(OZ)
    await stores.series.add_series(WONDER)
    world, novel = Attachment("s1", "world", writable=False), Attachment("s1", "novel", writable=True)
    await stores.vaults.attach(world)
    await stores.vaults.attach(novel)

    kept = (await installation.start()).vaults

    assert await kept.attached("s1") == (novel, world)
    assert await kept.attached("s2") == ()


async def test_folder_attached_again_is_attached_as_last_said(stores: Stores) -> None:
    await stores.series.add_series(OZ)
    await stores.vaults.attach(Attachment("s1", "novel", writable=True))
    await stores.vaults.attach(Attachment("s1", "novel", writable=False))

    assert await stores.vaults.attached("s1") == (Attachment("s1", "novel", writable=False),)


async def test_folder_is_taken_from_one_series_alone(stores: Stores) -> None:
    for series in (OZ, WONDER):
        await stores.series.add_series(series)
        await stores.vaults.attach(Attachment(series.id, "novel", writable=True))

    await stores.vaults.detach("s1", "novel")

    assert await stores.vaults.attached("s1") == ()
    assert len(await stores.vaults.attached("s2")) == 1
