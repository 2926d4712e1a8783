"""The folder in which the terminal lays files that were made for the person at it."""

from itertools import count
from pathlib import Path

from agent_core.importing.uploads import safe_name


def laid(folder: Path, name: str, content: bytes) -> Path:
    """Write a file under its name, or with a number where there is such a one; return where it lies."""
    folder.mkdir(parents=True, exist_ok=True)
    plain = folder / safe_name(name, 1)
    names = (plain if number == 1 else plain.with_stem(f"{plain.stem} {number}") for number in count(1))
    path = next(path for path in names if not path.exists())
    path.write_bytes(content)
    return path
