"""All settings in one frozen model, and the only reader of the environment.

A setting is a variable `LOREKEEPER_NAME`, of the environment or of a file `.env` in the working directory.
"""

import logging
import os
from collections.abc import Mapping
from pathlib import Path

from dotenv import dotenv_values
from dotenv.parser import parse_stream
from pydantic import SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict
from rapidfuzz import process

from agent_core.notify.channels import secrets_of
from bot.fields.directus import Directus
from bot.fields.forge import Forge
from bot.fields.keeping import Keeping
from bot.fields.limits import Limits
from bot.fields.model import Model
from bot.fields.notify import Notify
from bot.fields.page import Page
from bot.fields.platforms import Platforms
from bot.fields.schedule import Schedule
from bot.fields.watching import Watching
from bot.fields.web import Web
from bot.problems import problem_sentences
from bot.setting_kinds import PREFIX, password_of, variable

ENV_FILE = Path(".env")


class SettingsError(Exception):
    """Settings that cannot be used; `problems` are sentences, each naming its variable."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class Settings(
    Schedule, Notify, Forge, Web, Watching, Platforms, Page, Limits, Model, Directus, Keeping, BaseSettings
):
    """Everything that can be set; each field's description stands in the documentation as it is here."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=ENV_FILE,
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        str_strip_whitespace=True,
    )

    def secret_values(self) -> tuple[str, ...]:
        """Return every configured secret in the clear, for redaction and nothing else."""
        values = (value for _, value in self)
        found = tuple(value.get_secret_value() for value in values if isinstance(value, SecretStr))
        channels = self.notify_channels.get_secret_value() if self.notify_channels else ""
        return (*found, *filter(None, [password_of(self.database_url)]), *secrets_of(channels))


def load_settings() -> Settings:
    """Return the settings of this process.

    Raises:
        SettingsError: if a variable has a value that cannot be used, or `.env` cannot be read.
    """
    logging.getLogger("dotenv").setLevel(logging.ERROR)  # `unread_lines` tells what it would
    try:
        return Settings()
    except ValidationError as error:
        raise SettingsError(problem_sentences(error, variable)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError((f"{ENV_FILE} cannot be read as a text file.",)) from error
    except RuntimeError as error:
        raise SettingsError((f"{PREFIX}DATA_DIR is missing, and this user has no home folder.",)) from error


def settings_from(values: Mapping[str, str]) -> Settings:
    """Return the settings of these fields, of the environment and the defaults; `.env` is not read.

    Raises:
        SettingsError: if a value cannot be used.
    """
    try:
        return Settings(_env_file=None, **values)  # type: ignore[arg-type]  # texts, as in the environment
    except ValidationError as error:
        raise SettingsError(problem_sentences(error, variable)) from None


def unread_lines() -> tuple[str, ...]:
    """Return a sentence for each line of `.env` that gives no variable a value."""
    if not ENV_FILE.is_file():
        return ()
    with ENV_FILE.open(encoding="utf-8-sig") as file:
        wrong = [binding.original.line for binding in parse_stream(file) if binding.error]
    said = "is not of the form NAME=value and was passed over"
    return tuple(f"{ENV_FILE}: line {line} {said}." for line in wrong)


def unknown_variables() -> tuple[str, ...]:
    """Return a sentence for each variable that looks like a setting but is none, with the nearest name."""
    known = [variable(name) for name in Settings.model_fields]
    present = sorted({name.upper() for name in (*os.environ, *dotenv_values(ENV_FILE))})
    return tuple(
        f"{name} is no setting; did you mean {process.extractOne(name, known)[0]}?"
        for name in present
        if name.startswith(PREFIX) and name not in known
    )
