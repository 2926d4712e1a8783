"""Sheets, codexes, lorebooks and mappings: what each format becomes, and what bad files are told."""

import io
import json
import zipfile
from pathlib import Path

import openpyxl
import pytest

from agent_core.errors import ImportFailure
from agent_core.importing.bible.files import MAX_FILE_BYTES, BibleFile, is_bible
from agent_core.importing.bible.model import Bible, BibleEntry, When
from agent_core.importing.bible.reading import read_bible, read_files
from agent_core.importing.bible.scenes import books_of
from agent_core.lore.model import EntityType, Mode, Relation
from agent_core.messages import Json


def read(**files: str | bytes) -> Bible:
    """Read files by name, where `__` stands for a dot and `___` for a slash."""
    named = {name.replace("___", "/").replace("__", "."): content for name, content in files.items()}
    return read_files(
        [
            BibleFile(name, content.encode() if isinstance(content, str) else content, named=len(files) == 1)
            for name, content in named.items()
        ],
        "bible",
    )


def details(entry: BibleEntry) -> dict[str, Json]:
    return {".".join(path): detail.value for path, detail in entry.details.items()}


def codes(bible: Bible) -> list[str]:
    return [remark.code for remark in bible.remarks]


def test_a_sheet_gives_an_entry_a_row_with_its_header_as_details() -> None:
    bible = read(
        cast__csv="\ufeffName;Aliases;Room;Alive;Born;Allies\r\nMara;Kit; 010;no;2026-03-01;Tom; \r\n"
        '"Tom, the smith";;"two\nlines";;;"Mara;Kit"\r\n'
    )
    mara, tom = bible.entries
    assert (mara.name, mara.kind, mara.aliases) == ("Mara", EntityType.CHARACTER, ("Kit",))
    assert details(mara) == {"Room": "010", "Alive": "no", "Born": "2026-03-01", "Allies": "Tom"}
    assert (tom.name, str(tom.spot)) == ("Tom, the smith", "cast.csv:3")
    assert details(tom) == {"Room": "two\nlines", "Allies": ["Mara", "Kit"]}


@pytest.mark.parametrize("key", ["after", "happens after", "nach", "après"])
def test_a_scene_says_behind_which_other_it_happens(key: str) -> None:
    note = f'---\ntype: scene\nchapter: 1\n{key}: "[[Dawn]]"\n---\nHe wakes.\n'
    bible = read(Dawn__md="---\ntype: scene\nchapter: 1\n---\nShe rises.\n", Noon__md=note)
    noon = next(scene for scene in bible.scenes if scene.title == "Noon")
    assert noon.when == When(Relation.AFTER, "Dawn")
    assert codes(bible) == []


def test_a_sheet_of_a_folder_that_says_nothing_of_entries_is_left_out_and_listed() -> None:
    """A plan of words per scene lies among the notes; alone, its first column would be taken for names."""
    plan = "Scene,Words\nThe ford,100\nTotal,100\n"
    bible = read(Plan__csv=plan, Figuren___Cast__csv="Who,Age\nMara,17\n", all__csv="Name,Age\nTom,20\n")
    assert [entry.name for entry in bible.entries] == ["Mara", "Tom"]
    assert [(remark.code, str(remark.spot)) for remark in bible.remarks] == [("no_kind", "Plan.csv")]
    assert [entry.name for entry in read(Plan__csv=plan).entries] == ["The ford", "Total"]


def test_a_sheet_says_what_it_holds_by_its_name_or_a_column() -> None:
    [vel] = read(orte__csv="Ort,Klima\nVel,nass\n").entries
    assert (vel.kind, vel.name, details(vel)) == (EntityType.LOCATION, "Vel", {"Klima": "nass"})
    ship, tom = read(all__csv="name,type\nThe Heron,item\nTom,figur\n").entries
    assert (ship.kind, tom.kind) == (EntityType.OBJECT, EntityType.CHARACTER)


def test_rows_that_name_nothing_or_too_much_are_left_out_by_line() -> None:
    bible = read(cast__csv="name,age\nMara,17\n,20\nTom,3,4\n")
    assert [entry.name for entry in bible.entries] == ["Mara"]
    assert [(remark.code, str(remark.spot)) for remark in bible.remarks] == [
        ("no_name", "cast.csv:3"),
        ("too_many_cells", "cast.csv:4"),
    ]


