"""What a person sees of entries, proposals and turns, as blocks that each platform draws in its own way."""

from adapters.cards.answer import answer_card
from adapters.cards.card import Action, Button, Card, Colour, Field, Line, Style, View
from adapters.cards.entry import entry_card
from adapters.cards.outcome import outcome_card, outcome_text
from adapters.cards.proposal import answer_buttons, proposal_card
from adapters.cards.trace import Step, tool_text, trace_card

__all__ = [
    "Action",
    "Button",
    "Card",
    "Colour",
    "Field",
    "Line",
    "Step",
    "Style",
    "View",
    "answer_buttons",
    "answer_card",
    "entry_card",
    "outcome_card",
    "outcome_text",
    "proposal_card",
    "tool_text",
    "trace_card",
]
