"""Checks calls against the Bot API as a JSON file: methods, parameters and their types.

The file has `methods` and `types`, each by name with `fields` of `name`, `types` and `required`, as published
by several projects. It is not part of this repository: its path comes from LOREKEEPER_TELEGRAM_API.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Self

from tests.emulators.telegram.call import Call
from tests.emulators.telegram.wire import Json

VARIABLE = "LOREKEEPER_TELEGRAM_API"


class BotApiFile:
    """The Bot API as its file describes it."""

    def __init__(self, content: Json) -> None:
        self._methods: Json = content["methods"]
        self._types: Json = content["types"]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the file at a path."""
        return cls(_content(path))

    def problems(self, call: Call) -> list[str]:
        """Return what is wrong with a call."""
        method = self._methods.get(call.method)
        if method is None:
            return [f"{call.method} is no method of the Bot API"]
        fields = {field["name"]: field for field in method.get("fields", ())}
        sent = set(call.parameters) | (set(call.files) & set(fields))
        found = [
            f"{call.method} has no parameter {name}" for name in sorted(set(call.parameters) - set(fields))
        ]
        missing = [name for name, field in fields.items() if field["required"] and name not in sent]
        found += [f"{call.method} needs the parameter {name}" for name in missing]
        for name, value in call.parameters.items():
            if name in fields:
                types = fields[name]["types"]
                found += self._any(f"{call.method}.{name}", _decoded(value, types), types)
        return found

    def answer_problems(self, method: str, answer: object) -> list[str]:
        """Return what is wrong with an answer of ours."""
        described = self._methods.get(method, {})
        return self._any(f"answer to {method}", answer, described["returns"]) if described else []

    def _any(self, path: str, value: object, types: Sequence[str]) -> list[str]:
        """Return the problems with the type that fits best."""
        return min((self._one(path, value, kind) for kind in types), key=len)

    def _one(self, path: str, value: object, kind: str) -> list[str]:
        if kind.startswith("Array of "):
            if not isinstance(value, list):
                return [f"{path} is no list"]
            inner = kind.removeprefix("Array of ")
            return [
                text for place, one in enumerate(value) for text in self._one(f"{path}[{place}]", one, inner)
            ]
        if kind in self._types:
            return self._object(path, value, kind)
        return [] if _is_plain(value, kind) else [f"{path} is no {kind}: {value!r}"]

    def _object(self, path: str, value: object, kind: str) -> list[str]:
        described = self._types[kind]
        if described.get("subtypes"):
            return self._any(path, value, described["subtypes"])
        if kind == "InputFile" and isinstance(value, str):
            return []
        if not isinstance(value, dict):
            return [f"{path} is no {kind}: {value!r}"]
        fields = {field["name"]: field for field in described.get("fields", ())}
        found = [f"{path} is no {kind}: it has no {name}" for name in value if name not in fields]
        missing = [name for name, field in fields.items() if field["required"] and name not in value]
        found += [f"{path} is no {kind}: {name} is missing" for name in missing]
        for name in value.keys() & fields.keys():
            found += self._any(f"{path}.{name}", value[name], fields[name]["types"])
        return found


@cache
def _content(path: Path) -> Json:
    return dict(json.loads(path.read_bytes()))


def _decoded(value: object, types: Sequence[str]) -> object:
    """Return a form value as the JSON it stands for, where no text is meant."""
    if not isinstance(value, str) or {"String", "InputFile"} & set(types):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _is_plain(value: object, kind: str) -> bool:
    match kind:
        case "Integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "Float":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "Boolean" | "True":
            return isinstance(value, bool)
        case _:
            return isinstance(value, str)
