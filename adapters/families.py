"""Families of tools that a place switches on and off, by the words that people have for them."""

from dataclasses import replace

from agent_core.conversation.model import Conversation
from agent_core.core import Core
from agent_core.texts import LANGUAGES, say
from agent_core.tools.spec import SWITCHED, Asker, Family

_ON = frozenset({"on", "an", "ein", "oui", "marche"})
_OFF = frozenset({"off", "aus", "non", "arrêt"})


def family_named(text: str) -> Family | None:
    """Return the family of a word in any of our languages, None where it names none."""
    named = {
        say(language, f"family.{family}").casefold(): family for family in SWITCHED for language in LANGUAGES
    }
    named |= {family.value: family for family in SWITCHED}
    return named.get(text.strip().casefold())


def families_text(asker: Asker) -> str:
    """Return which families are on in the asker's place, in words."""
    on = [
        say(asker.language, f"family.{family}")
        for family in SWITCHED
        if family in asker.conversation.families
    ]
    return ", ".join(on) or say(asker.language, "families.none")


async def switch(core: Core, asker: Asker, family: Family, value: str) -> str:
    """Switch a family on or off in the asker's place, by a word for it; return what to say."""
    language, name = asker.language, _name(family, asker.language)
    word = value.strip().casefold()
    if word not in _ON | _OFF:
        return say(language, "families.no_value", value=value, name=name)
    await core.askers.conversations.alter(
        asker.conversation.id, lambda place: switched(place, family, on=word in _ON)
    )
    return say(language, "families.on" if word in _ON else "families.off", name=name)


def switched(place: Conversation, family: Family, *, on: bool) -> Conversation:
    """Return the place with a family on or off."""
    others = tuple(one for one in place.families if one != family.value)
    return replace(place, families=(*others, family.value) if on else others)


def _name(family: Family, language: str) -> str:
    return say(language, f"family.{family}")
