"""Buttons of cards as rows of an inline keyboard."""

from collections.abc import Sequence

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from adapters.cards import Action, Button
from adapters.chat.press import press_ids

MAX_BUTTONS = 100
_MAX_LABEL = 60
_ROW_CHARS = 32
_IN_ROW = {Action.TOGGLE: 6}
_MOST = 3


def keyboard(buttons: Sequence[Button]) -> InlineKeyboardMarkup | None:
    """Return the buttons in rows that a phone can show, None without any."""
    rows: list[list[InlineKeyboardButton]] = []
    group: Action | None = None
    used = 0
    for carried, button in press_ids(buttons[:MAX_BUTTONS]):
        kind = button.action if button.action in {Action.TOGGLE, Action.ANSWER, Action.CHOOSE} else None
        label = _short(button.label)
        is_full = bool(rows) and (len(rows[-1]) >= _IN_ROW.get(button.action, _MOST))
        if not rows or kind is not group or is_full or used + len(label) > _ROW_CHARS:
            rows.append([])
            used = 0
        rows[-1].append(InlineKeyboardButton(label, callback_data=carried))
        group, used = kind, used + len(label)
    return InlineKeyboardMarkup(rows) if rows else None


def _short(label: str) -> str:
    bare = " ".join(label.split()) or "…"
    return bare if len(bare) <= _MAX_LABEL else f"{bare[: _MAX_LABEL - 1]}…"
