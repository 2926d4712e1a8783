import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.commands import COMMANDS, CommandError, Control, Kind, ParsedCommand, build, is_command, parse
from agent_core.messages import Json
from agent_core.texts import LANGUAGES, has, say
from agent_core.tools import catalogue


def arguments(text: str) -> dict[str, Json]:
    parsed = parse(text)
    assert isinstance(parsed, ParsedCommand)
    return dict(parsed.arguments)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/state Mara @7.3", {"asOf": "7.3"}),
        ("/state Mara @b2:7.3", {"asOf": "b2:7.3"}),
        ("/state Mara @p2.3", {"asOf": "p2.3"}),
        ("/state Mara @hier", {"asOf": "here"}),
        ("/state Mara @The Crossing ~yesterday", {"asOf": "The Crossing", "knownAt": "yesterday"}),
        ("/state Mara @„Die Überfahrt“ als Leser 4", {"asOf": "Die Überfahrt", "asReader": "4"}),
        (
            "/state Mara @7.3 ~2026-11-01 !start",
            {"asOf": "7.3", "knownAt": "2026-11-01", "when": "start"},
        ),
        ("/state Mara ch 7.3 as of 1 Nov", {"asOf": "7.3", "knownAt": "1 Nov"}),
        ("/state Mara Kapitel 7.3 Stand 1. Nov", {"asOf": "7.3", "knownAt": "1. Nov"}),
        ("/state Mara chap 7.3 état au 1er nov", {"asOf": "7.3", "knownAt": "1er nov"}),
        ("/state Mara in chapter 7", {"asOf": "7"}),
        ("/state Mara before 7.3", {"asOf": "7.3", "when": "start"}),
        ("/state Mara vor 7.3", {"asOf": "7.3", "when": "start"}),
        ("/state Mara avant le chapitre 7", {"asOf": "7", "when": "start"}),
        ("/state Mara as reader b1:4", {"asReader": "b1:4"}),
    ],
)
def test_a_place_and_a_time_can_be_signs_or_words(text: str, expected: dict[str, Json]) -> None:
    assert arguments(text) == {"entityId": "Mara", **expected}


@pytest.mark.parametrize(
    "name", ["Mara of the Vale", "Sword in Stone", "Le chapitre noir", "Ann von Vel", "C++"]
)
def test_small_words_of_a_name_are_no_options(name: str) -> None:
    assert arguments(f"/state {name} @3") == {"entityId": name, "asOf": "3"}


@pytest.mark.parametrize(
    ("facts", "patch"),
    [
        ("eyes=green", {"eyes": "green"}),
        ("eyes: green", {"eyes": "green"}),
        ("scar=left cheek, hair=red", {"scar": "left cheek", "hair": "red"}),
        ("age=17 height=1.65", {"age": 17, "height": 1.65}),
        ("number=017 code=1e5 phone=+49", {"number": "017", "code": "1e5", "phone": "+49"}),
        ("alive=yes dead=nein", {"alive": True, "dead": False}),
        ('answer="yes" age="17"', {"answer": "yes", "age": "17"}),
        ('titles=[Mara, the Heron, "a, b"]', {"titles": ["Mara", "the Heron", "a, b"]}),
        ("titles+=Kit", {"titles": {"$add": ["Kit"]}}),
        ("titles+=[Kit, M.] titles-=Mara", {"titles": {"$add": ["Kit", "M."], "$remove": ["Mara"]}}),
        ("-spouse", {"spouse": None}),
        ("eyes=green -spouse", {"eyes": "green", "spouse": None}),
        ("spouse=none", {"spouse": {"$none": True}}),
        ("ehemann=keiner", {"ehemann": {"$none": True}}),
        ("father=?", {"father": {"$unknown": True}}),
        ("home.city=Vel home.street=Kiln", {"home": {"city": "Vel", "street": "Kiln"}}),
        ('"eye colour"=green', {"eye colour": "green"}),
        ("motto: from the deep", {"motto": "from the deep"}),
        ("link=http://x.example/a", {"link": "http://x.example/a"}),
        ("größe=klein", {"größe": "klein"}),
        ("temper=-5 mood=low", {"temper": -5, "mood": "low"}),
    ],
)
def test_details_are_read_as_they_are_meant(facts: str, patch: dict[str, Json]) -> None:
    assert arguments(f"/record Mara {facts} @7.3")["statePatch"] == patch


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("@7.3", {"chapterId": "7.3"}),
        ("from here told never", {"chapterId": "here", "toldAt": "never"}),
        ("from chapter 7 on", {"chapterId": "7"}),
        ("from 2.3 told 3.1 until 3", {"chapterId": "2.3", "toldAt": "3.1", "until": "3"}),
        ("ab 2.3 bis 3 erzählt 3.1", {"chapterId": "2.3", "until": "3", "toldAt": "3.1"}),
        ("dès 2.3 jusqu’au 3 révélé 3.1", {"chapterId": "2.3", "until": "3", "toldAt": "3.1"}),
        ("from start told start", {"chapterId": "start", "toldAt": "start"}),
        ("ab immer", {"chapterId": "start"}),
        ("always", {"chapterId": "start"}),
        ("immer erzählt 3.1", {"chapterId": "start", "toldAt": "3.1"}),
        ("toujours @told start", {"chapterId": "start", "toldAt": "start"}),
        ("@2.3 @told never @until 3", {"chapterId": "2.3", "toldAt": "never", "until": "3"}),
    ],
)
def test_a_record_takes_its_places_in_three_languages(text: str, rest: dict[str, Json]) -> None:
    command = parse(f"/record Mara Vale status: dead {text}")
    assert isinstance(command, ParsedCommand)
    assert command.arguments == {"entityId": "Mara Vale", "statePatch": {"status": "dead"}, **rest}
    assert command.complete


