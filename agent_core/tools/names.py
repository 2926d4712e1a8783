"""Puts people's names where the canon knows ids: answers and cards are read by people."""

from collections.abc import Mapping
from typing import TypeVar

from agent_core.lore.answers import Answer
from agent_core.lore.fold import name_key
from agent_core.tools.spec import ToolContext

T = TypeVar("T", bound=Answer)

_PERSON_FIELDS = frozenset({"by", "proposed_by", "approved_by", "replaces_by"})


async def with_names(context: ToolContext, answer: T) -> T:
    """Return the answer with each person's id replaced by their name."""
    found: set[str] = set()
    _collect(answer, found)
    people = {one: await context.people.person(one) for one in sorted(found)}
    names = {one: person.name for one, person in people.items() if person}
    return _renamed(answer, names) if names else answer


async def person_ids(context: ToolContext, series: str, name: str) -> frozenset[str]:
    """Return all ids of the member with this name; the name itself where there is none."""
    for membership in await context.people.members(series):
        person = await context.people.person(membership.person)
        if person and name_key(person.name) == name_key(name):
            return await context.people.known_as(person.id)
    return frozenset({name})


def _collect(answer: Answer, found: set[str]) -> None:
    for field in type(answer).model_fields:
        value = getattr(answer, field)
        if field in _PERSON_FIELDS and isinstance(value, str):
            found.add(value)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Answer):
                _collect(item, found)


def _renamed(answer: T, names: Mapping[str, str]) -> T:
    changed: dict[str, object] = {}
    for field in type(answer).model_fields:
        value = getattr(answer, field)
        if field in _PERSON_FIELDS and isinstance(value, str):
            changed[field] = names.get(value, value)
        elif isinstance(value, Answer):
            changed[field] = _renamed(value, names)
        elif isinstance(value, tuple) and any(isinstance(item, Answer) for item in value):
            changed[field] = tuple(
                _renamed(item, names) if isinstance(item, Answer) else item for item in value
            )
    return answer.model_copy(update=changed)
