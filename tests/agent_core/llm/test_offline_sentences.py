"""Scores sentences against the responder. A file beside this one is scored by being there."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agent_core.llm.offline.concepts import concepts_of
from agent_core.llm.offline.plain import word_key
from agent_core.messages import Json
from tests.agent_core.llm.offline_cast import Spoken, member, speak

FILES = sorted(Path(__file__).parent.glob("offline_sentences*.toml"))
ENOUGH = 34
ARTICLES = ("a ", "an ", "the ", "der ", "die ", "das ", "ein ", "eine ", "le ", "la ", "les ", "un ", "une ")


@dataclass(frozen=True)
class Sentence:
    """A sentence and what it should lead to."""

    language: str
    text: str
    tool: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    notes: tuple[tuple[str, str, str], ...] = ()


def sentences(file: Path) -> list[Sentence]:
    listed = tomllib.loads(file.read_text("utf-8"))["sentences"]
    return [
        Sentence(
            one["language"],
            one["text"],
            one["tool"],
            one.get("arguments", {}),
            tuple((str(who), str(key), str(value)) for who, key, value in one.get("notes", ())),
        )
        for one in listed
    ]


def is_right(wanted: Sentence, spoken: Spoken) -> bool:
    if not spoken.answer.strip():
        return False
    if wanted.tool == "none":
        return not spoken.calls
    if wanted.tool == "no write":
        return not spoken.written()
    calls = spoken.called(wanted.tool)
    fits = any(
        all(same(name, call.get(name), value) for name, value in wanted.arguments.items()) for call in calls
    )
    return fits and all(any(same_note(note, made) for made in notes_of(spoken)) for note in wanted.notes)


def same(name: str, given: Json, value: Json) -> bool:
    if name == "entityId":
        found = member(given)
        return found is not None and found.is_called(str(value))
    if name == "query":
        return normal(value) in normal(given)
    if name in {"chapterId", "asOf"}:
        return normal(given).removeprefix("b1:") == normal(value).removeprefix("b1:")
    return normal(given) == normal(value)


def notes_of(spoken: Spoken) -> Iterator[tuple[str, str, str]]:
    for call in spoken.called("record_lore_state"):
        patch = call["statePatch"]
        found = member(call["entityId"])
        who = found.name if found else str(call["entityId"])
        assert isinstance(patch, dict)
        for key, value in patch.items():
            yield who, key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def same_note(wanted: tuple[str, str, str], made: tuple[str, str, str]) -> bool:
    keys_meet = word_key(wanted[1]) == word_key(made[1]) or concepts_of(wanted[1]) & concepts_of(made[1])
    return wanted[0] == made[0] and bool(keys_meet) and normal(wanted[2]) == normal(made[2])


def normal(value: Json) -> str:
    text = " ".join(str(value).casefold().split()).strip(" .\"'")
    for article in ARTICLES:
        text = text.removeprefix(article)
    return text


async def spoken(file: Path) -> list[tuple[Sentence, Spoken]]:
    return [(one, await speak(one.text)) for one in sentences(file)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_enough_of_the_sentences_are_understood(file: Path) -> None:
    wrong = [one.text for one, turn in await spoken(file) if not is_right(one, turn)]

    assert len(sentences(file)) - len(wrong) >= ENOUGH, wrong


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
async def test_nothing_is_written_for_a_sentence_that_asks_for_no_write(file: Path) -> None:
    writes = {"record_lore_state", "create_lore_entity", "update_entry", "undo"}
    written = [one.text for one, turn in await spoken(file) if one.tool not in writes and turn.written()]

    assert written == []
