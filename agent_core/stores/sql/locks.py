"""Who holds a database file: the one process that serves it, and all that have it open.

Locks of the operating system on small files beside the database. The kernel frees them, also after a kill.
"""

import errno
import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from agent_core.errors import StoreCause, StoreFailure
from agent_core.stores.sql.connection import store_failure

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Server:
    """The process that serves a database, as it described itself; `since` is a text for people."""

    pid: int
    since: str


@contextmanager
def serving(path: Path, since: str, *, refusal: str = "served") -> Iterator[None]:
    """Hold the database as the one process that serves it.

    Raises:
        StoreFailure: reason `refusal`, with `pid` and `since` of the process that does; or the disk refuses.

    """
    with _file(path, "serving") as handle:
        if not _lock(handle, shared=False):
            server = _read(handle)
            raise StoreFailure(reason=refusal, pid=server.pid, since=server.since)
        try:
            _write(handle, Server(os.getpid(), since))
        except OSError as error:
            raise store_failure(error, path) from error
        try:
            yield
        finally:
            os.ftruncate(handle, 0)


@contextmanager
def opened(path: Path) -> Iterator[None]:
    """Hold the database as one of the processes that have it open.

    Raises:
        StoreFailure: reason "busy", another process is replacing it.

    """
    with _file(path, "open") as handle:
        if not _lock(handle, shared=True):
            raise StoreFailure(reason=StoreCause.BUSY)
        yield


@contextmanager
def alone(path: Path, since: str) -> Iterator[None]:
    """Hold the database as the only process that has to do with it.

    Raises:
        StoreFailure: reason "served" or "busy".

    """
    with serving(path, since), _file(path, "open") as handle:
        if not _lock(handle, shared=False):
            raise StoreFailure(reason=StoreCause.BUSY)
        yield


@contextmanager
def _file(path: Path, what: str) -> Iterator[int]:
    """Give a handle of the lock file, which is never removed: two processes might lock two of one name."""
    try:
        handle = os.open(path.with_name(f"{path.name}.{what}"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise store_failure(error, path) from error
    try:
        yield handle
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # a locked byte can't be read by others, so the description stands before it

    def _lock(handle: int, *, shared: bool) -> bool:
        if shared:  # this system itself refuses to replace a file that is open
            return True
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    _UNSUPPORTED = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL}

    def _lock(handle: int, *, shared: bool) -> bool:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
            logger.warning("this file system has no locks: never start two processes on it")
        return True


def _write(handle: int, server: Server) -> None:
    os.ftruncate(handle, 0)
    os.lseek(handle, 0, os.SEEK_SET)
    os.write(handle, json.dumps(asdict(server)).encode())


def _read(handle: int) -> Server:
    os.lseek(handle, 0, os.SEEK_SET)
    try:
        return Server(**json.loads(os.read(handle, 1024)))
    except (ValueError, TypeError):  # between its lock and its first line
        return Server(0, "")
