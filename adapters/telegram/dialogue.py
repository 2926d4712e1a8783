"""Asks for what a command lacks: by buttons of recent entries, or by a field to answer in."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from telegram import ForceReply, InlineKeyboardButton, InlineKeyboardMarkup

from adapters.chat.desk import Desk
from adapters.chat.followups import KEPT
from adapters.chat.model import Heard
from adapters.commands import BY_NAME, CommandError, Kind, is_command, parse
from adapters.telegram.part import Part
from adapters.telegram.place import PLATFORM
from adapters.telegram.room import TelegramRoom
from adapters.telegram.sender import Sender
from agent_core.conversation.model import Followup
from agent_core.lore.answers import History
from agent_core.texts import has, say
from agent_core.tools.spec import Asker

MOST_ENTRIES = 8
_CARRIED = re.compile(r"tgd([0-9]):([0-9a-zA-Z_-]{1,48})")
_JOINTS = {"entry rename": "->", "entry alias": "->", "entry merge": "->"}
_MAX_HINT = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """Keeps what was typed so far; the answer, typed or pressed, completes it. Works after a restart."""

    desk: Desk
    sender: Sender

    async def asks(self, heard: Heard, asker: Asker, room: TelegramRoom) -> bool:
        """Ask for the first thing that a typed command lacks; return whether it lacked any."""
        lack = _lacking(heard.text)
        if lack is None:
            return False
        command, option = lack
        choices: Sequence[str] = ()
        known = BY_NAME[command].option(option)
        if known is not None and known.kind in {Kind.ENTRY, Kind.ENTRIES}:
            choices = await self._recent(asker)
        record = await self._keep(heard, command, choices, asker)
        ref = await self._send(room, heard, asker.language, command, option, choices, record)
        await self.sender.chat.note(PLATFORM, f"asked/{ref}", record)
        return True

    async def answered(self, heard: Heard, asker: Asker) -> Heard | None:
        """Return the whole command where a message answers our question, else None."""
        record = await self.sender.chat.noted(PLATFORM, f"asked/{heard.answers}") if heard.answers else None
        if not record or is_command(heard.text) or not heard.text:
            return None
        return await self._completed(heard, record, heard.text, asker)

    async def pressed(self, carried: str, heard: Heard, asker: Asker) -> Heard | None:
        """Return the whole command where a button of our question was pressed, else None."""
        press = _CARRIED.fullmatch(carried)
        if press is None:
            return None
        followup = await self.sender.chat.followup(press[2])
        choices = followup.body.get("choices") if followup is not None else None
        number = int(press[1])
        if not isinstance(choices, list) or number >= len(choices):
            return None
        return await self._completed(heard, press[2], f'"{choices[number]}"', asker)

    async def _completed(self, heard: Heard, record: str, answer: str, asker: Asker) -> Heard | None:
        followup = await self.sender.chat.followup(record)
        if followup is None or followup.person != asker.person.id:
            return None
        if followup.conversation != asker.conversation.id:
            return None
        typed, joint = followup.body.get("typed"), followup.body.get("joint")
        return replace(heard, text=" ".join(str(part) for part in (typed, joint, answer) if part), answers="")

    async def _recent(self, asker: Asker) -> Sequence[str]:
        found = await self.desk.exchange.core.peek("get_history", {}, asker)
        if not isinstance(found, History):
            return ()
        named = (line.entry.name for item in found.items for line in item.lines if line.entry is not None)
        return tuple(dict.fromkeys(named))[:MOST_ENTRIES]

    async def _keep(self, heard: Heard, command: str, choices: Sequence[str], asker: Asker) -> str:
        now = heard.at
        followup = Followup(
            id=self.desk.exchange.core.runtime.new_id(),
            conversation=asker.conversation.id,
            person=asker.person.id,
            body={
                "typed": heard.text,
                "joint": _JOINTS.get(command, "") if len(heard.text.split()) > len(command.split()) else "",
                "choices": list(choices),
            },
            at=now,
        )
        await self.sender.chat.follow_up(followup, forget_before=now - KEPT)
        return followup.id

    async def _send(
        self,
        room: TelegramRoom,
        heard: Heard,
        language: str,
        command: str,
        option: str,
        choices: Sequence[str],
        record: str,
    ) -> str:
        """Send the question and return its ref."""
        key = f"option.{option}"
        question = say(language, "telegram.wanted", option=option if has(key) else "value")
        usage = say(language, f"usage.{command}").partition(" · ")[0]
        markup: InlineKeyboardMarkup | ForceReply
        if choices:
            buttons = [
                InlineKeyboardButton(name[:60], callback_data=f"tgd{number}:{record}")
                for number, name in enumerate(choices)
            ]
            markup = InlineKeyboardMarkup([buttons[at : at + 2] for at in range(0, len(buttons), 2)])
        else:
            markup = ForceReply(selective=True, input_field_placeholder=usage[:_MAX_HINT])
        part = Part(text=question[:1].upper() + question[1:], keyboard=markup)
        return await room.send(part, reply_to=heard.message)


def _lacking(text: str) -> tuple[str, str] | None:
    """Return the command and the option that it lacks, None where it is whole or wrong in another way."""
    if not is_command(text):
        return None
    try:
        parse(text)
    except CommandError as error:
        option = error.facts.get("option")
        if error.reason == "missing" and isinstance(option, str):
            return error.command, option
    return None