def test_a_workbook_gives_the_entries_of_each_sheet() -> None:
    book = openpyxl.Workbook()
    people = book.worksheets[0]
    people.title = "Figuren"
    people.append(["Name", "Alter", "Zimmer"])
    people.append(["Mara", 17, "010"])
    book.create_sheet("Orte").append(["Name"])
    book["Orte"].append(["Vel"])
    made = io.BytesIO()
    book.save(made)

    mara, vel = read(cast__xlsx=made.getvalue()).entries

    assert (mara.kind, details(mara)) == (EntityType.CHARACTER, {"Alter": "17", "Zimmer": "010"})
    assert (vel.kind, vel.name) == (EntityType.LOCATION, "Vel")


def codex(tmp_path: Path) -> Path:
    """Make a codex as Novelcrafter exports it."""
    place = tmp_path / "codex.zip"
    metadata = {
        "id": "idOfMara",
        "attributes": {
            "type": "character", "name": "Mara Vale", "color": "red", "aliases": ["Kit"], "tags": ["crew"],
            "alwaysIncludeInContext": False, "pronouns": "she",
        },
        "relationships": {"nestedEntries": ["idOfOath"]},
        "links": {},
    }  # fmt: skip
    oath = {"id": "idOfOath", "attributes": {"type": "lore", "name": "The Oath", "aliases": []}}
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("characters/mara-vale-idOfMara/metadata.json", json.dumps(metadata))
        archive.writestr(
            "characters/mara-vale-idOfMara/entry.md",
            "---\ntype: character\nname: Mara Vale\nage: 017\n---\nA pilot.\n\n## Past\n\nBorn in Vel.\n",
        )
        archive.writestr("characters/mara-vale-idOfMara/notes.md", "Read about tides.\n")
        archive.writestr("lore/the-oath-idOfOath/metadata.json", json.dumps(oath))
        archive.writestr("lore/the-oath-idOfOath/entry.md", "Sworn at ebb.\n")
        archive.writestr("codex.html", "<p>all of it</p>")
        archive.writestr("novel.md", "# The Heron\n")
    return place


def test_a_codex_gives_its_entries_with_relations_and_whole_texts(tmp_path: Path) -> None:
    bible = read_bible([codex(tmp_path)])

    mara, oath = bible.entries
    assert (mara.name, mara.kind, mara.aliases) == ("Mara Vale", EntityType.CHARACTER, ("Kit",))
    assert details(mara) == {
        "age": "017",
        "pronouns": "she",
        "related": ["The Oath"],
        "description": "A pilot.\n\n## Past\n\nBorn in Vel.",
    }
    assert (oath.kind, details(oath)) == (
        EntityType.RULE,
        {"kind of lore": "lore", "description": "Sworn at ebb."},
    )
    assert sorted(codes(bible)) == ["not_codex", "research_stays"]


WORLD = {
    "entries": {
        "0": {"uid": 0, "key": ["Mara", "Kit", "/m[ae]ra/i"], "comment": "Mara Vale", "content": "A pilot."},
        "1": {"uid": 1, "key": "Vel, the harbour", "comment": "", "content": "Salt.", "disable": True},
        "2": {"uid": 2, "key": [], "comment": "", "content": "Nobody."},
    }
}
NOVELAI = {
    "lorebookVersion": 5,
    "categories": [{"id": "c1", "name": "Places"}],
    "entries": [{"text": "Salt.", "displayName": "Vel", "keys": ["vel", "port"], "category": "c1"}],
}
CARD = {
    "spec": "chara_card_v2",
    "data": {
        "name": "Mara",
        "description": "A pilot.",
        "personality": "wry",
        "character_book": {"entries": [{"keys": ["oath"], "content": "Sworn.", "name": "The Oath"}]},
    },
}


def test_world_info_keys_become_aliases_and_patterns_are_listed() -> None:
    bible = read(world__json=json.dumps(WORLD))
    mara, vel = bible.entries
    assert (mara.name, mara.aliases, details(mara)) == (
        "Mara Vale", ("Mara", "Kit"), {"description": "A pilot."},
    )  # fmt: skip
    assert (vel.name, vel.aliases) == ("Vel", ("Vel", "the harbour"))
    assert codes(bible) == ["keys_stay", "no_name"]


def test_a_novelai_lorebook_says_kinds_by_its_categories() -> None:
    [vel] = read(book__lorebook=json.dumps(NOVELAI)).entries
    assert (vel.name, vel.kind, vel.aliases) == ("Vel", EntityType.LOCATION, ("vel", "port"))


