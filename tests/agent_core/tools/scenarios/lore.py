"""The lore: what a model is told is what was founded; what it writes stands in the rows of the canon."""

from tests.agent_core.tools.scenarios.row import Row
from tests.agent_core.tools.world import World


async def _recorded(world: World) -> None:
    assert world.rows("""SELECT 1 FROM lore_row WHERE body LIKE '%"hat"%' AND body LIKE '%"red"%'""")


async def _created(world: World) -> None:
    assert world.rows("SELECT 1 FROM lore_row WHERE body LIKE '%Anchor of Vel%'")


async def _persisted(world: World) -> None:
    assert world.rows("SELECT 1 FROM lore_row WHERE body LIKE '%The anchor drops.%'")


LORE = (
    Row(
        tool="search_lore",
        arguments={"query": "smith"},
        tells=("Tom, the smith, is a thief.",),
        refused=({"query": "Mara", "type": "ghost"}, "InvalidArguments"),
    ),
    Row(
        tool="get_entity_state",
        arguments={"entityId": "Mara"},
        tells=('"eyes": "green"',),
        refused=({"entityId": "Nobody"}, "UnknownEntity"),
    ),
    Row(
        tool="fetch_chapter_scenes",
        arguments={"chapterId": "1"},
        tells=("The Heron sails at dusk.",),
        refused=({"chapterId": "99"}, "UnknownPosition"),
    ),
    Row(
        tool="record_lore_state",
        arguments={"entityId": "Mara", "statePatch": {"hat": "red"}, "chapterId": "2"},
        outside=_recorded,
        refused=({"entityId": "Nobody", "statePatch": {"hat": "red"}}, "UnknownEntity"),
    ),
    Row(
        tool="create_lore_entity",
        arguments={"type": "object", "name": "Anchor of Vel", "staticTraits": {"made of": "iron"}},
        outside=_created,
        refused=({"type": "character", "name": "Mara", "staticTraits": {}}, "DuplicateEntity"),
    ),
    Row(
        tool="persist_scene",
        arguments={"chapterId": "2", "sceneNumber": 3, "title": "", "rawText": "The anchor drops."},
        outside=_persisted,
        refused=({"chapterId": "2", "sceneNumber": 9, "title": "", "rawText": "x"}, "UnknownScene"),
    ),
)
