"""One call of the bot: its parameters, read by name and type, and which of them nobody asked for."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.emulators.telegram.errors import wrong
from tests.emulators.telegram.wire import Json


@dataclass(frozen=True)
class Upload:
    """A file in a multipart request."""

    name: str
    content: bytes
    mime_type: str


@dataclass
class Call:
    """A call; `status` and `description` are set once it is answered (0: the connection was dropped)."""

    method: str
    parameters: Mapping[str, object]
    files: Mapping[str, Upload] = field(default_factory=dict)
    at: float = 0.0
    status: int = 0
    description: str = ""
    asked: set[str] = field(default_factory=set)

    def has(self, name: str) -> bool:
        """Return whether the parameter was sent."""
        self.asked.add(name)
        return name in self.parameters

    def text(self, name: str) -> str:
        """Return a text, "" where there is none."""
        value = self.parameters.get(name, "") if self.has(name) else ""
        return value if isinstance(value, str) else json.dumps(value)

    def integer(self, name: str) -> int | None:
        """Return a number, None where there is none."""
        if not self.has(name):
            return None
        try:
            return int(self.text(name))
        except ValueError as error:
            raise wrong(f"{name} is not a valid integer") from error

    def flag(self, name: str) -> bool:
        """Return a boolean, False where there is none."""
        return self.text(name).lower() in ("true", "1")

    def shape(self, name: str) -> Json:
        """Return a JSON object, an empty one where there is none."""
        read = self._json(name, "{}")
        if not isinstance(read, dict):
            raise wrong(f"object expected as {name}")
        return read

    def shapes(self, name: str) -> list[Json]:
        """Return a list of JSON objects."""
        read = self._json(name, "[]")
        if not isinstance(read, list) or not all(isinstance(one, dict) for one in read):
            raise wrong(f"can't parse {name}: a list of objects is expected")
        return read

    def texts(self, name: str) -> Sequence[str] | None:
        """Return a list of texts, None where there is none."""
        if not self.has(name):
            return None
        read = self._json(name, "[]")
        if not isinstance(read, list):
            raise wrong(f"can't parse {name}: a list is expected")
        return [str(one) for one in read]

    def numbers(self, name: str) -> Sequence[int]:
        """Return a list of numbers."""
        return [int(one) for one in self.texts(name) or ()]

    def passed_over(self, *names: str) -> None:
        """Let parameters count as known that change nothing here."""
        self.asked.update(names)

    @property
    def unknown(self) -> set[str]:
        """The parameters that the method has no use for."""
        return set(self.parameters) - self.asked

    def _json(self, name: str, default: str) -> object:
        value = self.parameters.get(name, default) if self.has(name) else default
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError as error:
            raise wrong(f"can't parse {name} JSON: {error}") from error


def shown(call: Call) -> str:
    """Return a call in one line, long values cut."""
    values = ", ".join(f"{name}={str(value)[:80]!r}" for name, value in call.parameters.items())
    return f"{call.method}({values})"
