"""The ids of rows in Directus: UUIDs made of what they stand for, so that a repeat makes no second row."""

import re
from uuid import UUID, uuid5

_OURS = UUID("6f0a2c54-6e0b-5d0e-9a57-0c1f3a9d7be1")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def series_row(series: str) -> str:
    """Return the id of a series' row: its own where that is a UUID."""
    return series if _UUID.fullmatch(series) else _made("series", series)


def shown_row(series: str, id_: str) -> str:
    """Return the id of the row of a node or an entry: its own where that is a UUID."""
    return id_ if _UUID.fullmatch(id_) else _made("shown", series, id_)


def change_row(series: str, token: str) -> str:
    """Return the id of the change that this token makes."""
    return _made("change", series, token)


def row_of_change(change_row: str, order: int) -> str:
    """Return the id of a row of a change."""
    return _made("row", change_row, str(order))


def revision_row(change_row: str, order: int, text: str) -> str:
    """Return the id of a text of a change; another one where the change is made anew with another text."""
    return _made("text", change_row, str(order), text)


def _made(*parts: str) -> str:
    text = "\0".join(parts)
    return str(uuid5(_OURS, text.encode("utf-8", "surrogatepass").hex()))
