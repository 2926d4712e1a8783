import io
from collections.abc import Sequence

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from adapters.terminal.reader import LineReader, LoreCompleter, PromptReader, commands_for, name_begun


async def names(text: str) -> Sequence[str]:
    return [name for name in ("Mara", "Mara Vale", "Tom") if name.lower().startswith(text.lower())]


async def completed(text: str, language: str = "en") -> list[tuple[str, int]]:
    completer = LoreCompleter(names)
    completer.language = language
    found = completer.get_completions_async(Document(text), CompleteEvent(completion_requested=True))
    return [(one.text, one.start_position) async for one in found]


async def test_commands_complete_from_their_beginning() -> None:
    assert await completed("/sce") == [
        ("/scene read ", -4),
        ("/scene list ", -4),
        ("/scene when ", -4),
        ("/scene move ", -4),
    ]


async def test_names_complete_where_a_command_takes_one() -> None:
    assert await completed("/state Ma") == [("Mara", -2), ("Mara Vale", -2)]
    assert await completed("/entry rename mara v") == [("Mara Vale", -6)]


async def test_names_complete_in_plain_text() -> None:
    assert await completed("Who is To") == [("Tom", -2)]


@pytest.mark.parametrize("text", ["/undo Ma", "/", "/state"])
def test_no_name_is_expected_elsewhere(text: str) -> None:
    assert name_begun(text) == ""


def test_a_finished_command_is_not_completed_again() -> None:
    assert commands_for("/state Mara") == ()
    assert commands_for("who") == ()


async def test_lines_are_read_from_a_terminal_and_remembered() -> None:
    with create_pipe_input() as source:
        reader = PromptReader(names, source=source, target=DummyOutput())
        source.send_text("who is Mara?\n")
        assert await reader.read("you", "en") == "who is Mara?"
        source.send_text("\x1b[A\n")
        assert await reader.read("you", "en") == "who is Mara?"


async def test_the_end_of_a_terminal_is_an_end() -> None:
    with create_pipe_input() as source:
        reader = PromptReader(names, source=source, target=DummyOutput())
        source.send_text("\x04")
        with pytest.raises(EOFError):
            await reader.read("you", "en")


async def test_piped_lines_are_repeated_behind_their_prompt() -> None:
    echoed: list[str] = []
    reader = LineReader(io.StringIO("first\nlast"), echoed.append)
    assert [await reader.read("you", "en"), await reader.read("du", "de")] == ["first", "last"]
    assert echoed == ["you › first", "du › last"]
    with pytest.raises(EOFError):
        await reader.read("you", "en")
