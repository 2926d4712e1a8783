"""Tokens of interactions and webhooks stand in addresses: no log line shows them."""

import logging
import re

_TOKEN = re.compile(r"(/(?:interactions|webhooks)/\d+/)[\w.-]{10,}")


class TokenFilter(logging.Filter):
    """Masks the tokens in a record; the ids beside them stay."""

    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        masked = masked_tokens(text)
        if masked != text:
            record.msg, record.args = masked, ()
        return True


def masked_tokens(text: str) -> str:
    """Return the text without the tokens in addresses of interactions and webhooks."""
    return _TOKEN.sub(r"\1***", text)


def mask_logs() -> None:
    """Let every handler of this process mask the tokens."""
    for handler in logging.root.handlers:
        if not any(isinstance(known, TokenFilter) for known in handler.filters):
            handler.addFilter(TokenFilter())
