"""The six lore tools keep the arguments that they were promised with; ours may only add optional ones."""

from collections.abc import Mapping
from typing import Any

import pytest

from agent_core.tools.catalogue import TOOLS
from agent_core.tools.registry import Registry
from agent_core.tools.spec import AnyTool

TYPES = ["character", "location", "faction", "object", "rule"]

PROMISED: Mapping[str, Mapping[str, Any]] = {  # any JSON schema
    "search_lore": {
        "properties": {"query": {"type": "string"}, "type": {"type": "string", "enum": TYPES}},
        "required": ["query"],
    },
    "get_entity_state": {"properties": {"entityId": {"type": "string"}}, "required": ["entityId"]},
    "record_lore_state": {
        "properties": {
            "entityId": {"type": "string"},
            "statePatch": {"type": "object"},
            "chapterId": {"type": "string"},
            "sourceSceneId": {"type": "string"},
        },
        "required": ["entityId", "statePatch"],
    },
    "create_lore_entity": {
        "properties": {
            "type": {"type": "string", "enum": TYPES},
            "name": {"type": "string"},
            "staticTraits": {"type": "object"},
        },
        "required": ["type", "name", "staticTraits"],
    },
    "fetch_chapter_scenes": {"properties": {"chapterId": {"type": "string"}}, "required": ["chapterId"]},
    "persist_scene": {
        "properties": {
            "chapterId": {"type": "string"},
            "sceneNumber": {"type": "integer"},
            "title": {"type": "string"},
            "rawText": {"type": "string"},
        },
        "required": ["chapterId", "sceneNumber", "title", "rawText"],
    },
}


@pytest.mark.parametrize("name", PROMISED)
def test_lore_tool_takes_exactly_what_was_promised_and_more_only_by_choice(name: str) -> None:
    schema: Any = Registry(TOOLS).schema(name).parameters  # any JSON schema

    assert schema["type"] == "object"
    assert sorted(schema["required"]) == sorted(PROMISED[name]["required"])
    for field, promised in PROMISED[name]["properties"].items():
        assert {key: schema["properties"][field][key] for key in promised} == promised


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_ids_fixed_at_a_proposal_are_not_shown_to_models(tool: AnyTool) -> None:
    schema: Any = Registry(TOOLS).schema(tool.name).parameters  # any JSON schema

    assert {"aliasToldAt", "newChapterId", "newSeriesId", "newBookId"}.isdisjoint(schema["properties"])
