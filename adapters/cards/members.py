"""The card of who belongs to a series."""

from adapters.cards.card import Card, Line, View
from adapters.cards.values import head_text, place_text
from agent_core.texts import say
from agent_core.tools.members import MemberItem, MemberList


def members_card(members: MemberList, view: View) -> Card:
    """Return the card of who belongs to a series, leads first."""
    language = view.language
    lines = tuple(_member(item, language) for item in members.members)
    return Card(
        title=say(language, "members.title"),
        head=head_text(view),
        lines=lines or (Line(text=say(language, "members.empty")),),
    )


def _member(item: MemberItem, language: str) -> Line:
    notes = [say(language, f"role.{item.role.value}")]
    if item.may_destroy:
        notes.append(say(language, "members.may_destroy"))
    if item.finished is not None:
        notes.append(say(language, "members.finished", place=place_text(language, item.finished)))
    return Line(label=item.name, text=" · ".join(notes))
