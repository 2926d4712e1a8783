"""The card after the decision: what happened, by whom, as which edit, and how to take it back."""

from adapters.cards.card import Action, Button, Card, Colour, Field, Line, Style, View
from adapters.cards.proposal import group_name
from adapters.cards.sentence import call_sentence, change_lines
from adapters.cards.values import head_text, patch_text
from agent_core.lore.answers import CardLine
from agent_core.messages import parse_json
from agent_core.pipeline.model import Batch, BatchCall, BatchStatus, CallStatus
from agent_core.texts import say

_LEFT_OUT = frozenset({CallStatus.DECLINED})
_FACTS = frozenset({"record", "retcon"})


def outcome_card(batch: Batch, view: View, *, by: str = "") -> Card:
    """Return the card of a closed batch; `by` is the name of the person who decided."""
    language, written = view.language, batch.status is BatchStatus.APPROVED
    return Card(
        title=outcome_text(batch, language, by=by),
        head=head_text(view),
        colour=_colour(batch),
        lines=() if written else (_about(batch, language),),
        fields=tuple(_fields(batch, language)) if written else (),
        footer=_footer(batch, language),
        buttons=_buttons(batch, language),
    )


def outcome_text(batch: Batch, language: str, *, by: str = "") -> str:
    """Return what became of a closed batch, in one sentence."""
    if batch.status is not BatchStatus.APPROVED:
        return say(language, f"outcome.{batch.status.value}", by=by)
    if not batch.settled:
        return say(language, "outcome.running")
    done = sum(call.status is CallStatus.DONE for call in batch.calls)
    if any(call.status is CallStatus.UNKNOWN for call in batch.calls):
        return say(language, "outcome.unknown")
    if all(call.status is CallStatus.SUPERSEDED for call in batch.calls):
        return say(language, "outcome.conflict")
    if not done:
        return say(language, "outcome.failed_outward" if _goes_out(batch) else "outcome.failed")
    kind = "saved" if done == len(batch.calls) else "part"
    edit = "" if batch.edit is not None else "_plain"
    return say(language, f"outcome.{kind}{edit}", edit=batch.edit, by=by, n=done, of=len(batch.calls))


def _goes_out(batch: Batch) -> bool:
    """Return whether something of it may be outside already, though no call of it was done."""
    return any(warning.code == "goes_out" for call in batch.calls for warning in call.card.warnings)


def _about(batch: Batch, language: str) -> Line:
    what = dict.fromkeys(
        call.card.entry.name if call.card.entry is not None else call_sentence(call.card, language)
        for call in batch.calls
    )
    return Line(text=" · ".join(what), style=Style.NOTE)


def _colour(batch: Batch) -> Colour:
    if batch.status is not BatchStatus.APPROVED:
        return Colour.CLOSED
    troubled = {CallStatus.FAILED, CallStatus.UNKNOWN}
    return Colour.TROUBLE if any(call.status in troubled for call in batch.calls) else Colour.DONE


def _fields(batch: Batch, language: str) -> list[Field]:
    names = dict.fromkeys(group_name(call.card, language) for call in batch.calls)
    return [
        Field(
            title=name,
            lines=tuple(
                line
                for call in batch.calls
                if group_name(call.card, language) == name
                for line in _call(call, language)
            ),
        )
        for name in names
    ]


def _call(call: BatchCall, language: str) -> list[Line]:
    sentence = call_sentence(call.card, language)
    if call.status is CallStatus.DONE:
        changes = change_lines(_without_sayings(call.card), language)
        return [Line(text=sentence), *changes, *_number(call, language)]
    facts = {change.key: change.after for change in call.card.changes} if call.card.kind in _FACTS else {}
    what = patch_text(language, facts) if facts else ""
    state = say(language, f"call.{call.status.value}")
    style = Style.NOTE if call.status in _LEFT_OUT else Style.WARNING
    line = Line(label=state, text=" · ".join(filter(None, (what, sentence))), style=style)
    return [line, *_why(call, language)]


def _number(call: BatchCall, language: str) -> list[Line]:
    """Return the number that a new task has got; its card did not know it yet."""
    if call.card.kind != "schedule_new":
        return []
    number = parse_json(call.result)["task"]
    return [Line(text=say(language, "schedule.added", number=number), style=Style.NOTE, depth=1)]


def _why(call: BatchCall, language: str) -> list[Line]:
    if call.trouble is None:
        return []
    text = say(language, call.trouble.key, **call.trouble.facts)
    return [Line(text=text, style=Style.NOTE, depth=1)]


def _without_sayings(card: CardLine) -> CardLine:
    return card.model_copy(update={"before_text": "", "after_text": ""})


def _footer(batch: Batch, language: str) -> tuple[str, ...]:
    if batch.edit is None or not batch.settled:
        return ()
    return (say(language, "outcome.take_back", edit=batch.edit),)


def _buttons(batch: Batch, language: str) -> tuple[Button, ...]:
    if batch.edit is None or not batch.settled:
        return ()
    label = say(language, "button.take_back")
    return (Button(action=Action.TAKE_BACK, label=label, batch=batch.id, value=str(batch.edit)),)