def test_a_character_card_gives_the_character_and_its_book() -> None:
    mara, oath = read(mara__json=json.dumps(CARD)).entries
    assert (mara.kind, details(mara)) == (
        EntityType.CHARACTER, {"description": "A pilot.", "personality": "wry"},
    )  # fmt: skip
    assert (oath.name, oath.kind) == ("The Oath", EntityType.RULE)


def test_a_mapping_file_says_what_folders_types_and_keys_mean() -> None:
    bible = read(
        lorekeeper__yaml="folders:\n  Ensemble: character\n  Ideen: skip\ntypes:\n  ship: object\n"
        "keys:\n  Rufname: aliases\n  geheim: skip\nrename:\n  Haare: hair\ntold: [hair]\nbody: skip\n",
        Ensemble___Mara__md="---\nRufname: Kit\nHaare: red\ngeheim: yes\n---\nText.\n",
        Ideen___Idee__md="An idea.\n",
        Heron__md="---\ntype: ship\n---\n",
    )
    mara, heron = bible.entries
    assert (mara.aliases, details(mara)) == (("Kit",), {"hair": "red"})
    assert mara.told == frozenset({"hair"})
    assert heron.kind is EntityType.OBJECT
    assert codes(bible) == []


@pytest.mark.parametrize(
    ("name", "content", "facts"),
    [
        ("lorekeeper.yaml", "folders:\n  Cast: hero\n", {"reason": "mapping", "line": 2}),
        ("lorekeeper.yaml", "folder:\n  Cast: character\n", {"reason": "mapping", "line": 1}),
        ("lorekeeper.yaml", "told: [a\n", {"reason": "mapping", "line": 2}),
        ("cast.csv", "name,name\nMara,Kit\n", {"reason": "sheet_header", "line": 1}),
        ("cast.csv", 'name,age\nMara,"17\n', {"reason": "sheet_row", "line": 2}),
        ("world.json", '{"entries":\n {,}}', {"reason": "json", "line": 2}),
        ("board.json", '{"cards": []}', {"reason": "bible_form"}),
        (
            "Mara.md",
            "---\ntype: character\nname: Mara: the Gull\n---\n",
            {"reason": "frontmatter", "line": 3},
        ),
        ("Diary.md", "Nothing of it.\n", {"reason": "bible_empty"}),
        ("cast.xlsx", "no zip", {"reason": "damaged"}),
    ],
)
def test_a_bad_file_is_named_with_its_line(name: str, content: str, facts: dict[str, object]) -> None:
    with pytest.raises(ImportFailure) as failure:
        read_files([BibleFile(name, content.encode(), named=True)], "bible")
    assert failure.value.facts.items() >= facts.items()


def test_one_unreadable_note_of_many_is_listed_and_the_others_come_in() -> None:
    bible = read(
        Characters___Mara__md="---\nname: Mara: the Gull\n---\n", Characters___Tom__md="---\nage: 20\n---\n"
    )
    assert [entry.name for entry in bible.entries] == ["Tom"]
    [remark] = bible.remarks
    assert (remark.code, str(remark.spot)) == ("frontmatter", "Characters/Mara.md:2")


def test_files_that_cannot_be_read_among_others_are_listed_with_their_lines() -> None:
    bible = read(
        Characters___Mara__md="---\nage: 20\n---\n",
        Characters___Tom__md=b"---\nage: 20\n---\nFianc\xe9.\n",
        places__csv="name,name\nVel,wet\n",
        items__xlsx="no zip",
        book__lorebook="{",
    )
    assert [entry.name for entry in bible.entries] == ["Mara"]
    assert [(remark.code, str(remark.spot)) for remark in bible.remarks] == [
        ("not_text", "Characters/Tom.md:4"),
        ("unreadable", "places.csv:1"),
        ("unreadable", "items.xlsx"),
        ("unreadable", "book.lorebook:1"),
    ]


def test_a_note_of_a_folder_that_is_too_large_is_listed(tmp_path: Path) -> None:
    (tmp_path / "Mara.md").write_text("---\ntype: character\n---\n")
    for name in ("Log.md", "log.json"):
        (tmp_path / name).write_bytes(b" " * (MAX_FILE_BYTES + 1))
    bible = read_bible([tmp_path])
    assert [entry.name for entry in bible.entries] == ["Mara"]
    assert [(remark.code, str(remark.spot)) for remark in bible.remarks] == [
        ("too_large", "Log.md"),
        ("too_large", "log.json"),
    ]
    with pytest.raises(ImportFailure) as failure:
        read_bible([tmp_path / "Log.md"])
    assert failure.value.facts["reason"] == "too_large"


