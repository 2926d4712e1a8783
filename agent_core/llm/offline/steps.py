"""How look-ups are asked for: a line of steps that starts anew at every reply and goes as far as it is known.

A step yields calls and gets their outcomes as soon as the transcript has them; at the end it returns.
"""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from agent_core.llm.offline.refusals import trouble
from agent_core.llm.offline.replies import choices_reply, no_entry_reply, search_reply
from agent_core.llm.offline.results import Entry, Hit, Result, Search
from agent_core.llm.offline.transcript import Call, Data, Outcome
from agent_core.llm.offline.voice import Voice, blocks
from agent_core.llm.offline.wishes import Names

R = TypeVar("R", bound=Result)
T = TypeVar("T")

Steps: TypeAlias = Generator[tuple[Call, ...], tuple[Outcome, ...], T]

_BY_NAME = frozenset({"name", "alias"})


@dataclass(frozen=True, slots=True)
class Found:
    """An entry, and what has to be said about how it was found."""

    entry: Entry
    remark: str = ""


@dataclass(frozen=True, slots=True)
class NotFound:
    """What to say where there is no such entry; `nothing` if nothing at all was found."""

    text: str
    nearest: tuple[str, ...] = ()
    nothing: bool = False


def looked_up(kind: type[R], call: Call, voice: Voice) -> Steps[R | str]:
    """Return what a tool answered, or the sentence that says why it did not."""
    (outcome,) = yield (call,)
    return kind.model_validate(outcome.data) if isinstance(outcome, Data) else trouble(outcome, voice)


def found_entry(names: Names, voice: Voice) -> Steps[Found | NotFound]:
    """Return the entry that one of the spellings names, by name first, else by likeness."""
    outcomes = yield tuple(Call("search_lore", {"query": name}) for name in names)
    results: list[Search] = []
    for outcome in outcomes:
        if not isinstance(outcome, Data):
            return NotFound(trouble(outcome, voice))
        results.append(Search.model_validate(outcome.data))
    return _exact(results, names, voice) or _alike(results, names, voice)


def _exact(results: list[Search], names: Names, voice: Voice) -> Found | NotFound | None:
    for result, name in zip(results, names, strict=True):
        named = _entries(hit for hit in result.entries if hit.why in _BY_NAME)
        if len(named) == 1:
            return Found(named[0])
        if named:
            return NotFound(choices_reply(name, named, voice), tuple(one.name for one in named))
    words = _entries(hit for result in results for hit in result.entries if hit.why == "word_in_name")
    unwritten = next((result.no_entry for result in results if result.no_entry), None)
    if len(words) == 1 and unwritten is None:
        return Found(words[0])
    if words and unwritten is None:
        return NotFound(choices_reply(names[0], words, voice), tuple(one.name for one in words))
    return NotFound(no_entry_reply(unwritten, voice)) if unwritten else None


def _alike(results: list[Search], names: Names, voice: Voice) -> Found | NotFound:
    """Return what facts or scenes say where no name fits, and names that are merely alike before scenes."""
    told = next((one for one in results if any(hit.why == "fact" for hit in one.entries)), None)
    if told is not None:
        return NotFound(search_reply(told, voice))
    alike = _entries(hit for result in results for hit in result.entries if hit.why == "similar")
    nearest = tuple(one.name for one in alike)
    if len(alike) == 1:
        return Found(alike[0], voice.say("offline.reply.nearest", name=names[0], nearest=alike[0].name))
    if alike:
        return NotFound(voice.say("error.unknown_entity", name=names[0], nearest=nearest), nearest)
    full = next((result for result in results if result.entries or result.scenes), None)
    if full is not None:
        unknown = voice.say("error.unknown_entity", name=names[0], nearest=())
        return NotFound(blocks(unknown, search_reply(full, voice)))
    return NotFound(voice.say("offline.nothing", query=names[0]), nothing=True)


def _entries(hits: Iterable[Hit]) -> tuple[Entry, ...]:
    return tuple({hit.entry.id: hit.entry for hit in hits}.values())
