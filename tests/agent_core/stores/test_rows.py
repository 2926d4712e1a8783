"""The stored form of rows: databases in the field hold it, so it changes only by a migration."""

from types import MappingProxyType

import pytest

from agent_core.lore.model import (
    NEVER,
    START,
    Asserted,
    Created,
    EntityType,
    Merged,
    Mode,
    Named,
    Node,
    NodeKind,
    OutlineEdited,
    Recorded,
    Relation,
    Retired,
    Row,
    StoryPlace,
    TextSet,
    Told,
    Undone,
    Withdrawn,
)
from agent_core.stores.sql.rows import decode, encode

CHAPTER = Node(id="n1", kind=NodeKind.CHAPTER, parent="b1", rank="a", number="1")
SCENE = Node(
    id="n2", kind=NodeKind.SCENE, parent="n1", rank="a", title="T", part="P", mode=Mode.FLASHBACK,
    place=StoryPlace(Relation.WITH, "n1"), deleted=True,
)  # fmt: skip

STORED: list[tuple[Row, str, str, str]] = [
    (
        Created(entity="e", type=EntityType.RULE, told=START, disambiguator="the law"),
        "created", "e", '{"type":"rule","told":"start","disambiguator":"the law"}',
    ),
    (
        Named(id="r", entity="e", name="Zoë", told=Told.at("n1"), alias=True, at="n2"),
        "named", "e", '{"id":"r","name":"Zoë","told":"@n1","alias":true,"at":"n2"}',
    ),
    (
        Asserted(
            id="r", entity="e", patch={"b": 1, "a": {"$none": True}}, told=NEVER, at="n1", until="n2",
            scope_book="b1", static=True, note="x",
        ),
        "asserted", "e",
        '{"id":"r","patch":{"b":1,"a":{"$none":true}},"told":"never","at":"n1","until":"n2",'
        '"scope_book":"b1","static":true,"note":"x"}',
    ),
    (
        Asserted(id="r", entity="e", patch={}, told=START),
        "asserted", "e", '{"id":"r","patch":{},"told":"start"}',
    ),
    (Withdrawn(entity="e", target="r", pointer="/a"), "withdrawn", "e", '{"target":"r","pointer":"/a"}'),
    (Retired(entity="e"), "retired", "e", "{}"),
    (Merged(entity="e", into="f"), "merged", "e", '{"into":"f"}'),
    (Undone(change=0), "undone", "", '{"change":0}'),
    (TextSet(id="r", scene="n2", text="a\u2028b"), "text", "n2", '{"id":"r","text":"a\u2028b"}'),
    (
        OutlineEdited(after=SCENE, before=CHAPTER),
        "outline", "n2",
        '{"after":{"id":"n2","kind":"scene","parent":"n1","rank":"a","title":"T","part":"P",'
        '"mode":"flashback","place":["with","n1"],"deleted":true},'
        '"before":{"id":"n1","kind":"chapter","parent":"b1","rank":"a","number":"1"}}',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("row", "kind", "subject", "body"), STORED)
def test_stored_form_stays_as_it_is(row: Row, kind: str, subject: str, body: str) -> None:
    assert encode(row) == (kind, subject, body)
    assert decode([(3, 4, kind, subject, body)]) == (Recorded(3, 4, row),)


def test_any_mapping_or_sequence_is_stored_as_json() -> None:
    patch = MappingProxyType({"a": ("x", MappingProxyType({"b": None})), "c": range(2)})

    _, _, body = encode(Asserted(id="r", entity="e", patch=patch, told=START))

    assert body == '{"id":"r","patch":{"a":["x",{"b":null}],"c":[0,1]},"told":"start"}'


def test_what_json_cannot_say_is_refused() -> None:
    with pytest.raises(ValueError, match="Out of range"):
        encode(Asserted(id="r", entity="e", patch={"n": float("nan")}, told=START))