@pytest.mark.parametrize("value", ["always late", "always", "he is always late", "not always nice"])
def test_always_within_a_value_is_no_place(value: str) -> None:
    assert arguments(f"/record Mara habit: {value} @2")["statePatch"] == {"habit": value}
    assert arguments(f"/record Mara habit: {value} @2")["chapterId"] == "2"


def test_a_record_without_a_place_is_not_complete() -> None:
    command = parse("/record Mara eyes=green until 3")
    assert isinstance(command, ParsedCommand)
    assert not command.complete


@pytest.mark.parametrize(
    ("text", "tool", "expected"),
    [
        ("/lore Mara", "get_entity_state", {"entityId": "Mara"}),
        ("/lore@lore_bot Mara", "get_entity_state", {"entityId": "Mara"}),
        ("/search red door type place", "search_lore", {"query": "red door", "type": "location"}),
        ("/timeline", "get_timeline", {}),
        ("/timeline from 1 to 3 order story", "get_timeline", {"from": "1", "to": "3", "order": "story"}),
        (
            "/timeline Mara ab 2 bis 4 Reihenfolge Lesen",
            "get_timeline",
            {"entityId": "Mara", "from": "2", "to": "4", "order": "reading"},
        ),
        (
            "/history Mara: eyes since yesterday by Ann Lee",
            "get_history",
            {"entityId": "Mara", "key": "eyes", "since": "yesterday", "by": "Ann Lee"},
        ),
        ("/history", "get_history", {}),
        ("/why Mara eyes", "why", {"entityId": "Mara", "key": "eyes"}),
        ("/why Mara.eyes", "why", {"entityId": "Mara", "key": "eyes"}),
        ("/why Ann Lee: eye colour @5", "why", {"entityId": "Ann Lee", "key": "eye colour", "asOf": "5"}),
        ("/scene read 7.3", "fetch_chapter_scenes", {"chapterId": "7.3"}),
        ("/scene_read ch 7 +12000", "fetch_chapter_scenes", {"chapterId": "7", "offset": 12000}),
        ("/scene list b2", "list_chapters", {"book": "b2"}),
        ("/scene when 8.1 vor 1.1", "place_scene", {"sceneId": "8.1", "relation": "before", "node": "1.1"}),
        ("/scene move 8.1 after 3.2", "place_scene", {"sceneId": "8.1", "moveAfter": "3.2"}),
        (
            "/retcon Mara eyes=green from 3 to 6",
            "record_lore_state",
            {
                "retcon": True,
                "entityId": "Mara",
                "statePatch": {"eyes": "green"},
                "chapterId": "3",
                "until": "6",
            },
        ),
        ("/undo", "undo", {}),
        ("/undo 12", "undo", {"change": 12}),
        ("/undo nº 12", "undo", {"change": 12}),
        ("/entries", "list_entries", {}),
        ("/entries figur", "list_entries", {"type": "character"}),
        ("/entries lieu +500", "list_entries", {"type": "location", "offset": 500}),
        ("/entries +20", "list_entries", {"offset": 20}),
        ("/loose", "list_loose_ends", {}),
        ("/book contents", "list_chapters", {}),
        ("/book link The Salt Road / Book 2", "link_thread", {"series": "The Salt Road", "book": "Book 2"}),
        ("/book notes novel", "attach_notes", {"name": "novel"}),
        ("/book notes novel access read", "attach_notes", {"name": "novel", "access": "read"}),
        ("/here 3.2", "set_position", {"position": "3.2"}),
        ("/here", "get_standing", {}),
        ("/progress ", "get_standing", {}),
        ("/where", "get_standing", {}),
        ("/progress Kapitel 4", "set_progress", {"finished": "4"}),
        (
            "/entry new place Vel told 1.1",
            "create_lore_entity",
            {"type": "location", "name": "Vel", "staticTraits": {}, "toldAt": "1.1"},
        ),
        (
            "/entry new Mara Vale eyes=green",
            "create_lore_entity",
            {"type": "character", "name": "Mara Vale", "staticTraits": {"eyes": "green"}},
        ),
        ("/entry rename Tip to Ozma", "update_entry", {"entityId": "Tip", "rename": "Ozma"}),
        (
            "/entry alias Mara = the Heron @7",
            "update_entry",
            {"entityId": "Mara", "addAlias": "the Heron", "aliasFrom": "7"},
        ),
        (
            "/entry merge Tip, Old Tip into Ozma",
            "merge_entries",
            {"merge": ["Tip", "Old Tip"], "keep": "Ozma"},
        ),
        ("/entry retire Tip", "update_entry", {"entityId": "Tip", "retire": True}),
        ("/members", "list_members", {}),
        ("/members Ann Lee co-author", "members", {"person": "Ann Lee", "role": "editor"}),
        ("/members set Ann Testleser", "members", {"person": "Ann", "role": "reader"}),
    ],
)
def test_a_command_calls_its_tool(text: str, tool: str, expected: dict[str, Json]) -> None:
    command = parse(text)
    assert isinstance(command, ParsedCommand)
    assert (command.tool, command.arguments) == (tool, expected)


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("/ask who is Mara?", "ask", {"question": "who is Mara?"}),
        ("/research who knows?", "research", {"question": "who knows?"}),
        ("/new", "new", {}),
        ("/cancel", "cancel", {}),
        ("/settings language de", "settings", {"name": "language", "value": "de"}),
        ("/help entry rename", "help", {"command": "entry rename"}),
    ],
)
def test_what_the_surface_does_itself_is_a_control(text: str, name: str, options: dict[str, str]) -> None:
    assert parse(text) == Control(name=name, options=options)


