"""The file that holds the audit as JSON lines: appended to, rotated by size, mended where a line is torn.

Everything here blocks; one process at a time writes, under a lock of the operating system.
"""

import errno
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from agent_core.clock import to_stamp
from agent_core.messages import Json
from agent_core.pipeline.model import AuditState

MAX_BYTES = 10_000_000
KEPT = 9

Key = tuple[int, str]
"""Number and id of a state; after a restore another state may come under a number that was used before."""


class JournalBusy(OSError):
    """Another process is writing the file."""


@dataclass(frozen=True, slots=True)
class JournalLines:
    """The whole lines of a journal in their order, and how many pieces were no lines."""

    lines: tuple[Mapping[str, Json], ...]
    torn: int


def read_journal(path: Path, start: int = 0) -> JournalLines:
    """Return what stands in the file from a byte on; nothing where there is none.

    Raises:
        OSError: it can't be read.
    """
    try:
        with path.open("rb") as file:
            file.seek(start)
            pieces = file.read().split(b"\n")  # other line breaks may stand inside a record
    except FileNotFoundError:
        return JournalLines((), 0)
    parsed = [_parsed(piece) for piece in pieces if piece]
    lines = tuple(line for line in parsed if line is not None)
    return JournalLines(lines, len(parsed) - len(lines))


def line_of(state: AuditState) -> str:
    """Return the state as JSON in ASCII, so that no reader takes a rare line break for the end of a line."""
    row = state.row
    record = {
        "seq": state.seq,
        "ts": to_stamp(row.at),
        "id": row.id,
        "call_id": row.call_id,
        "conversation": row.conversation,
        "requester": row.requester,
        "approver": row.approver,
        "tool": row.tool,
        "arguments": row.arguments,
        "outcome": row.outcome.value,
        "duration_ms": row.duration_ms,
        "error": row.error,
    }
    return json.dumps(record, separators=(",", ":"))


def unwritten(states: Sequence[AuditState], held: frozenset[Key]) -> Iterator[AuditState]:
    """Yield the states that are not among those held."""
    return (state for state in states if (state.seq, state.row.id) not in held)


@dataclass(frozen=True, slots=True)
class JournalFile:
    """Where the journal stands; `path.1` is what was rotated out last, `path.9` the oldest that is kept."""

    path: Path
    max_bytes: int = MAX_BYTES

    def take(self) -> int:
        """Return a handle whose lock keeps other processes out until it is closed.

        Raises:
            JournalBusy: another process has it.
            OSError: the folder can't be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.path.with_name(f"{self.path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(handle)
        except BaseException:
            os.close(handle)
            raise
        return handle

    def held_beyond(self, size: int) -> frozenset[Key]:
        """Return the states that were written after the file had this size, but never marked."""
        if self._size() == size:
            return frozenset()
        if self._size() > size:
            return _keys(read_journal(self.path, size))
        return _keys(read_journal(self.path)) | _keys(read_journal(self._rotated(1), size))

    def append(self, states: Sequence[AuditState]) -> int:
        """Write one line a state, safe from a loss of power; return the size of the file.

        Raises:
            OSError: the lines are not all there; what is there of them is found by `held_beyond`.
        """
        data = b"".join(f"{line_of(state)}\n".encode("ascii") for state in states)
        if data and self._size() and self._size() + len(data) > self.max_bytes:
            self._rotate()
        if data:
            self._write(data)
        return self._size()

    def _write(self, data: bytes) -> None:
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            size = os.fstat(handle).st_size
            if size:
                os.lseek(handle, size - 1, os.SEEK_SET)
                if os.read(handle, 1) != b"\n":
                    data = b"\n" + data
            while data:
                data = data[os.write(handle, data) :]
            os.fsync(handle)
        finally:
            os.close(handle)

    def _rotate(self) -> None:
        for number in range(KEPT, 0, -1):
            with suppress(FileNotFoundError):
                older = self._rotated(number - 1) if number > 1 else self.path
                older.replace(self._rotated(number))

    def _rotated(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{number}")

    def _size(self) -> int:
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0


def _parsed(piece: bytes) -> Mapping[str, Json] | None:
    try:
        record: Json = json.loads(piece)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, Mapping) else None


def _keys(held: JournalLines) -> frozenset[Key]:
    return frozenset(_key(line) for line in held.lines)


def _key(line: Mapping[str, Json]) -> Key:
    seq = line.get("seq")
    return (seq if isinstance(seq, int) else 0, str(line.get("id")))


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise JournalBusy from error

else:
    import fcntl

    _UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}

    def _lock(handle: int) -> None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise JournalBusy from error
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
