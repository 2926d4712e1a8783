"""Log lines of this process: to stderr, stamped in UTC, as text or JSON, and nothing unredacted.

Facts are bound with `extra={"tool": name}` and follow the message.
"""

import json
import logging
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Literal, TextIO

from agent_core.clock import to_stamp
from agent_core.messages import Json

Redact = Callable[[Json], Json]

# Each of these logs every request, some with its address and headers, or every statement.
CHATTY = ("aiosqlite", "httpx", "httpx2", "httpcore", "httpcore2", "openai")

_OWN_ATTRIBUTES = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}

logger = logging.getLogger(__name__)


def set_up_logs(
    level: str, form: Literal["text", "json"], redact: Redact, stream: TextIO | None = None
) -> None:
    """Send every log line, warning and uncaught exception of this process to `stream` (default stderr).

    `redact` gets each line as a structure and returns what may be seen of it.
    """
    handler = RedactedHandler(stream or sys.stderr)
    handler.setFormatter(LineFormatter(redact, _as_json if form == "json" else _as_text))
    logging.root.handlers = [handler]
    logging.root.setLevel(level.upper())
    for name in CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_uncaught
    sys.unraisablehook = lambda lost: _log_uncaught(lost.exc_type, lost.exc_value, lost.exc_traceback)
    threading.excepthook = lambda end: _log_uncaught(end.exc_type, end.exc_value, end.exc_traceback)


class LineFormatter(logging.Formatter):
    """Turns a record into one redacted line (text: followed by the traceback, if there is one)."""

    def __init__(self, redact: Redact, render: Callable[[Mapping[str, Json]], str]) -> None:
        super().__init__()
        self._redact = redact
        self._render = render

    def format(self, record: logging.LogRecord) -> str:
        line = self._redact(self._line(record))
        if not isinstance(line, Mapping):
            raise TypeError("the redaction of a log line returned no structure")
        return self._render(line)

    def _line(self, record: logging.LogRecord) -> dict[str, Json]:
        facts = {name: _plain(value) for name, value in vars(record).items() if name not in _OWN_ATTRIBUTES}
        line: dict[str, Json] = {
            "time": to_stamp(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            facts["traceback"] = self.formatException(record.exc_info)
        return line | facts | line  # a fact never replaces what the line says of itself


class RedactedHandler(logging.StreamHandler[TextIO]):
    """Writes lines; what cannot be formatted is named but never shown, as nothing has redacted it."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 (the name in the base class)
        kind = sys.exc_info()[0]
        if sys.__stderr__ is None:
            return
        with suppress(OSError, ValueError):  # whoever reads it may be gone; that must not end who logs
            print(
                f"a log line of {record.name} was lost: {kind.__name__ if kind else 'unknown error'}",
                file=sys.__stderr__,
            )


def _as_json(line: Mapping[str, Json]) -> str:
    return json.dumps(line, ensure_ascii=False)


def _as_text(line: Mapping[str, Json]) -> str:
    rest = dict(line)
    head = " ".join(str(rest.pop(name)) for name in ("time", "level", "logger", "message"))
    trace = rest.pop("traceback", None)
    facts = "".join(f" {name}={json.dumps(value, ensure_ascii=False)}" for name, value in rest.items())
    return head.replace("\n", "\\n") + facts + (f"\n{trace}" if trace else "")


def _plain(value: object) -> Json:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _log_uncaught(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt | SystemExit):
        return
    logger.critical("uncaught exception", exc_info=(kind, error, trace) if error else None)
