"""Rules that hold for every bible: values as written, dates in order, names apart, stable imports."""

import json
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.errors import ImportFailure
from agent_core.importing.bible.comparing import Verdict, compared
from agent_core.importing.bible.fields import read_fields
from agent_core.importing.bible.files import BibleFile
from agent_core.importing.bible.merging import united
from agent_core.importing.bible.model import BibleEntry, BibleScene, Detail, Remark, Spot
from agent_core.importing.bible.placing import story_places
from agent_core.importing.bible.plan_entries import MAX_PATCH_BYTES, nested, patches
from agent_core.importing.bible.reading import read_files
from agent_core.importing.bible.scenes import books_of
from agent_core.lore.fold import name_key
from agent_core.lore.merge import apply
from agent_core.lore.model import EntityType, Mode, Node, NodeKind, Told
from agent_core.lore.outline import Outline
from agent_core.lore.timeline import ActiveFact, Entry

words = st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=8)
plain = st.lists(words, min_size=1, max_size=4).map(" ".join).filter(lambda text: text != "null")
paths = st.lists(words, min_size=1, max_size=3).map(tuple)


@given(st.dictionaries(words, plain, min_size=1, max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_what_stands_behind_a_key_is_its_value(fields: dict[str, str], end: str) -> None:
    text = "".join(f"{key}: {value} # remark{end}" for key, value in fields.items())

    read = read_fields(text).members

    assert read is not None
    assert {key: one.text for key, one in read.items()} == fields
    assert [one.line for one in read.values()] == list(range(1, len(fields) + 1))


def entry_of(name: str, details: dict[tuple[str, ...], str], aliases: tuple[str, ...] = ()) -> BibleEntry:
    said = {path: Detail(value, Spot(f"{name}.md", 1)) for path, value in details.items()}
    return BibleEntry(
        kind=EntityType.CHARACTER, name=name, spot=Spot(f"{name}.md"), aliases=aliases, details=said
    )


@given(st.lists(st.tuples(words, st.lists(words, max_size=3)), max_size=6))
def test_no_name_belongs_to_two_entries(cast: list[tuple[str, list[str]]]) -> None:
    remarks: list[Remark] = []

    entries = united([entry_of(name, {}, tuple(aliases)) for name, aliases in cast], remarks)

    keys = [name_key(name) for entry in entries for name in (entry.name, *entry.aliases)]
    assert len(keys) == len(set(keys))
    assert {name_key(name) for name, _ in cast} == {name_key(entry.name) for entry in entries}


@given(st.dictionaries(paths, plain, max_size=6), st.dictionaries(paths, plain, max_size=6))
def test_two_notes_about_one_thing_never_overrule_each_other(
    one: dict[tuple[str, ...], str], other: dict[tuple[str, ...], str]
) -> None:
    remarks: list[Remark] = []

    [entry] = united([entry_of("Mara", one), entry_of("Mara", other)], remarks)

    for path, detail in entry.details.items():
        assert detail.value in {one.get(path), other.get(path)}
        if path in one and path in other:
            assert one[path].split() == other[path].split()


@given(st.dictionaries(paths, plain, min_size=1, max_size=8))
def test_what_was_brought_in_is_the_same_the_next_time(details: dict[tuple[str, ...], str]) -> None:
    said = entry_of("Mara", details)
    fact = ActiveFact("f", "e", nested(details), None, None, Told.at("x"), None, True, "", 1, 0)
    entry = Entry(
        entity="e", family=frozenset({"e"}), type=EntityType.CHARACTER, disambiguator="", name="Mara",
        names=(), facts=(fact,), created_change=1, told=Told.at("x"),
    )  # fmt: skip

    found = list(compared(said, entry, None, Outline(())))

    kept = {path for path in details if nested(details) == nested({**details, path: details[path]})}
    assert all(one.verdict is not Verdict.NEW for one in found if one.path in kept)


@settings(max_examples=30)
@given(st.dictionaries(paths, st.text(max_size=9_000), max_size=12))
def test_a_bible_entry_of_any_size_becomes_facts_that_say_all_of_it(
    details: dict[tuple[str, ...], str],
) -> None:
    state: dict[str, object] = {}
    for patch in patches(details):
        assert len(str(patch).encode("utf-8", "replace")) < 2 * MAX_PATCH_BYTES
        state = dict(apply(state, patch))  # type: ignore[arg-type]  # JSON by construction
    assert state.keys() == nested(details).keys()


dates = st.one_of(
    st.just(""), st.integers(1900, 1910).map(lambda year: f"{year:06}"), st.just("001905-03-01")
)
scenes = st.lists(st.tuples(dates, st.sampled_from([Mode.LINEAR, Mode.LINEAR, Mode.FLASHBACK])), max_size=8)


@given(scenes)
def test_dated_scenes_happen_in_the_order_of_their_dates(said: list[tuple[str, Mode]]) -> None:
    told = [
        BibleScene(title=f"s{n}", text="", spot=Spot(f"{n:02}.md"), number="1", mode=mode, date=date)
        for n, (date, mode) in enumerate(said)
    ]
    nodes = {scene: f"n{number}" for number, scene in enumerate(told)}
    remarks: list[Remark] = []

    places = story_places(told, nodes, remarks)

    book = Node(id="b", kind=NodeKind.BOOK, parent=None, rank="a")
    chapter = Node(id="c", kind=NodeKind.CHAPTER, parent="b", rank="a")
    outline = Outline([
        book,
        chapter,
        *(
            Node(
                id=node, kind=NodeKind.SCENE, parent="c", rank=f"a{number:02}", mode=scene.mode,
                place=places.get(node),
            )
            for number, (scene, node) in enumerate(nodes.items())
        ),
    ])  # fmt: skip
    assert not outline.ignored_places
    if any(scene.date and scene.mode is Mode.LINEAR for scene in told):
        dated = sorted((outline.story[nodes[scene]], scene.date) for scene in told if scene.date)
        assert [date for _, date in dated] == sorted(date for _, date in dated)
    undated = [nodes[scene] for scene in told if not scene.date]
    assert not places.keys() & set(undated)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from([
            "entries", "keys", "key", "content", "text", "name", "comment", "data", "character_book",
            "categories", "id", "attributes", "relationships", "nestedEntries", "aliases", "type",
        ])
        | st.text(max_size=4),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip
fragments = st.lists(
    st.sampled_from([
        "---\n", "type: character\n", "type: scene\n", "chapter: ", "aliases:\n", "  - ", "[[", "]]", "|",
        "#", '"', "'", ",", ";", "\t", "\r\n", "{", "}", ": ", "&a ", "*a", "lorekeeper:\n  exact: ",
        "\ufeff", "1",
    ])
    | st.text(max_size=6),
    max_size=14,
).map("".join)  # fmt: skip


@settings(max_examples=150)
@given(
    st.sampled_from(
        ["Characters/a.md", "Scenes/b.md", "cast.csv", "x.tsv", "lorekeeper.yaml", "w.json", "b.lorebook"]
    ),
    fragments | json_values.map(json.dumps),
)
def test_whatever_a_file_holds_it_is_read_or_refused_in_words(name: str, content: str) -> None:
    files = [BibleFile(name, content.encode("utf-8", "replace"), named=True)]
    codex = [
        BibleFile("lore/a-1/metadata.json", content.encode("utf-8", "replace")),
        BibleFile("lore/a-1/entry.md", content.encode("utf-8", "replace")),
    ]
    for given_files in (files, codex):
        bible = None
        with suppress(ImportFailure):
            bible = read_files(given_files, "bible")
        if bible is not None:
            assert bible.entries or bible.scenes
            united(bible.entries, [])
            books_of(bible.scenes, bible.labels, [])
