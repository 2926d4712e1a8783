"""What a button carries: at most 64 ASCII characters that name a record of ours, never its content."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from adapters.cards import Action, Button

MAX_LENGTH = 64

_CODES = {
    Action.SAVE: "s",
    Action.SAVE_SELECTION: "l",
    Action.DISCARD: "d",
    Action.TOGGLE: "t",
    Action.ANSWER: "a",
    Action.TAKE_BACK: "u",
    Action.PAGE: "p",
    Action.EARLIER: "e",
    Action.LATER: "f",
    Action.HISTORY: "h",
    Action.WHY: "y",
    Action.FULLER: "v",
    Action.OPEN: "o",
    Action.CHOOSE: "c",
    Action.WRONG_BOOK: "w",
}
_ACTIONS = {code: action for action, code in _CODES.items()}
_PRESS = re.compile(r"lk([a-z])([0-9]{1,6}):([0-9a-zA-Z_-]{1,48})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """What was pressed. `record` is the id of a batch or of a followup, `number` a line, choice or page."""

    action: Action
    record: str
    number: int = 0


def press_ids(buttons: Sequence[Button]) -> tuple[tuple[str, Button], ...]:
    """Return each button of a card with what it carries; no two carry the same.

    A choice that answers a question is numbered among the choices of its card.
    """
    answers = count()
    numbered = (
        (next(answers) if button.action is Action.ANSWER else button.line, button) for button in buttons
    )
    return tuple(
        (f"lk{_CODES[button.action]}{number}:{button.batch or button.value}", button)
        for number, button in numbered
    )


def read_press(carried: str) -> Press | None:
    """Return what was pressed, None for what is not ours."""
    found = _PRESS.fullmatch(carried)
    if found is None or found[1] not in _ACTIONS:
        return None
    return Press(action=_ACTIONS[found[1]], record=found[3], number=int(found[2]))
