"""The commands as Discord lists them: forms made of the one command table, described in three languages."""

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import discord
from discord import app_commands

from adapters.commands import COMMANDS, Kind, Option
from agent_core.texts import LANGUAGES, has, say

PRIVATE = "private"
WHERE = "where"
EVERYWHERE = ("start", "help")
"""All that a server knows that nobody let in."""
MAX_ABOUT = 100

AppCommand = app_commands.Command[Any, ..., Any] | app_commands.Group | app_commands.ContextMenu
# Any: as discord.py declares what a command is bound to and returns
Tree = app_commands.CommandTree[discord.Client]
Run = Callable[[discord.Interaction, str, Mapping[str, object]], Awaitable[None]]
OnMessage = Callable[[discord.Interaction, discord.Message], Coroutine[Any, Any, None]]  # Any: as it wants

_COMPLETED = frozenset(
    {Kind.ENTRY, Kind.ENTRIES, Kind.POSITION, Kind.TOLD, Kind.BOOK, Kind.DETAIL, Kind.NUMBER}
)
_CHOICES: Mapping[Kind, tuple[str, tuple[str, ...]]] = {
    Kind.WHEN: ("discord.when", ("start", "end")),
    Kind.ORDER: ("discord.order", ("story", "reading")),
    Kind.RELATION: ("discord.relation", ("before", "after", "with")),
    Kind.TYPE: ("type", ("character", "location", "faction", "object", "rule")),
    Kind.ROLE: ("role", ("owner", "editor", "reader", "none")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A command as a form: `name` is what Discord shows, `meant` what the command table calls it."""

    name: str
    meant: str
    about: str
    options: tuple[Option, ...] = ()
    attaches: bool = False
    takes_role: bool = False
    takes_place: bool = False
    reads: bool = False


_LISTED = frozenset({"members", "access", "schedule"})
"""Commands that are groups besides, which can't be called by themselves."""
FORMS = (
    Form(
        name="start",
        meant="start",
        about="discord.about_start",
        options=(Option(name="code", kind=Kind.TEXT, argument="code"),),
    ),
    *(
        Form(
            name=f"{command.name} list" if command.name in _LISTED else command.name,
            meant=command.name,
            about=f"about.{command.name}",
            options=command.options,
            takes_place=command.name == "book link",
            reads=bool(command.tool) and not command.writes,
        )
        for command in COMMANDS
    ),
    Form(
        name="book open",
        meant="book open",
        about="discord.about_book_open",
        options=(
            Option(name="book", kind=Kind.TEXT, argument="book", required=True),
            Option(name="series", kind=Kind.TEXT, argument="series"),
        ),
    ),
    Form(name="import", meant="import", about="discord.about_import", attaches=True),
    Form(
        name="members role",
        meant="members role",
        about="discord.about_members_role",
        options=(
            Option(name="role", kind=Kind.ROLE, argument="role", required=True),
            Option(name="position", kind=Kind.POSITION, argument="position"),
        ),
        takes_role=True,
    ),
)


class Texts(app_commands.Translator):
    """Descriptions of commands in the languages of our catalogue."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        key = string.extras.get("key")
        language = locale.value.partition("-")[0]
        if not isinstance(key, str) or language not in LANGUAGES or language == "en":
            return None
        return _about(key, language)


def everywhere(run: Run) -> list[AppCommand]:
    """Return the commands that all places know."""
    return [_command(form, form.name, run) for form in FORMS if form.meant in EVERYWHERE]


def for_servers(run: Run, menus: Mapping[str, OnMessage]) -> list[AppCommand]:
    """Return the commands that a server gets once it is let in, menus of messages by their text key too."""
    return [*_tops(run), *_menus(menus)]


def _tops(run: Run) -> Iterator[AppCommand]:
    forms = sorted((form for form in FORMS if form.meant not in EVERYWHERE), key=lambda form: form.name)
    for first, members in groupby(forms, key=lambda form: form.name.partition(" ")[0]):
        belonging = list(members)
        if belonging[0].name == first:
            yield _command(belonging[0], first, run)
            continue
        group = app_commands.Group(name=first, description=_text(f"discord.group_{first}"))
        for form in belonging:
            group.add_command(_command(form, form.name.partition(" ")[2], run))
        yield group


def _menus(menus: Mapping[str, OnMessage]) -> Iterator[app_commands.ContextMenu]:
    for key, on_message in menus.items():

        def make(act: OnMessage) -> OnMessage:
            async def acted(interaction: discord.Interaction, message: discord.Message) -> None:
                await act(interaction, message)

            return acted

        yield app_commands.ContextMenu(name=_text(f"discord.menu_{key}"), callback=make(on_message))


def _command(
    form: Form, name: str, run: Run
) -> app_commands.Command[Any, ..., Any]:  # Any: as discord.py has it
    async def invoked(interaction: discord.Interaction, **given: object) -> None:
        await run(interaction, form.meant, {key.removesuffix("_"): value for key, value in given.items()})

    parameters = list(_parameters(form))
    first = inspect.Parameter(
        "interaction", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=discord.Interaction
    )
    signature = inspect.Signature([first, *(parameter for parameter, _ in parameters)])
    setattr(invoked, "__signature__", signature)  # noqa: B010  a function's signature is no declared attribute
    shown = {f"{option.name}_": option for option in form.options}
    app_commands.rename(**{parameter.name: parameter.name.removesuffix("_") for parameter, _ in parameters})(
        invoked
    )
    app_commands.describe(**{parameter.name: _text(key) for parameter, key in parameters})(invoked)
    listed = {name_: _choices(option.kind) for name_, option in shown.items() if option.kind in _CHOICES}
    if listed:
        app_commands.choices(**listed)(invoked)
    completed = {name_: _completed for name_, option in shown.items() if option.kind in _COMPLETED}
    if completed:
        app_commands.autocomplete(**completed)(invoked)
    return app_commands.Command(name=name, description=_text(form.about), callback=invoked)


def _parameters(form: Form) -> Iterator[tuple[inspect.Parameter, str]]:
    """Yield the parameters of a form, those that must be given first, with the text about each."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    if form.attaches:
        yield inspect.Parameter("file_", kind, annotation=discord.Attachment), "discord.option_file"
    if form.takes_role:
        yield inspect.Parameter("discord_role_", kind, annotation=discord.Role), "discord.option_role"
    for option in sorted(form.options, key=lambda one: not one.required):
        default = inspect.Parameter.empty if option.required else None
        plain = discord.User if option.kind is Kind.PERSON and option.required else str
        annotation = plain if option.required else plain | None
        yield (
            inspect.Parameter(f"{option.name}_", kind, default=default, annotation=annotation),
            f"option.{option.name}",
        )
    if form.takes_place:
        place = app_commands.AppCommandChannel | None
        yield (
            inspect.Parameter(f"{WHERE}_", kind, default=None, annotation=place),
            "discord.option_where",
        )
    if form.reads:
        yield (
            inspect.Parameter(f"{PRIVATE}_", kind, default=None, annotation=bool | None),
            "discord.option_private",
        )


async def _completed(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Declare that an option is completed; the tree's own check answers, see `client`."""
    return []


def _choices(kind: Kind) -> list[app_commands.Choice[str | int | float]]:
    section, values = _CHOICES[kind]
    return [app_commands.Choice(name=_text(f"{section}.{value}"), value=value) for value in values]


def _text(key: str) -> app_commands.locale_str:
    return app_commands.locale_str(_about(key, "en"), key=key)


def _about(key: str, language: str) -> str:
    return say(language, key if has(key) else "option.other")[:MAX_ABOUT]
