"""Where things are kept, and whose language, time zone and name count."""

import getpass
import os
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr

from bot.setting_kinds import (
    Count,
    Default,
    Vaults,
    absolute,
    file_not_address,
    lowered,
    postgres_address,
    zone,
    zone_or_none,
)

LANGUAGES = ("en", "de", "fr")


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


class Keeping(BaseModel):
    """Where things are kept, and whose language, time zone and name count."""

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
