"""The body of an answer, unpacked in small steps: a few kilobytes may stand for gigabytes."""

import zlib
from collections.abc import AsyncIterable

STEP_BYTES = 64 * 1024
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


class UnknownCoding(Exception):
    """A coding that was not asked for and can't be undone."""


class Body:
    """Collects at most `max_bytes` of an answer as they are when unpacked; `cut` tells of more."""

    def __init__(self, coding: str, max_bytes: int) -> None:
        self.cut = False
        self._max = max_bytes
        self._parts: list[bytes] = []
        self._size = 0
        names = [name for name in map(str.strip, coding.lower().split(",")) if name not in {"", "identity"}]
        if len(names) > 1 or not set(names) <= {"gzip", "x-gzip", "deflate"}:
            raise UnknownCoding(coding)
        self._packed = bool(names)
        self._is_deflate = names == ["deflate"]
        self._unpack = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._begun = False

    async def read(self, chunks: AsyncIterable[bytes]) -> None:
        """Take chunks as they were sent until the end or the limit.

        Raises:
            zlib.error: they are not in the coding that they are said to be in.
        """
        sent = 0
        async for chunk in chunks:
            sent += len(chunk)
            if not self._packed:
                self._add(chunk)
            elif chunk:
                self._add_packed(chunk)
            self.cut = self.cut or sent > self._max + STEP_BYTES  # or packed so that nothing comes out
            if self.cut:
                return
        self.cut = self._packed and self._begun and not self._unpack.eof

    def content(self) -> bytes:
        """Return what has been collected so far."""
        return b"".join(self._parts)

    def _add(self, data: bytes) -> None:
        room = self._max - self._size
        self.cut = self.cut or len(data) > room
        self._parts.append(data[:room])
        self._size += min(len(data), room)

    def _add_packed(self, chunk: bytes) -> None:
        if not self._begun and self._is_deflate and not _has_zlib_head(chunk):
            self._unpack = zlib.decompressobj(-zlib.MAX_WBITS)  # as many servers send it
        self._begun = is_full = True
        while (chunk or is_full) and not self.cut:
            if self._unpack.eof:
                if self._is_deflate or chunk[:2] != b"\x1f\x8b":
                    return  # padding after the end
                self._unpack = zlib.decompressobj(_GZIP_OR_ZLIB)  # a further member
            out = self._unpack.decompress(chunk, STEP_BYTES)
            self._add(out)
            is_full = len(out) == STEP_BYTES
            chunk = self._unpack.unconsumed_tail or self._unpack.unused_data


def _has_zlib_head(chunk: bytes) -> bool:
    return chunk[0] & 0x0F == 8 and (len(chunk) < 2 or int.from_bytes(chunk[:2]) % 31 == 0)
