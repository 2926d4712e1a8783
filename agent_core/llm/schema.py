"""Brings the JSON schema of a tool down to the subset that every provider takes.

One `const`, `$ref` or `additionalProperties` in one tool gets every request of a turn refused. What is
dropped here is still checked: arguments are validated by the tool's own pydantic model.
"""

from collections.abc import Mapping

from pydantic import BaseModel

from agent_core.messages import Json, ToolSchema

_KEPT = ("description", "minimum", "maximum")
_NULL: Json = {"type": "null"}

_Schema = Mapping[str, Json]


def tool_schema(name: str, description: str, model: type[BaseModel]) -> ToolSchema:
    """Return the tool `name` with the fields of `model` as its parameters."""
    parameters = _normalised(model.model_json_schema())
    fields = {key: value for key, value in parameters.items() if key != "description"}
    return ToolSchema(name, description, {**fields, "properties": fields.get("properties", {})})


def normalise(json_schema: _Schema) -> Json:
    """Return `json_schema` in the common subset.

    References are inlined (one that contains itself becomes a free object), what may be null may be left out
    instead, only texts are enumerated, each array says what it holds, and an object without named properties
    stays `{"type": "object"}`.
    """
    return _normalised(json_schema)


def _normalised(schema: _Schema) -> dict[str, Json]:
    definitions = schema.get("$defs", schema.get("definitions"))
    return _Normaliser(definitions if isinstance(definitions, Mapping) else {}).reduce(schema, ())


class _Normaliser:
    """Holds the definitions that references of one schema point to."""

    def __init__(self, definitions: _Schema) -> None:
        self._definitions = definitions

    def reduce(self, schema: Json, seen: tuple[str, ...]) -> dict[str, Json]:
        """Return `schema` reduced; `seen` are the references that lead here."""
        if not isinstance(schema, Mapping):
            return {"type": "string"}
        if isinstance(reference := schema.get("$ref"), str):
            return self._inlined(reference, schema, seen)
        if isinstance(parts := schema.get("allOf"), list):
            whole = _merged([part for part in parts if isinstance(part, Mapping)], _without(schema, "allOf"))
            return self.reduce(whole, seen)
        if (branches := _branches(schema)) is not None:
            return self._either(branches, schema, seen)
        return {**_kept(schema), **self._typed(schema, seen)}

    def _inlined(self, reference: str, schema: _Schema, seen: tuple[str, ...]) -> dict[str, Json]:
        name = reference.rpartition("/")[2]
        target = self._definitions.get(name)
        if name in seen or not isinstance(target, Mapping):
            return {**_kept(schema), "type": "object"}
        return self.reduce({**target, **_without(schema, "$ref")}, (*seen, name))

    def _either(self, branches: list[Json], schema: _Schema, seen: tuple[str, ...]) -> dict[str, Json]:
        reduced: list[dict[str, Json]] = []
        for branch in branches:
            if branch != _NULL and (one := self.reduce(branch, seen)) not in reduced:
                reduced.append(one)
        if not reduced:
            return {**_kept(schema), "type": "string"}
        if len(reduced) == 1:
            return {**reduced[0], **_kept(schema)}
        if values := _joined_enum(reduced):
            return {**_kept(schema), "type": "string", "enum": values}
        return {**_kept(schema), "anyOf": list(reduced)}

    def _typed(self, schema: _Schema, seen: tuple[str, ...]) -> dict[str, Json]:
        kind = _kind(schema)
        if kind == "object":
            return {"type": "object", **self._members(schema, seen)}
        if kind == "array":
            return {"type": "array", "items": self.reduce(_item(schema), seen)}
        values = [value for value in _values(schema) if isinstance(value, str) and value]
        return {"type": kind, "enum": values} if kind == "string" and values else {"type": kind}

    def _members(self, schema: _Schema, seen: tuple[str, ...]) -> dict[str, Json]:
        properties = schema.get("properties")
        if not isinstance(properties, Mapping) or not properties:
            return {}
        reduced: Json = {name: self.reduce(value, seen) for name, value in properties.items()}
        required = schema.get("required")
        names = [name for name in properties if isinstance(required, list) and name in required]
        needed: list[Json] = [name for name in names if not self._may_be_null(properties[name])]
        return {"properties": reduced, "required": needed} if needed else {"properties": reduced}

    def _may_be_null(self, schema: Json) -> bool:
        if isinstance(schema, Mapping) and isinstance(reference := schema.get("$ref"), str):
            schema = self._definitions.get(reference.rpartition("/")[2])
        if not isinstance(schema, Mapping):
            return False
        return _NULL in (_branches(schema) or []) or None in _values(schema)


def _branches(schema: _Schema) -> list[Json] | None:
    """Return the alternatives of `schema`, of which a list of types is a short form."""
    for key in ("anyOf", "oneOf"):
        if isinstance(branches := schema.get(key), list) and "properties" not in schema:
            return branches
    kinds = schema.get("type")
    if not isinstance(kinds, list):
        return None
    return [_NULL if kind == "null" else {**schema, "type": kind} for kind in kinds]


def _kind(schema: _Schema) -> str:
    kind = schema.get("type")
    if isinstance(kind, str) and kind != "null":
        return kind
    if "properties" in schema or "additionalProperties" in schema:
        return "object"
    if "items" in schema or "prefixItems" in schema:
        return "array"
    names = {str: "string", bool: "boolean", int: "integer", float: "number"}
    return next((names[type(value)] for value in _values(schema) if type(value) in names), "string")


def _item(schema: _Schema) -> Json:
    """Return what an array holds; a tuple is an array of any of its places."""
    places = schema.get("prefixItems")
    if isinstance(places, list) and places:
        return {"anyOf": places}
    return schema.get("items") or {}


def _values(schema: _Schema) -> list[Json]:
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else []


def _joined_enum(branches: list[dict[str, Json]]) -> list[Json]:
    """Return the texts of all branches if each is a list of texts, else nothing."""
    joined: list[Json] = []
    for branch in branches:
        values = branch.get("enum")
        if not isinstance(values, list):
            return []
        joined += [value for value in values if value not in joined]
    return joined


def _kept(schema: _Schema) -> dict[str, Json]:
    return {key: schema[key] for key in _KEPT if key in schema}


def _without(schema: _Schema, key: str) -> dict[str, Json]:
    return {name: value for name, value in schema.items() if name != key}


def _merged(parts: list[_Schema], rest: _Schema) -> dict[str, Json]:
    """Return one schema that says what all of `parts` and `rest` say."""
    result: dict[str, Json] = {}
    for part in (*parts, rest):
        for key, value in part.items():
            before = result.get(key)
            if key == "properties" and isinstance(before, Mapping) and isinstance(value, Mapping):
                result[key] = {**before, **value}
            elif key == "required" and isinstance(before, list) and isinstance(value, list):
                result[key] = [*before, *value]
            else:
                result[key] = value
    return result
