"""`lorekeeper directus`: lays a Directus out for the canon, checks it, and brings series there."""

from typing import Annotated

import typer

from agent_core.texts import say
from bot.cli.start import TROUBLE, run_to_exit, settings_or_exit, with_app
from bot.directus import Examined, LaidOut, examine, lay_out
from bot.setting_kinds import variable
from bot.settings import Settings
from bot.wiring import App

directus = typer.Typer(help="Keep the canon in Directus.", no_args_is_help=True)

Apply = Annotated[bool, typer.Option("--apply", help="Make what is missing; without it only say so.")]
Only = Annotated[str, typer.Option("--series", help="Only this series; all without it.")]


@directus.command()
def init(apply: Apply = False) -> None:
    """Say what Directus lacks to keep the canon; with --apply make it."""
    settings = settings_or_exit()
    run_to_exit(_init(settings, apply=apply), settings.language)


@directus.command()
def check() -> None:
    """Check the account, collections and columns in Directus, and what people have edited there."""
    with_app(_check)


@directus.command()
def push(series: Only = "") -> None:
    """Bring series of this installation into Directus with all their edits; may be repeated."""
    with_app(lambda app: _push(app, series))


def report(examined: Examined, language: str) -> tuple[str, ...]:
    """Return a sentence for each thing that is not as it should be."""
    return (
        *(
            say(language, f"directus.{one.trouble.value}", collection=one.collection, right=one.right)
            for one in examined.findings
        ),
        *(
            say(language, "directus.unfit", collection=one.collection, row=one.row, column=one.column)
            for one in examined.unfit
        ),
        *(say(language, "directus.not_there", series=name) for name in examined.lacking),
    )


async def _init(settings: Settings, *, apply: bool) -> int:
    found = await lay_out(settings, apply=apply)
    language = settings.language
    typer.echo(say(language, "directus.server", version=found.version, url=settings.directus_url or ""))
    for line in _lines(found, language):
        typer.echo(line)
    if found.obstacles:
        typer.echo(say(language, "directus.obstacles"), err=True)
        return TROUBLE
    if found.token:
        typer.echo(say(language, "directus.token"), err=True)
        typer.echo(f"{variable('directus_token')}={found.token}")
    return 0


def _lines(found: LaidOut, language: str) -> list[str]:
    lines = [say(language, f"directus.step_{one.what.value}", name=one.name) for one in found.steps]
    lines += [
        say(language, f"directus.obstacle_{one.what.value}", name=one.name, there=one.there)
        for one in found.obstacles
    ]
    if not found.obstacles:
        key = "done" if found.is_done else "dry" if found.steps else "nothing"
        lines.append(say(language, f"directus.{key}"))
    return lines


async def _check(app: App) -> int:
    language = app.settings.language
    if app.canon.directus is None:
        typer.echo(say(language, "directus.unset", variable=variable("directus_url")), err=True)
        return TROUBLE
    examined = await examine(app.canon.directus)
    url = app.settings.directus_url or ""
    typer.echo(say(language, "directus.server", version=examined.version, url=url))
    for line in report(examined, language):
        typer.echo(line)
    if examined.is_fine:
        typer.echo(say(language, "directus.fine"))
    return 0 if examined.is_fine else TROUBLE


async def _push(app: App, name: str) -> int:
    language = app.settings.language
    if app.canon.directus is None:
        typer.echo(say(language, "directus.unset", variable=variable("directus_url")), err=True)
        return TROUBLE
    pushed = await app.canon.directus.push(name)
    for one in pushed:
        edits = say(language, "keeping.edits", n=one.edits)
        new = say(language, "keeping.edits", n=one.new)
        typer.echo(say(language, "directus.pushed", series=one.name, edits=edits, new=new))
    if not pushed:
        typer.echo(say(language, "directus.push_nothing"), err=True)
    return 0 if pushed else TROUBLE
