"""Runs one command: settings, logs, event loop, and a plain sentence for whatever goes wrong."""

import asyncio
import gc
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import TextIO

import typer

from agent_core.errors import LoreKeeperError
from agent_core.pipeline.redaction import Redaction
from agent_core.texts import say
from bot.logs import set_up_logs
from bot.settings import Settings, SettingsError, load_settings, unknown_variables, unread_lines
from bot.wiring import App, build

TROUBLE = 1
USAGE = 2
INTERRUPTED = 130
TERMINATED = 143
LOG_NAME = "lorekeeper.log"

logger = logging.getLogger(__name__)


def settings_or_exit() -> Settings:
    """Return the settings with logs set up; exit with the problems if they can't be used.

    At a terminal logs go to a file beside the notes: they would break into what people read.
    """
    try:
        settings = load_settings()
    except SettingsError as error:
        for problem in error.problems:
            typer.echo(problem, err=True)
        raise typer.Exit(USAGE) from error
    redact = Redaction(settings.secret_values()).outside_json
    set_up_logs(settings.log_level, settings.log_format, redact, _log_file(settings))
    for warning in (*unread_lines(), *unknown_variables()):
        typer.echo(warning, err=True)
    return settings


def _log_file(settings: Settings) -> TextIO | None:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        return open(settings.data_dir / LOG_NAME, "a", encoding="utf-8", opener=_for_owner)
    except OSError:
        return None


def _for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def with_app(work: Callable[[App], Awaitable[int]]) -> None:
    """Build the application, run `work` in it, and exit with the code that it returns."""
    settings = settings_or_exit()

    async def opened() -> int:
        async with build(settings) as app:
            gc.freeze()  # what is there now stays: collections need not walk it again and again
            return await work(app)

    run_to_exit(opened(), settings.language)


def run_to_exit(work: Coroutine[object, object, int], language: str) -> None:
    """Run a coroutine and exit with its code; an error of ours becomes its sentence."""
    with or_exit(language):
        code = _run(work)
    raise typer.Exit(code)


@contextmanager
def or_exit(language: str) -> Iterator[None]:
    """Exit with a sentence if an error, or the person, ends what is done within."""
    try:
        yield
    except LoreKeeperError as error:
        typer.echo(say(language, error.text_key, **error.facts), err=True)
        raise typer.Exit(TROUBLE) from error
    except KeyboardInterrupt as stop:
        typer.echo(say(language, "cli.interrupted"), err=True)
        raise typer.Exit(INTERRUPTED) from stop
    except asyncio.CancelledError as stop:
        raise typer.Exit(TERMINATED) from stop
    except (typer.Exit, BrokenPipeError):
        raise
    except Exception as error:  # the border of a command: nothing gets past it unexplained
        logger.exception("command failed")
        typer.echo(say(language, "cli.broke"), err=True)
        raise typer.Exit(TROUBLE) from error


def confirmed(question: str) -> bool:
    """Return the answer to a question, yes if it is only Enter; Ctrl-C ends the command at once.

    The loop, which waits for the answer too, would only hear of a signal afterwards.
    """
    before = (
        signal.signal(signal.SIGINT, signal.default_int_handler),
        signal.signal(signal.SIGTERM, signal.SIG_DFL),
    )
    try:
        return typer.confirm(question, default=True)
    except typer.Abort as abort:  # what Ctrl-C comes out as
        raise KeyboardInterrupt from abort
    finally:
        signal.signal(signal.SIGINT, before[0])
        signal.signal(signal.SIGTERM, before[1])


def _run(work: Coroutine[object, object, int]) -> int:
    if sys.platform == "win32":
        return asyncio.run(work)
    import uvloop  # noqa: PLC0415  it does not exist everywhere

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_until_terminated(work))


async def _until_terminated(work: Coroutine[object, object, int]) -> int:
    """Return what `work` returns; SIGTERM cancels it, so that all that is open is closed."""
    task = asyncio.current_task()
    assert task is not None  # noqa: S101  a coroutine of ours always runs in a task
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work
