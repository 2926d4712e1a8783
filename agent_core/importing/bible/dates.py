"""Dates of the story as notes give them, as texts that sort like the days they mean."""

import re

_ISO = re.compile(r"(?P<y>\d{1,6})(?:-(?P<m>\d{1,2})(?:-(?P<d>\d{1,2})(?:[T ,]+(?P<t>\d{1,2}:\d{2}).*)?)?)?")
_POINTS = re.compile(r"(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{1,6})(?:[ ,]+(?P<t>\d{1,2}:\d{2}))?")


def sortable(text: str) -> str | None:
    """Return a date such as "1982", "1982-08-14 21:30" or "14.8.1982" in a form that sorts, None for others.

    "3/4/1982" is another day in London than in Boston, so it is none of ours to read.
    """
    match = _ISO.fullmatch(text.strip()) or _POINTS.fullmatch(text.strip())
    if match is None or int(match["m"] or 1) not in range(1, 13) or int(match["d"] or 1) not in range(1, 32):
        return None
    parts = [match["y"].zfill(6), *(part.zfill(2) for part in (match["m"], match["d"]) if part)]
    time = f" {match['t'].zfill(5)}" if match["t"] else ""
    return "-".join(parts) + time
