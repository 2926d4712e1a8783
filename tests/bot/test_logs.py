"""Log lines: their shape, and that nothing leaves unredacted."""

import io
import json
import logging
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_core.messages import Json
from bot.logs import CHATTY, set_up_logs

SECRET = "open-sesame-0123456789"
ROOT = Path(__file__).parents[2]
MASK = "(hidden)"


def masked(line: Json) -> Json:
    hidden: Json = json.loads(json.dumps(line).replace(SECRET, MASK))
    return hidden


@pytest.fixture(autouse=True)
def restored_logging() -> Iterator[None]:
    handlers, level = logging.root.handlers, logging.root.level
    hooks = sys.excepthook, sys.unraisablehook
    yield
    logging.captureWarnings(capture=False)
    logging.root.handlers = handlers
    logging.root.setLevel(level)
    sys.excepthook, sys.unraisablehook = hooks


@pytest.fixture
def text_log() -> io.StringIO:
    stream = io.StringIO()
    set_up_logs("info", "text", masked, stream)
    return stream


@pytest.fixture
def json_log() -> io.StringIO:
    stream = io.StringIO()
    set_up_logs("info", "json", masked, stream)
    return stream


def test_text_line_has_a_utc_stamp_and_its_facts(text_log: io.StringIO) -> None:
    record = logging.makeLogRecord(
        {"name": "bot.turn", "levelname": "INFO", "levelno": 20, "msg": "call done"}
    )
    record.created = 1_700_000_000.25
    record.tool, record.ms = "search lore", 12

    logging.getLogger("bot.turn").handle(record)

    assert text_log.getvalue() == (
        '2023-11-14T22:13:20.250000Z INFO bot.turn call done tool="search lore" ms=12\n'
    )


def test_json_line_is_one_object_with_its_facts(json_log: io.StringIO) -> None:
    logging.getLogger("bot.turn").warning("call\n%s", "done", extra={"tool": "search", "path": Path("a/b")})

    [line] = json_log.getvalue().splitlines()
    shown = json.loads(line)
    assert {name: shown[name] for name in ("level", "logger", "message", "tool", "path")} == {
        "level": "WARNING",
        "logger": "bot.turn",
        "message": "call\ndone",
        "tool": "search",
        "path": "a/b",
    }


def test_text_line_stays_one_line_whatever_the_message_contains(text_log: io.StringIO) -> None:
    logging.getLogger("bot").info("first\n2026-01-01T00:00:00.000000Z INFO forged", extra={"fact": "a\nb"})

    assert len(text_log.getvalue().splitlines()) == 1


@pytest.mark.parametrize("form", ["text_log", "json_log"])
def test_secrets_are_masked_in_message_arguments_facts_and_traceback(
    form: str, request: pytest.FixtureRequest
) -> None:
    stream: io.StringIO = request.getfixturevalue(form)
    try:
        raise ValueError(f"refused key {SECRET}")
    except ValueError:
        logging.getLogger("bot").exception(
            "asked %s with %s", "host", SECRET, extra={"header": f"Bearer {SECRET}"}
        )

    shown = stream.getvalue()
    assert SECRET not in shown
    assert shown.count(MASK) == 3
    assert "ValueError: refused key" in shown


def test_a_line_that_cannot_be_formatted_is_named_but_not_shown(
    text_log: io.StringIO, capfd: pytest.CaptureFixture[str]
) -> None:
    record = logging.LogRecord("bot.turn", logging.ERROR, "", 0, "two %s %s", (SECRET,), None)

    logging.root.handlers[0].handle(record)  # not through a logger: pytest listens there too

    assert text_log.getvalue() == ""
    assert capfd.readouterr().err == "a log line of bot.turn was lost: TypeError\n"


def test_a_line_whose_redaction_fails_is_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    def broken(_: Json) -> Json:
        raise RuntimeError(SECRET)

    stream = io.StringIO()
    set_up_logs("info", "text", broken, stream)

    logging.getLogger("bot").error("plain")

    assert stream.getvalue() == ""
    assert SECRET not in capfd.readouterr().err


def test_lines_below_the_level_and_chatty_libraries_are_left_out(text_log: io.StringIO) -> None:
    logging.getLogger("bot").debug("detail")
    for name in CHATTY:
        logging.getLogger(name).info("GET /v1?key=1")
    logging.getLogger("openai").warning("retrying")

    assert [line.split()[2] for line in text_log.getvalue().splitlines()] == ["openai"]


def test_python_warnings_become_log_lines(text_log: io.StringIO) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=False)
        logging.captureWarnings(capture=True)
        warnings.warn(f"old use of {SECRET}", stacklevel=1)

    assert "old use of" in text_log.getvalue()
    assert SECRET not in text_log.getvalue()


@pytest.mark.parametrize(
    "last_words",
    [
        "raise ValueError(secret)",
        "thread = threading.Thread(target=fail); thread.start(); thread.join()",
        "Broken(); gc.collect()",
    ],
)
def test_uncaught_exception_is_logged_without_the_secret(last_words: str) -> None:
    program = f"""
import gc, json, os, threading
from bot.logs import set_up_logs
secret = os.environ["SECRET"]
set_up_logs("error", "json", lambda line: json.loads(json.dumps(line).replace(secret, "{MASK}")))
def fail():
    raise ValueError(secret)
class Broken:
    def __del__(self):
        raise ValueError(secret)
{last_words}
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "SECRET": SECRET, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    [line] = run.stderr.splitlines()
    assert json.loads(line)["message"] == "uncaught exception"
    assert SECRET not in run.stderr
    assert f"ValueError: {MASK}" in json.loads(line)["traceback"]


def test_interrupt_ends_without_a_log_line() -> None:
    program = """
from bot.logs import set_up_logs
set_up_logs("error", "text", lambda line: line)
raise KeyboardInterrupt
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert run.stderr == ""
