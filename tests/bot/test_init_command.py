"""`lorekeeper init`: the interview at a terminal and without one; what is broken off has written nothing."""

import asyncio
import signal
import stat
import sys
from pathlib import Path

import pytest
from dotenv import dotenv_values

from tests.bot.commands import Terminal, at_terminal, lorekeeper
from tests.emulators.model_endpoint import Call, ModelEndpoint, Raw
from tests.emulators.model_replies import error_body

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")

KEY = "sk-not-to-be-seen-123"


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if not file.name.startswith(".coverage"))


def written(folder: Path) -> dict[str, str | None]:
    return dict(dotenv_values(folder / ".env"))


async def answer(terminal: Terminal, *answers: tuple[str, str]) -> str:
    """Answer each question as it comes; return all that was printed."""
    seen = ""
    for question, text in answers:
        seen += await terminal.until(question)
        await terminal.type(text)
    return seen


async def test_interview_ends_with_notes_that_can_be_talked_about(tmp_path: Path) -> None:
    async with ModelEndpoint() as endpoint:
        endpoint.reply(Call("ping", {"word": "pong"}))
        async with at_terminal(tmp_path, "init", LOREKEEPER_DATA_DIR="") as terminal:
            seen = await answer(
                terminal,
                ("language", "en"),
                ("to live", str(tmp_path / "my notes")),
                ("called", "Ann Author"),
                ("time zone", "Europe/Berlin"),
                ("Number", "2"),
                ("address", endpoint.url),
                ("Name of the model", "scripted"),
                ("none): ", KEY),
                ("Write it?", "y"),
                ("Number", "1"),
            )
            seen += await terminal.until("checks that all is well")
            code = await terminal.ended()
        request = await endpoint.received(1)
    env = tmp_path / ".env"
    talked = await lorekeeper(tmp_path, "chat", "--say", "/history", LOREKEEPER_DATA_DIR="")

    assert code == 0
    assert "The model answers and can look things up." in seen
    assert KEY not in seen
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert written(tmp_path) == {
        "LOREKEEPER_DATA_DIR": str(tmp_path / "my notes"),
        "LOREKEEPER_USER_NAME": "Ann Author",
        "LOREKEEPER_TIME_ZONE": "Europe/Berlin",
        "LOREKEEPER_MODEL": "scripted",
        "LOREKEEPER_MODEL_BASE_URL": endpoint.url,
        "LOREKEEPER_MODEL_API_KEY": KEY,
    }
    assert stat.S_IMODE((await asyncio.to_thread(env.stat)).st_mode) == 0o600
    assert (talked.code, "Ann Author" in talked.said) == (0, True)


async def test_answers_that_cannot_be_used_are_asked_for_again(tmp_path: Path) -> None:
    await asyncio.to_thread((tmp_path / "a file").write_text, "no folder")
    async with at_terminal(tmp_path, "init", LOREKEEPER_DATA_DIR="") as terminal:
        await answer(terminal, ("language", "xx"))
        await terminal.until("must be one of")
        await answer(terminal, ("language", "en"), ("to live", str(tmp_path / "a file" / "notes")))
        await terminal.until("Choose another one.")
        await answer(terminal, ("to live", str(tmp_path / "n")), ("called", ""), ("time zone", "Atlantis"))
        await terminal.until("which is no time zone")
        await terminal.until("time zone [")

    assert files(tmp_path) == ["a file"]


@pytest.mark.parametrize(
    "question", ["language", "called", "Number", "Name of the model", "none): ", "Write it?"]
)
async def test_interview_that_is_broken_off_has_written_nothing(tmp_path: Path, question: str) -> None:
    answers = [
        ("language", "en"),
        ("called", "Ann"),
        ("time zone", ""),
        ("Number", "2"),
        ("address", "http://localhost:1/v1"),
        ("Name of the model", "x"),
        ("none): ", ""),
        ("or keep it", "n"),
        ("Write it?", ""),
    ]
    asked = [name for name, _ in answers]
    async with at_terminal(tmp_path, "init") as terminal:
        await answer(terminal, *answers[: asked.index(question)])
        await terminal.until(question)
        if question != "none): ":  # a key is read unseen, from the terminal itself
            await terminal.reads()
        terminal.process.send_signal(signal.SIGINT)
        code = await terminal.ended()

    assert code != 0
    assert files(tmp_path) == []


