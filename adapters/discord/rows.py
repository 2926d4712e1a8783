"""Buttons of a card as Discord's rows: five a row, and lists where there are many of one kind."""

from collections.abc import Sequence

from adapters.cards import Action, Button, Card, Line
from adapters.chat.press import press_ids
from adapters.discord.markup import shortened
from adapters.discord.part import (
    MAX_CHOICE_LABEL,
    MAX_CHOICES,
    MAX_KEY_LABEL,
    MAX_KEYS,
    MAX_ROWS,
    Choice,
    Key,
    Pick,
    Row,
    Tone,
)
from agent_core.texts import say

_TONES = {Action.SAVE: Tone.GOOD, Action.SAVE_SELECTION: Tone.GOOD, Action.DISCARD: Tone.BAD}
_LISTED = {Action.TOGGLE: 1, Action.ANSWER: 5, Action.CHOOSE: 5}
"""How many buttons of a kind stand as buttons; more of them become a list."""

Carried = tuple[str, Button]


def rows_of(card: Card, language: str) -> tuple[Row, ...]:
    """Return the rows below a card; `rows_fit` tells whether that are all."""
    return _rows(card, language)[:MAX_ROWS]


def rows_fit(card: Card) -> bool:
    """Tell whether every button of a card has room."""
    return len(_rows(card, "en")) <= MAX_ROWS


def _rows(card: Card, language: str) -> tuple[Row, ...]:
    carried = press_ids(card.buttons)
    listed = {action: [one for one in carried if one[1].action is action] for action in _LISTED}
    lists = {action for action, members in listed.items() if len(members) > _LISTED[action]}
    keys = [_key(one) for one in carried if one[1].action not in lists]
    rows: list[Row] = [tuple(keys[at : at + MAX_KEYS]) for at in range(0, len(keys), MAX_KEYS)]
    for action in _LISTED:
        if action in lists:
            rows += _picks(action, listed[action], card, language)
    return tuple(rows)


def _key(carried: Carried) -> Key:
    id_, button = carried
    label = shortened(button.label, MAX_KEY_LABEL) or "…"
    return Key(id=id_, label=label, tone=_TONES.get(button.action, Tone.QUIET))


def _picks(action: Action, members: Sequence[Carried], card: Card, language: str) -> list[Row]:
    lines = _numbered_lines(card) if action is Action.TOGGLE else {}
    return [
        Pick(
            id=f"lkpick:{action.value}:{at}",
            prompt=say(language, f"discord.pick_{action.value}"),
            choices=tuple(_choice(one, lines) for one in members[at : at + MAX_CHOICES]),
        )
        for at in range(0, len(members), MAX_CHOICES)
    ]


def _choice(carried: Carried, lines: dict[str, Line]) -> Choice:
    id_, button = carried
    line = lines.get(button.label)
    about = shortened(line.text, MAX_CHOICE_LABEL) if line is not None else ""
    return Choice(value=id_, label=shortened(button.label, MAX_CHOICE_LABEL) or "…", about=about)


def _numbered_lines(card: Card) -> dict[str, Line]:
    """Return the lines that a number picks, by that number; of several the first in a field."""
    found: dict[str, Line] = {}
    for line in (line for field in card.fields for line in field.lines if line.number):
        found.setdefault(str(line.number), line)
    return found
