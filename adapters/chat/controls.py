"""Commands that a chat platform carries out itself: start, ask, new, cancel, help, settings."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from adapters import zones
from adapters.chat.exchange import TRACE, Exchange
from adapters.chat.model import Speaker
from adapters.chat.room import Reply
from adapters.commands import Control
from adapters.families import families_text, family_named, switch
from adapters.help import help_card
from adapters.surface import Said, Verbosity
from agent_core.people.model import WRITERS
from agent_core.pipeline.permissions import role_of
from agent_core.texts import LANGUAGES, say
from agent_core.tools.spec import Asker

ADDRESSED = "addressed"
_ALWAYS = ("all", "mention")

Ask = Callable[[str, bool], Awaitable[None]]
"""Asks the agent a question; True for deep research."""


@dataclass(frozen=True, slots=True)
class Controls:
    """Carries out commands that call no tool."""

    exchange: Exchange

    async def start(self, speaker: Speaker, code: str, reply: Reply) -> None:
        """Make the person with the console's code the operator; without a code say how things stand.

        Raises:
            LoreKeeperError: the code is wrong, or there were too many guesses.
        """
        reception = self.exchange.reception
        language = reception.spoken(speaker)
        if code:
            await reception.pair(speaker, code)
            await reply.show(Said(markdown=say(language, "pairing.done")))
            return
        key = "closed" if await reception.pairing.is_paired(reception.platform) else "unpaired"
        await reply.show(Said(markdown=say(language, f"pairing.{key}")), private=True)

    async def carry_out(self, control: Control, asker: Asker, reply: Reply, ask: Ask) -> None:
        """Carry out one command.

        Raises:
            LoreKeeperError: refused or failed.
        """
        core, language = self.exchange.core, asker.language
        match control.name:
            case "ask" | "research":
                await ask(control.options.get("question", ""), control.name == "research")
            case "new" if not _may_set(asker):
                await reply.show(Said(markdown=say(language, "error.not_permitted.role")))
            case "new":
                await core.chat.forget_overheard(asker.conversation.id)
                await self.exchange.drive(lambda emit: core.start_afresh(asker, emit), reply, asker)
                await reply.show(Said(markdown=say(language, "terminal.fresh")))
            case "cancel":
                stopped = await core.cancel(asker.conversation.id)
                key = "terminal.stopping" if stopped else "terminal.stopped"
                await reply.show(Said(markdown=say(language, key)))
            case "settings":
                await reply.show(Said(markdown=await self._settings(control.options, asker)))
            case _:  # help
                await reply.show(help_card(language, control.options.get("command", "")))

    async def _settings(self, options: Mapping[str, str], asker: Asker) -> str:
        """Change a setting of this place, or list them; return what to say."""
        language, value = asker.language, options.get("value", "").strip().lower()
        name = options.get("name", "").strip().lower()
        if name and not _may_set(asker):
            return say(language, "error.not_permitted.role")
        family = family_named(name)
        if family is not None:
            return await switch(self.exchange.core, asker, family, value)
        if name in zones.NAMES:
            return await zones.set_zone(self.exchange.core, asker, options.get("value", ""))
        match name:
            case "":
                return await self._listed(asker)
            case "language" | "sprache" | "langue":
                return await self._set_language(value, asker)
            case "trace" | "verlauf" | "déroulé":
                return await self._set(TRACE, value, tuple(Verbosity), asker)
            case "addressed" | "angesprochen" | "adressé":
                return await self._set(ADDRESSED, value, _ALWAYS, asker)
        return say(language, "terminal.bad_setting", usage=say(language, "usage.settings"))

    async def _listed(self, asker: Asker) -> str:
        language, place = asker.language, asker.conversation
        verbosity = await self.exchange.verbosity(place.id)
        shown = {
            "language": say(language, f"language.{language}"),
            TRACE: say(language, f"trace_mode.{verbosity.value}"),
            zones.ZONE: place.time_zone,
            "families": families_text(asker),
        }
        if not place.private:
            noted = await self.exchange.core.chat.noted(place.platform, f"{ADDRESSED}:{place.id}")
            shown[ADDRESSED] = say(language, f"addressed.{noted or 'mention'}")
        lines = [
            say(language, "terminal.setting_line", name=name, value=value) for name, value in shown.items()
        ]
        return "\n".join([*lines, say(language, "usage.settings")])

    async def _set_language(self, value: str, asker: Asker) -> str:
        if value not in LANGUAGES:
            return say(asker.language, "terminal.no_language", value=value)
        await self.exchange.core.askers.conversations.alter(
            asker.conversation.id, lambda place: replace(place, language=value)
        )
        return say(value, "terminal.language_set")

    async def _set(self, name: str, value: str, values: tuple[str, ...], asker: Asker) -> str:
        if value not in values:
            choices = tuple(str(one) for one in values)
            return say(asker.language, "chat.no_value", value=value, choices=choices)
        place = asker.conversation
        await self.exchange.core.chat.note(place.platform, f"{name}:{place.id}", value)
        return say(asker.language, "chat.set", name=name, value=value)


def _may_set(asker: Asker) -> bool:
    """Return whether this person says how the place is run: alone, as a writer, or as the operator."""
    return asker.conversation.private or asker.person.operator or role_of(asker.membership) in WRITERS
