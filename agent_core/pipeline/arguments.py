"""Turns the argument text a model sent into validated arguments, or into an error it can act on."""

import json
from collections.abc import Mapping
from typing import NoReturn, TypeVar

from pydantic import ValidationError

from agent_core.errors import InvalidArguments
from agent_core.llm.surrogates import mend_json
from agent_core.messages import Json
from agent_core.tools.spec import Args

A = TypeVar("A", bound=Args)

SHOWN_CHARS = 200


def parse(tool: str, text: str) -> Mapping[str, Json]:
    """Return the JSON object that `text` holds; empty text and `null` are the empty object.

    Providers repeat objects (`{"x":3}{"x":3}`), put an empty one in front, or encode twice; these are
    read as meant. Different objects, anything that is no object, NaN and repeated keys are refused.

    Raises:
        InvalidArguments: the text is not one JSON object.
    """
    objects = _objects(tool, text.strip())
    if len(objects) == 1 and isinstance(objects[0], str):
        objects = _objects(tool, objects[0].strip())
    found = [item for item in objects if item not in ({}, None)] or [{}]
    first = found[0]
    if any(item != first for item in found):
        _refuse(tool, "several different JSON objects instead of one", text)
    if not isinstance(first, Mapping):
        _refuse(tool, "the arguments must be one JSON object", text)
    return first


def validate(tool: str, args: type[A], arguments: Mapping[str, Json]) -> A:
    """Return the arguments as the tool's own type, with defaults filled in.

    Raises:
        InvalidArguments: lists every field that does not fit.
    """
    try:
        return args.model_validate(arguments)
    except ValidationError as error:
        problems = tuple(
            f"{'.'.join(str(part) for part in item['loc']) or 'arguments'}: {item['msg']}"
            for item in error.errors(include_url=False, include_input=False)
        )
        raise InvalidArguments(tool=tool, problems=problems) from error


def shown(arguments: str | Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the arguments as an audit row shows them: the object, or the start of text that is none."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return parse("", arguments)
    except InvalidArguments:
        return {"raw": arguments[:SHOWN_CHARS]}


def _objects(tool: str, text: str) -> list[Json]:
    decoder = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_unique)
    found: list[Json] = []
    while text:
        try:
            value, end = decoder.raw_decode(text)
        except (ValueError, RecursionError) as error:
            _refuse(tool, f"not valid JSON ({error})", text)
        found.append(mend_json(value))
        text = text[end:].lstrip()
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    made: dict[str, Json] = {}
    for key, value in pairs:
        if key in made and made[key] != value:
            raise ValueError(f"the key {key!r} stands twice with different values")
        made[key] = value
    return made


def _refuse(tool: str, problem: str, text: str) -> NoReturn:
    shown = text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}… (cut, {len(text)} characters)"
    raise InvalidArguments(tool=tool, problems=(f"arguments: {problem}; got: {shown}",))
