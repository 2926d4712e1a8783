"""The questions of `lorekeeper init`: each is asked until its answer can be used; nothing is written here."""

import os
from collections.abc import Mapping
from pathlib import Path

import typer

from agent_core.texts import say
from bot.setting_kinds import variable
from bot.settings import Settings, SettingsError, settings_from

ASKED = ("language", "data_dir", "user_name", "time_zone", "model", "model_base_url", "model_api_key")
MODEL_FIELDS = ("model", "model_base_url", "model_api_key")
ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "ollama": "http://localhost:11434/v1",
    "litellm": "http://localhost:4000/v1",
}
_KINDS = ("none", "openai", "ollama", "litellm")
_KEYLESS = frozenset({"ollama"})


class Interview:
    """Collects values for settings. `given` are those of the command line, `known` those that hold so far.

    Without a person to ask, what isn't given is as known.
    """

    def __init__(self, given: Mapping[str, str], known: Settings, *, asks: bool) -> None:
        self._given = given
        self._known = known
        self._asks = asks
        self._values: dict[str, str] = {}

    @property
    def language(self) -> str:
        """The language to ask in: the one chosen, else the one known."""
        return self._values.get("language", self._known.language)

    def settings(self) -> Settings:
        """Return the settings with all answers so far."""
        return settings_from(self._values)

    def lines(self) -> dict[str, str | None]:
        """Return for each variable that is asked for its value, None where that is the default."""
        default, chosen = settings_from({}), self.settings()
        values = {name: (_text(chosen, name), _text(default, name)) for name in ASKED}
        return {variable(name): value if value != usual else None for name, (value, usual) in values.items()}

    def ask_place(self) -> None:
        """Ask for language, folder, name and time zone."""
        for field in ("language", "data_dir", "user_name", "time_zone"):
            self._settle(field, _text(self._known, field) or "")

    def ask_model(self) -> None:
        """Ask which model is to answer; what was answered before is forgotten."""
        for field in MODEL_FIELDS:
            self._values.pop(field, None)
        if not self._asks or self._given.keys() & set(MODEL_FIELDS):
            self._take_model()
            return
        kind = self.choose("models", "model", _KINDS)
        if kind == "none":
            return
        known = self._known.model_base_url if kind == "openai" else None
        self._values["model_base_url"] = ADDRESSES[kind]
        self._settle("model_base_url", known or ADDRESSES[kind])
        self._settle("model", self._known.model or "")
        if kind not in _KEYLESS:
            self._settle("model_api_key", "")

    def drop_given_model(self) -> None:
        """Forget what the command line said of the model, so that it is asked for."""
        self._given = {name: value for name, value in self._given.items() if name not in MODEL_FIELDS}

    def choose(self, question: str, group: str, kinds: tuple[str, ...]) -> str:
        """Return the one of `kinds` that the person chooses by its number; the first is the default."""
        typer.echo(say(self.language, f"init.{question}"))
        for number, kind in enumerate(kinds, 1):
            typer.echo(f"  {number}  {say(self.language, f'init.{group}_{kind}')}")
        while True:
            answer = typer.prompt(say(self.language, "init.choose"), default="1").strip()
            if answer.isdecimal() and 1 <= int(answer) <= len(kinds):
                return kinds[int(answer) - 1]

    def _take_model(self) -> None:
        for field in MODEL_FIELDS:
            value = self._given.get(field) or _text(self._known, field)
            if value and not os.environ.get(variable(field)):
                self._values[field] = value
        self.settings()

    def _settle(self, field: str, default: str) -> None:
        """Take a value from the environment, the command line or the person, until it can be used.

        Raises:
            SettingsError: it can't be used, and there is nobody to ask.

        """
        if os.environ.get(variable(field)):
            shown = (
                say(self.language, "init.hidden") if field == "model_api_key" else os.environ[variable(field)]
            )
            typer.echo(say(self.language, "init.from_environment", variable=variable(field), value=shown))
            return
        while True:
            try:
                self._take(
                    field, self._given[field] if field in self._given else self._answer(field, default)
                )
            except SettingsError as error:
                if field in self._given or not self._asks:
                    raise
                for problem in error.problems:
                    typer.echo(problem)
            else:
                return

    def _answer(self, field: str, default: str) -> str:
        if not self._asks:
            return default
        hidden = field == "model_api_key"
        answer = typer.prompt(
            say(self.language, f"init.{field}"),
            default=default,
            hide_input=hidden,
            show_default=bool(default) and not hidden,
        )
        return str(answer).strip()

    def _take(self, field: str, value: str) -> None:
        before = dict(self._values)
        self._values.pop(field, None)
        if value:
            self._values[field] = value
        try:
            settings = self.settings()
            if field == "data_dir" and not _can_be_made(settings.data_dir):
                sentence = say(self.language, "init.no_folder", folder=str(settings.data_dir))
                raise SettingsError((sentence,))
        except SettingsError:
            self._values = before
            raise
        if value:
            self._values[field] = _text(settings, field) or ""


def _text(settings: Settings, field: str) -> str | None:
    match field:
        case "time_zone":
            return settings.time_zone.key
        case "model_api_key":
            return settings.model_api_key.get_secret_value() if settings.model_api_key else None
    value = getattr(settings, field)
    return None if value is None else str(value)


def _can_be_made(folder: Path) -> bool:
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)
