"""Names that sheets can have: legal for every program, and unlike those there are."""

import re
from collections.abc import Iterable

MAX_UNITS = 31
_NOT_ALLOWED = re.compile(r"[\\/?*\[\]:\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]+")
_RESERVED = "history"  # Excel keeps it for itself


def legal_name(wanted: str, taken: Iterable[str]) -> str:
    """Return a name a sheet can have, as near to the wanted one as can be; case makes no difference."""
    used = {name.casefold() for name in taken}
    base = _cut(_bare(_NOT_ALLOWED.sub("-", wanted)), MAX_UNITS) or "Sheet"
    if base.casefold() == _RESERVED:
        base = f"{base}_"
    name, number = base, 1
    while name.casefold() in used:
        number += 1
        mark = f" ({number})"
        name = _cut(base, MAX_UNITS - len(mark)) + mark
    return name


def _bare(name: str) -> str:
    return " ".join(name.split()).strip("' ")


def _cut(name: str, units: int) -> str:
    """Return the beginning of a name that takes so many UTF-16 units, which is what programs count."""
    encoded = name.encode("utf-16-le")[: units * 2]
    return _bare(encoded.decode("utf-16-le", "ignore"))
