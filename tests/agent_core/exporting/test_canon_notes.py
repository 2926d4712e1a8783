"""The canon as notes and lorebooks: what is read back says the same, whatever the details are."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.exporting.files import CanonFormat, canon_file, zipped
from agent_core.exporting.lorebook import novelai, world_info
from agent_core.exporting.notes import NoteText, canon_notes
from agent_core.exporting.view import CanonEntry, CanonSource, CanonView
from agent_core.importing.bible.files import BibleFile
from agent_core.importing.bible.model import Bible
from agent_core.importing.bible.plan_entries import nested
from agent_core.importing.bible.reading import read_files
from agent_core.lore.answers import EntryRef, Place
from agent_core.lore.model import EntityType
from agent_core.messages import Json
from agent_core.vault import paths

PLACE = Place(id="n", label="7.3", title="The Ford")


def entry(
    name: str, state: dict[str, Json], *sources: CanonSource, aliases: tuple[str, ...] = ()
) -> CanonEntry:
    ref = EntryRef(id=f"id of {name}", type=EntityType.CHARACTER, name=name, aliases=aliases)
    return CanonEntry(ref, state, sources)


def view(*entries: CanonEntry) -> CanonView:
    return CanonView(series="The Salt Roads", entries=entries, at=PLACE, known=None, reader=None)


def read_back(notes: tuple[NoteText, ...]) -> Bible:
    return read_files([BibleFile(note.path, note.text.encode("utf-8", "replace")) for note in notes], "canon")


keys = st.one_of(
    st.sampled_from(["eyes", "name", "type", "tags", "allies", "chapter", "lorekeeper", "home", "no", "010"]),
    st.text(min_size=1, max_size=12).filter(lambda key: bool(key.strip()) and not key.startswith("$")),
)
texts = st.one_of(
    st.sampled_from(
        ["010", "no", "~", "null", "2026-03-01", "a # b", "S #4", "[[Mara]]", "#TheHeron", "Mara", "– ", ""]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
)
atoms: st.SearchStrategy[Json] = st.one_of(
    texts,
    st.integers(-(10**9), 10**9),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.sampled_from([{"$none": True}, {"$unknown": True}]),
)
values: st.SearchStrategy[Json] = st.recursive(
    st.one_of(atoms, st.lists(atoms, max_size=3)), lambda inner: st.dictionaries(keys, inner, max_size=3)
)


@settings(max_examples=80)
@given(st.dictionaries(keys, values, max_size=5))
def test_a_state_that_was_exported_and_read_back_is_the_same(state: dict[str, Json]) -> None:
    notes = canon_notes(view(entry("Mara", state), entry("The Heron", {"of": "Mara"})), "en")

    [mara, heron] = read_back(notes).entries

    assert nested({path: detail.value for path, detail in mara.details.items()}) == state
    assert (mara.name, mara.kind, heron.name) == ("Mara", EntityType.CHARACTER, "The Heron")
    assert {path: detail.value for path, detail in heron.details.items()} == {("of",): "Mara"}


@settings(max_examples=80)
@given(st.lists(st.text(min_size=1, max_size=20).filter(str.strip), min_size=1, max_size=5, unique=True))
def test_every_name_becomes_a_note_of_its_own_that_any_disk_takes(names: list[str]) -> None:
    notes = canon_notes(view(*(entry(name, {"eyes": "green"}) for name in names)), "en")

    assert len({paths.key(note.path) for note in notes}) == len(names) + 1
    for note in notes:
        assert paths.clean_new(note.path)


def test_a_note_links_its_relations_and_names_the_source_of_each_fact() -> None:
    state = entry(
        "Mara",
        {"ship": "The Heron", "scar": "left cheek"},
        CanonSource(("ship",), None, 2),
        CanonSource(("scar",), PLACE, 4),
        aliases=("Kit",),
    )

    [mara, _, index] = canon_notes(view(state, entry("The Heron", {})), "en")

    assert mara.path == "Characters/Mara.md"
    assert mara.text == (
        "---\ntype: character\nname: Mara\naliases:\n  - Kit\n"
        'ship: "[[The Heron]]"\nscar: left cheek\n'
        'lorekeeper:\n  series: The Salt Roads\n  as_of: "7.3"\n---\n\n# Mara\n\n'
        "- ship: [[The Heron]] (always, edit no. 2)\n- scar: left cheek (from 7.3 The Ford on, edit no. 4)\n"
    )
    assert "- [[Mara]]\n- [[The Heron]]\n" in index.text


def test_an_edited_note_counts_by_what_people_read() -> None:
    [note, *_] = canon_notes(view(entry("Mara", {"age": 17})), "en")
    edited = note.text.replace('age: "17"', "age: 18")
    assert edited != note.text

    [mara] = read_files([BibleFile(note.path, edited.encode())], "canon").entries

    assert [detail.value for detail in mara.details.values()] == ["18"]


def test_a_zip_of_the_same_canon_has_the_same_bytes() -> None:
    canon = view(entry("Mara", {"eyes": "green"}))
    made = canon_file(canon, CanonFormat.NOTES, "de")
    assert made.name == "The Salt Roads 7.3.zip"
    assert made.content == zipped(canon_notes(canon, "de"))


def test_lorebooks_come_back_with_their_names_keys_and_texts() -> None:
    canon = view(entry("Mara", {"eyes": "green", "home": {"city": "Vel"}}, aliases=("Kit",)))
    [sillytavern] = read_files([BibleFile("c.json", world_info(canon, "en"), named=True)], "c").entries
    [novel] = read_files([BibleFile("c.lorebook", novelai(canon, "en"), named=True)], "c").entries
    for mara in (sillytavern, novel):
        assert (mara.name, mara.aliases) == ("Mara", ("Mara", "Kit"))
        assert mara.details[("description",)].value == "Mara (character)\neyes: green\nhome city: Vel"
    assert (sillytavern.assumed, novel.kind, novel.assumed) == (True, EntityType.CHARACTER, False)
    assert json.loads(world_info(canon, "en"))["entries"]["0"]["key"] == ["Mara", "Kit"]
