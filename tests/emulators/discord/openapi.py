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
from tests.emulators.discord.rest import Call, Reply, Route

VARIABLE: Final = "LOREKEEPER_DISCORD_OPENAPI"
# The file leaves out that a deferred answer names its message too, which clients read.
_CALLBACK: Final = "/interactions/{interaction_id}/{interaction_token}/callback"
_DEFERRED: Final = 5
# It leaves out as well that a reference can be a forward.
_FORWARDED: Final = ["message_reference", "type"]


def problems_of(route: Route, call: Call) -> list[str]:
    """Return what the file says is wrong with the request's body; nothing without a file."""
    if _document() is None or call.body is None:
        return []
    validator = _request_validator(route.method, route.path)
    if validator is None:
        return [f"{call.method} {call.path}: the OpenAPI file knows no body for {route.path}"]
    return _told(f"{call.method} {call.path}: OpenAPI refuses", validator, _with_text_ids(call.body))


def own_problems_of(route: Route, reply: Reply) -> list[str]:
    """Return what the file says is wrong with the emulator's own answer."""
    if _document() is None or reply.body is None:
        return []
    if route.path == _CALLBACK and reply.body.get("resource", {}).get("type") == _DEFERRED:
        return []
    validator = _reply_validator(route.method, route.path, reply.status)
    place = f"the emulator's {reply.status} to {route.method} {route.path}: OpenAPI refuses"
    return _told(place, validator, reply.body) if validator is not None else [f"{place} the status"]


@cache
def _document() -> Json | None:
    path = os.environ.get(VARIABLE)
    if not path:
        sys.stderr.write(f"discord emulator: {VARIABLE} is not set, requests are not checked against it\n")
        return None
    loaded: Json = json.loads(Path(path).read_bytes())
    return loaded


@cache
def _request_validator(
    method: str, path: str
) -> Any:  # a jsonschema validator, which has no types of its own
    return _validator(_operation(method, path).get("requestBody", {}))


@cache
def _reply_validator(method: str, path: str, status: int) -> Any:  # a jsonschema validator, likewise
    return _validator(_operation(method, path).get("responses", {}).get(str(status), {}))


def _operation(method: str, path: str) -> Json:
    document = _document()
    assert document is not None
    operation: Json = document["paths"].get(path, {}).get(method.lower(), {})
    return operation


def _validator(described: Json) -> Any:  # a jsonschema validator, likewise
    content = described.get("content", {})
    document = _document()
    if "application/json" not in content or document is None:
        return None
    return Draft202012Validator(
        {**content["application/json"]["schema"], "components": document["components"]}
    )


def _told(place: str, validator: Any, body: Any) -> list[str]:  # a jsonschema validator, and any JSON
    known = (one for one in validator.iter_errors(body) if list(one.absolute_path)[-2:] != _FORWARDED)
    error = best_match(known)
    if error is None:
        return []
    where = "/".join(map(str, error.absolute_path))
    return [f"{place} {where}: {error.message[:300]}"]


def _with_text_ids(value: Any) -> Any:  # any JSON
    """Return the body with ids as texts: discord.py sends integers, which Discord takes too."""
    if isinstance(value, dict):
        numbered = (
            {**value, "attachments": _numbered(value["attachments"])} if "attachments" in value else value
        )
        return {key: _with_text_ids(inner) for key, inner in numbered.items()}
    if isinstance(value, list):
        return [_with_text_ids(inner) for inner in value]
    is_id = isinstance(value, int) and not isinstance(value, bool) and value > 1 << 40
    return str(value) if is_id else value


def _numbered(attachments: Any) -> Any:  # any JSON
    """Return the attachments with the numbers of their files as texts."""
    if not isinstance(attachments, list):
        return attachments
    return [{**item, "id": str(item["id"])} if "id" in item else item for item in attachments]
