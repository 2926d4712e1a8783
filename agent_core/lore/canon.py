"""One series, read at one moment, with proposed rows staged on top."""


class Canon:
    """A consistent view of a series."""
