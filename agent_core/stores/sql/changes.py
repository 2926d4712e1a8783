"""How changes stand in the database: reading the log, and putting the next one on it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from agent_core.clock import from_stamp, to_stamp
from agent_core.errors import Conflict
from agent_core.lore.conflict import overlap
from agent_core.lore.model import Change, ChangeDraft, Head, Merged, OutlineEdited, Recorded, Row, Undone
from agent_core.stores.sql.database import Params, SqlRow, SqlValue, Tx
from agent_core.stores.sql.lore_index import index_rows
from agent_core.stores.sql.rows import encode, node_params

_CHANGES = """
    SELECT number, at, proposed_by, approved_by, source, summary FROM change WHERE series = :series
"""

_CHANGES_OF_ENTITY = """
    SELECT change FROM lore_row WHERE series = :series AND subject = :entity
    AND kind IN ('created', 'named', 'asserted', 'withdrawn', 'retired', 'merged')
"""


def read_head(tx: Tx, series: str) -> Head:
    """Return the newest numbers of the series, zeros where there is no change."""
    found = tx.row(
        "SELECT number, frame FROM change WHERE series = :series ORDER BY number DESC LIMIT 1",
        {"series": series},
    )
    return Head(*found) if found else Head()


def read_changes(
    tx: Tx, series: str, *, after: int, up_to: int | None, entity: str | None, limit: int | None
) -> tuple[Change, ...]:
    """Return changes with `after` < number <= `up_to`, newest first; with `entity` only those about it."""
    # The plus keeps a planner from walking all numbers where the entity's few are at hand.
    column = "number" if entity is None else "+number"
    sql = f"{_CHANGES} AND {column} > :after"
    params: dict[str, SqlValue] = {"series": series, "after": after}
    if up_to is not None:
        sql += f" AND {column} <= :up_to"
        params["up_to"] = up_to
    if entity is not None:
        sql += f" AND number IN ({_CHANGES_OF_ENTITY})"
        params["entity"] = entity
    sql += " ORDER BY number DESC"
    if limit is not None:
        sql += " LIMIT :limit"
        params["limit"] = limit
    return tuple(_change(series, row) for row in tx.rows(sql, params))


def find_change(tx: Tx, series: str, token: str) -> Change | None:
    """Return the change that was appended with this token, or None."""
    found = tx.row(f"{_CHANGES} AND token = :token", {"series": series, "token": token})
    return _change(series, found) if found else None


def read_touched(tx: Tx, series: str, since: int) -> tuple[tuple[int, str], ...]:
    """Return (number, conflict key) of the changes after `since`, by number."""
    found = tx.rows(
        "SELECT change, path FROM touched WHERE series = :series AND change > :since ORDER BY change, path",
        {"series": series, "since": since},
    )
    return tuple((number, path) for number, path in found)


def append_change(tx: Tx, draft: ChangeDraft, token: str, stamp: str) -> Change:
    """Return the draft as the next change, or the change that this token has made before.

    Raises:
        Conflict: if a change after `draft.since` touched one of its keys.

    """
    known = find_change(tx, draft.series, token)
    if known is not None:
        return known
    _refuse_conflict(tx, draft)
    head = read_head(tx, draft.series)
    change = _next_change(tx, draft, head, stamp)
    put_changes(tx, head, [FullChange(change, token, draft.rows, tuple(sorted(draft.keys)))])
    return change


@dataclass(frozen=True, slots=True)
class FullChange:
    """A change as it stands in the log: with the token that made it, its rows and its conflict keys."""

    change: Change
    token: str
    rows: tuple[Row, ...]
    keys: tuple[str, ...]


def put_changes(tx: Tx, head: Head, run: Sequence[FullChange]) -> Head:
    """Return the head after a run of changes of one series, numbered on from `head`, was put on the log."""
    changes: list[Params] = []
    for full in run:
        head = Head(full.change.number, full.change.number if _moves_frame(full.rows) else head.frame)
        changes.append(_change_params(full, head.frame))
    tx.run_many(
        "INSERT INTO change (series, token, frame, number, at, proposed_by, approved_by, source, summary)"
        " VALUES (:series, :token, :frame, :number, :at, :proposed_by, :approved_by, :source, :summary)",
        changes,
    )
    tx.run_many(
        "INSERT INTO lore_row (series, subject, change, ord, kind, body)"
        " VALUES (:series, :subject, :change, :ord, :kind, :body)",
        _row_params(run),
    )
    tx.run_many(
        "INSERT INTO touched (series, change, path) VALUES (:series, :change, :path)",
        (
            {"series": full.change.series, "change": full.change.number, "path": key}
            for full in run
            for key in full.keys
        ),
    )
    _update_outline(tx, run)
    rows = [Recorded(full.change.number, i, row) for full in run for i, row in enumerate(full.rows)]
    index_rows(tx, run[0].change.series, rows)
    return head


def _refuse_conflict(tx: Tx, draft: ChangeDraft) -> None:
    touched = read_touched(tx, draft.series, draft.since)
    clashing = overlap((path for _, path in touched), draft.keys)
    if clashing:
        raise Conflict(changes=tuple(str(n) for n in sorted({n for n, path in touched if path in clashing})))


def _next_change(tx: Tx, draft: ChangeDraft, head: Head, stamp: str) -> Change:
    last = tx.row(
        "SELECT at FROM change WHERE series = :series AND number = :number",
        {"series": draft.series, "number": head.number},
    )
    return Change(
        series=draft.series,
        number=head.number + 1,
        at=from_stamp(max(stamp, last[0]) if last else stamp),
        proposed_by=draft.proposed_by,
        approved_by=draft.approved_by,
        source=draft.source,
        summary=draft.summary,
    )


def _moves_frame(rows: Iterable[Row]) -> bool:
    return any(isinstance(row, OutlineEdited | Undone | Merged) for row in rows)


def _change_params(full: FullChange, frame: int) -> Params:
    change = full.change
    return {
        "series": change.series,
        "token": full.token,
        "frame": frame,
        "number": change.number,
        "at": to_stamp(change.at),
        "proposed_by": change.proposed_by,
        "approved_by": change.approved_by,
        "source": change.source,
        "summary": change.summary,
    }


def _row_params(run: Iterable[FullChange]) -> Iterator[Params]:
    """Yield the rows by subject, so that a large change fills neighbouring pages."""
    encoded = ((*encode(row), full.change, order) for full in run for order, row in enumerate(full.rows))
    for kind, subject, body, change, order in sorted(encoded, key=itemgetter(1)):
        yield {
            "series": change.series,
            "subject": subject,
            "change": change.number,
            "ord": order,
            "kind": kind,
            "body": body,
        }


def _update_outline(tx: Tx, run: Iterable[FullChange]) -> None:
    tx.run_many(
        "INSERT INTO node (series, id, kind, parent, rank, title, number, part, mode, place_relation,"
        " place_node, deleted) VALUES (:series, :id, :kind, :parent, :rank, :title, :number, :part, :mode,"
        " :place_relation, :place_node, :deleted)"
        " ON CONFLICT (series, id) DO UPDATE SET kind = excluded.kind, parent = excluded.parent,"
        " rank = excluded.rank, title = excluded.title, number = excluded.number, part = excluded.part,"
        " mode = excluded.mode, place_relation = excluded.place_relation,"
        " place_node = excluded.place_node, deleted = excluded.deleted",
        (
            node_params(full.change.series, row.after)
            for full in run
            for row in full.rows
            if isinstance(row, OutlineEdited)
        ),
    )


def _change(series: str, row: SqlRow) -> Change:
    number, at, proposed_by, approved_by, source, summary = row
    return Change(
        series=series,
        number=number,
        at=from_stamp(at),
        proposed_by=proposed_by,
        approved_by=approved_by,
        source=source,
        summary=summary,
    )