async def test_model_that_does_not_answer_can_be_chosen_again(tmp_path: Path) -> None:
    async with ModelEndpoint() as endpoint:
        endpoint.reply(Raw(401, error_body("Incorrect API key provided")))
        async with at_terminal(tmp_path, "init") as terminal:
            seen = await answer(
                terminal,
                ("language", "en"),
                ("called", "Ann"),
                ("time zone", ""),
                ("Number", "4"),
                ("address", endpoint.url),
                ("Name of the model", "x"),
                ("none): ", KEY),
                ("or keep it", "y"),
                ("Number", "1"),
                ("Write it?", "y"),
                ("Number", "3"),
            )
            await terminal.until("Ready.")
            assert await terminal.ended() == 0

    assert "refuses the key in LOREKEEPER_MODEL_API_KEY" in seen
    assert written(tmp_path) == {"LOREKEEPER_USER_NAME": "Ann"}


async def test_file_that_is_there_is_changed_only_when_told(tmp_path: Path) -> None:
    old = "# mine\nOTHER=1\nLOREKEEPER_LANGUAGE=de\nLOREKEEPER_TRACE=full\n"
    env = tmp_path / ".env"
    await asyncio.to_thread(env.write_text, old)
    async with at_terminal(tmp_path, "init") as terminal:
        await answer(terminal, (".env", "n"))
        await terminal.until("geschrieben.")
        assert await terminal.ended() == 0
    refused = await lorekeeper(tmp_path, "init", "--yes", "--language", "en")
    assert await asyncio.to_thread(env.read_text) == old

    changed = await lorekeeper(tmp_path, "init", "--yes", "--replace", "--language", "fr")

    assert (refused.code, changed.code) == (1, 0)
    assert await asyncio.to_thread(env.read_text) == (
        "# mine\nOTHER=1\nLOREKEEPER_TRACE=full\nLOREKEEPER_LANGUAGE=fr\n"
    )


async def test_without_a_terminal_everything_comes_from_the_options(tmp_path: Path) -> None:
    book = tmp_path / "heron.md"
    await asyncio.to_thread(book.write_text, "# The Heron\n\n## 1\n\nMara Venn came home.\n")
    async with ModelEndpoint() as endpoint:
        endpoint.reply(Call("ping", {"word": "pong"}))
        ended = await lorekeeper(
            tmp_path, "init", "--yes", "--name", "Ann", "--model", "m", "--model-url", endpoint.url,
            "--key-stdin", "--import", "heron.md", typed=f"{KEY}\n",
        )  # fmt: skip
    read = await lorekeeper(tmp_path, "chat", "--say", "/scene read 1")

    assert ended.code == 0, ended.said
    assert KEY not in ended.said
    assert written(tmp_path)["LOREKEEPER_MODEL_API_KEY"] == KEY
    assert "Mara Venn came home." in read.said


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "With --yes everything is taken"),
        (("--yes", "--time-zone", "Nowhere"), "LOREKEEPER_TIME_ZONE"),
        (("--yes", "--model", "m"), "LOREKEEPER_MODEL_BASE_URL is missing"),
        (("--yes", "--model", "m", "--model-url", "http://localhost:1/v1"), "can’t be reached"),
        (("--yes", "--name", "a${HOME}b"), "can't be written"),
    ],
)
async def test_what_cannot_be_set_up_is_a_sentence_and_writes_nothing(
    tmp_path: Path, options: tuple[str, ...], sentence: str
) -> None:
    ended = await lorekeeper(tmp_path, "init", *options)

    assert ended.code in {1, 2}
    assert sentence in ended.said
    assert files(tmp_path) == []


async def test_everything_as_by_default_needs_no_file(tmp_path: Path) -> None:
    ended = await lorekeeper(tmp_path, "init", "--yes", "--sample")

    assert ended.code == 0
    assert ".env" not in files(tmp_path)
    assert "The Causeway Bells" in ended.said
