"""Streamed text on its way to people: without thinking, calls in disguise, or the start of a secret."""

import re

from agent_core.events import Delta, Emit
from agent_core.pipeline.redaction import Redaction

_OPEN, _CLOSE = "<think>", "</think>"
_CALL_STARTS = ("<tool_call>", "{", "```")
_THINKING = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_CALL = re.compile(r"\s*(?:<tool_call>|(?:```(?:json)?\s*)?\{\s*\"(?:name|tool)\"\s*:)")


def without_thinking(text: str) -> str:
    """Return the text without what a model thought aloud in it."""
    return _THINKING.sub("", text)


def looks_like_call(text: str) -> bool:
    """Return whether text is a call in disguise that must not be shown to people."""
    return bool(_CALL.match(text))


class Stream:
    """Passes the text of one reply on in pieces.

    A reply that begins like a call in disguise is not streamed at all: its text comes with the message.
    """

    def __init__(self, redaction: Redaction, reply_id: str, emit: Emit) -> None:
        self.reply_id = reply_id
        self._redaction = redaction
        self._emit = emit
        self._thinking = _Thinking()
        self._head: str | None = ""  # None once it is certain that this is no call
        self._held = ""

    async def take(self, piece: str) -> None:
        """Pass on what of the text so far may be shown."""
        await self._pass_on(self._thinking.feed(piece))

    async def end(self) -> None:
        """Pass on what was held back."""
        await self._pass_on(self._thinking.flush())
        if self._head is None:
            await self._send(self._redaction.own(self._held))
        self._held = ""

    async def _pass_on(self, text: str) -> None:
        if self._head is not None:
            self._head += text
            start = self._head.lstrip()
            if not start or any(mark.startswith(start) or start.startswith(mark) for mark in _CALL_STARTS):
                return
            text, self._head = self._head, None
        shown, self._held = self._redaction.streamed(self._held + text)
        await self._send(shown)

    async def _send(self, text: str) -> None:
        if text:
            await self._emit(Delta(self.reply_id, text))


class _Thinking:
    """Takes out what stands between the marks of thinking, however they are cut into pieces."""

    def __init__(self) -> None:
        self._rest = ""
        self._inside = False

    def feed(self, piece: str) -> str:
        """Return what of the text so far is certain to be said aloud and was not returned yet."""
        self._rest += piece
        said = ""
        while True:
            mark = _CLOSE if self._inside else _OPEN
            before, found, after = self._rest.partition(mark)
            if not found:
                break
            said += "" if self._inside else before
            self._rest, self._inside = after, not self._inside
        keep = _beginning_of(mark, self._rest)
        said += "" if self._inside else self._rest[: len(self._rest) - keep]
        self._rest = self._rest[len(self._rest) - keep :]
        return said

    def flush(self) -> str:
        """Return what was kept back as the possible beginning of a mark."""
        rest, self._rest = self._rest, ""
        return "" if self._inside else rest


def _beginning_of(mark: str, text: str) -> int:
    """Return how many characters at the end of `text` may be the beginning of `mark`."""
    return next((size for size in range(len(mark) - 1, 0, -1) if text.endswith(mark[:size])), 0)
