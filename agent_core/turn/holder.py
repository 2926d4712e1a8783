"""Names of processes that hold a turn order, and whether such a process is gone."""

import os


def is_gone(other: str, own: str) -> bool:
    """Return whether `other` names an earlier process of this machine that has ended.

    A name is `host:pid:anything`, unique to one run. A process of our own number is an earlier run of us, as
    it happens in containers. What can't be told counts as alive.
    """
    host, pid, _ = _parts(other)
    own_host, own_pid, _ = _parts(own)
    if other == own or host != own_host or not pid.isdigit():
        return False
    return pid == own_pid or not _is_alive(int(pid))


def _parts(name: str) -> tuple[str, str, str]:
    host, _, rest = name.partition(":")
    pid, _, run = rest.partition(":")
    return host, pid, run


def _is_alive(pid: int) -> bool:
    if os.name != "posix":  # signal 0 asks nothing elsewhere, it would end the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
