"""What Directus answers, told apart: which failures may pass, which say that nothing happened, which neither.

A 403 may mean a missing right, column or row, and its sentence is for administrators of Directus. So only
codes and names of collections and columns are taken from an answer, never its text.
"""

from enum import StrEnum

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from agent_core.errors import StoreFailure

CONFLICT_CODE = "RECORD_NOT_UNIQUE"


class DirectusCause(StrEnum):
    """Why Directus could not do its work; also the end of a text key."""

    AWAY = "directus_away"
    LATE = "directus_late"
    LIMITED = "directus_limited"
    ADMIN = "directus_admin"
    TOKEN = "directus_token"  # noqa: S105  the name of a cause
    DENIED = "directus_denied"
    LICENCE = "directus_licence"
    INVALID = "directus_invalid"
    TOO_LARGE = "directus_large"
    FOREIGN = "directus_foreign"
    BROKEN = "directus_broken"
    DRIFT = "directus_drift"
    DIFFERS = "directus_differs"
    BEHIND = "directus_behind"
    MISSING = "directus_missing"
    NAME = "directus_name"


class DirectusFailure(StoreFailure):
    """Facts: `reason` (a `DirectusCause`), `code`, `collection`, `field` where Directus names them."""

    @property
    def cause(self) -> DirectusCause:
        """The cause as an enum."""
        return DirectusCause(str(self.facts["reason"]))


class OutcomeUnknown(DirectusFailure):
    """A write was sent and no answer came: it may have happened."""


class NotUnique(DirectusFailure):
    """A value that has to be unique is there already, in `field`; nothing was written."""


class _Extensions(BaseModel):
    model_config = ConfigDict(strict=True)

    code: str = ""
    reason: str | None = None
    collection: str | None = None
    field: str | None = None


class _Error(BaseModel):
    extensions: _Extensions = _Extensions()


class _Errors(BaseModel):
    errors: list[_Error]


_CODES = {
    "INVALID_TOKEN": DirectusCause.TOKEN,
    "TOKEN_EXPIRED": DirectusCause.TOKEN,
    "INVALID_CREDENTIALS": DirectusCause.TOKEN,
    "USER_SUSPENDED": DirectusCause.TOKEN,
    "FORBIDDEN": DirectusCause.DENIED,
    "RESOURCE_RESTRICTED": DirectusCause.LICENCE,
    "LIMIT_EXCEEDED": DirectusCause.LICENCE,
    "REQUESTS_EXCEEDED": DirectusCause.LIMITED,
    "CONTENT_TOO_LARGE": DirectusCause.TOO_LARGE,
    "ROUTE_NOT_FOUND": DirectusCause.FOREIGN,
    "SERVICE_UNAVAILABLE": DirectusCause.AWAY,
}
_STATUSES = {
    401: DirectusCause.TOKEN,
    403: DirectusCause.DENIED,
    404: DirectusCause.FOREIGN,
    413: DirectusCause.TOO_LARGE,
    429: DirectusCause.LIMITED,
    431: DirectusCause.TOO_LARGE,
    502: DirectusCause.AWAY,
    503: DirectusCause.AWAY,
    504: DirectusCause.AWAY,
}


def failure_of(answer: httpx.Response) -> DirectusFailure | None:
    """Return what went wrong, None where the answer is a good one."""
    if answer.is_success:
        return None
    if answer.is_redirect:
        return DirectusFailure(reason=DirectusCause.FOREIGN)
    first = _first_error(answer)
    cause = _cause(answer.status_code, first)
    kind = NotUnique if first.code == CONFLICT_CODE else DirectusFailure
    return kind(
        reason=cause, code=first.code or None, collection=first.collection, field=first.field,
    )  # fmt: skip


def _cause(status: int, error: _Extensions) -> DirectusCause:
    if status == 400 and "too large" in (error.reason or ""):
        return DirectusCause.TOO_LARGE
    if error.code in _CODES:
        return _CODES[error.code]
    if status in _STATUSES:
        return _STATUSES[status]
    if status >= 500:
        return DirectusCause.BROKEN
    return DirectusCause.INVALID if error.code else DirectusCause.FOREIGN


def _first_error(answer: httpx.Response) -> _Extensions:
    try:
        errors = _Errors.model_validate_json(answer.content).errors
    except ValidationError:  # of a proxy, or none of Directus
        return _Extensions()
    return errors[0].extensions if errors else _Extensions()
