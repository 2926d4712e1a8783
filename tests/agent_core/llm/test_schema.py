from collections.abc import Iterator, Mapping
from enum import Enum, StrEnum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, JsonValue
from typing_extensions import TypeAliasType

from agent_core.llm.schema import normalise, tool_schema
from agent_core.messages import Json
from tests.emulators.model_rules import problems_of


def parameters(model: type[BaseModel]) -> Json:
    return dict(tool_schema("t", "Does.", model).parameters)


def test_fields_of_the_model_become_the_parameters() -> None:
    class Lookup(BaseModel):
        """Not shown: the tool has its own description."""

        model_config = ConfigDict(extra="forbid", title="Lookup")
        name: str = Field(description="Of an entry.", min_length=1, pattern="^x")
        limit: int = Field(default=5, ge=1, le=20)
        format: Literal["short", "long"] = "short"

    schema = tool_schema("lookup", "Looks up.", Lookup)

    assert (schema.name, schema.description) == ("lookup", "Looks up.")
    assert schema.parameters == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "Of an entry."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 20},
            "format": {"type": "string", "enum": ["short", "long"]},
        },
        "required": ["name"],
    }


def test_tool_without_fields_has_no_properties_but_says_so() -> None:
    class Nothing(BaseModel):
        pass

    assert parameters(Nothing) == {"type": "object", "properties": {}}


def test_object_with_free_keys_stays_one() -> None:
    class Record(BaseModel):
        state_patch: dict[str, JsonValue] = Field(alias="statePatch")
        counts: dict[str, int] = {}

    assert parameters(Record) == {
        "type": "object",
        "properties": {"statePatch": {"type": "object"}, "counts": {"type": "object"}},
        "required": ["statePatch"],
    }


def test_what_may_be_null_may_be_left_out_instead() -> None:
    maybe = TypeAliasType("maybe", str | None)

    class Args(BaseModel):
        a: str | None
        b: int | None = Field(default=None, description="How many.")
        c: Literal["x", None]
        d: maybe

    assert parameters(Args) == {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"type": "integer", "description": "How many."},
            "c": {"type": "string", "enum": ["x"]},
            "d": {"type": "string"},
        },
    }


def test_only_texts_are_enumerated() -> None:
    class Kind(StrEnum):
        A = "a"
        B = "b"

    class Level(Enum):
        LOW = 1
        HIGH = 2

    class Args(BaseModel):
        one: Literal["only"]
        kind: Kind
        level: Level
        number: Literal[7]
        flag: Literal[True]
        either: Literal["x", "y"] | Kind

    assert parameters(Args) == {
        "type": "object",
        "properties": {
            "one": {"type": "string", "enum": ["only"]},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "level": {"type": "integer"},
            "number": {"type": "integer"},
            "flag": {"type": "boolean"},
            "either": {"type": "string", "enum": ["x", "y", "a", "b"]},
        },
        "required": ["one", "kind", "level", "number", "flag", "either"],
    }


def test_each_array_says_what_it_holds() -> None:
    class Args(BaseModel):
        names: list[str]
        anything: list[Any]  # a list of whatever: the case under test
        pair: tuple[str, int]
        bare: list  # type: ignore[type-arg]  # a list of whatever: the case under test

    assert parameters(Args) == {
        "type": "object",
        "properties": {
            "names": {"type": "array", "items": {"type": "string"}},
            "anything": {"type": "array", "items": {"type": "string"}},
            "pair": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]}},
            "bare": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["names", "anything", "pair", "bare"],
    }


class Fact(BaseModel):
    """A fact."""

    kind: Literal["fact"]
    key: Annotated[str, Field(max_length=9)]
    weight: float = Field(gt=0, lt=1)


class Alias(BaseModel):
    kind: Literal["alias"]
    name: str


class Node(BaseModel):
    name: str
    children: list["Node"] = []


def test_references_are_inlined_and_keep_their_own_description() -> None:
    class Args(BaseModel):
        fact: Fact = Field(description="What holds.")

    assert parameters(Args) == {
        "type": "object",
        "properties": {
            "fact": {
                "type": "object",
                "description": "What holds.",
                "properties": {
                    "kind": {"type": "string", "enum": ["fact"]},
                    "key": {"type": "string"},
                    "weight": {"type": "number"},
                },
                "required": ["kind", "key", "weight"],
            }
        },
        "required": ["fact"],
    }


