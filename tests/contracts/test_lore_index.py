"""What every search index of the canon must do, whatever stands below it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import pytest

from agent_core.lore.fold import name_key, terms
from agent_core.lore.model import START, Asserted, JsonObject, Named, Recorded, Row, TextSet
from agent_core.lore.store import LoreIndex
from agent_core.stores.sql.database import Database, Durability
from agent_core.stores.sql.lore_index import SqlLoreIndex, index_rows

OZ, VEL = "5d0c9d3e-0f0e-4a39-9d6f-c1e1e2c1a001", "5d0c9d3e-0f0e-4a39-9d6f-c1e1e2c1a002"


class Backend(Protocol):
    """An index, and the way its store fills it."""

    @property
    def index(self) -> LoreIndex: ...

    async def add(self, series: str, *rows: Row) -> None: ...


@dataclass
class SqlBackend:
    database: Database
    changes: int = 0

    @property
    def index(self) -> LoreIndex:
        return SqlLoreIndex(self.database)

    async def add(self, series: str, *rows: Row) -> None:
        self.changes += 1
        recorded = [Recorded(self.changes, order, row) for order, row in enumerate(rows)]
        await self.database.write(lambda tx: index_rows(tx, series, recorded), Durability.NORMAL)


@pytest.fixture
def backend(database: Database) -> Backend:
    return SqlBackend(database)


def named(entity: str, name: str) -> Named:
    return Named(id=f"name of {entity}: {name!r}", entity=entity, name=name, told=START)


def text(id_: str, scene: str, text: str) -> TextSet:
    return TextSet(id=id_, scene=scene, text=text)


def fact(entity: str, patch: JsonObject) -> Asserted:
    return Asserted(id=f"fact of {entity}", entity=entity, patch=patch, told=START)


async def entities_named(backend: Backend, name: str, series: str = OZ) -> list[str]:
    return sorted(hit.entity for hit in await backend.index.names(series, name_key(name)))


async def entities_with(backend: Backend, words: str, series: str = OZ) -> list[str]:
    return sorted(hit.entity for hit in await backend.index.facts(series, terms(words)))


async def scenes_with(backend: Backend, words: str, series: str = OZ) -> list[str]:
    return sorted(hit.scene for hit in await backend.index.scenes(series, terms(words)))


async def similar_to(backend: Backend, name: str) -> list[str]:
    return [hit.entity for hit in await backend.index.similar_names(OZ, name_key(name))]


@pytest.mark.parametrize(
    "name", ["Bo", "X", "DGIA", "王小明", "Аня", "Élodie", "ʻOumuamua", "#1", "C++", "???"]
)
async def test_names_are_found_by_their_whole_key(backend: Backend, name: str) -> None:
    """A55, A61."""
    await backend.add(OZ, named("it", name), named("other", f"{name} Vane"))
    assert await entities_named(backend, f" {name.upper()} ") == ["it"]
    (hit,) = await backend.index.names(OZ, name_key(name))
    assert (hit.name, hit.row) == (name, f"name of it: {name!r}")


async def test_names_are_found_by_their_other_spellings(backend: Backend) -> None:
    """A56."""
    await backend.add(OZ, named("ann", "Lee, Ann"), named("neil", "O'Neil"), named("ann2", "Ann Lee"))
    assert await entities_named(backend, "Ann Lee") == ["ann", "ann2"]
    assert await entities_named(backend, "ONeil") == ["neil"]


async def test_names_are_found_by_any_of_their_words(backend: Backend) -> None:
    await backend.add(OZ, named("mombi", "Old Mombi"), named("jinjur", "General Jinjur"), named("tip", "Tip"))
    hits = await backend.index.name_terms(OZ, ["mombi", "general", "om"])
    assert {hit.entity for hit in hits} == {"mombi", "jinjur"}


async def test_nothing_crosses_series(backend: Backend) -> None:
    """A64."""
    rows = (named("mara", "Mara"), fact("mara", {"eyes": "green"}), text("t", "s1", "Mara"))
    await backend.add(OZ, *rows)
    assert await entities_named(backend, "Mara", VEL) == []
    assert await backend.index.name_terms(VEL, ["mara"]) == ()
    assert await backend.index.similar_names(VEL, "mara") == ()
    assert await entities_with(backend, "green", VEL) == []
    assert await scenes_with(backend, "Mara", VEL) == []


async def test_facts_are_found_by_keys_values_and_items(backend: Backend) -> None:
    await backend.add(
        OZ,
        fact("mara", {"homeTown": "Vel", "eye_colour": {"left": "grün"}, "age": 41, "alive": True}),
        fact("kit", {"titles": {"$add": ["the Heron"], "$remove": ["Squire"]}, "spouse": {"$none": True}}),
        fact("bo", {"list": ["oak", 2.5], "gone": None}),
    )
    for words, entities in {
        "town": ["mara"],
        "VEL": ["mara"],
        "colour": ["mara"],
        "grun": ["mara"],
        "41": ["mara"],
        "true": ["mara"],
        "heron": ["kit"],
        "squire": [],
        "spouse": ["kit"],
        "none": [],
        "add": [],
        "oak": ["bo"],
        "gone": ["bo"],
        "velvet": [],
    }.items():
        assert await entities_with(backend, words) == entities, words


async def test_scenes_are_found_by_words_of_any_script(backend: Backend) -> None:
    """A61, A62."""
    await backend.add(
        OZ,
        text("t1", "s1", "In der Straße. Maine is also edited; it ain't well."),
        text("t2", "s2", "那天他叫王小明回家。"),
        text("t3", "s3", "ชื่อของเขาคือสมชาย"),
        text("t4", "s4", "마라는 성으로 갔다"),
        text("t5", "s5", "Η Άλφα είπε: O’Neil uses C++."),
    )
    for words, scenes in {
        "strasse": ["s1"],
        "AI": [],
        "Al": [],
        "May": [],
        "王小明": ["s2"],
        "明": ["s2"],
        "สมชาย": ["s3"],
        "마라": ["s4"],
        "άλφα": ["s5"],
        "ONeil": ["s5"],
        "neil": ["s5"],
        "C++": ["s5"],
        "C": [],
    }.items():
        assert await scenes_with(backend, words) == scenes, words


async def test_hits_tell_which_terms_they_hold(backend: Backend) -> None:
    await backend.add(
        OZ, fact("a", {"eyes": "green"}), fact("b", {"coat": "green"}), fact("c", {"hair": "red"})
    )
    hits = await backend.index.facts(OZ, ["green", "eyes", "blue"])
    assert {hit.entity: hit.terms for hit in hits} == {"a": {"green", "eyes"}, "b": {"green"}}
    assert {hit.row for hit in hits} == {"fact of a", "fact of b"}


async def test_every_revision_of_a_scene_is_found(backend: Backend) -> None:
    await backend.add(OZ, text("old", "s1", "Mara"))
    await backend.add(OZ, text("new", "s1", "Mara Voss"))
    hits = await backend.index.scenes(OZ, ["mara"])
    assert {(hit.scene, hit.row) for hit in hits} == {("s1", "old"), ("s1", "new")}


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Mobmi", "Mombi"),
        ("Momby", "Mombi"),
        ("Mombbi", "Mombi"),
        ("Mmbi", "Mombi"),
        ("Scherlok Homles", "Sherlock Holmes"),
        ("maravoss", "Mara Voss"),
        ("Mara Vos", "Mara Voss"),
        ("muam", "ʻOumuamua"),
        ("Holm", "Sherlock Holmes"),
        ("Mo", "Mombi"),
        ("王小朋", "王小明"),
    ],
)
async def test_slips_and_parts_of_names_find_them(backend: Backend, typed: str, name: str) -> None:
    await backend.add(OZ, named("it", name), named("far", "Dr. Quenchford Abernathy"))
    assert await similar_to(backend, typed) == ["it"]


async def test_the_most_alike_names_come_first_and_the_limit_holds(backend: Backend) -> None:
    await backend.add(OZ, named("a", "Mombasa"), named("b", "Mombi"), named("c", "Old Mombi the Witch"))
    assert await similar_to(backend, "Mombi") == ["b", "c"]
    (best,) = await backend.index.similar_names(OZ, "mombi", limit=1)
    assert (best.entity, best.score) == ("b", 100.0)


async def test_equally_alike_names_come_in_the_order_of_their_letters(backend: Backend) -> None:
    await backend.add(OZ, named("z", "Mombi B"), named("a", "Mombi C"), named("m", "Mombi A"))
    assert await similar_to(backend, "Mombi") == ["m", "z", "a"]


async def test_other_names_never_change_how_alike_a_name_is(backend: Backend) -> None:
    await backend.add(OZ, named("b", "Mombi"))
    alone = await backend.index.similar_names(OZ, "mobmi")
    await backend.add(OZ, *(named(f"x{i}", name) for i, name in enumerate(["Mobmi", "Momi", "Mob"] * 20)))
    among = await backend.index.similar_names(OZ, "mobmi")
    assert alone[0] in among


QUERIES = [
    "AND", "OR hello", "NOT", "NEAR(a b)", "body:secret", "terms:secret", "x*", "^x", "-x", '"', "'",
    '" OR "a',
    "a\0b", "\ud800", "", " ", "a b", "{a b}", "(", "😀", "a" * 100_000, "\u00a0", ";--",
]  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
async def test_no_text_is_read_as_syntax(backend: Backend, query: str) -> None:
    """A65, A66."""
    await backend.add(
        OZ, named("it", "secret hello"), fact("it", {"body": "secret"}), text("t", "s", "hello")
    )
    assert await backend.index.names(OZ, query) == ()
    for ask in (backend.index.name_terms, backend.index.facts, backend.index.scenes):
        assert await ask(OZ, [query]) == ()
    assert await backend.index.similar_names(OZ, query) == ()


async def test_very_many_terms_are_answered(backend: Backend) -> None:
    """A66."""
    await backend.add(OZ, named("it", "Mara w7"), fact("it", {"a": "w8"}), text("t", "s", "w9"))
    many = [f"w{i}" for i in range(5_000)]
    assert len(await backend.index.name_terms(OZ, many)) == 1
    assert len(await backend.index.facts(OZ, many)) == 1
    assert len(await backend.index.scenes(OZ, many)) == 1


async def test_no_terms_find_nothing(backend: Backend) -> None:
    await backend.add(OZ, named("it", "Mara"), fact("it", {"a": "b"}), text("t", "s", "Mara"))
    none: Sequence[str] = ()
    assert await backend.index.name_terms(OZ, none) == ()
    assert await backend.index.facts(OZ, none) == ()
    assert await backend.index.scenes(OZ, none) == ()


async def test_names_and_texts_that_no_database_takes_are_stored_without_harm(backend: Backend) -> None:
    """A66."""
    await backend.add(
        OZ,
        named("it", "Ma\ud800ra \0 Voss"),
        named("white", " "),
        fact("it", {"a": "\udfff\0oak"}),
        text("t", "s", "a\0b\ud800 elm"),
    )
    assert await entities_with(backend, "oak") == ["it"]
    assert await scenes_with(backend, "elm") == ["s"]
    assert [hit.entity for hit in await backend.index.name_terms(OZ, ["voss"])] == ["it"]
