"""Cards and answers as plain Markdown: for what is posted where no card can stand, such as the outbox."""

from collections.abc import Iterator

from adapters.cards.answer import answer_card
from adapters.cards.card import Card, Line, View
from agent_core.lore.answers import Answer
from agent_core.messages import Json

MAX_LINES = 60


def answer_markdown(answer: Answer, view: View, name: str) -> str:
    """Return an answer as its card says it; one that has none, fact by fact under `name`."""
    try:
        return card_markdown(answer_card(answer, view))
    except KeyError:
        value = answer.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        lines = [*_facts(value, 0)]
        more = ["- …"] if len(lines) > MAX_LINES else []
        return "\n".join([f"**{name}**", "", *lines[:MAX_LINES], *more])


def card_markdown(card: Card) -> str:
    """Return a card as Markdown, without its buttons."""
    parts = [f"**{card.title}**", *_lines(card.lines)]
    for one in card.fields:
        parts += ["", f"**{one.title}**", *_lines(one.lines)]
    return "\n".join([*parts, *(["", *card.footer] if card.footer else [])])


def _lines(lines: tuple[Line, ...]) -> Iterator[str]:
    for line in lines:
        label = f"{line.label}: " if line.label else ""
        before = f"{line.before} → " if line.before else ""
        mark = f" ({line.mark})" if line.mark else ""
        yield f"{'  ' * line.depth}- {label}{before}{line.text}{mark}"


def _facts(value: Json, depth: int) -> Iterator[str]:
    """Yield the lines of a structure, each level further in."""
    named = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in named:
        label = f"{name}: " if isinstance(name, str) else ""
        if isinstance(inner, dict | list):
            yield from [f"{'  ' * depth}- {label}".rstrip()] if label else ()
            yield from _facts(inner, depth + bool(label))
        else:
            yield f"{'  ' * depth}- {label}{inner}"
