"""Every tool goes to models exactly as its file in `golden` says: a changed schema is seen in review.

`LOREKEEPER_WRITE_GOLDEN=1` writes the files anew.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from agent_core.llm.encode import RequestEncoder
from agent_core.messages import ChatMessage, ModelRequest, Role
from agent_core.tools.catalogue import TOOLS
from agent_core.tools.registry import Registry

GOLDEN = Path(__file__).parent / "golden"
SHOWN = [tool.name for tool in TOOLS if tool.for_models]

# What at least one provider refuses, with every request that carries it (llm.md, section 5, row 17).
REFUSED = {
    "$defs", "$ref", "$schema", "additionalProperties", "allOf", "const", "default", "exclusiveMaximum",
    "exclusiveMinimum", "format", "oneOf", "patternProperties", "prefixItems", "propertyNames", "title",
}  # fmt: skip


def sent(name: str) -> Any:  # any JSON: what stands in the body of the request
    schema = Registry(TOOLS).schema(name)
    request = ModelRequest(messages=(ChatMessage(Role.USER, "Hello"),), tools=(schema,))
    [tool] = json.loads(RequestEncoder("m").encode(request))["tools"]
    return tool


@pytest.mark.parametrize("name", SHOWN)
def test_tool_is_sent_as_its_golden_file_says(name: str) -> None:
    path, text = GOLDEN / f"{name}.json", json.dumps(sent(name), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("LOREKEEPER_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def test_golden_files_are_those_of_the_tools_that_models_see() -> None:
    if os.environ.get("LOREKEEPER_WRITE_GOLDEN"):
        for path in GOLDEN.glob("*.json"):
            if path.stem not in SHOWN:
                path.unlink()
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_tool_uses_only_what_every_provider_takes(name: str) -> None:
    for schema in _schemas(sent(name)["function"]["parameters"]):
        assert not REFUSED & schema.keys()
        assert isinstance(schema.get("type", "string"), str)
        assert schema.get("type") != "array" or "items" in schema
        assert all(isinstance(value, str) and value for value in schema.get("enum", ()))


def _schemas(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:  # any JSON schema, all within it too
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    for one in (*inner, *([schema["items"]] if "items" in schema else ())):
        yield from _schemas(one)
