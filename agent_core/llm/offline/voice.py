"""Says things to people: values, places and dates in their language, never JSON or ids."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent_core.llm.offline.results import Place, Quote
from agent_core.messages import Json
from agent_core.texts.catalogue import Fact, say

MAX_QUOTE_CHARS = 280

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")
_STAMP = re.compile(r"(\d{4})-(\d{2})-(\d{2})")


@dataclass(frozen=True, slots=True)
class Voice:
    """Speaks one language."""

    language: str

    def say(self, key: str, /, **facts: Fact) -> str:
        """Return a sentence of the catalogue."""
        return say(self.language, key, **facts)

    def value(self, value: Json) -> str:
        """Return a value in words."""
        if value is None:
            return self.say("value.removed")
        if isinstance(value, bool):
            return self.say("value.yes" if value else "value.no")
        if isinstance(value, Mapping):
            return self._object(value)
        if isinstance(value, Sequence) and not isinstance(value, str):
            return ", ".join(map(self.value, value)) or self.say("value.nothing")
        return str(value) or self.say("value.blank")

    def patch(self, patch: Json) -> str:
        """Return the details of a fact in words: "eyes: green, hair: red"."""
        if not isinstance(patch, Mapping):
            return self.value(patch)
        return "; ".join(f"{key}: {self.value(value)}" for key, value in leaves(patch))

    def label(self, place: Place | None) -> str:
        """Return how the place is written, "" where there is none."""
        return "" if place is None or _ID.fullmatch(place.label) else place.label

    def mark(self, place: Place | None) -> str:
        """Return the place as a mark behind a claim."""
        label = self.label(place)
        return f" ({label})" if label else ""

    def place(self, place: Place) -> str:
        """Return the place with its title."""
        label = self.label(place)
        title = "" if place.title == label else place.title
        return f"{label} {title}".strip()

    def quote(self, quote: Quote) -> str:
        """Return a passage as a quotation with its place."""
        text = " ".join(quote.text.split())
        if len(text) > MAX_QUOTE_CHARS:
            text = f"{text[:MAX_QUOTE_CHARS].rstrip()}…"
        return f"> {text}{self.mark(quote.scene)}"

    def day(self, stamp: str) -> str:
        """Return the day of an ISO stamp in words."""
        found = _STAMP.match(stamp)
        if found is None:
            return stamp
        return self.say("offline.reply.day", day=str(int(found[3])), month=str(int(found[2])), year=found[1])

    def _object(self, value: Mapping[str, Json]) -> str:
        if value.get("$none") is True:
            return self.say("value.none")
        if value.get("$unknown") is True:
            return self.say("value.unknown")
        edits = [
            self.say(f"value.{name}", items=self.value(value[f"${name}"]))
            for name in ("add", "remove")
            if f"${name}" in value
        ]
        inner = [f"{key}: {self.value(item)}" for key, item in leaves(value) if not key.startswith("$")]
        return ", ".join([*edits, *inner]) or self.say("value.nothing")


def blocks(*parts: str) -> str:
    """Return the parts that there are as paragraphs, lists and quotes of Markdown, set apart."""
    return "\n\n".join(part for part in parts if part)


def leaves(value: Mapping[str, Json], path: str = "") -> Iterator[tuple[str, Json]]:
    """Yield the details of an object with readable names, inner ones as "home city"."""
    for key, item in value.items():
        name = f"{path} {spaced(key)}".strip()
        if isinstance(item, Mapping) and item and not any(inner.startswith("$") for inner in item):
            yield from leaves(item, name)
        else:
            yield name, item


def spaced(key: str) -> str:
    """Return a key as people read it: `eyeColour` is "eye Colour"."""
    return _HUMP.sub(" ", key).strip()
