"""The card of where a conversation stands and how far somebody has read."""

from adapters.cards.card import Card, Line, View
from adapters.cards.values import head_text, place_text
from agent_core.texts import say
from agent_core.tools.standing import Standing


def standing_card(standing: Standing, view: View) -> Card:
    """Return the card of a conversation's position, for who reads with their progress."""
    return Card(
        title=say(view.language, "standing.title"), head=head_text(view), lines=_lines(standing, view)
    )


def _lines(standing: Standing, view: View) -> tuple[Line, ...]:
    language = view.language
    here, read = standing.position, standing.finished
    lines = [
        say(language, "proposal.position", place=place_text(language, here))
        if here is not None
        else say(language, "standing.nowhere")
    ]
    if read is not None:
        lines.append(say(language, "proposal.progress", place=place_text(language, read)))
    elif standing.reads:
        lines.append(say(language, "proposal.progress_nothing"))
    return tuple(Line(text=line) for line in lines)
