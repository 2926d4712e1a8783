"""The confirmation card: what would be written, as sentences a person can decide on.

Headed by series and book, grouped by entry, warnings first; lines are numbered for picking, and the
choices of open questions carry letters.
"""

from collections.abc import Iterable, Sequence

from adapters.cards.card import Action, Button, Card, Colour, Field, Line, Style, View
from adapters.cards.sentence import NOTE_KINDS, SCHEDULE_KINDS, call_sentence, change_lines, warning_lines
from adapters.cards.values import head_text, moment_text, place_text
from agent_core.lore.answers import CardLine, Choice, Question
from agent_core.pipeline.confirmations import decider_of
from agent_core.pipeline.model import Batch, BatchCall
from agent_core.texts import has, say

LETTERS = "abcefghiklmpqrtuvwxz"  # not those that say yes, no, save or discard in our languages
_ABOUT_PEOPLE = frozenset({"identity", "access_open", "access_closed"})
Letters = dict[tuple[int, str, str], str]


def proposal_card(batch: Batch, view: View) -> Card:
    """Return the card of an open batch; `Line.number` is the place of a call in it, from 1."""
    language = view.language
    return Card(
        title=proposal_title(batch, language),
        head=head_text(view),
        colour=Colour.PROPOSAL,
        lines=tuple(_warnings(batch, language)),
        fields=tuple(_groups(batch, language)),
        footer=_footer(batch, view),
        buttons=_buttons(batch, language),
    )


def proposal_title(batch: Batch, language: str) -> str:
    """Return what a batch is called: "Proposal (4 facts)", or steps where it isn't only facts."""
    facts = sum(len(call.card.changes) or 1 for call in batch.calls if call.card.kind in {"record", "retcon"})
    only_facts = all(call.card.kind in {"record", "retcon"} for call in batch.calls)
    if only_facts:
        return say(language, "proposal.title", n=facts)
    return say(language, "proposal.title_steps", n=len(batch.calls))


def group_name(card: CardLine, language: str) -> str:
    """Return the heading that a line stands under: its entry, "edits", "people", or "book and place"."""
    if card.entry is not None:
        return card.entry.name
    if card.kind == "undo":
        return say(language, "history.title")
    if card.kind in NOTE_KINDS or card.kind == "sheet":
        return say(language, "proposal.notes_group", vault=card.facts.get("vault", ""))
    if card.kind in SCHEDULE_KINDS:
        return say(language, "schedule.title")
    if card.kind == "document":
        return say(language, "proposal.documents_group")
    if card.kind in {"notify", "web"}:
        return say(language, f"proposal.{card.kind}_group")
    return say(language, "proposal.people" if card.kind in _ABOUT_PEOPLE else "proposal.outline")


def answer_buttons(batch: Batch, language: str) -> tuple[Button, ...]:
    """Return one button a choice of the open questions, in the order of their letters on the card."""
    return tuple(
        Button(
            action=Action.ANSWER,
            label=_choice_text(choice, question, language),
            batch=batch.id,
            line=call.ordinal,
            name=question.name,
            value=choice.value,
        )
        for call, question, choice in _choices(batch)
    )


def _groups(batch: Batch, language: str) -> Iterable[Field]:
    letters: Letters = {
        (call.ordinal, question.name, choice.value): letter
        for letter, (call, question, choice) in zip(LETTERS, _choices(batch), strict=False)
    }
    numbered = list(enumerate(batch.calls, start=1))
    for name in dict.fromkeys(group_name(call.card, language) for call in batch.calls):
        members = [item for item in numbered if group_name(item[1].card, language) == name]
        lines = [line for number, call in members for line in _call(number, call, letters, language)]
        yield Field(title=name, lines=tuple(lines))


def _call(number: int, call: BatchCall, letters: Letters, language: str) -> list[Line]:
    sentence = Line(
        text=call_sentence(call.card, language),
        number=number,
        style=Style.PLAIN if call.selected else Style.NOTE,
    )
    lines = [sentence, *change_lines(call.card, language)]
    for question in call.card.questions:
        lines += _question(call, question, letters, language)
    return lines


def _question(call: BatchCall, question: Question, letters: Letters, language: str) -> list[Line]:
    asked = say(language, f"proposal.{question.name}_question")
    lines = [Line(text=asked, style=Style.QUESTION, depth=1)]
    for choice in question.choices:
        label = _choice_text(choice, question, language)
        letter = letters.get((call.ordinal, question.name, choice.value), "")
        lines.append(Line(label=letter, text=label, style=Style.QUESTION, depth=2))
    return lines


def _choice_text(choice: Choice, question: Question, language: str) -> str:
    place = place_text(language, choice.place) if choice.place is not None else ""
    code = choice.code if has(f"choice.{choice.code}") else "place"
    label = say(language, f"choice.{code}", place=place or choice.value)
    return say(language, "proposal.chosen", label=label) if choice.value == question.chosen else label


def _choices(batch: Batch) -> list[tuple[BatchCall, Question, Choice]]:
    return [
        (call, question, choice)
        for call in batch.calls
        for question in call.card.questions
        for choice in question.choices
    ]


def _warnings(batch: Batch, language: str) -> list[Line]:
    """Return all warnings, each once, with the number of its line where there are several."""
    lines: dict[str, Line] = {}
    for number, call in enumerate(batch.calls, start=1):
        for line in warning_lines(call.card, language):
            lines.setdefault(line.text, _numbered(line, number, batch.calls))
    return list(lines.values())


def _numbered(line: Line, number: int, calls: Sequence[BatchCall]) -> Line:
    return Line(text=line.text, style=Style.WARNING, number=number if len(calls) > 1 else 0)


def _footer(batch: Batch, view: View) -> tuple[str, ...]:
    language = view.language
    return (
        say(language, "proposal.deciders", who=decider_of(batch)),
        say(language, "proposal.expires", date=moment_text(view, batch.expires.isoformat())),
    )


def _buttons(batch: Batch, language: str) -> tuple[Button, ...]:
    every = all(call.selected for call in batch.calls)
    save = Action.SAVE if every else Action.SAVE_SELECTION
    toggles = [
        Button(action=Action.TOGGLE, label=str(number), batch=batch.id, line=call.ordinal)
        for number, call in enumerate(batch.calls, start=1)
    ]
    return (
        Button(action=save, label=say(language, f"button.{save.value}"), batch=batch.id),
        Button(action=Action.DISCARD, label=say(language, "button.discard"), batch=batch.id),
        *(toggles if len(toggles) > 1 else ()),
        *answer_buttons(batch, language),
    )