def test_alternatives_stay_alternatives() -> None:
    class Args(BaseModel):
        item: Annotated[Fact | Alias, Field(discriminator="kind")]

    schema = parameters(Args)

    assert isinstance(schema, dict)
    item = schema["properties"]["item"]
    assert [branch["properties"].keys() for branch in item["anyOf"]] == [
        {"kind", "key", "weight"},
        {"kind", "name"},
    ]


def test_what_contains_itself_becomes_a_free_object() -> None:
    assert parameters(Node) == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "children": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["name"],
    }


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, {"type": "string"}),
        ({"const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"type": ["string", "null"]}, {"type": "string"}),
        ({"type": ["integer", "string"]}, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        ({"type": "null"}, {"type": "string"}),
        ({"anyOf": [{"type": "null"}], "description": "x"}, {"type": "string", "description": "x"}),
        ({"enum": ["a", "", None]}, {"type": "string", "enum": ["a"]}),
        ({"$ref": "#/$defs/missing"}, {"type": "object"}),
        ({"items": {"type": "integer"}}, {"type": "array", "items": {"type": "integer"}}),
        (
            {
                "allOf": [
                    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                    {"properties": {"b": {"type": "string"}}, "required": ["b"]},
                ]
            },
            {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                "required": ["a", "b"],
            },
        ),
        (
            {
                "properties": {"title": {"type": "string", "title": "Title"}},
                "anyOf": [{"required": ["title"]}],
            },
            {"type": "object", "properties": {"title": {"type": "string"}}},
        ),
    ],
)
def test_hand_written_schemas_are_reduced_too(schema: Mapping[str, Json], expected: Json) -> None:
    assert normalise(schema) == expected


WORDS = ["title", "default", "format", "const", "enum", "type", "$ref", "items", "required", "name"]
LEAVES: st.SearchStrategy[Json] = st.sampled_from(
    [
        {"type": "string", "format": "date-time", "default": None},
        {"type": "integer", "exclusiveMinimum": 0, "title": "N"},
        {"const": "a"},
        {"const": 3},
        {"enum": ["a", 1, None, ""]},
        {"type": ["string", "null"]},
        {"type": "array"},
        {"type": "array", "items": False, "prefixItems": []},
        {"type": "object", "additionalProperties": {"type": "integer"}, "propertyNames": {"pattern": "x"}},
        {"$ref": "#/$defs/one"},
        {"$ref": "#/$defs/two", "description": "d"},
        {"$ref": "#"},
        {},
        True,
    ]
)


def composed(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    few = st.lists(inner, min_size=1, max_size=3)
    members = st.dictionaries(st.sampled_from(WORDS), inner, max_size=3)
    needed = st.lists(st.sampled_from(WORDS), max_size=3)
    return st.one_of(
        st.builds(lambda of: {"type": "array", "items": of, "minItems": 1, "uniqueItems": True}, inner),
        st.builds(lambda of: {"anyOf": of, "title": "T"}, few),
        st.builds(lambda of: {"oneOf": [*of, {"type": "null"}], "discriminator": {"propertyName": "k"}}, few),
        st.builds(lambda of: {"allOf": of, "examples": [1]}, few),
        st.builds(
            lambda of, need: {
                "type": "object",
                "properties": of,
                "required": need,
                "additionalProperties": False,
            },
            members,
            needed,
        ),
    )


SCHEMAS = st.recursive(LEAVES, composed, max_leaves=8)


@given(SCHEMAS, SCHEMAS, SCHEMAS)
def test_no_provider_refuses_a_normalised_schema(one: Json, two: Json, main: Json) -> None:
    schema: Mapping[str, Json] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {"one": one, "two": two},
        "type": "object",
        "properties": {"main": main},
        "required": ["main"],
    }
    function = {"name": "f", "description": "", "parameters": normalise(schema)}
    messages = [{"role": "user", "content": "x"}]

    assert problems_of({"model": "m", "messages": messages, "tools": [{"function": function}]}) == []


@given(SCHEMAS)
def test_normalising_twice_changes_nothing(schema: Json) -> None:
    once = normalise(schema if isinstance(schema, Mapping) else {})

    assert isinstance(once, Mapping)
    assert normalise(once) == once
    assert not {"$ref", "$defs", "const", "title", "default", "oneOf", "allOf"} & set(words(once))


def words(schema: Json) -> Iterator[str]:
    """The keywords of `schema`, and not the names of its properties."""
    if isinstance(schema, Mapping):
        yield from schema
        properties = schema.get("properties")
        inner = [*properties.values()] if isinstance(properties, Mapping) else []
        branches = schema.get("anyOf")
        for part in [*inner, schema.get("items"), *(branches if isinstance(branches, list) else [])]:
            yield from words(part)
