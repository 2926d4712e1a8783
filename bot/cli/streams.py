"""Makes sure of the standard streams: a scheduler or a shell may start us with any of them closed."""

import os
import sys


def open_closed_streams() -> None:
    """Give every closed standard stream nothing to read and nowhere to write.

    Else the next file that is opened takes its descriptor, and gets what is meant for the stream.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free descriptor, which is this one
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115  for good
