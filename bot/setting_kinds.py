"""What the values of settings may be: how they are read, and the sentence where one can't be."""

import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, Field, SecretStr
from pydantic_settings import NoDecode

PREFIX = "LOREKEEPER_"

Count = Annotated[int, Field(ge=1)]
Chars = Annotated[int, Field(ge=1_000)]  # with less, answers of tools are little but notes of cuts
Hours = Annotated[int, Field(ge=1, le=8_760)]
Allowance = Annotated[int, Field(ge=0)]
Price = Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True)
class Default:
    """What the documentation says of a default that depends on the machine or on other settings."""

    text: str


def variable(field: str) -> str:
    """Return the name of the variable that sets `field`."""
    return PREFIX + field.upper()


def lowered(value: object) -> object:
    """Return a text in small letters."""
    return value.lower() if isinstance(value, str) else value


def absolute(path: Path) -> Path:
    """Return the path in full, `~` taken for the home folder."""
    if any(char < " " for char in str(path)):
        raise ValueError("holds a line break or the like; between double quotes \\n is one")
    try:
        return path.expanduser().absolute()
    except RuntimeError as error:
        raise ValueError("starts with the home folder of a user who has none") from error


def named_folders(value: object) -> object:
    """Return each name with its folder, of a text like `novel=~/Notes/Novel; world=~/Notes/World`."""
    if not isinstance(value, str):
        return value
    found: list[tuple[str, Path]] = []
    for part in filter(None, map(str.strip, value.split(";"))):
        name, sign, folder = part.partition("=")
        if not (sign and folder.strip() and re.fullmatch(r"[\w-]{1,40}", name.strip())):
            raise ValueError("is not of the form NAME=FOLDER; a name has letters, digits, - and _")
        if name.strip() in dict(found):
            raise ValueError(f"has two folders of the name {name.strip()}")
        found.append((name.strip(), absolute(Path(folder.strip()))))
    return tuple(found)


Vaults = Annotated[tuple[tuple[str, Path], ...], NoDecode, BeforeValidator(named_folders), Default("")]


def off(value: object) -> object:
    """Return None for the word off."""
    return None if isinstance(value, str) and value.lower() == "off" else value


def file_not_address(value: object) -> object:
    """Return what is no address."""
    if isinstance(value, str) and "://" in value:
        raise ValueError(
            "must be the path of a SQLite file, not an address; LOREKEEPER_DATABASE_URL takes one"
        )
    return value


def zone(value: object) -> object:
    """Return the time zone of a name."""
    if not isinstance(value, str):
        return value
    found = zone_or_none(value)
    if found is None:
        raise ValueError(f"is {value!r}, which is no time zone; one is written like Europe/Berlin")
    return found


def web_address(value: str) -> str:
    """Return an address that has a scheme and a host."""
    try:
        parts = urlsplit(value)
        whole = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:  # brackets or a port that are none
        whole = False
    if not whole:
        raise ValueError("must be an address that starts with http:// or https:// and a host")
    return value


def postgres_address(url: SecretStr) -> SecretStr:
    """Return an address of a Postgres database."""
    if not url.get_secret_value().startswith(("postgresql://", "postgres://")):
        raise ValueError("must be an address that starts with postgresql://")
    return url


def password_of(url: SecretStr | None) -> str | None:
    """Return the password in an address, if there is one."""
    if url is None:
        return None
    try:
        password = urlsplit(url.get_secret_value()).password
    except ValueError:  # an address that the driver will refuse
        return None
    return unquote(password) if password else None


def header_safe(key: SecretStr) -> SecretStr:
    """Return a key that can stand in a header."""
    text = key.get_secret_value().strip()
    if not (text.isascii() and text.isprintable()):
        raise ValueError("contains characters that no key has, so something was copied along with it")
    return SecretStr(text)


def zone_or_none(name: str) -> ZoneInfo | None:
    """Return the time zone of a name, None where there is none."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown; malformed; the name of a folder of zones
        return None
