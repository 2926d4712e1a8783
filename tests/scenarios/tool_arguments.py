"""Arguments for any tool, made from its own schema, so that a new tool needs no word here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from agent_core.messages import Json
from agent_core.tools.spec import AnyTool
from tests.agent_core.lore.naive_outline import NaiveOutline
from tests.agent_core.lore.random_lore import ENTITIES, KEYS, NAMES, TITLES, WORDS

_LABELS = (
    "1",
    "2",
    "1.1",
    "1.2",
    "2.1",
    "b1",
    "b2",
    "b1:1",
    "b1:1.1",
    "b2:1",
    "b3:2.1",
    "here",
    "start",
    "now",
)
_ALMOST = ("maar", "Mara Ven", "ozm", "the Hero", "nobody")
_TIMES = ("1", "3", "edit 2", "now", "yesterday", "2026-05-01", "2026-05-01T12:04:30+00:00", "long ago")
_PHRASES = ("Mara Venn came home", "burns", "slept", "her eyes", "kiln", "Vel", "Bea")


@dataclass(frozen=True)
class Texts:
    """What people write where a tool takes text, by what its field is about."""

    places: Sequence[str]
    entries: Sequence[str] = (*NAMES, *ENTITIES, *_ALMOST)
    times: Sequence[str] = _TIMES
    words: Sequence[str] = (*KEYS, *WORDS, *_PHRASES)

    @classmethod
    def about(cls, outline: NaiveOutline) -> "Texts":
        """Return texts in which a place is any node of the outline, a label, a title or nonsense."""
        titles = [title for title in (*TITLES, "Book 1") if title]
        return cls(places=(*outline.reading, *_LABELS, *titles, "no such place"))

    def fitting(self, description: str) -> st.SearchStrategy[Json]:
        """Return texts that fit a field with this description, and now and then any others."""
        kinds = {"place": self.places, "entr": self.entries, "name": self.entries, "edit": self.times}
        likely = next((texts for word, texts in kinds.items() if word in description), self.words)
        unlikely = (*self.places, *self.entries, *self.times, *self.words)
        return st.integers(0, 9).flatmap(lambda roll: st.sampled_from(unlikely if roll == 9 else likely))


def arguments(tool: AnyTool, texts: Texts) -> st.SearchStrategy[dict[str, Json]]:
    """Return arguments that the tool's schema takes, often just the required ones."""
    schema = tool.args.model_json_schema(by_alias=True)
    fields = {
        name: _values(field, schema.get("$defs", {}), texts) for name, field in schema["properties"].items()
    }
    needed = {name: fields.pop(name) for name in schema.get("required", ())}
    return st.fixed_dictionaries(needed) | st.fixed_dictionaries(needed, optional=fields)


# Any: a JSON schema is JSON of any shape.
def _values(field: Mapping[str, Any], shared: Mapping[str, Any], texts: Texts) -> st.SearchStrategy[Json]:
    if "$ref" in field:
        return _values(shared[field["$ref"].rpartition("/")[2]], shared, texts)
    if "anyOf" in field:
        described = {"description": field.get("description", "")}
        return st.one_of([_values({**described, **one}, shared, texts) for one in field["anyOf"]])
    if "enum" in field:
        return st.sampled_from(field["enum"])
    if field["type"] == "array":
        items = _values(field["items"], shared, texts)
        return st.lists(items, min_size=field.get("minItems", 0), max_size=2)
    simple: dict[str, st.SearchStrategy[Json]] = {
        "null": st.none(),
        "boolean": st.booleans(),
        "integer": st.integers(field.get("minimum", 0), 40),
        "number": st.floats(field.get("minimum", 0), field.get("maximum", 40)),
        "object": st.dictionaries(st.sampled_from(KEYS), st.sampled_from(WORDS), max_size=2),
        "string": texts.fitting(field.get("description", "")),
    }
    return simple[field["type"]]
