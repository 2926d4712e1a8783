"""What a search finds, in which order, and what it keeps from readers."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.lore.answers import SearchResult
from agent_core.lore.model import (
    NEVER,
    NOT_REVEALED,
    Asserted,
    Author,
    Bound,
    EntityType,
    Merged,
    Nothing,
    Retired,
    TextSet,
    Told,
    Undone,
    UpTo,
    Withdrawn,
)
from agent_core.lore.search import first_mention, nearest_names, quotes_of, search
from tests.agent_core.lore.library import Library, entry, named, open_library, texts
from tests.agent_core.lore.story import fact, ten

AUTHOR = Author()


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    """Ten scenes "1".."10" of one chapter, without texts or entries."""
    async with open_library(tmp_path / "lore.db") as opened:
        await opened.lay_out(ten())
        yield opened


async def find(
    library: Library,
    query: str,
    *,
    bound: Bound = AUTHOR,
    limit: int = 10,
    kind: EntityType | None = None,
    known: int | None = None,
) -> SearchResult:
    return await search(await library.canon(known), query, type=kind, bound=bound, limit=limit)


def shown(result: SearchResult) -> list[tuple[str, str]]:
    """Return (entity, why) of the entries found."""
    return [(hit.entry.id, hit.why) for hit in result.entries]


def labels(result: SearchResult) -> list[str]:
    return [quote.scene.label for quote in result.scenes]


async def test_names_come_before_words_of_names_before_facts_before_slips(library: Library) -> None:
    await library.record(
        *entry("inn", "Mara's Inn"),
        *entry("kit", "Kit", patch={"loves": "Mara"}),
        *entry("voss", "Elena Voss", "Mara"),
        *entry("marra", "Marra"),
        *entry("mara", "Mara"),
    )
    assert shown(await find(library, "mara")) == [
        ("mara", "name"),
        ("voss", "alias"),
        ("inn", "word_in_name"),
        ("kit", "fact"),
    ]
    assert shown(await find(library, "Marax"))[0][1] == "similar"


@pytest.mark.parametrize(
    "query", ["the fox", "THE  FOX", "Lee, Ann", "ann lee", "Who is Ann Lee?", "Ann Lee's"]
)
async def test_an_alias_or_another_spelling_hits_the_entry(library: Library, query: str) -> None:
    """A55, A56."""
    await library.record(*entry("ann", "Ann Lee", "The Fox"), *entry("leeds", "Leeds"))
    result = await find(library, query)
    assert shown(result)[0] in [("ann", "name"), ("ann", "alias")]
    assert result.no_entry is None


async def test_people_of_one_name_are_both_found(library: Library) -> None:
    """A56."""
    await library.record(*entry("b", "Ann Lee"))
    await library.record(*entry("a", "Ann Lee"))
    assert shown(await find(library, "Ann Lee")) == [("a", "name"), ("b", "name")]


@pytest.mark.parametrize("name", ["王小明", "Аня", "Élodie", "ʻOumuamua", "#1", "C++", "สมชาย", "마라"])
async def test_names_of_any_script_are_found_in_running_text(library: Library, name: str) -> None:
    """A61."""
    await library.record(*texts(s3=f"“{name}”—昨日{name}来了, {name}."))
    result = await find(library, name)
    assert labels(result) == ["1.3"]
    assert result.no_entry is not None
    assert (result.no_entry.scenes, result.no_entry.first.label) == (1, "1.3")
    assert [quote.scene.label for quote in await quotes_of(await library.canon(), name, AUTHOR, 5)] == ["1.3"]


@pytest.mark.parametrize("name", ["Al", "Ed", "Will", "May", "AI"])
async def test_short_names_do_not_fire_on_parts_of_words_or_common_words(library: Library, name: str) -> None:
    """A62."""
    await library.record(
        *texts(s1="Maine is also edited, you may well ask if they will; it ain't hailed."), *entry("it", name)
    )
    canon = await library.canon()
    assert await quotes_of(canon, name, AUTHOR, 5) == ()
    assert await first_mention(canon, name) is None
    assert (await find(library, "Maine")).entries == ()


async def test_terms_hit_then_reading_order_then_id_rank_what_matched_alike(library: Library) -> None:
    await library.record(
        *entry("e", "E"), *entry("d", "D"), *entry("c", "C"), *entry("b", "B"), *entry("a", "A"),
        fact({"coat": "red oak"}, "9", entity="a", key="1"),
        fact({"coat": "red"}, "2", entity="b", key="2"),
        fact({"coat": "red"}, "1", entity="c", key="3"),
        fact({"coat": "red"}, "2", entity="d", key="4", told="8"),
        fact({"coat": "red"}, "2", entity="e", key="5"),
    )  # fmt: skip
    found = await find(library, "red oak")
    assert [hit.entry.id for hit in found.entries] == ["a", "c", "b", "e", "d"]
    assert found.entries[0].detail == "coat: red oak"


async def test_facts_of_one_entry_count_together(library: Library) -> None:
    await library.record(
        *entry("a", "A", patch={"eyes": "green"}), *entry("b", "B"), *entry("c", "C", patch={"scar": "chin"})
    )
    await library.record(
        fact({"eyes": "grey"}, "1", entity="b", key="1"), fact({"scar": "chin"}, "2", entity="b")
    )
    assert [hit.entry.id for hit in (await find(library, "eyes, chin")).entries] == ["b", "a", "c"]


async def test_lists_and_counts_are_cut_at_the_limit(library: Library) -> None:
    await library.record(*(row for number in range(30) for row in entry(f"e{number}", f"Oak {number}")))
    await library.record(*texts(s1="An oak.", s2="Oaks? An oak.", s3="Oak!", s4="No tree."))
    result = await find(library, "oak", limit=2)
    assert (len(result.entries), result.more_entries) == (2, 28)
    assert (labels(result), result.more_scenes) == (["1.1", "1.2"], 1)


async def test_only_entries_of_the_type_asked_for_are_listed(library: Library) -> None:
    await library.record(
        *entry("inn", "Mara", kind=EntityType.LOCATION),
        *entry("mara", "Mara", patch={"a": "b"}),
        *texts(s1="Mara"),
    )
    result = await find(library, "mara", kind=EntityType.LOCATION)
    assert shown(result) == [("inn", "name")]
    other = await find(library, "mara", kind=EntityType.RULE)
    assert (other.entries, other.more_entries, other.no_entry) == ((), 0, None)


async def test_a_name_that_stands_only_in_scenes_is_reported(library: Library) -> None:
    await library.record(
        *texts(
            s2="Mombi kept a powder.\n\nThen old Mombi slept.",
            s4="It was Mombi who came. Mombi again.",
            s5="No one.",
            s9="At last Mombi fled from the Wizard of Oz.",
        )
    )
    result = await find(library, "who is mombi?")
    assert result.no_entry is not None
    assert (result.no_entry.name, result.no_entry.scenes, result.no_entry.first.label) == ("Mombi", 3, "1.2")
    assert [quote.scene.label for quote in result.no_entry.quotes] == ["1.2", "1.4", "1.9"]
    assert result.no_entry.quotes[0].text == "Mombi kept a powder."
    wizard = (await find(library, "the wizard of oz")).no_entry
    assert wizard is not None
    assert wizard.name == "Wizard of Oz"


@pytest.mark.parametrize(
    "query", ["powder", "kept", "nobody", "mombi powder", "what colour are mombi's eyes"]
)
async def test_what_is_no_name_is_not_reported_as_one(library: Library, query: str) -> None:
    await library.record(*texts(s2="There Mombi kept a powder. Kept it well."))
    assert (await find(library, query)).no_entry is None


async def test_a_name_with_an_entry_is_not_reported_as_missing(library: Library) -> None:
    await library.record(*entry("mombi", "Old Mombi"), *texts(s2="There Mombi kept a powder."))
    assert (await find(library, "Mombi")).no_entry is None


async def test_entries_named_in_the_scenes_found_are_attached(library: Library) -> None:
    await library.record(
        *entry("mombi", "Mombi"),
        *entry("will", "Will"),
        *texts(s2="There Mombi hid the powder; she will use it."),
    )
    result = await find(library, "powder")
    assert shown(result) == [("mombi", "scene")]
    quote = result.entries[0].quote
    assert quote is not None
    assert quote == result.scenes[0]


async def test_slips_of_the_fingers_find_the_entry(library: Library) -> None:
    await library.record(*entry("mombi", "Mombi"), *entry("tip", "Tip"), *entry("holmes", "Sherlock Holmes"))
    for query, entity in {"Mobmi": "mombi", "sherlok homles": "holmes", "erlock": "holmes"}.items():
        assert shown(await find(library, query)) == [(entity, "similar")]


async def test_undone_retired_withdrawn_and_renamed_things_are_not_found(library: Library) -> None:
    await library.record(*entry("bo", "Bo", patch={"a": "oak"}))
    undone = await library.record(*entry("ann", "Ann", patch={"a": "oak"}))
    await library.record(*entry("cid", "Cid", patch={"a": "oak", "b": "elm"}))
    await library.record(
        Undone(change=undone),
        Retired(entity="bo"),
        Withdrawn(entity="cid", target="cid is", pointer="/a"),
        named("cid", "Sid"),
    )
    for query in ("oak", "ann", "bo", "cid"):
        result = await find(library, query)
        assert ("name" in [why for _, why in shown(result)], result.more_entries) == (False, 0), query
    assert (await find(library, "oak")).entries == ()
    assert shown(await find(library, "elm")) == [("cid", "fact")]
    assert shown(await find(library, "ann", known=undone)) == [("ann", "name")]


async def test_only_the_current_text_of_a_scene_counts(library: Library) -> None:
    first = await library.record(*texts(s1="An oak.", s2="An elm."))
    await library.record(TextSet(id="new", scene="1", text="An elm."))
    assert labels(await find(library, "oak")) == []
    assert labels(await find(library, "elm")) == ["1.1", "1.2"]
    assert labels(await find(library, "oak", known=first)) == ["1.1"]
    assert await quotes_of(await library.canon(), "oak", AUTHOR, 5) == ()


async def test_an_outdated_text_does_not_lift_its_scene(library: Library) -> None:
    await library.record(*texts(s1="A red oak.", s2="An oak.", s3="A red oak."))
    await library.record(TextSet(id="new", scene="1", text="An oak."))
    assert labels(await find(library, "red oak")) == ["1.3", "1.1", "1.2"]


async def test_a_long_detail_is_cut_to_where_it_matches(library: Library) -> None:
    story = "Born far away. " * 40 + "Later she won a red crown. " + "Then it rained. " * 40
    await library.record(*entry("mara", "Mara", patch={"biography": story, "hair": "red", "eyes": "grey"}))
    (hit,) = (await find(library, "red")).entries
    assert "won a red crown" in hit.detail
    assert hit.detail.endswith("; hair: red")
    assert len(hit.detail) < 250


async def test_a_merged_entry_is_found_by_all_it_was_called(library: Library) -> None:
    await library.record(*entry("tip", "Tip", patch={"coat": "blue"}), *entry("ozma", "Ozma"))
    await library.record(Merged(entity="tip", into="ozma"))
    assert shown(await find(library, "Tip")) == [("ozma", "alias")]
    assert shown(await find(library, "blue")) == [("ozma", "fact")]


async def hidden_and_visible(library: Library) -> None:
    """Record what a reader of scene 3 may see of Mara, and around it what that reader must not see."""
    later, never = Told.at("7"), NEVER
    await library.record(
        *entry("a-hidden", "Mara", told=later, patch={"eyes": "green"}),
        *entry("mara", "Mara Voss", patch={"eyes": "green"}),
        *entry("b-hidden", "Mara Voss", told=never),
        *entry("c-hidden", "Marra Voss", told=NOT_REVEALED),
        named("mara", "The Green Lady", told=later, alias=True),
        Asserted(id="later", entity="mara", patch={"crown": "secret"}, told=later),
        *texts(s2="Mara Voss came.", s8="Mara Voss wore a secret crown. Lurline laughed."),
    )


@pytest.mark.parametrize(
    "query",
    [
        "Mara",
        "Mara Voss",
        "Marra Voss",
        "Mara Vos",
        "green",
        "green lady",
        "secret",
        "crown",
        "Lurline",
        "voss eyes",
    ],
)
async def test_a_reader_gets_the_answer_of_a_series_that_ends_at_the_bound(
    library: Library, tmp_path: Path, query: str
) -> None:
    """A63: neither hits nor order, counts or hints tell of what comes later."""
    await hidden_and_visible(library)
    async with open_library(tmp_path / "cut.db") as cut:
        await cut.lay_out(ten())
        await cut.record(*entry("mara", "Mara Voss", patch={"eyes": "green"}), *texts(s2="Mara Voss came."))
        bounded = await find(library, query, bound=UpTo("3"))
        assert bounded.model_dump_json() == (await find(cut, query, bound=UpTo("3"))).model_dump_json()
        for name in (query, "Marra", "Lurlin"):
            assert await nearest_names(await library.canon(), name, UpTo("3")) == await nearest_names(
                await cut.canon(), name, UpTo("3")
            )


async def test_who_has_read_nothing_finds_nothing(library: Library) -> None:
    await hidden_and_visible(library)
    result = await find(library, "Mara Voss", bound=Nothing())
    assert result == SearchResult(query="Mara Voss")


async def test_many_hidden_names_do_not_push_a_visible_one_out(library: Library) -> None:
    for number in range(40):
        await library.record(
            *(row for i in range(10) for row in entry(f"h{number}.{i}", f"Mombi {number} {i}", told=NEVER)),
        )
    await library.record(*entry("z", "Mombi Zed", patch={"a": "b"}))
    assert shown(await find(library, "mombi", bound=UpTo("3"))) == [("z", "word_in_name")]
    assert shown(await find(library, "mobmi", bound=UpTo("3"))) == [("z", "similar")]
    assert (await find(library, "mombi", bound=UpTo("3"))).more_entries == 0
    assert await nearest_names(await library.canon(), "mobmi", UpTo("3")) == ("Mombi Zed",)


@pytest.mark.parametrize("query", ["", "   ", "?!", "🦊🐉", "\ud800", "\0"])
async def test_a_query_without_words_gets_an_empty_answer_with_a_hint(library: Library, query: str) -> None:
    """A66."""
    await library.record(*entry("mara", "Mara"), *texts(s1="Mara ?! 🦊"))
    result = await find(library, query)
    assert (result.entries, result.scenes, result.no_entry, result.hint) == ((), (), None, "no_words")
    assert result.model_dump_json()


async def test_a_very_long_query_is_cut_with_a_hint(library: Library) -> None:
    """A66."""
    await library.record(*entry("mara", "Mara"))
    result = await find(library, "mara " + " ".join(f"word{i}" for i in range(5_000)))
    assert (shown(result), result.hint) == ([("mara", "word_in_name")], "cut")
    assert len(result.query) <= 1_000


@pytest.mark.parametrize(
    "query", ["AND", "OR mara", "NOT mara", "NEAR(mara x)", "name:mara", "mara*", "^mara", "-mara", '"mara']
)
async def test_operators_are_plain_words(library: Library, query: str) -> None:
    """A65."""
    await library.record(*entry("mara", "Mara"), *entry("x", "Xan"))
    expected = [] if query == "AND" else ["mara"]
    assert [hit.entry.id for hit in (await find(library, query)).entries] == expected


async def test_an_entry_named_by_signs_alone_is_found_by_them(library: Library) -> None:
    await library.record(*entry("fox", "🦊"))
    result = await find(library, "🦊")
    assert (shown(result), result.hint) == ([("fox", "name")], "")


async def test_first_mention_is_the_first_scene_that_spells_the_full_name(library: Library) -> None:
    await library.record(
        *texts(
            s1="The tip of a knife. Mara and Voss.",
            s2="Then Tip came with Voss. Mara laughed.",
            s3="Mara Voss, the Fox.",
            s4="Will came. The fox ran.",
        )
    )
    canon = await library.canon()
    for name, scene in {
        "Tip": "2",
        "Mara Voss": "3",
        "the Fox": "3",
        "Nobody": None,
        "Will": None,
        "Al": None,
        "": None,
        "?!": None,
    }.items():
        assert await first_mention(canon, name) == scene, name


async def test_first_mention_knows_staged_and_current_texts_only(library: Library) -> None:
    await library.record(*texts(s1="Mombi."))
    await library.record(TextSet(id="new", scene="1", text="Nobody."))
    canon = await library.canon()
    assert await first_mention(canon, "Mombi") is None
    canon.stage([TextSet(id="staged", scene="5", text="Mombi again.")])
    assert await first_mention(canon, "Mombi") == "5"


async def test_quotes_stand_beside_a_name_if_asked_for(library: Library) -> None:
    await library.record(
        *texts(s1="The sky was blue.", s2="Mara smiled. Her eyes were blue.", s3="Mara came.\n\nA blue bird.")
    )
    canon = await library.canon()
    everywhere = await quotes_of(canon, "blue", AUTHOR, 10)
    beside = await quotes_of(canon, "blue", AUTHOR, 10, beside=["Mara"])
    assert [quote.scene.label for quote in everywhere] == ["1.1", "1.2", "1.3"]
    assert [(quote.scene.label, quote.paragraph) for quote in beside] == [("1.2", 1)]
    assert await quotes_of(canon, "blue", AUTHOR, 1) == everywhere[:1]
    assert [quote.scene.label for quote in await quotes_of(canon, "blue", UpTo("1"), 9)] == ["1.1"]


async def test_nearest_names_are_those_most_alike(library: Library) -> None:
    await library.record(
        *entry("mombi", "Mombi"),
        *entry("momba", "Momba Lee", "Mombie"),
        *entry("tip", "Tip"),
        *entry("v", "Mara Voss"),
    )
    canon = await library.canon()
    assert await nearest_names(canon, "Mombi", AUTHOR) == ("Mombi", "Mombie")
    assert await nearest_names(canon, "Mara Tall", AUTHOR) == ("Mara Voss",)
    assert await nearest_names(canon, "Mombi", AUTHOR, limit=1) == ("Mombi",)
    assert await nearest_names(canon, "Zzzz", AUTHOR) == ()
