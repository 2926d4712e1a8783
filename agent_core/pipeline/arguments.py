"""Turns the argument text a model sent into validated arguments, or into an error it can act on."""

import json
import math
from collections.abc import Mapping
from typing import NoReturn, TypeVar

from pydantic import ValidationError

from agent_core.errors import InvalidArguments
from agent_core.llm.surrogates import mend, mend_json
from agent_core.messages import Json
from agent_core.pipeline.redaction import Redaction
from agent_core.tools.misfit import misfit
from agent_core.tools.spec import Args

A = TypeVar("A", bound=Args)

SHOWN_CHARS = 200
MAX_DEPTH = 64


def parse(tool: str, text: str, redaction: Redaction) -> Mapping[str, Json]:
    """Return the JSON object that `text` holds; no text at all is the empty object.

    Providers repeat objects (`{"x":3}{"x":3}`), put an empty one in front, or encode twice; these are
    read as meant. Different objects, anything that is no object, NaN and repeated keys are refused.

    Raises:
        InvalidArguments: the text is not one JSON object.
    """
    try:
        return _object(text)
    except RecursionError:
        problem = f"nested more than {MAX_DEPTH} deep"
    except ValueError as error:
        problem = str(error)
    got = mend(redaction.head(text, SHOWN_CHARS))
    if len(text) > SHOWN_CHARS:
        got = f"{got}… (cut, {len(text)} characters)"
    raise InvalidArguments(tool=tool, problems=(f"arguments: {problem}; got: {got}",))


def validate(tool: str, args: type[A], arguments: Mapping[str, Json]) -> A:
    """Return the arguments as the tool's own type, with defaults filled in.

    Raises:
        InvalidArguments: lists every field that does not fit.
    """
    try:
        return args.model_validate(arguments)
    except ValidationError as error:
        raise misfit(tool, error) from error


def shown(arguments: str | Mapping[str, Json], redaction: Redaction) -> Mapping[str, Json]:
    """Return the arguments as an audit row shows them: the object, or the start of text that is none."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return parse("", arguments, redaction)
    except InvalidArguments:
        return {"raw": mend(redaction.head(arguments, SHOWN_CHARS))}


def _object(text: str) -> Mapping[str, Json]:
    values = _values(text)
    if len(values) == 1 and isinstance(values[0], str) and values[0].strip():
        values = _values(values[0])
    found = [value for value in values if value != {}] or [{}]
    first = found[0]
    if not isinstance(first, Mapping):
        raise ValueError("the arguments must be one JSON object")
    if any(value != first for value in found):
        raise ValueError("several different JSON values instead of one object")
    return first


def _values(text: str) -> list[Json]:
    decoder = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_unique)
    found: list[Json] = []
    rest = text.strip()
    while rest:
        try:
            value, end = decoder.raw_decode(rest)
        except json.JSONDecodeError as error:
            raise ValueError(f"not valid JSON ({error})") from error
        _check_depth(value, MAX_DEPTH)
        found.append(mend_json(value))
        rest = rest[end:].lstrip()
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:20]} is beyond all numbers")
    return number


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    made: dict[str, Json] = {}
    for key, value in pairs:
        if key in made and made[key] != value:
            raise ValueError(f"the key {key!r} stands twice with different values")
        made[key] = value
    return made


def _check_depth(value: Json, left: int) -> None:
    """Raise `ValueError` beyond a depth that everything after this can walk without a second thought."""
    if left < 0:
        raise ValueError(f"nested more than {MAX_DEPTH} deep")
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            _check_depth(item, left - 1)
