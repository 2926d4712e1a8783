"""All settings in one frozen model, and the only reader of the environment.

A setting is a variable `LOREKEEPER_NAME`, of the environment or of a file `.env` in the working directory.
"""

import getpass
import logging
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo

from dotenv import dotenv_values
from dotenv.parser import parse_stream
from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict
from rapidfuzz import process

from bot.problems import problem_sentences
from bot.setting_kinds import (
    Allowance,
    Chars,
    Count,
    Default,
    Hours,
    Price,
    Vaults,
    absolute,
    file_not_address,
    header_safe,
    lowered,
    off,
    password_of,
    postgres_address,
    web_address,
    zone,
    zone_or_none,
)

PREFIX = "LOREKEEPER_"
ENV_FILE = Path(".env")
LANGUAGES = ("en", "de", "fr")


class SettingsError(Exception):
    """Settings that cannot be used; `problems` are sentences, each naming its variable."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


def _data_folder() -> Path:
    base = os.environ.get("XDG_DATA_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".local" / "share") / "lorekeeper"


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container's user may have no name
        return "local"


def _machine_language() -> str:
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return locale[:2].lower() if locale[:2].lower() in LANGUAGES else "en"


def _machine_zone() -> ZoneInfo:
    link = os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    names = (os.environ.get("TZ", "").lstrip(":"), link)
    return next(filter(None, map(zone_or_none, names)), ZoneInfo("UTC"))


class Settings(BaseSettings):
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

    data_dir: Annotated[Path, AfterValidator(absolute), Default("~/.local/share/lorekeeper")] = Field(
        default_factory=_data_folder, description="Folder for everything that LoreKeeper keeps."
    )
    database: Annotated[
        Path,
        BeforeValidator(file_not_address),
        AfterValidator(absolute),
        Default("lorekeeper.db in the data folder"),
    ] = Field(
        default_factory=lambda data: data["data_dir"] / "lorekeeper.db",
        description="File of the SQLite database.",
    )
    database_url: Annotated[SecretStr, AfterValidator(postgres_address)] | None = Field(
        default=None,
        description="Address of a Postgres database in its place: postgresql://user:password@host/name.",
    )
    backup_dir: Annotated[Path, AfterValidator(absolute), Default("backups in the data folder")] = Field(
        default_factory=lambda data: data["data_dir"] / "backups", description="Folder for backups."
    )
    vaults: Vaults = Field(
        default=(), description="Notes folders that series may use, as NAME=FOLDER, apart by semicolons."
    )
    note_backups: Count = Field(default=30, description="Earlier contents that are kept of each note.")
    backup_keep: int = Field(
        default=7, ge=0, description="Nightly backups that are kept; 0 switches the nightly backup off."
    )
    language: Annotated[
        Literal["en", "de", "fr"], BeforeValidator(lowered), Default("that of LANG, else en")
    ] = Field(
        default_factory=_machine_language,
        validate_default=True,
        description="Language of replies: en, de or fr.",
    )
    time_zone: Annotated[ZoneInfo, BeforeValidator(zone), Default("that of the machine")] = Field(
        default_factory=_machine_zone,
        description="Zone in which dates are read and shown, like Europe/Berlin.",
    )

    user_name: Annotated[str, Field(min_length=1), Default("your login name")] = Field(
        default_factory=_login_name,
        description="Your name, as others read it beside your edits; it counts when the notes are begun.",
    )

    model: str | None = Field(
        default=None,
        description="Name of the language model; without one the built-in offline responder answers.",
    )
    model_base_url: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None,
        description="Address of the OpenAI-compatible endpoint that serves the model, often ending in /v1.",
    )
    model_api_key: Annotated[SecretStr, AfterValidator(header_safe)] | None = Field(
        default=None, description="Key for that endpoint, if it wants one."
    )
    model_timeout_s: float = Field(
        default=120,
        gt=0,
        allow_inf_nan=False,
        description="Seconds that one reply of the model may take, retries included.",
    )
    model_concurrency: Count = Field(
        default=8, description="Replies of the model that may be under way at once."
    )
    temperature: float = Field(default=0.3, ge=0, le=2, description="Sampling temperature of the model.")
    max_tokens: Count = Field(default=8192, description="Longest reply of the model, in tokens.")
    price_prompt_per_mtok: Price | None = Field(
        default=None,
        description="Price of a million tokens sent, in your currency; unset: costs are not shown.",
    )
    price_completion_per_mtok: Price | None = Field(
        default=None,
        description="Price of a million tokens received, in your currency; unset: costs are not shown.",
    )

    max_replies: Count = Field(default=10, description="Replies of the model in one turn.")
    max_tool_calls: int = Field(
        default=25,
        ge=0,
        validation_alias=AliasChoices("LOREKEEPER_MAX_TOOL_CALLS", "BOOKSLM_MAX_TOOL_CALLS"),
        description="Tool calls in one turn; the name BOOKSLM_MAX_TOOL_CALLS is accepted too.",
    )
    max_result_chars: Chars = Field(
        default=100_000, description="Longest result of one tool call, in characters."
    )
    max_results_chars: Chars = Field(
        default=400_000, description="All tool results of one turn together, in characters."
    )
    rate_limit_per_minute: int = Field(
        default=120,
        ge=0,
        description="Calls of one tool that one person may make in a minute; 0 allows none.",
    )
    person_calls_per_day: Allowance | None = Field(
        default=None, description="Replies of the model that one person may use in a day; 0 allows none."
    )
    person_tokens_per_day: Allowance | None = Field(
        default=None, description="Tokens that one person may use in a day; 0 allows none."
    )
    person_money_per_day: Price | None = Field(
        default=None, description="What one person may cost in a day; 0 allows nothing."
    )
    person_calls_per_month: Allowance | None = Field(
        default=None, description="Replies of the model that one person may use in a month; 0 allows none."
    )
    person_tokens_per_month: Allowance | None = Field(
        default=None, description="Tokens that one person may use in a month; 0 allows none."
    )
    person_money_per_month: Price | None = Field(
        default=None, description="What one person may cost in a month; 0 allows nothing."
    )
    tokens_per_month: Allowance | None = Field(
        default=None,
        description="Tokens of all in a month; then the model rests, and commands go on working.",
    )
    money_per_month: Price | None = Field(
        default=None,
        description="What all may cost in a month; then the model rests, and commands go on working.",
    )
    confirmation_private_h: Hours = Field(
        default=24, description="Hours that a proposal stays open in a private chat."
    )
    confirmation_group_h: Hours = Field(
        default=168, description="Hours that a proposal stays open in a group."
    )

    http_host: Annotated[str, Field(min_length=1)] = Field(
        default="127.0.0.1",
        description="Address on which the page and the API are served; any but this machine's needs a token.",
    )
    http_port: int = Field(default=8321, ge=0, le=65535, description="Port of the page and the API.")
    http_origins: str = Field(
        default="",
        description="Origins of other pages, apart by spaces, that may call the API; none by default.",
    )
    http_upload_mb: Count = Field(
        default=50, description="Largest upload of manuscripts, in megabytes, all files of it together."
    )

    telegram_token: Annotated[SecretStr, AfterValidator(header_safe)] | None = Field(
        default=None, description="Token of the Telegram bot, from @BotFather; without one none is served."
    )
    telegram_api_base: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None, description="Address of a Bot API server of your own, ending in /bot."
    )
    telegram_file_base: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None, description="Address from which that server gives files, ending in /file/bot."
    )
    telegram_webhook_url: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None,
        description="Public address of /telegram on the page's port, to be called instead of polling.",
    )
    telegram_webhook_secret: SecretStr | None = Field(
        default=None, description="What Telegram then proves itself with: letters, digits, _ and -."
    )
    discord_token: Annotated[SecretStr, AfterValidator(header_safe)] | None = Field(
        default=None,
        description="Token of the Discord bot, from the developer portal; without one none is served.",
    )
    discord_api_base: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None, description="Address of Discord's interface, if it is another one, ending in /api/v10."
    )
    discord_gateway_url: Annotated[str, Field(pattern=r"^wss?://\S+$")] | None = Field(
        default=None, description="Address of Discord's gateway, if it is another one, ending in a slash."
    )
    discord_allowed_bots: Annotated[str, Field(pattern=r"^(\d+( +\d+)*)?$")] = Field(
        default="",
        description="Ids, apart by spaces, of bots and webhooks that may address LoreKeeper by its name.",
    )
    transcription_base_url: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None, description="Address of an OpenAI-compatible endpoint that writes voice notes down."
    )
    transcription_model: str = Field(default="whisper-1", description="Name of the model that does that.")
    transcription_api_key: Annotated[SecretStr, AfterValidator(header_safe)] | None = Field(
        default=None, description="Key for that endpoint, if it wants one."
    )

    trace: Annotated[Literal["off", "short", "full"], BeforeValidator(lowered)] = Field(
        default="short", description="How much is shown of the steps behind an answer: off, short or full."
    )
    log_level: Annotated[Literal["debug", "info", "warning", "error"], BeforeValidator(lowered)] = Field(
        default="warning", description="Least severe log line that is written: debug, info, warning or error."
    )
    log_format: Annotated[Literal["text", "json"], BeforeValidator(lowered)] = Field(
        default="text", description="Form of log lines: text, or json with one object a line."
    )

    audit_file: Annotated[
        Annotated[Path, AfterValidator(absolute)] | None,
        BeforeValidator(off),
        Default("audit.jsonl in the data folder"),
    ] = Field(
        default_factory=lambda data: data["data_dir"] / "audit.jsonl",
        description="File that holds every tool call as a line of JSON; off writes none.",
    )

    telemetry_endpoint: Annotated[str, AfterValidator(web_address)] | None = Field(
        default=None,
        description="Address that takes OpenTelemetry spans (OTLP over HTTP); needs the extra telemetry.",
    )
    telemetry_content: bool = Field(
        default=False, description="Whether spans hold what was said and found, without secrets."
    )
    metrics_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="Port of this machine on which Prometheus finds counters; needs the extra telemetry.",
    )

    @model_validator(mode="after")
    def _model_has_an_address(self) -> Self:
        if self.model is not None and self.model_base_url is None:
            raise ValueError(
                f"{PREFIX}MODEL_BASE_URL is missing: {PREFIX}MODEL is set, and this says who gets your text."
            )
        return self

    @model_validator(mode="after")
    def _money_has_prices(self) -> Self:
        budgets = ("person_money_per_day", "person_money_per_month", "money_per_month")
        given = next((name for name in budgets if getattr(self, name) is not None), None)
        prices = ("price_prompt_per_mtok", "price_completion_per_mtok")
        lacking = next((name for name in prices if getattr(self, name) is None), None)
        if given and lacking:
            raise ValueError(
                f"{variable(lacking)} is missing: {variable(given)} is set, and money is counted by prices."
            )
        return self

    @model_validator(mode="after")
    def _webhook_has_a_secret(self) -> Self:
        secret = self.telegram_webhook_secret
        if self.telegram_webhook_url and secret is None:
            raise ValueError(
                f"{PREFIX}TELEGRAM_WEBHOOK_SECRET is missing: {PREFIX}TELEGRAM_WEBHOOK_URL is set, and "
                "without it anybody could pose as Telegram."
            )
        if secret is not None and not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", secret.get_secret_value()):
            raise ValueError(f"{PREFIX}TELEGRAM_WEBHOOK_SECRET holds more than letters, digits, _ and -.")
        return self

    def secret_values(self) -> tuple[str, ...]:
        """Return every configured secret in the clear, for redaction and nothing else."""
        values = (value for _, value in self)
        found = tuple(value.get_secret_value() for value in values if isinstance(value, SecretStr))
        return (*found, *filter(None, [password_of(self.database_url)]))


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


def variable(field: str) -> str:
    """Return the name of the variable that sets `field`."""
    return PREFIX + field.upper()
