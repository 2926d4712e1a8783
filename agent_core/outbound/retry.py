"""How long a server asks to be left alone."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime


def retry_after(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    """Return how long the header Retry-After asks to wait, in seconds or until a date; None if it doesn't."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit() and len(text) < 9:
        return timedelta(seconds=int(text))
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(until - now, timedelta(0))
