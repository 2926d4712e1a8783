"""Checks requests against Discord's own OpenAPI file, where the environment names one."""

import json
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator  # type: ignore[import-untyped] # it has no types
from jsonschema.exceptions import best_match  # type: ignore[import-untyped] # it has no types

from tests.emulators.discord.model import Json
from tests.emulators.discord.rest import Call, Route

VARIABLE: Final = "LOREKEEPER_DISCORD_OPENAPI"


def problems_of(route: Route, call: Call) -> list[str]:
    """Return what the file says is wrong with the request's body; nothing without a file."""
    document = _document()
    if document is None or call.body is None:
        return []
    validator = _validator(route.method, route.path)
    if validator is None:
        return [f"{call.method} {call.path}: the OpenAPI file knows no body for {route.path}"]
    error = best_match(validator.iter_errors(_with_text_ids(call.body)))
    if error is None:
        return []
    where = "/".join(map(str, error.absolute_path))
    return [f"{call.method} {call.path}: OpenAPI refuses {where}: {error.message[:300]}"]


@cache
def _document() -> Json | None:
    path = os.environ.get(VARIABLE)
    if not path:
        sys.stderr.write(f"discord emulator: {VARIABLE} is not set, requests are not checked against it\n")
        return None
    loaded: Json = json.loads(Path(path).read_bytes())
    return loaded


@cache
def _validator(method: str, path: str) -> Any:  # a jsonschema validator, which has no types of its own
    document = _document()
    assert document is not None
    operation = document["paths"].get(path, {}).get(method.lower(), {})
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" not in content:
        return None
    schema = {**content["application/json"]["schema"], "components": document["components"]}
    return Draft202012Validator(schema)


def _with_text_ids(value: Any) -> Any:  # any JSON
    """Return the body with ids as texts: discord.py sends integers, which Discord takes too."""
    if isinstance(value, dict):
        return {key: _with_text_ids(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_text_ids(inner) for inner in value]
    is_id = isinstance(value, int) and not isinstance(value, bool) and value > 1 << 40
    return str(value) if is_id else value
