"""`lorekeeper token`: makes, lists and revokes the tokens by which programs and browsers are known."""

from typing import Annotated

import typer

from agent_core.people.model import Identity
from agent_core.texts import say
from bot.cli.place import LOCAL, PLATFORM
from bot.cli.start import TROUBLE, with_app
from bot.wiring import App

token = typer.Typer(help="Make, list and revoke tokens for the HTTP API.", no_args_is_help=True)

Whose = Annotated[
    str, typer.Option("--person", help="Whose: an account such as terminal:ann; new ones are begun.")
]
Name = Annotated[str, typer.Option("--name", help="What it is for, as the list shows it.")]


@token.command()
def make(person: Whose = f"{PLATFORM}:{LOCAL}", name: Name = "token") -> None:
    """Print a new token, this once; who sends it is this person."""
    with_app(lambda app: _make(app, person, name))


@token.command("list")
def list_() -> None:
    """List the tokens by the part of them that may be shown."""
    with_app(_list)


@token.command()
def revoke(token_id: Annotated[str, typer.Argument(metavar="ID", help="As the list shows it.")]) -> None:
    """Let a token be good no longer."""
    with_app(lambda app: _revoke(app, token_id))


async def _make(app: App, account: str, name: str) -> int:
    platform, colon, user = account.partition(":")
    if not (platform and colon and user):
        typer.echo(say(app.settings.language, "error.not_permitted.unknown_person"), err=True)
        return TROUBLE
    is_local = (platform, user) == (PLATFORM, LOCAL)
    called = app.settings.user_name if is_local else user
    people = app.core.askers.people
    person = await people.person_for(
        Identity(platform, user), called, new_id=app.core.runtime.new_id(), operator=is_local
    )
    typer.echo(say(app.settings.language, "http.token_made", person=person.name), err=True)
    typer.echo(await app.tokens.make(person.id, name))
    return 0


async def _list(app: App) -> int:
    language = app.settings.language
    found = await app.tokens.store.tokens()
    for one in found:
        person = await app.core.askers.people.person(one.person)
        typer.echo(
            say(
                language,
                "http.token_line",
                id=one.id,
                person=person.name if person else "?",
                name=one.name,
                state="revoked" if one.revoked else "good",
            )
        )
    if not found:
        typer.echo(say(language, "http.token_none"))
    return 0


async def _revoke(app: App, token_id: str) -> int:
    is_revoked = await app.tokens.store.revoke_token(token_id)
    key = "http.token_revoked" if is_revoked else "http.token_unknown"
    typer.echo(say(app.settings.language, key, id=token_id), err=not is_revoked)
    return 0 if is_revoked else TROUBLE
