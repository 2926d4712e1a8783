"""What Discord lets a bot register as commands."""

import re
from typing import Final

from tests.emulators.discord.model import Json
from tests.emulators.discord.refusal import Form

SUBCOMMAND, GROUP, STRING, INTEGER, BOOLEAN = 1, 2, 3, 4, 5
USER, CHANNEL, ROLE, MENTIONABLE, NUMBER, ATTACHMENT = 6, 7, 8, 9, 10, 11
SLASH, USER_MENU, MESSAGE_MENU = 1, 2, 3
_NAME: Final = re.compile(r"^[-_'\w]{1,32}$")
_MOST: Final = {SLASH: 100, USER_MENU: 15, MESSAGE_MENU: 15}
LOCALES: Final = frozenset(
    [
        "id",
        "da",
        "de",
        "en-GB",
        "en-US",
        "es-ES",
        "es-419",
        "fr",
        "hr",
        "it",
        "lt",
        "hu",
        "nl",
        "no",
        "pl",
        "pt-BR",
        "ro",
        "fi",
        "sv-SE",
        "vi",
        "tr",
        "cs",
        "el",
        "bg",
        "ru",
        "uk",
        "hi",
        "th",
        "zh-CN",
        "ja",
        "zh-TW",
        "ko",
    ]
)


def check_commands(commands: list[Json]) -> None:
    """Refuse a set of commands that Discord would refuse.

    Raises:
        Refused: 50035 with the fields that are wrong.
    """
    form = Form()
    seen: set[tuple[int, str]] = set()
    for number, command in enumerate(commands):
        path = str(number)
        kind = command.get("type") or SLASH
        form.choice(f"{path}.type", kind, frozenset(_MOST))
        if (kind, command.get("name", "")) in seen:
            text = "Application command names must be unique"
            form.wrong(path, "APPLICATION_COMMANDS_DUPLICATE_NAME", text)
        seen.add((kind, command.get("name", "")))
        _check_command(form, command, path, kind)
    for kind, most in _MOST.items():
        if sum(1 for found, _ in seen if found == kind) > most:
            form.wrong("0", "BASE_TYPE_BAD_LENGTH", f"There are at most {most} commands of type {kind}")
    form.close()


def _check_command(form: Form, command: Json, path: str, kind: int) -> None:
    if kind == SLASH:
        _check_names(form, command, path)
        _check_options(form, command.get("options") or [], f"{path}.options", depth=0)
        if _size(command) > 8000:
            form.wrong(path, "APPLICATION_COMMAND_TOO_LARGE", "The command exceeds 8000 characters")
        return
    form.length(f"{path}.name", command.get("name"), 1, 32)
    if command.get("description"):
        form.wrong(
            f"{path}.description", "APPLICATION_COMMAND_INVALID_DESCRIPTION", "Menus have no description"
        )
    if command.get("options"):
        form.wrong(f"{path}.options", "APPLICATION_COMMAND_INVALID_OPTIONS", "Menus have no options")
    _check_locales(form, command, path, "name", 32)


def _check_names(form: Form, named: Json, path: str) -> None:
    form.length(f"{path}.name", named.get("name"), 1, 32)
    names = {"name": named.get("name"), **(named.get("name_localizations") or {})}
    for key, name in names.items():
        if isinstance(name, str) and (not _NAME.match(name) or name != name.lower()):
            place = f"{path}.name" if key == "name" else f"{path}.name_localizations.{key}"
            form.wrong(place, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    form.length(f"{path}.description", named.get("description"), 1, 100)
    _check_locales(form, named, path, "name", 32)
    _check_locales(form, named, path, "description", 100)


def _check_locales(form: Form, named: Json, path: str, key: str, most: int) -> None:
    for locale, text in (named.get(f"{key}_localizations") or {}).items():
        place = f"{path}.{key}_localizations.{locale}"
        if locale not in LOCALES:
            form.wrong(place, "BASE_TYPE_CHOICES", "Value must be one of the locales")
        form.length(place, text, 1, most)


def _check_options(form: Form, options: list[Json], path: str, *, depth: int) -> None:
    if not form.count(path, options, 0, 25):
        return
    optional_seen, names = False, set()
    for number, option in enumerate(options):
        place = f"{path}.{number}"
        _check_names(form, option, place)
        form.choice(f"{place}.type", option.get("type"), frozenset(range(1, 12)))
        if option.get("name") in names:
            form.wrong(f"{place}.name", "APPLICATION_COMMAND_OPTIONS_NAME_DUPLICATE", "Names must be unique")
        names.add(option.get("name"))
        if option.get("required") and optional_seen:
            text = "Required options must be placed before non-required options"
            form.wrong(place, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", text)
        nested = option.get("type") in (SUBCOMMAND, GROUP)
        optional_seen = optional_seen or (not nested and not option.get("required"))
        if nested and (depth > 1 or (depth == 1 and option["type"] == GROUP)):
            form.wrong(place, "APPLICATION_COMMAND_OPTIONS_TYPE_INVALID", "Too deep")
        elif nested:
            _check_options(form, option.get("options") or [], f"{place}.options", depth=depth + 1)
        else:
            _check_choices(form, option, place)


def _check_choices(form: Form, option: Json, path: str) -> None:
    choices = option.get("choices") or []
    if not form.count(f"{path}.choices", choices, 0, 25):
        return
    if choices and option.get("autocomplete"):
        text = "An option has either choices or autocomplete"
        form.wrong(path, "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_CHOICES", text)
    for number, choice in enumerate(choices):
        place = f"{path}.choices.{number}"
        form.length(f"{place}.name", choice.get("name"), 1, 100)
        if isinstance(choice.get("value"), str):
            form.length(f"{place}.value", choice["value"], 1, 100)
        _check_locales(form, choice, place, "name", 100)


def _size(named: Json) -> int:
    """Return the characters that count: of each text its longest localisation."""
    size = 0
    for key in ("name", "description"):
        texts = [named.get(key) or "", *(named.get(f"{key}_localizations") or {}).values()]
        size += max(len(text) for text in texts)
    for choice in named.get("choices") or []:
        size += len(choice.get("name") or "") + len(str(choice.get("value") or ""))
    return size + sum(_size(option) for option in named.get("options") or [])