def test_a_folder_of_nothing_that_can_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "Mara.md").write_bytes(b"Fianc\xe9.\n")
    with pytest.raises(ImportFailure) as failure:
        read_bible([tmp_path])
    assert failure.value.facts == {"file": "Mara.md", "reason": "not_text", "line": 1}
    (tmp_path / "lorekeeper.yaml").write_bytes(b" " * (MAX_FILE_BYTES + 1))
    with pytest.raises(ImportFailure) as mapping:
        read_bible([tmp_path])
    assert mapping.value.facts == {"file": "lorekeeper.yaml", "reason": "too_large"}


def test_values_are_taken_as_they_are_written() -> None:
    """A29: no number, time, date or "no" is read out of a value, and a sharp is one where people mean it."""
    [entry] = read(
        Characters___Tom__md="---\nship: Storm #4 landing # working title\nchapter: 010\ntime: 1:30\n"
        "answer: no\nday: 2026-03-01\nquote: 'it''s'\nname: Ёлка\nhome: [[Vel]]\nnothing: ~\n---\n"
    ).entries
    assert (entry.name, details(entry)) == (
        "Ёлка",
        {
            "ship": "Storm #4 landing",
            "chapter": "010",
            "time": "1:30",
            "answer": "no",
            "day": "2026-03-01",
            "quote": "it's",
            "home": "Vel",
        },
    )


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_marks_and_compositions_make_no_difference(end: str, mark: str) -> None:
    """A30 and names that macOS writes apart: e and its accent."""
    text = end.join(["---", "aliases:", "  - Rene\u0301", "eyes: green", "---", "", "Body", ""])
    [entry] = read_files([BibleFile("Characters/Ren\u00e9.md", f"{mark}{text}".encode())], "b").entries
    assert details(entry) == {"eyes": "green", "description": "Body"}
    assert entry.details[("eyes",)].spot.line == 4


def test_scenes_say_their_mode_and_time_in_three_languages() -> None:
    bible = read(
        Szenen___a__md="---\nkapitel: 1\nmodus: Rückblende\ndatum: 14.8.1982\n---\n",
        Szenen___b__md="---\nchapitre: 2\nmode: prolepse\naprès: '[[a]]'\n---\n",
        Szenen___c__md="---\nchapter: 3\nmode: sideways\ndate: 3/4/1982\n---\n",
    )
    a, b, _ = bible.scenes
    assert (a.number, a.mode, a.date) == ("1", Mode.FLASHBACK, "001982-08-14")
    assert (b.mode, b.when is not None and b.when.other) == (Mode.FLASHFORWARD, "a")
    assert [(remark.code, remark.facts["value"]) for remark in bible.remarks] == [
        ("mode", "sideways"),
        ("date", "3/4/1982"),
    ]


def test_files_that_can_only_be_a_bible_are_known_by_their_names() -> None:
    assert is_bible(["notes.zip"])
    assert is_bible(["Cast.CSV", "lorekeeper.yaml"])
    assert not is_bible(["novel.md"])
    assert not is_bible(["lorekeeper.yaml"])
    assert not is_bible(["cast.csv", "novel.docx"])


def test_a_zip_that_is_damaged_or_too_large_inside_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"no zip at all")
    with pytest.raises(ImportFailure) as damaged:
        read_bible([tmp_path / "a.zip"])
    assert damaged.value.facts["reason"] == "damaged"
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Characters/Mara.md", b"a" * 20_000_000)
    with pytest.raises(ImportFailure) as bomb:
        read_bible([tmp_path / "b.zip"])
    assert bomb.value.facts["reason"] in {"bomb", "too_large"}


def test_scenes_of_one_chapter_stay_together_whatever_some_of_them_leave_out() -> None:
    bible = read(
        Scenes___a__md="---\nchapter: 2\nact: 1\nscene: 1\n---\n",
        Scenes___b__md="---\nchapter: 2\nscene: 2\nchapter title: Low Water\n---\n",
        Scenes___c__md="---\nchapter: 10\nact: 2\nscene: 1\n---\n",
        Scenes___d__md="---\nchapter: 2\nact: 1\nscene: 10\n---\n",
    )
    [(book, _)] = books_of(bible.scenes, bible.labels, []).values()
    assert [
        (one.number, one.title, one.part, [scene.title for scene in one.scenes]) for one in book.chapters
    ] == [("2", "Low Water", "Act 1", ["a", "b", "d"]), ("10", "", "Act 2", ["c"])]
