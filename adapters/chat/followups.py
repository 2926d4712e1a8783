"""What the buttons of a looked-up card go on with: stored, so that they work after a restart."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

from pydantic import TypeAdapter

from adapters.cards import Action, Button, Card
from agent_core.conversation.model import Followup
from agent_core.core import Core
from agent_core.lore.canon import Canon
from agent_core.messages import Json
from agent_core.people.model import SeriesRole
from agent_core.pipeline.permissions import bound_to_text, role_of, within
from agent_core.texts import say
from agent_core.tools.spec import Asker

KEPT = timedelta(days=60)

_CARD = TypeAdapter(Card)


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """A look-up that was shown. `name` is the command's; `subject` heads its card.

    `turns` are the positions that Earlier and Later lead to; `choices` the exact names to choose from.
    """

    name: str
    tool: str
    arguments: Mapping[str, Json]
    subject: str = ""
    private: bool = False
    turns: Mapping[str, str] | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Followups:
    """Stores and reads back what buttons go on with."""

    core: Core

    async def looked(self, looked: Looked, card: Card, asker: Asker, *, fuller: bool) -> Card:
        """Return the card of a look-up with buttons that go on from it."""
        turns = {button.action.value: button.value for button in card.buttons if button.value}
        if fuller:
            label = say(asker.language, "button.fuller")
            card = replace(card, buttons=(*card.buttons, Button(action=Action.FULLER, label=label)))
        body: dict[str, Json] = {
            "name": looked.name,
            "tool": looked.tool,
            "arguments": dict(looked.arguments),
            "subject": looked.subject,
            "private": looked.private,
            "turns": dict(turns),
            "choices": list(looked.choices),
        }
        record = await self._stored(body, asker)
        buttons = tuple(replace(button, value=record) for button in card.buttons)
        return replace(card, buttons=buttons, record=record)

    async def steps(self, card: Card, asker: Asker) -> Card:
        """Return the closed trace of a turn with the button that opens it."""
        body: dict[str, Json] = {
            "steps": _CARD.dump_python(card, mode="json"),
            "bound": bound_to_text(asker.bound),
            "series": asker.conversation.series,
        }
        record = await self._stored(body, asker)
        opened = Button(action=Action.OPEN, label=say(asker.language, "button.open"), value=record)
        return replace(card, buttons=(opened,), record=record)

    async def find(self, record: str) -> Followup | None:
        """Return what was stored, None where it is too old."""
        return await self.core.chat.followup(record)

    async def _stored(self, body: Mapping[str, Json], asker: Asker) -> str:
        now = self.core.runtime.clock.now()
        followup = Followup(
            id=self.core.runtime.new_id(),
            conversation=asker.conversation.id,
            person=asker.person.id,
            body=body,
            at=now,
        )
        await self.core.chat.follow_up(followup, forget_before=now - KEPT)
        return followup.id


def may_open(followup: Followup, asker: Asker, canon: Canon | None) -> bool:
    """Return whether somebody may see the steps of a turn: they see as much as it did, in the same series."""
    if followup.body.get("series") != asker.conversation.series:
        return False
    if canon is None:
        return True
    bound = str(followup.body.get("bound", ""))
    return role_of(asker.membership) is not SeriesRole.NONE and within(bound, asker.bound, canon.outline)


def looked_of(followup: Followup) -> Looked | None:
    """Return the look-up of a followup, None where it is another one's."""
    body = followup.body
    arguments, turns, choices = body.get("arguments"), body.get("turns"), body.get("choices")
    if not (isinstance(arguments, dict) and isinstance(turns, dict) and isinstance(choices, list)):
        return None
    return Looked(
        name=str(body["name"]),
        tool=str(body["tool"]),
        arguments=arguments,
        subject=str(body["subject"]),
        private=body["private"] is True,
        turns={name: str(place) for name, place in turns.items()},
        choices=tuple(map(str, choices)),
    )


def steps_of(followup: Followup) -> Card | None:
    """Return the opened trace of a followup, None where it is another one's."""
    steps = followup.body.get("steps")
    return None if steps is None else _CARD.validate_python(steps)
