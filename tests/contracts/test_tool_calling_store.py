"""Every `ToolCallingStore` keeps the last test of each model at each endpoint."""

from tests.clock import NOON
from tests.contracts.conftest import Installation, Stores

HERE, THERE = "http://localhost:8080/v1", "https://models.example/v1"


async def test_last_test_of_a_model_outlives_a_restart(stores: Stores, installation: Installation) -> None:
    await stores.tool_calling.note_calls_tools(HERE, "wren", NOON, calls=False)
    await stores.tool_calling.note_calls_tools(HERE, "wren", NOON, calls=True)
    await stores.tool_calling.note_calls_tools(THERE, "wren", NOON, calls=False)

    kept = (await installation.start()).tool_calling

    assert await kept.calls_tools(HERE, "wren") is True
    assert await kept.calls_tools(THERE, "wren") is False
    assert await kept.calls_tools(HERE, "robin") is None
