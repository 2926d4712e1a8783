"""How a change stands in Directus: one row of `lore_changes` with the rows of `lore_states` in it.

What people may read is in columns of its own; `body` is JSON in ASCII, which comes back to the letter from
every database. An undo is a column of its change: `undoes` lists the edit taken back with its place in it.
"""

import json
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from agent_core.clock import from_stamp, to_stamp
from agent_core.lore.model import Change, Row, TextSet, Undone
from agent_core.messages import Json
from agent_core.stores.directus.faults import DirectusCause, DirectusFailure
from agent_core.stores.directus.ids import change_row, revision_row, row_of_change, series_row, shown_row
from agent_core.stores.directus.layout import CHANGES, STATES
from agent_core.stores.directus.payload import ChangeSent, RevisionSent, StateSent, checked, is_plain, plain
from agent_core.stores.sql.changes import FullChange
from agent_core.stores.sql.rows import encode, read_row

CHANGE_FIELDS = tuple(name for name in CHANGES.fields if name != "series")
STATE_FIELDS = tuple(name for name in STATES.fields if name not in {"change", "revision"})
TEXT_FIELD = "revision.text"

_SUBJECT = "$subject"
_SHORT = 255


@dataclass(frozen=True, slots=True)
class Posted:
    """A change as it is sent: texts first, as they may be too large for one request, then the change."""

    revisions: tuple[dict[str, Json], ...]
    change: dict[str, Json]
    states: tuple[dict[str, Json], ...]


def written(full: FullChange) -> Posted:
    """Return the rows that make a change.

    Raises:
        DirectusFailure: it holds what can't be stored.

    """
    change = full.change
    id_, series = change_row(change.series, full.token), series_row(change.series)
    revisions, states, undoes = [], [], []
    for order, row in enumerate(full.rows):
        if isinstance(row, Undone):
            undoes.append([order, row.change])
            continue
        state, revision = _state(row, change.series, id_, order)
        states.append(state)
        revisions += [revision] if revision else []
    head = {
        "id": id_,
        "series": series,
        "seq_key": f"{series}:{change.number}",
        "token": _short_token(series, full.token),
        "number": change.number,
        "recorded_at": to_stamp(change.at),
        "proposed_by": change.proposed_by,
        "approved_by": change.approved_by,
        "source": change.source,
        "summary": change.summary,
        "touched": _ascii(list(full.keys)),
        "undoes": _ascii(undoes) if undoes else "",
        "size": len(full.rows),
    }
    return Posted(tuple(revisions), checked(ChangeSent, head), tuple(states))


def read_changes(series: str, found: Json) -> tuple[FullChange, ...]:
    """Return the changes in these rows, whole and by number.

    Raises:
        DirectusFailure: one is damaged.

    """
    try:
        rows = _FOUND.validate_python(found)
        return tuple(_read(series, row) for row in sorted(rows, key=lambda row: row.number))
    except (ValidationError, ValueError) as error:
        raise DirectusFailure(reason=DirectusCause.DRIFT, collection=CHANGES.name) from error


class _Revision(BaseModel):
    model_config = ConfigDict(strict=True)

    text: str | None


class _State(BaseModel):
    model_config = ConfigDict(strict=True)

    ord: int
    kind: str
    subject: str
    body: str
    revision: _Revision | None = None


class _Found(BaseModel):
    model_config = ConfigDict(strict=True)

    token: str
    number: int
    recorded_at: str
    proposed_by: str | None
    approved_by: str | None
    source: str | None
    summary: str | None
    touched: str | None
    undoes: str | None
    size: int
    states: list[_State]


_FOUND = TypeAdapter(list[_Found])
_KEYS = TypeAdapter(tuple[str, ...])
_UNDOES = TypeAdapter(list[tuple[int, int]])


def _state(row: Row, series: str, change: str, order: int) -> tuple[dict[str, Json], dict[str, Json] | None]:
    kind, subject, text = encode(row)
    body = json.loads(text)
    revision: dict[str, Json] | None = None
    if isinstance(row, TextSet) and is_plain(row.text):
        body.pop("text", None)
        revision = checked(
            RevisionSent,
            {
                "id": revision_row(change, order, row.text),
                "series": series_row(series),
                "scene": shown_row(series, row.scene),
                "text": row.text,
            },
        )
    if len(subject) > _SHORT or not is_plain(subject):
        body[_SUBJECT] = subject
    state = {
        "id": row_of_change(change, order),
        "ord": order,
        "kind": kind,
        "subject": plain(subject)[:_SHORT],
        "body": _ascii(body),
        "revision": revision["id"] if revision else None,
    }
    return checked(StateSent, state), revision


def _read(series: str, found: _Found) -> FullChange:
    rows = {state.ord: _row(state) for state in found.states}
    for order, number in _UNDOES.validate_json(found.undoes or "[]"):
        rows[order] = Undone(change=number)
    if sorted(rows) != list(range(found.size)):
        raise ValueError("rows are missing")
    change = Change(
        series=series,
        number=found.number,
        at=from_stamp(found.recorded_at),
        proposed_by=found.proposed_by or "",
        approved_by=found.approved_by or "",
        source=found.source or "",
        summary=found.summary or "",
    )
    token = found.token.partition(":")[2]
    keys = _KEYS.validate_json(found.touched or "[]")
    return FullChange(change, token, tuple(rows[order] for order in range(found.size)), keys)


def _row(state: _State) -> Row:
    body = json.loads(state.body)
    if not isinstance(body, dict):
        raise ValueError("a body is no object")
    subject = body.pop(_SUBJECT, state.subject)
    if state.revision is not None:
        body["text"] = state.revision.text or ""
    return read_row(state.kind, subject, body)


def _short_token(series: str, token: str) -> str:
    return f"{series}:{token}"


def _ascii(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"))
