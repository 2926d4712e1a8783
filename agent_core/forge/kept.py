"""Answers that are kept so that a host need not send them again, with the mark that it gave them."""

from collections import OrderedDict
from dataclasses import dataclass

MAX_ANSWERS = 256
MAX_BYTES = 16_000_000


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer with its ETag; `more` and `total` are what its headers said of further pages."""

    etag: str
    body: bytes
    more: bool
    total: int | None


class KeptAnswers:
    """The answers that were used last, within a number and a size."""

    def __init__(self, max_answers: int = MAX_ANSWERS, max_bytes: int = MAX_BYTES) -> None:
        self._max_answers = max_answers
        self._max_bytes = max_bytes
        self._kept: OrderedDict[tuple[str, str], Kept] = OrderedDict()
        self._bytes = 0

    def get(self, url: str, accept: str) -> Kept | None:
        """Return the answer that this address gave in this form, if it is kept."""
        found = self._kept.get((url, accept))
        if found is not None:
            self._kept.move_to_end((url, accept))
        return found

    def put(self, url: str, accept: str, answer: Kept) -> None:
        """Keep an answer in place of an earlier one; those that were not used for longest go."""
        old = self._kept.pop((url, accept), None)
        self._bytes -= len(old.body) if old else 0
        if len(answer.body) > self._max_bytes // 4:
            return
        self._kept[url, accept] = answer
        self._bytes += len(answer.body)
        while len(self._kept) > self._max_answers or self._bytes > self._max_bytes:
            _, gone = self._kept.popitem(last=False)
            self._bytes -= len(gone.body)
