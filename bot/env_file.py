"""Writes `.env`: a value at a time, the rest as it stands, and the whole file in one step."""

import io
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from dotenv import dotenv_values
from dotenv.parser import parse_stream

from bot.settings import SettingsError

_PLAIN = re.compile(r"[\w/.:@+-]+", re.ASCII)


def env_text(old: str, values: Mapping[str, str | None]) -> str:
    """Return the text of a `.env` in which these variables have these values, None: no line of their own.

    All other lines stay as they are.

    Raises:
        SettingsError: a value can't be said in this form.

    """
    kept = "".join(
        binding.original.string for binding in parse_stream(io.StringIO(old)) if binding.key not in values
    )
    if kept and not kept.endswith("\n"):
        kept += "\n"
    text = kept + "".join(f"{name}={_quoted(value)}\n" for name, value in values.items() if value is not None)
    read = dotenv_values(stream=io.StringIO(text))
    wrong = [name for name, value in values.items() if read.get(name) != value]
    if wrong:
        raise SettingsError(tuple(f"{name} has a value that can't be written into a file." for name in wrong))
    return text


def write_env(path: Path, text: str) -> None:
    """Write the file, which only its owner may read, in one step; a link is followed.

    Raises:
        OSError: it can't be written; what stood there stays.

    """
    target = path.resolve()
    unfinished = target.with_name(target.name + ".unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        handle = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _quoted(value: str) -> str:
    if _PLAIN.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
