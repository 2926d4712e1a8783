"""The API's description of itself, as it is: refusals are problem documents, callers are known by tokens."""

from collections.abc import MutableMapping
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "description": "urn:lorekeeper:problem: and what kind of refusal it is"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "a sentence for people, in the language they read"},
        "fields": {"type": "array", "items": {"type": "string"}, "description": "places that don't fit"},
    },
}
_BEARER = {
    "type": "http",
    "scheme": "bearer",
    "description": "Made by `lorekeeper token make`. On this machine the operator needs none.",
}
_UNTRUE = ("HTTPValidationError", "ValidationError")

Document = MutableMapping[str, Any]  # Any: JSON of any shape


def describe(api: FastAPI) -> None:
    """Let the API describe itself so."""

    def openapi() -> Document:
        if not api.openapi_schema:
            found = get_openapi(
                title=api.title, version=api.version, description=api.description, routes=api.routes
            )
            api.openapi_schema = dict(_corrected(found))
        return api.openapi_schema

    api.openapi = openapi  # type: ignore[method-assign,assignment]  # as the framework tells to do it


def _corrected(document: Document) -> Document:
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for name in _UNTRUE:
        schemas.pop(name, None)
    schemas["Problem"] = _PROBLEM
    document["components"]["securitySchemes"] = {"bearer": _BEARER}
    document["security"] = [{"bearer": []}, {}]
    for operations in document["paths"].values():
        for operation in operations.values():
            responses = operation["responses"]
            responses.pop("422", None)
            refusal = responses["default"]["content"]["application/problem+json"]
            refusal["schema"] = {"$ref": "#/components/schemas/Problem"}
    return document
