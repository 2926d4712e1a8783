"""What is sent, checked here: SQLite behind Directus takes anything, and Postgres answers with a 500."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.functional_validators import AfterValidator

from agent_core.messages import Json
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure

MOST_BYTES = 900_000
"""Of a request: what a server takes that is set up as it comes (1 MB), less some room."""


def plain(text: str) -> str:
    """Return a text without what no database takes: NUL and halves of characters."""
    if "\0" not in text and text.isascii():
        return text
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def is_plain(text: str) -> bool:
    """Return whether a text can be stored as it is."""
    return plain(text) == text


def _storable(text: str) -> str:
    if not is_plain(text):
        raise ValueError("holds what no database takes")
    return text


Uuid = Annotated[str, Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
Text = Annotated[str, AfterValidator(_storable)]
Short = Annotated[str, Field(max_length=255), AfterValidator(_storable)]
Int32 = Annotated[int, Field(ge=-(2**31), lt=2**31)]


class Sent(BaseModel):
    """A row as it is sent."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)


class SeriesSent(Sent):
    """A row of `series`."""

    id: Uuid
    name: Text
    key: Short
    owner: Short
    owner_key: Short
    ord: Int32


class RevisionSent(Sent):
    """A row of `scene_revisions`."""

    id: Uuid
    series: Uuid
    scene: Uuid
    text: Text


class StateSent(Sent):
    """A row of `lore_states`."""

    id: Uuid
    ord: Int32
    kind: Short
    subject: Short
    body: Text
    revision: Uuid | None


class ChangeSent(Sent):
    """A row of `lore_changes`, without those in it."""

    id: Uuid
    series: Uuid
    seq_key: Short
    token: Short
    number: Int32
    recorded_at: Short
    proposed_by: Text
    approved_by: Text
    source: Text
    summary: Text
    touched: Text
    undoes: Text
    size: Int32


class NodeSent(Sent):
    """What stands of a node in `books`, `chapters` or `scenes`."""

    title: Text
    number: Text
    sort: Int32
    deleted: bool
    part: Text
    mode: Text
    place_relation: Text
    place_node: Text


class BookSent(NodeSent):
    """What stands in a row of `books`."""


class ChapterSent(NodeSent):
    """What stands in a row of `chapters`."""

    book: Uuid | None


class SceneSent(NodeSent):
    """What stands in a row of `scenes`."""

    chapter: Uuid | None
    text: Text


class EntitySent(Sent):
    """What stands in a row of `lore_entities`."""

    type: Text
    name: Text
    hint: Text
    aliases: tuple[Text, ...]
    traits: dict[str, Any]  # Any: JSON, whatever a detail is
    deleted: bool


def checked(kind: type[Sent], values: Mapping[str, object]) -> dict[str, Json]:
    """Return the row that these make, as it can be sent.

    Raises:
        DirectusFailure: one of them is nothing that every database takes.

    """
    try:
        row: dict[str, Json] = kind.model_validate(values).model_dump(mode="json")
    except ValidationError as error:
        place = error.errors()[0]["loc"]
        raise DirectusFailure(
            reason=DirectusCause.INVALID, collection=kind.__name__, field=str(place[0] if place else "")
        ) from error
    return row


def in_pieces(rows: Sequence[dict[str, Json]]) -> Sequence[Sequence[dict[str, Json]]]:
    """Return the rows in runs that fit into a request each.

    Raises:
        DirectusFailure: a single one does not.

    """
    pieces: list[list[dict[str, Json]]] = []
    room = 0
    for row in rows:
        size = size_of(row)
        if size > MOST_BYTES:
            raise DirectusFailure(reason=DirectusCause.TOO_LARGE)
        if size > room:
            pieces.append([])
            room = MOST_BYTES
        pieces[-1].append(row)
        room -= size
    return pieces


def size_of(payload: Json) -> int:
    """Return how many bytes a payload has on its way."""
    return len(json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()) + 1


def same(sent: Json, found: Json) -> bool:
    """Return whether a value came back as it was sent; numbers as a server of JavaScript knows them."""
    return canonical(sent) == canonical(found)


def canonical(value: Json) -> str:
    """Return a text that is the same for values that Directus can't tell apart."""
    return json.dumps(_canonical(value), sort_keys=True, separators=(",", ":"))


def _canonical(value: Json) -> Json:
    match value:
        case bool() | None:
            return value
        case int() | float():
            return repr(_float(value))
        case str():
            return "'" + plain(value)
        case Mapping():
            return {plain(key): _canonical(one) for key, one in value.items()}
        case _:
            return [_canonical(one) for one in value]


def _float(value: float) -> float:
    try:
        return float(value) + 0.0
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
