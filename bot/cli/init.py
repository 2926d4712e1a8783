"""`lorekeeper init`: an interview that ends with notes that can be talked about."""

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from agent_core.errors import ModelFailure
from agent_core.llm.selftest import can_call_tools
from agent_core.pipeline.redaction import Redaction
from agent_core.texts import say
from bot.cli.interview import Interview
from bot.cli.manuscripts import import_files
from bot.cli.model_check import explained
from bot.cli.place import Seat, seated
from bot.cli.sample import ensure_series
from bot.cli.start import TROUBLE, USAGE, or_exit, run_to_exit, settings_or_exit
from bot.databases import migrate_database
from bot.env_file import env_text, write_env
from bot.logs import set_up_logs
from bot.setting_kinds import variable
from bot.settings import ENV_FILE, Settings, SettingsError, load_settings, settings_from
from bot.wiring import App, build, open_model

_BEGINNINGS = ("sample", "import", "empty")

Language = Annotated[str, typer.Option("--language", help="en, de or fr.")]
Folder = Annotated[str, typer.Option("--data-dir", help="Folder for the notes.")]
Name = Annotated[str, typer.Option("--name", help="What you are called.")]
Zone = Annotated[str, typer.Option("--time-zone", help="Such as Europe/Berlin.")]
Model = Annotated[str, typer.Option("--model", help="Name of the language model.")]
Address = Annotated[str, typer.Option("--model-url", help="Address of its OpenAI-compatible endpoint.")]
KeyFromStdin = Annotated[bool, typer.Option("--key-stdin", help="Read the model's key from standard input.")]
Sample = Annotated[bool, typer.Option("--sample", help="Begin with the sample series.")]
File = Annotated[Path | None, typer.Option("--import", help="Begin with this book, or folder of books.")]
Yes = Annotated[bool, typer.Option("--yes", help="Ask nothing: take the options and the defaults.")]
Replace = Annotated[bool, typer.Option("--replace", help="With --yes: change a .env that is there.")]


def init(
    language: Language = "",
    data_dir: Folder = "",
    name: Name = "",
    time_zone: Zone = "",
    model: Model = "",
    model_url: Address = "",
    key_stdin: KeyFromStdin = False,
    sample: Sample = False,
    file: File = None,
    yes: Yes = False,
    replace: Replace = False,
) -> None:
    """Set LoreKeeper up: where the notes live, who you are, which model. Nothing is written until the end."""
    given = {
        "language": language,
        "data_dir": data_dir,
        "user_name": name,
        "time_zone": time_zone,
        "model": model,
        "model_base_url": model_url,
        "model_api_key": sys.stdin.readline().strip() if key_stdin else "",
    }
    try:
        settings = _set_up(
            {field: value for field, value in given.items() if value}, yes=yes, replace=replace
        )
    except SettingsError as error:
        for problem in error.problems:
            typer.echo(problem, err=True)
        raise typer.Exit(USAGE) from error
    with or_exit(settings.language):
        migrate_database(settings)
    beginning = "sample" if sample else "import" if file else "empty" if yes else ""
    run_to_exit(_begin(settings, beginning, file), settings.language)


def _set_up(given: Mapping[str, str], *, yes: bool, replace: bool) -> Settings:
    """Ask, test the model, write `.env`, and return the settings as every command reads them from now on."""
    known = _known()
    interview = Interview(given, known, asks=not yes)
    old = _old_text(interview.language, yes=yes, replace=replace)
    interview.ask_place()
    _settle_model(interview, asks=not yes)
    lines = interview.lines()
    text = env_text(old, lines)
    if not yes:
        _confirm(interview.language, lines)
    if text != old:
        try:
            write_env(ENV_FILE, text)
        except OSError as error:
            typer.echo(say(interview.language, "init.cannot_write", file=str(ENV_FILE)), err=True)
            raise typer.Exit(TROUBLE) from error
    return settings_or_exit()