@pytest.mark.parametrize(
    ("text", "reason", "said"),
    [
        ("/foo", "unknown", "There is no command /foo. /help lists what there is."),
        ("/state", "missing", "Something is missing here: which entry.\n/state Mara @7.3"),
        ("/record Mara", "missing", "Something is missing here: details and their values"),
        ("/entry alias Mara", "missing", "Something is missing here: name of the entry."),
        ("/entry merge Tip", "missing", "Something is missing here: name of the entry."),
        ("/record Mara eyes= @3", "facts", "“eyes” has no value."),
        ("/members Ann chief", "value", "“chief” doesn’t fit here"),
        ("/undo the last one", "value", "“the last one” doesn’t fit here"),
        ("/undo -1", "value", "“-1” doesn’t fit here"),
        ("/undo 0", "value", "“0” doesn’t fit here"),
        ("/scene", "part", "/scene wants one more word.\n/scene read 7.3"),
    ],
)
def test_what_cannot_be_read_is_explained(text: str, reason: str, said: str) -> None:
    with pytest.raises(CommandError) as caught:
        parse(text)
    assert caught.value.reason == reason
    assert caught.value.text("en").startswith(said)


@pytest.mark.parametrize(
    ("text", "expected"), [("/lore Mara", True), ("lore Mara", False), ("/ or so", False)]
)
def test_commands_are_told_from_talk(text: str, *, expected: bool) -> None:
    assert is_command(text) is expected


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    for command in ("record", "state", "why", "entry merge", "scene when", "timeline"):
        try:
            assert isinstance(parse(f"/{command} {text}"), ParsedCommand)
        except CommandError as error:
            said = error.text("de")
            assert "/" in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_example_in_the_help_can_be_read(language: str) -> None:
    for command in COMMANDS:
        for example in say(language, f"usage.{command.name}").split(" · "):
            parsed = parse(example)
            name = parsed.command.name if isinstance(parsed, ParsedCommand) else parsed.name
            assert name == command.name, example


def test_every_command_and_option_is_explained() -> None:
    for command in COMMANDS:
        assert has(f"about.{command.name}")
        assert [option.name for option in command.options if not has(f"option.{option.name}")] == []


def test_every_command_fits_the_arguments_of_its_tool() -> None:
    tools = {tool.name: tool for tool in catalogue.TOOLS}
    for command in COMMANDS:
        if command.tool:
            fields = tools[command.tool].args.model_fields
            names = {field.alias or name for name, field in fields.items()}
            assert {option.argument for option in command.options} | set(command.fixed) <= names, command.name


def test_options_given_by_name_are_read_like_typed_ones() -> None:
    typed = parse("/record Mara eyes=green @7.3 told never")
    assert isinstance(typed, ParsedCommand)
    options = {"entity": "Mara", "facts": "eyes=green", "from": "7.3", "told": "never", "until": ""}
    assert build(typed.command, options) == typed


def test_kinds_are_all_in_use() -> None:
    assert {option.kind for command in COMMANDS for option in command.options} == set(Kind)
