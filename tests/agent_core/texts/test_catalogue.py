import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from agent_core import errors
from agent_core.errors import LoreKeeperError
from agent_core.pipeline.model import BatchStatus, CallStatus
from agent_core.texts import LANGUAGES, MissingText, has, load, pick, say
from agent_core.turn.model import TurnStatus

ROOT = Path(__file__).parents[3]
ENGLISH = load("en")


def placeholders(template: str) -> set[tuple[str, str]]:
    flat = template.replace("[[", "").replace("]]", "")
    return {(name, spec or "") for _, name, spec, _ in Formatter().parse(flat) if name}


def sources(*folders: str) -> Iterator[tuple[Path, ast.Module]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path, ast.parse(path.read_text("utf-8"))


def error_classes(base: type[LoreKeeperError] = LoreKeeperError) -> Iterator[type[LoreKeeperError]]:
    yield base
    for child in base.__subclasses__():
        yield from error_classes(child)


def call_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys(language: str) -> None:
    assert set(load(language)) == set(ENGLISH)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_fills_in_the_same_facts(language: str) -> None:
    count = ("n", ""), ("n", ",")

    def wanted(key: str, template: str) -> set[tuple[str, str]]:
        found = placeholders(template)
        return found - set(count) if key.endswith(".one") else found

    differing = {
        key: template
        for key, template in load(language).items()
        if wanted(key, template) != wanted(key, ENGLISH[key])
    }
    assert differing == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_looked_up_words_name_a_section_that_exists(language: str) -> None:
    sections = {key.split(".")[0] for key in ENGLISH}
    specs = {spec for template in load(language).values() for _, spec in placeholders(template)}
    assert specs - {"", ","} <= sections


@pytest.mark.parametrize("language", LANGUAGES)
def test_plural_keys_have_both_forms(language: str) -> None:
    ones = {key.removesuffix(".one") for key in load(language) if key.endswith(".one")}
    assert ones <= {key.removesuffix(".other") for key in load(language) if key.endswith(".other")}


def test_every_error_has_a_sentence() -> None:
    assert [cls.__name__ for cls in error_classes() if not has(cls.key)] == []


def test_every_reason_named_in_an_errors_docstring_has_its_sentence() -> None:
    missing = []
    for cls in error_classes():
        listed = re.search(r"`reason` \(([a-z_, ]+)\)", inspect.getdoc(cls) or "")
        reasons = listed[1].split(", ") if listed else []
        missing += [f"{cls.key}.{reason}" for reason in reasons if not has(f"{cls.key}.{reason}")]
    causes = {"error.store": errors.StoreCause, "error.model": errors.ModelCause}
    missing += [f"{key}.{one}" for key, kind in causes.items() for one in kind if not has(f"{key}.{one}")]
    closed = set(BatchStatus) - {BatchStatus.OPEN}
    missing += [f"error.batch_closed.{one}" for one in closed if not has(f"error.batch_closed.{one}")]
    assert missing == []


def text_of(node: ast.expr | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def arguments(call: ast.Call) -> dict[str | None, ast.expr]:
    return {keyword.arg: keyword.value for keyword in call.keywords}


def calls(name: str | None, *folders: str) -> Iterator[tuple[str, ast.Call]]:
    for path, tree in sources(*folders):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and name in {None, call_name(node)}:
                yield path.name, node


def test_every_reason_raised_in_the_code_has_its_sentence() -> None:
    keys = {cls.__name__: cls.key for cls in error_classes()}
    raised = {
        f"{keys[call_name(call)]}.{reason}"
        for _, call in calls(None, "agent_core", "adapters", "bot")
        if call_name(call) in keys and (reason := text_of(arguments(call).get("reason")))
    }
    assert len(raised) > 20
    assert sorted(key for key in raised if not has(key)) == []


def test_every_warning_raised_in_the_code_has_its_sentence_and_facts() -> None:
    wrong = []
    for path, call in calls("Warn", "agent_core"):
        given = arguments(call)
        code = text_of(given.get("code"))
        if code:
            template = ENGLISH.get(f"warn.{code}") or ENGLISH.get(f"warn.{code}.other", "")
            facts, values = (given_facts(given.get(name), template) for name in ("facts", "values"))
            if not template or not needed(template) <= facts | values:
                wrong.append(f"{path}: warn.{code}")
    assert wrong == []


def needed(template: str) -> set[str]:
    return {name for name, _ in placeholders(re.sub(r"\[\[.*?\]\]", "", template))}


def given_facts(facts: ast.expr | None, template: str) -> set[str]:
    """The names of the facts that are handed over; where that shows only at run time, all that are needed."""
    if isinstance(facts, ast.Dict):
        return {text_of(key) for key in facts.keys}
    return set() if facts is None else needed(template)


def test_every_key_said_in_the_code_exists() -> None:
    missing = [
        f"{path}: {key}"
        for path, call in calls("say", "agent_core", "adapters", "bot")
        if len(call.args) == 2
        for key in said_keys(call.args[1])
        if not matches(key)
    ]
    assert missing == []


def said_keys(node: ast.expr) -> Iterator[str]:
    """The keys an expression can be, a `*` for each part that is only known when it runs."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)
    elif isinstance(node, ast.IfExp):
        yield from said_keys(node.body)
        yield from said_keys(node.orelse)


def matches(pattern: str) -> bool:
    expression = re.compile(re.escape(pattern).replace(r"\*", ".*"))
    return any(expression.fullmatch(key) or expression.fullmatch(key.rsplit(".", 1)[0]) for key in ENGLISH)


def test_states_have_words() -> None:
    assert [one for one in CallStatus if not has(f"call.{one}")] == []
    assert {"cancelled", "failed"} <= set(TurnStatus)
    assert has("answer.cancelled")


def test_facts_are_filled_in() -> None:
    assert say("en", "error.unknown_entity", name="Mora", nearest=("Mara", "Nora")) == (
        "There is no entry “Mora”. Close to it: Mara, Nora. /search looks through the scenes too."
    )


def test_a_part_with_an_empty_fact_is_left_out() -> None:
    assert say("de", "error.unknown_entity", name="Mora", nearest=()) == (
        "Einen Eintrag „Mora“ gibt es nicht. /search durchsucht auch die Szenen."
    )


@pytest.mark.parametrize(
    ("language", "count", "sentence"),
    [
        ("en", 1, "one step · 2.1 s"),
        ("en", 0, "0 steps · 2.1 s"),
        ("de", 2, "2 Schritte · 2.1 s"),
        ("fr", 0, "0 étape · 2.1 s"),
        ("fr", 1, "1 étape · 2.1 s"),
        ("fr", 2, "2 étapes · 2.1 s"),
    ],
)
def test_plural_follows_the_language(language: str, count: int, sentence: str) -> None:
    assert say(language, "trace.steps", n=count, time="2.1") == sentence


@pytest.mark.parametrize(("language", "shown"), [("en", "12,345"), ("de", "12.345"), ("fr", "12\u202f345")])
def test_thousands_are_marked_as_in_the_language(language: str, shown: str) -> None:
    assert say(language, "search.scenes_count", n=12345).startswith(shown)


def test_a_fact_may_name_another_text() -> None:
    assert say("fr", "error.not_your_batch", who="lead").endswith("le responsable.")


def test_facts_named_like_the_parameters_are_facts() -> None:
    assert "“eyes”" in say("en", "warn.near_key", key="eyes", near="eye")


def test_ids_never_reach_people() -> None:
    candidate = "Mara (character, the elder) 0b7d6a52-3f0e-4c0c-9a55-1d2f6f1f0c11"
    said = say("en", "error.ambiguous_entity", name="Mara", candidates=(candidate, "Mara (place)"))
    assert said == (
        "Several entries are called “Mara”: Mara (character, the elder), Mara (place)."
        " Add which one you mean."
    )


def test_braces_in_a_fact_stay_as_they_are() -> None:
    assert "{x} [[y]]" in say("en", "error.unknown_position", position="{x} [[y]]")


def test_a_regional_tag_is_served_by_its_language() -> None:
    """C42: de-AT falls back to de, an unknown language to English."""
    assert [pick(tag) for tag in ("de-AT", "fr_CA", "EN", "xx", "")] == ["de", "fr", "en", "en", "en"]
    assert say("de-AT", "button.discard") == "Verwerfen"


def test_a_missing_key_is_an_error_in_tests() -> None:
    with pytest.raises(MissingText):
        say("en", "error.made_up")


@pytest.mark.filterwarnings("ignore::agent_core.texts.MissingText")
def test_a_missing_key_never_shows_itself() -> None:
    """C42: at run time the nearest sentence stands in, never the key."""
    assert say("de", "error.model.made_up") == say("de", "error.model")
    assert say("fr", "made_up") == say("fr", "error.internal")


@pytest.mark.filterwarnings("ignore::agent_core.texts.MissingText")
def test_a_missing_fact_leaves_a_gap_not_a_crash() -> None:
    assert say("en", "error.tool_timeout") == "That took longer than … s and was stopped. Try a smaller part."


def test_count_that_was_read_out_of_a_text_stands_as_it_is() -> None:
    """Without a model the facts of an error are read out of its line for models."""
    assert "5000 characters" in say("en", "error.lore.text_too_long", scene="1", chars="5000", limit="9")


def test_facts_bring_no_characters_that_steer_a_screen() -> None:
    name = "Ma\x1b[2Jra\u202e \x07\u2066Venn\n2"

    assert "“Ma[2Jra Venn\n2”" in say("en", "error.unknown_entity", name=name, nearest=(name,))


def test_refusal_repeats_only_the_start_of_what_was_typed() -> None:
    typed = say("en", "error.unknown_position", position="x" * 200_000)
    told = say("en", "error.note.disk", path="a", cause="y" * 300)

    assert f"“{'x' * 80}…”" in typed
    assert "y" * 300 in told