def _known() -> Settings:
    """Return what holds now; a `.env` that can't be used is told of and counts as none."""
    try:
        return load_settings()
    except SettingsError as error:
        for problem in error.problems:
            typer.echo(problem, err=True)
        return settings_from({})


def _old_text(language: str, *, yes: bool, replace: bool) -> str:
    """Return the text of the `.env` that is to be changed; exit where it may not be."""
    if not yes and not sys.stdin.isatty():
        typer.echo(say(language, "init.no_terminal"), err=True)
        raise typer.Exit(USAGE)
    if not yes:
        typer.echo(say(language, "init.welcome"))
    if not ENV_FILE.exists():
        return ""
    if yes and not replace:
        typer.echo(say(language, "init.exists", file=str(ENV_FILE)), err=True)
        raise typer.Exit(TROUBLE)
    if not yes and not typer.confirm(say(language, "init.exists_ask", file=str(ENV_FILE)), default=False):
        typer.echo(say(language, "init.nothing"))
        raise typer.Exit
    try:
        return ENV_FILE.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError((f"{ENV_FILE} cannot be read as a text file.",)) from error


def _settle_model(interview: Interview, *, asks: bool) -> None:
    """Ask for the model until it answers or the person keeps it all the same."""
    while True:
        interview.ask_model()
        settings, language = interview.settings(), interview.language
        if settings.model is None:
            return
        typer.echo(say(language, "init.testing"))
        set_up_logs("error", "text", Redaction(settings.secret_values()).outside_json)
        with or_exit(language):
            test = asyncio.run(_test(settings))
        typer.echo(test.sentence, err=not test.answers and not asks)
        if test.answers and (test.calls_tools or not asks):
            return
        if not asks:
            raise typer.Exit(TROUBLE)
        if not typer.confirm(say(language, "init.again"), default=True):
            return
        interview.drop_given_model()


@dataclass(frozen=True, slots=True)
class _Test:
    """How a model stood the test, and the sentence that says so."""

    answers: bool
    calls_tools: bool
    sentence: str


async def _test(settings: Settings) -> _Test:
    language = settings.language
    try:
        async with open_model(settings) as model:
            calls = await can_call_tools(model)
    except ModelFailure as failure:
        return _Test(False, False, await explained(settings, failure))
    return _Test(True, calls, say(language, "init.model_fine" if calls else "answer.toolless"))


def _confirm(language: str, lines: Mapping[str, str | None]) -> None:
    written = {name: value for name, value in lines.items() if value is not None}
    if not written:
        typer.echo(say(language, "init.summary_nothing", file=str(ENV_FILE)))
        return
    typer.echo(say(language, "init.summary", file=str(ENV_FILE)))
    for name, value in written.items():
        shown = say(language, "init.hidden") if name == variable("model_api_key") else value
        typer.echo(f"  {name}={shown}")
    if not typer.confirm(say(language, "init.write"), default=True):
        typer.echo(say(language, "init.nothing"))
        raise typer.Exit


async def _begin(settings: Settings, beginning: str, file: Path | None) -> int:
    """Seat the person and bring in what they want to begin with."""
    language = settings.language
    async with build(settings) as app:
        await seated(app, Seat())
        if not beginning and not await app.core.askers.series.all_series():
            chooser = Interview({}, settings, asks=True)
            beginning = chooser.choose("begin", "begin", _BEGINNINGS)
        code = await _bring(app, beginning, file)
    if code == 0:
        typer.echo(say(language, "init.ready"))
    return code


async def _bring(app: App, beginning: str, file: Path | None) -> int:
    language = app.settings.language
    if beginning == "sample":
        name = await ensure_series(app)
        if name:
            typer.echo(say(language, "cli.sample", series=name))
    if beginning == "import":
        chosen = file or _asked_file(language)
        return await import_files(app, [chosen], "", yes=file is not None, delete_gone=False)
    return 0


def _asked_file(language: str) -> Path:
    return Path(typer.prompt(say(language, "init.import_file")).strip()).expanduser()
