"""Reads what a person types below a card: save, discard, only these lines, or the answer to a question."""

import re
from dataclasses import dataclass

from adapters.cards import Action, Button, answer_buttons
from adapters.cards.proposal import LETTERS
from adapters.commands import position_of
from agent_core.pipeline.confirmations import Decision
from agent_core.pipeline.model import Batch
from agent_core.turn.plain_words import plain_answer

_SAVE = frozenset({"s", "j", "o"})
_DISCARD = frozenset({"d"})
_NUMBERS = re.compile(r"\d{1,3}(?:\s*(?:[,; ]|-)\s*\d{1,3})*")


@dataclass(frozen=True, slots=True)
class NoSuchLine:
    """A number that stands on no line of the card."""

    number: int


def read_decision(text: str, batch: Batch) -> Decision | Button | NoSuchLine | None:
    """Return the decision, the answer to a question of the card, or None for any other text."""
    said = text.strip()
    letter = said.casefold().rstrip(")")
    if letter in _SAVE or plain_answer(said) is True:
        return Decision(approve=True, digest=batch.digest)
    if letter in _DISCARD or plain_answer(said) is False:
        return Decision(approve=False, digest=batch.digest)
    if letter.startswith("@"):
        return _placed(said, batch)
    buttons = answer_buttons(batch, batch.language)
    if len(letter) == 1 and letter in LETTERS[: len(buttons)]:
        return buttons[LETTERS.index(letter)]
    return picked(said, batch) if _NUMBERS.fullmatch(said) else None


def reply_hints(batch: Batch) -> list[str]:
    """Return the text keys of what can be typed below this card."""
    questions = {question.name for call in batch.calls for question in call.card.questions}
    hints = {
        "reply_save": True,
        "reply_lines": len(batch.calls) > 1,
        "reply_answer": bool(questions),
        "reply_place": "at" in questions,
        "reply_later": True,
        "reply_else": True,
    }
    return [key for key, fits in hints.items() if fits]


def _placed(text: str, batch: Batch) -> Button | None:
    """Return the answer to the first "from when?" on the card."""
    for call in batch.calls:
        for question in call.card.questions:
            if question.name == "at":
                value = position_of(text)
                return Button(
                    action=Action.ANSWER,
                    label=value,
                    batch=batch.id,
                    line=call.ordinal,
                    name="at",
                    value=value,
                )
    return None


def picked(text: str, batch: Batch) -> Decision | NoSuchLine:
    """Return the decision to save only the lines with these numbers: `1,3` or `1-3`."""
    numbers = _numbers(text)
    missing = next((number for number in numbers if not 1 <= number <= len(batch.calls)), None)
    if missing is not None or not numbers:
        return NoSuchLine(missing or 0)
    chosen = frozenset(batch.calls[number - 1].ordinal for number in numbers)
    return Decision(approve=True, chosen=chosen, digest=batch.digest)


def _numbers(text: str) -> list[int]:
    found: list[int] = []
    for first, last in re.findall(r"(\d{1,3})(?:\s*-\s*(\d{1,3}))?", text):
        found += range(int(first), int(last or first) + 1)
    return found
